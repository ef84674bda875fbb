import { detectorRoasts } from '@roastery/testing/marks/detected-roasts';
import { truthOf, type CurveTruth } from '@roastery/testing/marks/curve-truth';
import { judgedDetector, ownerTables } from '@roastery/testing/marks/owner-tables';
import {
  ownerFolders,
  recordedRoasts,
  recordedRoastsPresent,
  recordedRoastsTitle,
  samplesOf,
  type RecordedRoast,
} from '@roastery/testing/marks/recorded-roasts';
import { describe, expect, it } from 'vitest';
import { createRoastDetector, type DetectorSample } from './detector.ts';

interface Known extends RecordedRoast {
  readonly truth: CurveTruth;
  /** With heat and fan, where the file has them. */
  readonly samples: readonly DetectorSample[];
}

const known: readonly Known[] = recordedRoasts(ownerFolders).flatMap((recorded) => {
  const truth = truthOf(recorded.file, recorded.roast);
  return truth ? [{ ...recorded, truth, samples: samplesOf(recorded.roast) }] : [];
});
const named = (...ids: readonly number[]) => known.filter(({ id }) => ids.includes(Number(id)));

/** Seconds from the true span to a found mark, negative before it; infinite for none. */
const off = (found: number | null | undefined, { from, until }: CurveTruth['charge']) =>
  found === null || found === undefined
    ? Number.POSITIVE_INFINITY
    : found < from
      ? found - from
      : Math.max(0, found - until);
const only = ({ samples }: Known) => {
  const { roasts } = detectorRoasts(samples);
  expect(roasts).toHaveLength(1);
  return roasts[0];
};

/** Seconds from the switch to full fan until the beans left; null where the fan was not raised before. */
function fanRaisedBefore({ samples, truth }: Known): number | null {
  const raised = samples.find(({ timeSeconds, fanSpeed }, index) => {
    const before = samples[index - 8]?.fanSpeed ?? 100;
    return timeSeconds > truth.charge.until + 180 && (fanSpeed ?? 0) >= 95 && before < 75;
  });
  const seconds = raised ? truth.drop.until - raised.timeSeconds : 0;
  return seconds >= 12 ? seconds : null;
}

describe.skipIf(!recordedRoastsPresent)(`the detector on hard recordings${recordedRoastsTitle}`, () => {
  it.each(named(82, 83, 84, 126))('finds the charge of $file in a drum below 100 °C', (roast) => {
    expect(Math.abs(off(only(roast)?.charge, roast.truth.charge))).toBeLessThanOrEqual(5);
  });

  it.each(named(130, 137, 138, 139, 140, 142, 143, 146, 152))(
    'finds charge and drop of $file in an air roaster below 100 °C, recorded from the charge on',
    (roast) => {
      const found = only(roast);
      expect(Math.abs(off(found?.charge, roast.truth.charge))).toBeLessThanOrEqual(5);
      expect(Math.abs(off(found?.drop, roast.truth.drop))).toBeLessThanOrEqual(10);
    },
  );

  it('finds the whole roast after a dip of the preheat, and no roast in the dip', () => {
    const [roast] = named(156);
    if (!roast) throw new Error('no recording has the number 156');
    const found = only(roast);
    expect(Math.abs(off(found?.charge, roast.truth.charge))).toBeLessThanOrEqual(5);
    expect(Math.abs(off(found?.drop, roast.truth.drop))).toBeLessThanOrEqual(10);
  });

  it('ends no roast at a reading that jumps by 20 °C six minutes before the drop', () => {
    const [roast] = named(128);
    if (!roast) throw new Error('no recording has the number 128');
    expect(Math.abs(off(only(roast)?.drop, roast.truth.drop))).toBeLessThanOrEqual(10);
  });

  it('calls the drop by the beans where the fan was raised 12 to 50 s before they left', () => {
    const raised = known.filter((roast) => roast.truth.asked.drop && fanRaisedBefore(roast) !== null);
    expect(raised.length).toBeGreaterThanOrEqual(10);
    for (const roast of raised)
      expect(off(only(roast)?.drop, roast.truth.drop), roast.file).toBeGreaterThanOrEqual(-10);
  });

  it('misses one charge at most where every probe reads 25 °C low', () => {
    const judged = [judgedDetector('detector', createRoastDetector)];
    const figures = ownerTables(() => undefined, judged, 'reads 25 °C low');
    expect(figures.find(({ what }) => what.endsWith('charge missed'))?.value).toBeLessThanOrEqual(1);
  });
});
