import { describe, expect, it } from 'vitest';
import { eventNameShape, machineMapShape, storedMapShape } from './machine-map.ts';
import { maxPacketBytes } from './mqtt.ts';

/** The longest number in JSON. */
const long = -1.234_567_890_123_456e-300;
const at = '255/h:65535.15';
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

const words = (length: number) => '火'.repeat(length);
const name = (index: number) => (index === 0 ? 'bean_temp' : `c${index}_`.padEnd(40, 'x'));

/** The largest possible map, in letters that take three bytes. */
const largest = ({ channels = 64, outputs = 64, bad = 20, on = 100 } = {}) => {
  const number = { at, as: 'bcd32', order: 'ABCD', scale: long, offset: long, unit: 'mbar', range: [long, long] };
  return {
    v: 1,
    id: 'm'.repeat(80),
    rev: 1_000_000,
    maker: words(80),
    model: words(80),
    source: words(120),
    notes: words(600),
    link: { kind: 'tcp', host: words(253) },
    channels: Object.fromEntries(many(channels, (n) => [name(n), { ...number, bad: many(bad, () => long) }])),
    outputs: Object.fromEntries(
      many(outputs, (n) => [name(n), { ...number, maxPerSecond: -long, readback: name(0), safe: long }]),
    ),
    events: Object.fromEntries(
      eventNameShape.options.map((event) => [event, { when: at, on: many(on, () => [at, long]) }]),
    ),
  };
};

const least = (over: object, bean: object = {}) => ({
  v: 1,
  id: 'least',
  maker: 'M',
  model: 'M',
  link: { kind: 'rtu' },
  channels: { bean_temp: { at: 'h:6', ...bean } },
  ...over,
});

describe('a machine map', () => {
  it('fits into one packet to a board at its largest size', () => {
    const map = machineMapShape.parse(largest());
    expect(Buffer.byteLength(JSON.stringify(map))).toBeLessThan(maxPacketBytes - 2048);
  });

  it.each([{ channels: 65 }, { outputs: 65 }, { bad: 21 }, { on: 101 }])('is refused with more entries: %o', (more) => {
    expect(machineMapShape.safeParse(largest(more)).success).toBe(false);
    // It was saved under higher limits: it must stay readable and reducible.
    expect(storedMapShape.safeParse(largest(more)).success).toBe(true);
  });

  it.each([
    ['a broadcast on a serial line', least({ unit: 0 }), ['unit'], /1 to 247 on a serial line/],
    ['a unit beyond a serial line', least({ unit: 248 }), ['unit'], /1 to 247/],
    ['a broadcast in an address', least({}, { at: '0/h:6' }), ['channels', 'bean_temp', 'at'], /1 to 247/],
    ['a unit beyond it in an address', least({}, { at: '255/h:6' }), ['channels', 'bean_temp', 'at'], /1 to 247/],
    [
      'two registers from the last one on',
      least({}, { at: 'h:65535', as: 'f32' }),
      ['channels', 'bean_temp', 'at'],
      /none after 65535/,
    ],
    ['a five-digit address', least({}, { at: '40007' }), ['channels', 'bean_temp', 'at'], /write "h:6"/],
  ])('refuses %s, with a message', (_what, map, path, sentence) => {
    const issues = machineMapShape.safeParse(map).error?.issues ?? [];
    expect(issues.map((issue) => issue.path)).toEqual([path]);
    expect(issues[0]?.message).toMatch(sentence);
  });

  it.each([
    ['40001', 'write "h:0"'],
    ['300007', 'write "i:6"'],
    ['2/40007', 'write "2/h:6"'],
    ['40007.3', 'write "h:6.3"'],
    ['10001', 'write "d:0"'],
    ['40000', 'begins at 40001: write [unit/]h'],
    ['0x0006', 'zero-based as on the wire'],
    ['%MW10', 'zero-based as on the wire'],
  ])('suggests a replacement for %s', (at, sentence) => {
    expect(machineMapShape.safeParse(least({}, { at })).error?.issues[0]?.message).toContain(sentence);
  });

  it.each([
    least({ unit: 247 }),
    least({ unit: 0, link: { kind: 'tcp', host: 'drum' } }),
    least({ unit: 255, link: { kind: 'tcp', host: 'drum' } }, { at: 'h:65535' }),
  ])('accepts units and registers at their limits: %o', (map) => {
    expect(machineMapShape.safeParse(map).error).toBeUndefined();
  });
});
