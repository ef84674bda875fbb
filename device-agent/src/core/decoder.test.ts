import { channelShape } from '@roastery/contract/machine-map';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { createDecoder } from './decoder.ts';

const decode = (channel: z.input<typeof channelShape>, words: number[], name = 'bean_temp', offset = 0) =>
  createDecoder(name, channelShape.parse(channel), { order: 'ABCD', maxDrumRpm: 80 })(words, offset);

describe('decoder', () => {
  // 214.5 as IEEE 754 single: 0x43568000.
  it.each([
    ['ABCD', [0x4356, 0x8000]],
    ['CDAB', [0x8000, 0x4356]],
    ['BADC', [0x5643, 0x0080]],
    ['DCBA', [0x0080, 0x5643]],
  ] as const)('reads 214.5 from a float in order %s', (order, words) => {
    expect(decode({ at: 'h:0', as: 'f32', order }, [...words])).toEqual({ value: 214.5, quality: 'ok' });
  });

  it.each([
    ['u16', [65_535], 65_535],
    ['i16', [0xfff6], -10],
    ['u32', [1, 0], 65_536],
    ['i32', [0xffff, 0xfffe], -2],
    ['bcd16', [0x2153], 2153],
    ['bcd32', [0x0012, 0x3456], 123_456],
    ['bool', [4], 1],
  ] as const)('reads %s', (as, words, value) => {
    expect(decode({ at: 'h:0', as, unit: '' }, [...words])).toEqual({ value, quality: 'ok' });
  });

  it('scales without rounding errors of binary fractions', () => {
    expect(decode({ at: 'h:0', as: 'i16', scale: 0.1 }, [2153]).value).toBe(215.3);
    expect(decode({ at: 'h:0', scale: 0.389, offset: -38.9 }, [100]).value).toBe(0);
  });

  it('reads its own register within an answer', () => {
    expect(decode({ at: 'h:9' }, [1, 2, 3, 4], 'bean_temp', 2).value).toBe(3);
  });

  it('reads a single bit of a register', () => {
    expect(decode({ at: 'h:0.3', as: 'bool', unit: 'bool' }, [0b1000]).value).toBe(1);
    expect(decode({ at: 'h:0.2', as: 'bool', unit: 'bool' }, [0b1000]).value).toBe(0);
  });

  it('converts Fahrenheit, and drum revolutions to percent, at the edge', () => {
    expect(decode({ at: 'h:0', unit: '°F' }, [392]).value).toBe(200);
    expect(decode({ at: 'h:0', unit: 'rpm', scale: 0.1 }, [600], 'drum_speed').value).toBe(75);
  });

  it('checks the range in the unit of the map', () => {
    expect(decode({ at: 'h:0', unit: '°F', range: [0, 500] }, [450]).quality).toBe('ok');
    expect(decode({ at: 'h:0', unit: '°F', range: [0, 500] }, [501])).toEqual({ value: null, quality: 'out_of_range' });
  });

  it('never returns 0 for a missing probe', () => {
    expect(decode({ at: 'h:0', as: 'i16', scale: 0.1, bad: [32_767] }, [32_767])).toEqual({
      value: null,
      quality: 'bad',
    });
    expect(decode({ at: 'h:0', as: 'f32' }, [0x7fc0, 0])).toEqual({ value: null, quality: 'not_a_number' });
    expect(decode({ at: 'h:0', as: 'bcd16' }, [0x00fa])).toEqual({ value: null, quality: 'not_a_number' });
    expect(decode({ at: 'h:0' }, [])).toEqual({ value: null, quality: 'not_a_number' });
  });

  it.each([
    ['u16', 0.01, [65_535]],
    ['u16', 0.01, [32_767]],
    ['i16', 0.01, [32_767]],
    ['i16', 0.1, [0x8000]],
    ['i32', 1e-7, [0x7fff, 0xffff]],
    ['u32', 1e-7, [0xffff, 0xffff]],
  ] as const)('reports a broken probe also without `bad` values in the map: %s × %s', (as, scale, words) => {
    const [broken, channel] = [
      { value: null, quality: 'bad' },
      { at: 'h:0', as, scale },
    ];
    expect(decode({ ...channel, range: [-50, 700] }, [...words])).toEqual(broken);
    expect(decode({ ...channel, unit: '°F', range: [-58, 1292] }, [...words])).toEqual(broken);
    // `bad` values of the map replace these, and another quantity may have such values.
    expect(decode({ ...channel, bad: [1], range: [-1e6, 1e6] }, [...words]).quality).toBe('ok');
    expect(decode({ ...channel, unit: '%' }, [...words]).quality).toBe('ok');
  });

  it('rejects temperatures outside a roaster’s range, also without a range in the map', () => {
    const ofBeans = (raw: number) => decode({ at: 'h:0', as: 'i16', scale: 0.1 }, [raw]);
    expect([ofBeans(32_760), ofBeans(0x8001), ofBeans(2000)]).toEqual([
      { value: null, quality: 'out_of_range' },
      { value: null, quality: 'out_of_range' },
      { value: 200, quality: 'ok' },
    ]);
    expect(decode({ at: 'h:0', unit: '°F' }, [2000]).quality).toBe('ok');
    expect(decode({ at: 'h:0', unit: '°F' }, [3000])).toEqual({ value: null, quality: 'out_of_range' });
  });

  it('refuses what the contract would refuse', () => {
    expect(decode({ at: 'h:0', as: 'u32', unit: '' }, [0xffff, 0xffff])).toEqual({
      value: null,
      quality: 'out_of_range',
    });
  });
});
