import type { ArtisanRoast } from '@roastery/roasting/artisan/alog';
import { markOf } from '@roastery/roasting/marks';
import { valueAt } from '@roastery/roasting/curves/series';
import { isWholeRoast, readingsOf, topIn } from './doubtful-marks.ts';
import { isColdCharge } from './recorded-roasts.ts';

/** A mark that is not counted, because the curve contradicts it. At most one in 33 of a maker, or one. */
export const marksNotCounted: readonly {
  readonly file: string;
  readonly mark: 'charge' | 'drop';
  readonly reason: string;
}[] = [
  { file: '102_hottop.alog', mark: 'charge', reason: 'the probe had fallen by 40 °C for 44 s before the mark' },
  { file: '126_hottop.alog', mark: 'drop', reason: 'the probe had fallen by 8 °C before the mark' },
  { file: '135_air.alog', mark: 'drop', reason: 'set at the last reading, 27 °C below the top' },
];

/** When something happened: at the mark, or until the curve shows it. */
interface Span {
  readonly from: number;
  readonly until: number;
}

export interface CurveTruth {
  readonly charge: Span;
  readonly drop: Span;
  /** The beans went into a cold machine, as the machine map of a board says. */
  readonly cold: boolean;
  /** Recordings that begin at the charge count for the drop only. */
  readonly asked: { readonly charge: boolean; readonly drop: boolean };
}

/** People press the charge before the curve breaks, and the drop before the beans have left. */
const chargeBreaksWithin = 10;
const dropBreaksWithin = 60;

/**
 * The true marks of a whole roast; null for other recordings. A mark is a span from the key to the last reading near the
 * top that follows, as far as it follows at once.
 */
export function truthOf(file: string, roast: ArtisanRoast): CurveTruth | null {
  const [marked, drop] = [markOf(roast.marks, 'charge'), markOf(roast.marks, 'drop')];
  const fromStart = marked === undefined;
  if (!drop || !(fromStart || isWholeRoast(roast))) return null;
  const first = roast.timesSeconds[0] ?? 0;
  const counts = (mark: 'charge' | 'drop') => !marksNotCounted.some((each) => each.file === file && each.mark === mark);
  const from = marked?.timeSeconds ?? first;
  const chargeC = valueAt(roast.timesSeconds, roast.beanTempC, from);
  return {
    charge: { from, until: fromStart ? first : breakOf(roast, from, chargeBreaksWithin) },
    drop: { from: drop.timeSeconds, until: breakOf(roast, drop.timeSeconds, dropBreaksWithin) },
    cold: isColdCharge(chargeC),
    asked: { charge: !fromStart && counts('charge'), drop: counts('drop') },
  };
}

function breakOf(roast: ArtisanRoast, atSeconds: number, withinSeconds: number): number {
  return topIn(readingsOf(roast), atSeconds, atSeconds + withinSeconds)?.timeSeconds ?? atSeconds;
}
