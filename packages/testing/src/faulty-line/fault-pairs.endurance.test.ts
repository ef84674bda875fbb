import { expect, it } from 'vitest';
import { volume } from '../endurance/volume.ts';
import { faultPairsOn } from './fault-cases.ts';
import { readInVirtualTime } from './read-in-virtual-time.ts';

/** The bench reads every kind of line and layout. */
const lines = [
  { kind: 'tcp', layout: 'tables' },
  { kind: 'rtu-over-tcp', layout: 'single' },
  { kind: 'rtu-over-tcp', layout: 'strict' },
  { kind: 'ascii', layout: 'single' },
  { kind: 'ascii', layout: 'strict' },
] as const;

it.each(lines)(
  '$kind, $layout: stores no wrong value under any two faults at once and keeps correctly answered readings',
  async ({ kind, layout }) => {
    const pairs = faultPairsOn(kind).filter((_, index) => index % volume(1, 12) === 0);
    let sound = 0;
    let kept = 0;
    for (const { name, faults } of pairs) {
      for (const report of await readInVirtualTime({ kind, layout, faults, seconds: 30, hz: 4 }, [1, 2])) {
        expect(report.wrong, name).toEqual([]);
        sound += report.sound;
        kept += report.kept;
      }
    }
    expect(sound).toBeGreaterThan(50 * pairs.length);
    expect(kept / sound).toBeGreaterThan(0.95);
  },
  240_000,
);
