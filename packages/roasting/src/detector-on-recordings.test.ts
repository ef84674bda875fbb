import { describe, expect, it } from 'vitest';
import { detectMarks } from './detect-marks.ts';
import { createRoastDetector, isRetraction } from './detector.ts';
import { markOf } from './marks.ts';
import { artisanMarks } from '@roastery/testing/marks/artisan-rule';
import {
  doubtfulCharges,
  doubtfulDrops,
  recordedRoasts,
  recordedRoastsPresent,
  recordedRoastsTitle,
  samplesOf,
} from '@roastery/testing/marks/recorded-roasts';

const rows = recordedRoasts().map(({ id, roast, file }) => {
  const samples = samplesOf(roast);
  const marks = detectMarks(samples);
  const blind = detectMarks(samplesOf(roast, { withControls: false }));
  const charge = markOf(roast.marks, 'charge')?.timeSeconds;
  const drop = markOf(roast.marks, 'drop')?.timeSeconds;
  const artisan = artisanMarks(samples, charge);
  return {
    id,
    file,
    roast,
    samples,
    charge: off(markOf(marks, 'charge')?.timeSeconds, charge),
    drop: off(markOf(marks, 'drop')?.timeSeconds, drop),
    blindDrop: off(markOf(blind, 'drop')?.timeSeconds, drop),
    artisanCharge: off(artisan.charge, charge),
    artisanDrop: off(artisan.drop, drop),
  };
});

function off(found: number | null | undefined, marked: number | undefined): number | null {
  return found === null || found === undefined || marked === undefined ? null : found - marked;
}

const cell = (error: number | null) => (error === null ? '–' : error.toFixed(1)).padStart(8);

const credibleCharges = rows.filter(({ id }) => !(id in doubtfulCharges));
const credibleDrops = rows.filter(({ id, roast }) => !(id in doubtfulDrops) && markOf(roast.marks, 'drop'));
const hits = (errors: readonly (number | null)[], within: number) =>
  errors.filter((error) => error !== null && Math.abs(error) <= within).length;

describe.skipIf(!recordedRoastsPresent)(`the detector on recorded roasts${recordedRoastsTitle}`, () => {
  it('is shown in a table', () => {
    const lines = rows.map(
      (row) =>
        `${row.file.slice(0, 24).padEnd(25)}${cell(row.charge)}${cell(row.artisanCharge)}${cell(row.drop)}` +
        `${cell(row.blindDrop)}${cell(row.artisanDrop)}  ${doubtfulCharges[row.id] ?? ''}`,
    );
    const head = `${'seconds from the mark'.padEnd(25)}  charge Artisan    drop BT only Artisan  doubt about the charge`;
    process.stdout.write(`${[head, ...lines].join('\n')}\n`);
    expect(rows).toHaveLength(23);
  });

  it.each(credibleCharges)('finds the charge of $file within 5 s', ({ charge }) => {
    expect(Math.abs(charge ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(5);
  });

  it.each(credibleDrops)('finds the drop of $file within 10 s', ({ drop }) => {
    expect(Math.abs(drop ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(10);
  });

  it.each(rows)('never calls a drop early in $file, not even provisionally', ({ roast, samples }) => {
    const marked = markOf(roast.marks, 'drop')?.timeSeconds;
    const detector = createRoastDetector();
    const early = samples
      .flatMap((sample) => detector.push(sample))
      .filter((finding) => !isRetraction(finding) && finding.kind === 'drop')
      .filter((finding) => marked !== undefined && !isRetraction(finding) && finding.timeSeconds < marked - 10);
    expect(early).toEqual([]);
  });

  it('is nearer to what people marked than Artisan’s rule', () => {
    const charges = {
      ours: hits(
        credibleCharges.map((r) => r.charge),
        5,
      ),
      artisan: hits(
        credibleCharges.map((r) => r.artisanCharge),
        5,
      ),
    };
    const drops = {
      ours: hits(
        credibleDrops.map((r) => r.drop),
        10,
      ),
      artisan: hits(
        credibleDrops.map((r) => r.artisanDrop),
        10,
      ),
    };
    const blind = hits(
      credibleDrops.map((r) => r.blindDrop),
      10,
    );
    process.stdout.write(
      `charge within 5 s: ${charges.ours} of ${credibleCharges.length}, Artisan's rule ${charges.artisan}; ` +
        `drop within 10 s: ${drops.ours} of ${credibleDrops.length} (bean temperature only ${blind}), Artisan's rule ${drops.artisan}\n`,
    );
    expect(charges.ours).toBeGreaterThanOrEqual(charges.artisan);
    expect(drops.ours).toBeGreaterThan(drops.artisan);
    expect(blind).toBeGreaterThan(drops.artisan);
  });
});
