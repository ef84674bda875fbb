import { describe, expect, it } from 'vitest';
import { ownerOf } from './instances.ts';

const instances = ['a1', 'b2', 'c3'];
const serials = Array.from({ length: 3000 }, (_, n) => `RM30-${n}`);

describe('ownerOf', () => {
  it('gives each of several instances about the same number of machines', () => {
    for (const instance of instances) {
      const share = serials.filter((serial) => ownerOf(serial, instances) === instance).length / serials.length;
      expect(share).toBeGreaterThan(0.3);
      expect(share).toBeLessThan(0.37);
    }
  });

  it('names the same owner whatever the order of the instances', () => {
    for (const serial of serials) expect(ownerOf(serial, instances.toReversed())).toBe(ownerOf(serial, instances));
  });

  it('moves only the machines of the instance that left, to both others', () => {
    const left = instances.filter((instance) => instance !== 'b2');
    const moved = serials.filter((serial) => ownerOf(serial, left) !== ownerOf(serial, instances));
    expect(moved).toEqual(serials.filter((serial) => ownerOf(serial, instances) === 'b2'));
    expect(new Set(moved.map((serial) => ownerOf(serial, left)))).toEqual(new Set(left));
  });

  it('moves machines only to the instance that joined', () => {
    const joined = [...instances, 'd4'];
    const moved = serials.filter((serial) => ownerOf(serial, joined) !== ownerOf(serial, instances));
    expect(new Set(moved.map((serial) => ownerOf(serial, joined)))).toEqual(new Set(['d4']));
  });
});
