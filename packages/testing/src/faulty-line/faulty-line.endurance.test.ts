import { describe, expect, it } from 'vitest';
import { isBounded, onlyInFull } from '../endurance/volume.ts';
import { hasSerialCables } from '../serial-cable.ts';
import { faultCases } from './fault-cases.ts';
import { readOverFaultyLine, type ReadReport } from './read-over-faulty-line.ts';
import { recordOverFaultyLine } from './record-over-faulty-line.ts';

const hasCables = hasSerialCables();
const withoutCables = hasCables ? '' : ' (skipped: needs python3 to make a pair of pseudo terminals)';
const kinds = [
  { kind: 'tcp', needs: '', there: true },
  { kind: 'rtu-over-tcp', needs: '', there: true },
  { kind: 'rtu', needs: withoutCables, there: hasCables },
  { kind: 'ascii', needs: withoutCables, there: hasCables },
] as const;

/**
 * Of the readings whose answers were sound, how many are kept at least. A busy computer delivers some after the agent's
 * timeout; in virtual time (`virtual-time.test.ts`) all but a twentieth are kept.
 */
const minKept = 0.5;

describe('faulty line: an agent records a machine whose registers contain their address and time', () => {
  for (const { kind, needs, there } of kinds) {
    it.skipIf(!there).concurrent(
      `${kind}: stores no wrong value under all faults at once, and is back within 5 s after a cut${needs}`,
      async () => {
        const report = await recordOverFaultyLine({ kind, seconds: 26, cuts: 1, seed: 3 });
        expect(report.wrong).toEqual([]);
        expect(report.repeated, 'samples that were not read').toBe(0);
        expect(report.samplesInCuts, 'samples while the line was away').toBe(0);
        expect(Math.max(...report.backAfterMs), 'ms from the return of the line to a sample').toBeLessThan(5000);
        expect(report.faulty, 'faults met').toBeGreaterThan(0);
        expect(report.kept / report.sound, 'share of the sound readings that were stored').toBeGreaterThan(minKept);
      },
      60_000,
    );
  }
});

/** This many lines are read concurrently: more would starve each other. */
const atOnce = 6;
const inTurns = async <T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  for (let at = 0; at < all.length; at += atOnce) {
    results.push(...(await Promise.all(all.slice(at, at + atOnce).map(work))));
  }
  return results;
};

describe('faulty line: each fault by itself', () => {
  for (const { kind, needs, there } of kinds) {
    for (const layout of ['single', 'strict'] as const) {
      it.skipIf(!there || isBounded)(
        `${kind}, ${layout === 'single' ? 'one register a request' : 'all answers of one length'}: stores no wrong value and keeps correctly answered readings${needs}${onlyInFull}`,
        async () => {
          const reports = await inTurns(faultCases, async ({ name, faults }) => {
            // Answers of one length differ only by their time; virtual-time.test tests them without delays of the
            // computer.
            const strict = layout === 'strict' ? ({ withoutStarved: true } as const) : {};
            const report = await readOverFaultyLine({ kind, layout, faults, seconds: 5, seed: 5, ...strict });
            return { name, ...report };
          });
          expect(reports.flatMap(({ name, wrong }) => wrong.map((line) => `${name}: ${line}`))).toEqual([]);
          const sumOf = (figure: (report: ReadReport) => number): number =>
            reports.reduce((sum, report) => sum + figure(report), 0);
          // A busy computer sends fewer requests, but the answers must still be correct.
          expect(sumOf(({ readings }) => readings)).toBeGreaterThan(3 * faultCases.length);
          const share = sumOf(({ kept }) => kept) / sumOf(({ sound }) => sound);
          expect(share, 'share of the sound readings that were kept').toBeGreaterThan(minKept);
        },
        120_000,
      );
    }
  }
});
