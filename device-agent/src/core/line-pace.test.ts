import { machineMapShape, type MachineMapInput } from '@roastery/contract/machine-map';
import { describe, expect, it } from 'vitest';
import { alikeAnswersSentence, createPaceWatch, lineMs, slowLineSentence, slowReadingSentence } from './line-pace.ts';

const near = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`t${index}`, { at: `h:${index + 1}` }]));
const scattered = Object.fromEntries(
  Array.from({ length: 8 }, (_, index) => [`t${index}`, { at: `h:${100 * (index + 1)}` }]),
);
const mapOf = (channels: MachineMapInput['channels'], over: Partial<MachineMapInput> = {}) =>
  machineMapShape.parse({
    v: 1,
    id: 'test',
    maker: 'T',
    model: 'T',
    hz: 4,
    link: { kind: 'rtu', baud: 9600 },
    channels: { bean_temp: { at: 'h:0' }, ...channels },
    ...over,
  });

describe('a serial line', () => {
  it('carries 17 neighbours at 9600 baud four times a second', () => {
    const map = mapOf(near);
    // 8 + 39 characters of 10 bits, and a silence of 3.5 characters after each frame.
    expect(lineMs(map)).toBeCloseTo(((47 + 7) * 10_000) / 9600, 6);
    expect(slowLineSentence(map)).toBeUndefined();
  });
  it('reports that it cannot carry the map’s rate', () => {
    expect(slowLineSentence(mapOf(scattered, { gapMs: 20 }))).toBe(
      'The line at 9600 baud carries at most 2.5 readings a second of this map, which asks for 4.',
    );
    expect(slowLineSentence(mapOf(scattered, { gapMs: 20, hz: 2 }))).toBeUndefined();
    expect(slowLineSentence(mapOf(scattered, { link: { kind: 'rtu', baud: 38_400 } }))).toBeUndefined();
  });
  it('line without transaction numbers: names a map whose answers all have one length', () => {
    const alike = mapOf(scattered, { maxRegisters: 1 });
    expect(alikeAnswersSentence(alike)).toContain('the agent reads nothing for 1.3 s');
    expect(alikeAnswersSentence(mapOf(scattered))).toBeUndefined();
    expect(alikeAnswersSentence({ ...alike, link: { kind: 'tcp', host: '127.0.0.1', port: 502 } })).toBeUndefined();
  });
  it('takes longer with ASCII; the speed of a network is unknown', () => {
    const ascii = mapOf(near, { link: { kind: 'ascii', baud: 9600, dataBits: 7, parity: 'even' } });
    expect(lineMs(ascii)).toBeCloseTo(((17 + 8 + 2 * 34 + 3) * 10_000) / 9600, 6);
    expect(lineMs(mapOf(near, { link: { kind: 'tcp', host: '127.0.0.1' } }))).toBeUndefined();
  });
});

describe('the pace of reading', () => {
  it('is reported while it is slower than the map requires', () => {
    const pace = createPaceWatch(4);
    for (let reading = 0; reading < 20; reading++) pace.took(reading === 3 ? 900 : 60);
    expect(pace.reachedHz(), 'one slow reading is no news').toBeUndefined();
    for (let reading = 0; reading < 20; reading++) pace.took(400);
    expect(pace.reachedHz()).toBe(2.5);
    expect(slowReadingSentence(2.5, 4)).toContain('2.5 of 4 readings a second');
    for (let reading = 0; reading < 20; reading++) pace.took(240);
    expect(pace.reachedHz()).toBeUndefined();
  });
});
