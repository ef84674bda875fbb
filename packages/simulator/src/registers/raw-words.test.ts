import { encodingShape, wordOrderShape, type Encoding } from '@roastery/contract/machine-map';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../model/random.ts';
import { fromWords, nearestRaw, toWords, wordsOf } from './raw-words.ts';

const encodings = encodingShape.options;
const orders = wordOrderShape.options;
const edges = [
  0,
  1,
  -1,
  9,
  10,
  99,
  9999,
  10_000,
  32_767,
  -32_768,
  65_535,
  99_999_999,
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 32 - 1,
];

/** Values that an encoding can contain: its limits and a few hundred random ones. */
const valuesOf = (as: Encoding): number[] => {
  const random = createRandom(7);
  const drawn = Array.from({ length: 300 }, () => random.gaussian() * 10 ** random.between(0, 9));
  return [...edges, 1204.5, -0.1, ...drawn].map((value) => nearestRaw(as, value));
};

describe('raw values in registers', () => {
  it.each(encodings.flatMap((as) => orders.map((order) => [as, order] as const)))(
    'are decoded from %s in order %s',
    (as, order) => {
      for (const value of valuesOf(as)) {
        const words = toWords(as, order, value);
        expect(words).toHaveLength(wordsOf(as));
        expect(words.every((word) => Number.isInteger(word) && word >= 0 && word <= 0xffff)).toBe(true);
        expect(fromWords(as, order, words)).toBe(value);
      }
    },
  );

  // Examples computed by hand from IEEE 754 and the meaning of the orders, not with our own code.
  it.each([
    ['f32', 'ABCD', 123.456, [0x42f6, 0xe979]],
    ['f32', 'CDAB', 123.456, [0xe979, 0x42f6]],
    ['f32', 'BADC', 123.456, [0xf642, 0x79e9]],
    ['f32', 'DCBA', 123.456, [0x79e9, 0xf642]],
    ['u32', 'CDAB', 0x1234_5678, [0x5678, 0x1234]],
    ['i32', 'ABCD', -2, [0xffff, 0xfffe]],
    ['i16', 'DCBA', -2, [0xfffe]],
    ['bcd16', 'ABCD', 1987, [0x1987]],
    ['bcd32', 'ABCD', 12_345_678, [0x1234, 0x5678]],
    ['bcd32', 'CDAB', 12_345_678, [0x5678, 0x1234]],
    ['bool', 'ABCD', 1, [1]],
  ] as const)('%s in order %s encodes %d as on the wire', (as, order, value, words) => {
    expect(toWords(as, order, value)).toEqual(words);
  });

  it('rejects letters as decimal digits and NaN as a value', () => {
    expect(fromWords('bcd16', 'ABCD', [0x12a4])).toBeUndefined();
    expect(fromWords('bcd32', 'CDAB', [0xf000, 0x0000])).toBeUndefined();
    expect(fromWords('f32', 'ABCD', toWords('f32', 'ABCD', Number.NaN))).toBeUndefined();
  });

  it('clamps values that do not fit', () => {
    expect(nearestRaw('u16', 70_000)).toBe(65_535);
    expect(nearestRaw('u16', -3)).toBe(0);
    expect(nearestRaw('bcd16', 12_345)).toBe(9999);
    expect(nearestRaw('i16', -40_000)).toBe(-32_768);
  });
});
