import { channelShape, encodingShape, wordOrderShape, type Channel } from '@roastery/contract/machine-map';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../model/random.ts';
import { missingRaw, showReading, shownReading } from './channel-registers.ts';
import { createRegisterBank } from './register-bank.ts';

const figures = { order: 'ABCD', unit: 1, maxDrumRpm: 80 } as const;
const roundTrip = (name: string, channel: Channel, value: number | null): number | null => {
  const bank = createRegisterBank();
  showReading(bank, figures, name, channel, value);
  return shownReading(bank, figures, name, channel);
};

describe('readings in registers', () => {
  it('are decoded within half a step of the register, for any encoding, order, scale, offset and unit', () => {
    const random = createRandom(3);
    for (const as of encodingShape.options.filter((encoding) => encoding !== 'bool')) {
      for (const order of wordOrderShape.options) {
        for (const scale of [1, 0.1, 0.01, -0.1, 0.389]) {
          for (const [unit, offset] of [
            ['°C', 0],
            ['°F', 0],
            ['°C', -38.9],
            ['rpm', 0],
          ] as const) {
            const channel = channelShape.parse({ at: 'h:10', as, order, scale, offset, unit });
            // 20 to 90 fit every encoding above; signs and offsets that an encoding can't hold are left out.
            const value = random.between(20, 90);
            const raw = ((unit === '°F' ? value * 1.8 + 32 : unit === 'rpm' ? value * 0.8 : value) - offset) / scale;
            if (raw < 0 && !['i16', 'i32', 'f32'].includes(as)) continue;
            if (raw > 9999 && as === 'bcd16') continue;
            const perStep = Math.abs(scale) / (unit === '°F' ? 1.8 : unit === 'rpm' ? 0.8 : 1);
            const shown = roundTrip('drum_speed', channel, value) ?? Number.NaN;
            expect(Math.abs(shown - value), JSON.stringify(channel)).toBeLessThanOrEqual(perStep / 2 + 1e-3);
          }
        }
      }
    }
  });

  it('encodes "no probe" as in the map, which is read as null', () => {
    for (const channel of [
      { at: 'h:0', as: 'i16', scale: 0.1, bad: [32_767] },
      { at: 'h:0', as: 'u16', scale: 0.1, bad: [-1, 65_535] },
      { at: 'h:0', as: 'f32' },
      { at: 'h:0', as: 'i16', scale: 0.1, range: [-50, 350] },
      { at: 'h:0', as: 'bcd16', scale: 0.1, range: [0, 500] },
    ] as const) {
      const parsed = channelShape.parse({ ...channel, ...('bad' in channel ? { bad: [...channel.bad] } : {}) });
      expect(missingRaw(parsed), JSON.stringify(channel)).toBeDefined();
      expect(roundTrip('bean_temp', parsed, null), JSON.stringify(channel)).toBeNull();
    }
  });

  it('never encodes a real reading as "no probe"', () => {
    const channel = channelShape.parse({ at: 'h:0', as: 'u16', scale: 0.1, bad: [2000] });
    expect(roundTrip('bean_temp', channel, 200)).toBe(199.9);
  });

  it('keeps bits of one register separate, and coils', () => {
    const bank = createRegisterBank();
    const bits = [0, 7, 15].map((bit) => channelShape.parse({ at: `h:9.${bit}`, as: 'bool', unit: 'bool' }));
    for (const [index, channel] of bits.entries()) showReading(bank, figures, 'bit', channel, index === 1 ? 0 : 1);
    expect(bank.get(1, 'holding', 9)).toBe(0x8001);
    expect(bits.map((channel) => shownReading(bank, figures, 'bit', channel))).toEqual([1, 0, 1]);
    const coil = channelShape.parse({ at: '2/c:3', as: 'bool', unit: 'bool' });
    showReading(bank, figures, 'bit', coil, 1);
    expect(bank.read(2, 'coil', 3, 1)).toEqual([1]);
  });
});
