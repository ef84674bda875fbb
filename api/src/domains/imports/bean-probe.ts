import { detectMarks } from '@roastery/roasting/detection/detect-marks';
import { channelsLookExchanged } from '@roastery/roasting/curves/exchanged-channels';
import { markOf } from '@roastery/roasting/marks';
import type { Reading } from '@roastery/roasting/curves/series';
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

/** A reading a second is enough; searching many more than this takes seconds. */
const maxExamined = 7200;

const examinedIndices = (timesSeconds: readonly number[]): number[] => {
  const span = (timesSeconds.at(-1) ?? 0) - (timesSeconds[0] ?? 0);
  const apart = Math.max(1, span / maxExamined) - 0.05;
  let last = Number.NEGATIVE_INFINITY;
  return timesSeconds.flatMap((time, index) => {
    if (time - last < apart) return [];
    last = time;
    return [index];
  });
};

/** Which of the curves of unnamed probes is in the beans; undefined where a person has to say it. */
export const beanProbeOf = (
  timesSeconds: readonly number[],
  curves: readonly (readonly Reading[])[],
): number | undefined => {
  if (curves.length === 1) return 0;
  if (curves.length !== 2) return undefined;
  const indices = examinedIndices(timesSeconds);
  const [one = [], other = []] = curves.map((curve) => inCelsius(indices.map((index) => curve[index] ?? null)));
  return ofTwo(
    indices.map((index) => timesSeconds[index] ?? 0),
    one,
    other,
  );
};
