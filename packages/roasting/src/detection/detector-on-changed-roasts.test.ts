import { doubtAboutCharge, doubtAboutDrop } from '@roastery/testing/marks/doubtful-marks';
import {
  chargedCold,
  recordedRoasts,
  recordedRoastsPresent,
  recordedRoastsTitle,
  samplesOf,
} from '@roastery/testing/marks/recorded-roasts';
import { droppedUnseen, changedConditions } from '@roastery/testing/marks/changed-conditions';
import { describe, expect, it } from 'vitest';
import { detectRoasts, type DetectedRoast } from './detect-marks.ts';
import { markOf } from '../marks.ts';

const rows = recordedRoasts()
  .filter(({ roast }) => doubtAboutCharge(roast) === null && doubtAboutDrop(roast) === null)
  .map(({ file, roast }) => ({
    file,
    cold: chargedCold(roast),
    samples: samplesOf(roast, { withControls: false }),
    chargeC: markOf(roast.marks, 'charge')?.tempC ?? Number.NaN,
    dropC: markOf(roast.marks, 'drop')?.tempC ?? Number.NaN,
    truth: {
      charge: markOf(roast.marks, 'charge')?.timeSeconds ?? Number.NaN,
      drop: markOf(roast.marks, 'drop')?.timeSeconds ?? Number.NaN,
    },
  }));

/** The detector's findings for every credible file with this change. */
const under = (name: string) => {
  const condition = changedConditions.find((each) => each.name === name);
  if (!condition) throw new Error(`no condition is called ${name}`);
  return rows.map(({ file, samples, truth, cold }, seed) => {
    const found = detectRoasts(condition.apply(samples, truth, seed), { charging: cold ? 'cold' : 'hot' });
    return { file, truth, certain: found.filter(isCertain), charge: nearest(found, truth.charge) };
  });
};

const isCertain = ({ marks }: DetectedRoast) => markOf(marks, 'charge')?.provisional === false;
const away = (found: number | undefined, truth: number) => Math.abs((found ?? Number.POSITIVE_INFINITY) - truth);
const nearest = (found: readonly DetectedRoast[], chargeSeconds: number) =>
  Math.min(...found.map(({ marks }) => away(markOf(marks, 'charge')?.timeSeconds, chargeSeconds)));

describe.skipIf(!recordedRoastsPresent)(`the detector on changed roasts${recordedRoastsTitle}`, () => {
  it('reports no roast for an open lid', () => {
    for (const { file, certain, truth } of under('lid open before, 25-45 °C')) {
      const before = certain.filter(({ marks }) => (markOf(marks, 'charge')?.timeSeconds ?? 0) < truth.charge - 10);
      expect(before, file).toEqual([]);
    }
  });

  it.each(['one reading in a hundred torn', 'trier pulled, 3 °C', 'trier pulled, 8 °C', 'trier pulled, 15 °C'])(
    'ends no roast before its drop: %s',
    (name) => {
      for (const { file, certain, charge, truth } of under(name)) {
        expect(charge, file).toBeLessThan(10);
        const early = certain
          .filter(({ complete }) => complete)
          .map(({ marks }) => markOf(marks, 'drop')?.timeSeconds ?? 0)
          .filter((drop) => drop < truth.drop - 10);
        expect(early, file).toEqual([]);
      }
    },
  );

  it('finds the roast when there are no readings at the charge', () => {
    // The beans went in at some time during the silence; no rule can locate it more precisely.
    for (const { file, charge } of under('silent for 40 s from the charge on')) expect(charge, file).toBeLessThan(41);
    const across = under('silent for 20 s across the charge').map(({ charge }) => charge);
    expect(across.filter((error) => error <= 5).length).toBeGreaterThan(across.length / 2);
  });

  it('finds the next batch when the drop was not visible', () => {
    // Only where the drum is charged about as hot as it was emptied: others have to cool, which the probe shows.
    const hot = rows.filter(({ chargeC, dropC }) => chargeC > dropC - 40);
    expect(hot.length).toBeGreaterThan(rows.length / 2);
    for (const { file, samples, truth } of hot) {
      const { samples: both, secondCharge } = droppedUnseen(samples, truth);
      expect(nearest(detectRoasts(both), secondCharge), file).toBeLessThan(15);
    }
  });
});
