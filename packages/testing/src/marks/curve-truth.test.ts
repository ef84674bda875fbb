import { createRoastDetector } from '@roastery/roasting/detection/detector';
import { describe, expect, it } from 'vitest';
import { marksNotCounted, truthOf } from './curve-truth.ts';
import { judgedArtisan, judgedDetector, ownerTables } from './owner-tables.ts';
import { ownerFolders, recordedRoasts, recordedRoastsPresent, recordedRoastsTitle } from './recorded-roasts.ts';

const whole = recordedRoasts(ownerFolders).flatMap((recorded) => {
  const truth = truthOf(recorded.file, recorded.roast);
  return truth ? [{ ...recorded, truth }] : [];
});

describe.skipIf(!recordedRoastsPresent)(`the truth about recorded roasts${recordedRoastsTitle}`, () => {
  it('leaves out at most 3 % of the marks of a maker, or one', () => {
    for (const maker of new Set(whole.map((recorded) => recorded.maker))) {
      const files = whole.filter((recorded) => recorded.maker === maker).map(({ file }) => file);
      const left = marksNotCounted.filter(({ file }) => files.includes(file));
      expect(left.length, maker).toBeLessThanOrEqual(Math.max(1, 0.03 * 2 * files.length));
    }
  });

  it('lets a mark last until the curve breaks', () => {
    const pressedEarly = whole.find(({ file }) => file === '99_hottop.alog')?.truth.drop;
    expect((pressedEarly?.until ?? 0) - (pressedEarly?.from ?? 0)).toBeGreaterThan(10);
    for (const { truth, file } of whole) expect(truth.charge.until, file).toBeLessThan(truth.drop.from);
  });

  it('asks for the drop only where a recording begins at the charge', () => {
    const asked = whole.filter(({ owner }) => owner === 'AschHarwood').map(({ truth }) => truth.asked);
    expect(asked.filter(({ charge }) => !charge).length).toBeGreaterThan(20);
    expect(asked.filter(({ drop }) => drop).length).toBeGreaterThan(20);
  });
});

describe.skipIf(!recordedRoastsPresent)(`the table by owner${recordedRoastsTitle}`, () => {
  it('counts what a detector misses that says nothing', () => {
    const silent = { ...createRoastDetector(), push: () => [], finish: () => [] };
    const lines: string[] = [];
    const judged = [judgedDetector('silent', () => silent)];
    const figures = ownerTables((line) => lines.push(line), judged, 'as recorded');
    expect(lines.filter((line) => line.startsWith('HyperSprite'))).toHaveLength(2);
    const missed = figures.find(({ what }) => what.endsWith('charge missed'));
    expect(missed?.unit).toBe(`of ${missed?.value}`);
    expect(figures.find(({ what }) => what.endsWith('drop within 10 s'))?.value).toBe(0);
  });

  it('shows both modes of Artisan’s rule in the same run', () => {
    const lines: string[] = [];
    const figures = ownerTables((line) => lines.push(line), judgedArtisan, 'as recorded');
    expect(lines.filter((line) => /^\s*as recorded, Artisan (standard|sensitive) /.test(line))).toHaveLength(2);
    const within = figures.filter(({ what }) => what.endsWith('charge within 5 s')).map(({ value }) => value);
    expect(Math.min(...within)).toBeGreaterThan(50);
  });
});
