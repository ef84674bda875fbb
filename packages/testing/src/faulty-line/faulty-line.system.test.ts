import { describe, expect, it } from 'vitest';
import { hasSerialCables } from '../serial-cable.ts';
import { recordOverFaultyLine } from './record-over-faulty-line.ts';

const hasCables = hasSerialCables();
const kinds = [
  { kind: 'tcp', needs: '', there: true },
  {
    kind: 'rtu',
    needs: hasCables ? '' : ' (skipped: needs python3 to make a pair of pseudo terminals)',
    there: hasCables,
  },
] as const;

describe.concurrent('the record over a line with late, lost and garbled answers, closed sockets and a pulled plug', () => {
  for (const { kind, needs, there } of kinds) {
    it.skipIf(!there)(`holds no wrong value, gaps are gaps, and is back within 5 s: ${kind}${needs}`, async () => {
      const report = await recordOverFaultyLine({ kind, seconds: 26, cuts: 1, seed: 3 });
      expect(report.wrong).toEqual([]);
      expect(report.repeated, 'samples that were not read').toBe(0);
      expect(report.samplesInCuts, 'samples while the line was away').toBe(0);
      expect(Math.max(...report.backAfterMs), 'ms from the return of the line to a sample').toBeLessThan(5000);
      // The faults were there, and most of what could be read was read.
      const { late, lost, garbled } = report.counts;
      expect(Math.min(late, lost + garbled)).toBeGreaterThan(0);
      expect(report.samples).toBeGreaterThan(15);
    });
  }
});
