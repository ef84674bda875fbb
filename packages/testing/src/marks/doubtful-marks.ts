import type { ArtisanRoast } from '@roastery/roasting/artisan/alog';
import { markOf } from '@roastery/roasting/marks';
import { isReading } from '@roastery/roasting/curves/series';
import { chargedCold } from './recorded-roasts.ts';

/* Marks in files are set by people, some late, some early, some by a wrong key. A mark that the curve contradicts is
   not used to score a detector. The rules only use the readings around the mark, never a detector. */

/** Shorter roasts are marks set by mistake. */
const minRoastSeconds = 120;
const noReadingForSeconds = 10;

interface Readings {
  readonly timeSeconds: number;
  readonly tempC: number;
}

/** The median of every three readings, so an outlier is neither a top nor a fall. */
export function readingsOf({ timesSeconds, beanTempC }: ArtisanRoast): Readings[] {
  const all = timesSeconds.flatMap((timeSeconds, index) => {
    const tempC = beanTempC[index];
    return isReading(tempC) ? [{ timeSeconds, tempC }] : [];
  });
  return all.map((reading, index) => {
    const three = [all[index - 1] ?? reading, reading, all[index + 1] ?? reading].map(({ tempC }) => tempC);
    return { ...reading, tempC: three.sort((a, b) => a - b)[1] ?? reading.tempC };
  });
}

const between = (readings: readonly Readings[], fromSeconds: number, toSeconds: number) =>
  readings.filter(({ timeSeconds }) => timeSeconds >= fromSeconds && timeSeconds <= toSeconds);
const top = (readings: readonly Readings[]) =>
  readings.reduce<Readings | undefined>((high, each) => (high && high.tempC >= each.tempC ? high : each), undefined);
/** The readings before the probe falls clearly below the first one; a rise after the fall does not count. */
const untilFallen = (readings: readonly Readings[]) => {
  const from = readings[0]?.tempC ?? 0;
  const fallen = readings.findIndex(({ tempC }) => tempC <= from - 2);
  return fallen < 0 ? readings : readings.slice(0, fallen);
};
/** The highest reading between two times, before the probe falls clearly. */
export const topIn = (readings: readonly Readings[], fromSeconds: number, toSeconds: number) =>
  top(untilFallen(between(readings, fromSeconds, toSeconds)));
const lowestC = (readings: readonly Readings[]) => Math.min(...readings.map(({ tempC }) => tempC));

/** A whole roast: charge and drop are marked, far enough apart, and the bean temperature was read. */
export function isWholeRoast(roast: ArtisanRoast): boolean {
  const [charge, drop] = [markOf(roast.marks, 'charge'), markOf(roast.marks, 'drop')];
  if (!charge || !drop || drop.timeSeconds - charge.timeSeconds < minRoastSeconds) return false;
  return roast.beanTempC.some(isReading);
}

/** Why the mark of the charge is not scored; null when the curve agrees with it. */
export function doubtAboutCharge(roast: ArtisanRoast): string | null {
  const mark = markOf(roast.marks, 'charge');
  if (!mark) return 'not marked';
  const readings = readingsOf(roast);
  const at = mark.timeSeconds;
  const here = between(readings, at - noReadingForSeconds, at).at(-1) ?? between(readings, at, at + 10)[0];
  if (!here) return 'no reading at the mark';
  if (chargedCold(roast)) return 'charged cold';
  const before = top(between(readings, at - 30, at));
  if (before && before.tempC - here.tempC >= 10)
    return `the probe had fallen ${(before.tempC - here.tempC).toFixed(0)} °C before the mark`;
  const after = between(readings, at, at + 160);
  if (here.tempC - lowestC(after) < 5) return 'no fall after the mark';
  const above = between(readings, at, at + 60).findLast(({ tempC }) => tempC - here.tempC >= 0.5);
  if (above && above.timeSeconds - at > 5) return `the probe rises for ${(above.timeSeconds - at).toFixed(0)} s more`;
  return null;
}

/** Why the mark of the drop is not scored; null when the curve agrees with it. */
export function doubtAboutDrop(roast: ArtisanRoast): string | null {
  const mark = markOf(roast.marks, 'drop');
  if (!mark) return 'not marked';
  const readings = readingsOf(roast);
  const at = mark.timeSeconds;
  const here = between(readings, at - noReadingForSeconds, at).at(-1);
  if (!here) return 'no reading at the mark';
  const before = top(between(readings, at - 60, at - 10));
  if (before && before.tempC - here.tempC >= 5)
    return `the probe had fallen ${(before.tempC - here.tempC).toFixed(0)} °C before the mark`;
  const above = untilFallen(between(readings, at, at + 60)).findLast(({ tempC }) => tempC - here.tempC >= 0.5);
  if (above && above.timeSeconds - at > 10) return `the probe rises for ${(above.timeSeconds - at).toFixed(0)} s more`;
  if (here.tempC - lowestC(between(readings, at, at + 120)) < 1) return 'no fall after the mark';
  return null;
}
