import { describe, expect, it } from 'vitest';
import { detectMarks } from './detect-marks.ts';
import { createRoastDetector, isRetraction } from './detector.ts';
import { markOf } from '../marks.ts';
import { artisanMarks, artisanModes } from '@roastery/testing/marks/artisan-rule';
import { doubtAboutCharge, doubtAboutDrop } from '@roastery/testing/marks/doubtful-marks';
import {
  chargedCold,
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
  const [standard, sensitive] = artisanModes.map((mode) => {
    const said = artisanMarks(samples, mode, charge);
    return { charge: off(said.charge, charge), drop: off(said.drop, drop) };
  });
  return {
    id,
    file,
    roast,
    samples,
    charge: off(markOf(marks, 'charge')?.timeSeconds, charge),
    drop: off(markOf(marks, 'drop')?.timeSeconds, drop),
    blindDrop: off(markOf(blind, 'drop')?.timeSeconds, drop),
    standard,
    sensitive,
  };
});

function off(found: number | null | undefined, marked: number | undefined): number | null {
  return found === null || found === undefined || marked === undefined ? null : found - marked;
}

const cell = (error: number | null = null) => (error === null ? '–' : error.toFixed(1)).padStart(8);

const credibleCharges = rows.filter(({ roast }) => doubtAboutCharge(roast) === null);
const credibleDrops = rows.filter(({ roast }) => doubtAboutDrop(roast) === null);
const hits = (errors: readonly (number | null)[], within: number) =>
  errors.filter((error) => error !== null && Math.abs(error) <= within).length;

describe.skipIf(!recordedRoastsPresent)(`the detector on recorded roasts${recordedRoastsTitle}`, () => {
  it('prints a table', () => {
    const lines = rows.map(
      (row) =>
        `${row.file.slice(0, 24).padEnd(25)}${cell(row.charge)}${cell(row.standard?.charge)}${cell(row.sensitive?.charge)}` +
        `${cell(row.drop)}${cell(row.blindDrop)}${cell(row.standard?.drop)}${cell(row.sensitive?.drop)}  ${doubtAboutCharge(row.roast) ?? ''}`,
    );
    const head = `${'seconds from the mark'.padEnd(25)}  charge  Standard Sensitiv  drop BT only Standard Sensitiv  doubt about the charge`;
    process.stdout.write(`${[head, ...lines].join('\n')}\n`);
    expect(rows).toHaveLength(23);
  });

  it.each(credibleCharges)('finds the charge of $file within 5 s', ({ charge }) => {
    expect(Math.abs(charge ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(5);
  });

  // The probe of a fluid bed stays at the top for 11 s after a person's mark.
  it.each(credibleDrops)('finds the drop of $file within 10 s, of a machine charged cold within 12 s', (row) => {
    expect(Math.abs(row.drop ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(chargedCold(row.roast) ? 12 : 10);
  });

  it.each(rows)('reports no early drop in $file, not even provisionally', ({ roast, samples }) => {
    const marked = markOf(roast.marks, 'drop')?.timeSeconds;
    const detector = createRoastDetector();
    const early = samples
      .flatMap((sample) => detector.push(sample))
      .filter((finding) => !isRetraction(finding) && finding.kind === 'drop')
      .filter((finding) => marked !== undefined && !isRetraction(finding) && finding.timeSeconds < marked - 10);
    expect(early).toEqual([]);
  });

  it('is closer to people’s marks than both modes of Artisan’s rule', () => {
    const charge = (of: (row: (typeof rows)[number]) => number | null) => hits(credibleCharges.map(of), 5);
    const drop = (of: (row: (typeof rows)[number]) => number | null) => hits(credibleDrops.map(of), 10);
    const charges = [
      charge((r) => r.charge),
      charge((r) => r.standard?.charge ?? null),
      charge((r) => r.sensitive?.charge ?? null),
    ];
    const drops = [drop((r) => r.drop), drop((r) => r.standard?.drop ?? null), drop((r) => r.sensitive?.drop ?? null)];
    const blind = drop((r) => r.blindDrop);
    process.stdout.write(
      `ours, Artisan Standard, Sensitive: charge within 5 s ${charges.join(', ')} of ${credibleCharges.length}; ` +
        `drop within 10 s ${drops.join(', ')} of ${credibleDrops.length} (ours by bean temperature only ${blind})\n`,
    );
    expect(charges[0]).toBeGreaterThanOrEqual(Math.max(...charges));
    expect(drops[0]).toBeGreaterThanOrEqual(Math.max(...drops));
    expect(blind).toBeGreaterThanOrEqual(Math.max(...drops.slice(1)));
  });
});
