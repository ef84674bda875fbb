import { detectMarks } from '@roastery/roasting/detect-marks';
import { channelsLookExchanged } from '@roastery/roasting/exchanged-channels';
import { markOf } from '@roastery/roasting/marks';
import type { Reading } from '@roastery/roasting/series';
import { fToC } from '@roastery/roasting/units';

/** Hotter than any probe of a roast in °C: the curve is in °F. */
const hotC = 300;

const inCelsius = (values: readonly Reading[]): readonly Reading[] =>
  values.some((value) => value !== null && value > hotC)
    ? values.map((value) => (value === null ? null : fToC(value)))
    : values;

/** Which of two curves is that of the probe in the beans; undefined where the curves do not show it. */
const ofTwo = (
  timesSeconds: readonly number[],
  one: readonly Reading[],
  other: readonly Reading[],
): 0 | 1 | undefined => {
  for (const read of [one, other]) {
    const marks = detectMarks(
      timesSeconds.map((timeSeconds, index) => ({ timeSeconds, beanTempC: read[index] ?? null })),
    );
    const charge = markOf(marks, 'charge')?.timeSeconds;
    if (charge === undefined) continue;
    const { verdict } = channelsLookExchanged({
      timesSeconds,
      beanTempC: one,
      exhaustTempC: other,
      chargeSeconds: charge,
      dropSeconds: markOf(marks, 'drop')?.timeSeconds ?? timesSeconds.at(-1) ?? charge,
    });
    if (verdict !== 'unsure') return verdict === 'right' ? 0 : 1;
  }
  return undefined;
};

/** Which of the curves of unnamed probes is in the beans; undefined where a person has to say it. */
export const beanProbeOf = (
  timesSeconds: readonly number[],
  curves: readonly (readonly Reading[])[],
): number | undefined => {
  if (curves.length === 1) return 0;
  const [one, other] = curves.map(inCelsius);
  return curves.length !== 2 || one === undefined || other === undefined ? undefined : ofTwo(timesSeconds, one, other);
};
