import type { DetectorSample } from '@roastery/roasting/detection/detector';
import { isReading, valueAt } from '@roastery/roasting/curves/series';
import { normal, randomStream } from './random.ts';

/** One way in which a board might have read the same roast. */
export interface Condition {
  readonly name: string;
  /** @param chargeSeconds the marked charge; undefined when it is not marked */
  readonly apply: (
    samples: readonly DetectorSample[],
    chargeSeconds: number | undefined,
    seed: number,
  ) => DetectorSample[];
}

/** A longer gap in the file stays a gap. */
const maxHoleSeconds = 10;
/** Between readings further apart than this a plug was loose: no reading is interpolated. */
export const maxStepC = 40;

/** The same curve read at this interval, with the jitter of a real line. */
export const readEvery = (intervalSeconds: number): Condition['apply'] => {
  return (samples, _charge, seed) => {
    const random = randomStream(seed);
    const rising = samples.filter(
      ({ timeSeconds }, index) => index === 0 || timeSeconds > (samples[index - 1]?.timeSeconds ?? timeSeconds),
    );
    const withBeans = rising.filter(({ beanTempC }) => isReading(beanTempC));
    const times = withBeans.map(({ timeSeconds }) => timeSeconds);
    const beans = withBeans.map(({ beanTempC }) => beanTempC);
    const first = rising[0]?.timeSeconds ?? 0;
    const last = rising.at(-1)?.timeSeconds ?? 0;
    const read: DetectorSample[] = [];
    let at = 0;
    for (
      let time = first + intervalSeconds * random();
      time <= last;
      time += intervalSeconds * (0.95 + 0.1 * random())
    ) {
      while ((rising[at + 1]?.timeSeconds ?? Number.POSITIVE_INFINITY) <= time) at++;
      const torn = Math.abs((rising[at + 1]?.beanTempC ?? 0) - (rising[at]?.beanTempC ?? 0)) > maxStepC;
      const beanTempC = torn ? (rising[at]?.beanTempC ?? null) : valueAt(times, beans, time, maxHoleSeconds);
      read.push({ ...rising[at], timeSeconds: time, beanTempC });
    }
    return read;
  };
};

const noisy: Condition['apply'] = (samples, _charge, seed) => {
  const random = randomStream(seed + 1);
  return samples.map((sample) => {
    const lost = random() < 0.05;
    const noise = 0.3 * normal(random);
    return { ...sample, beanTempC: lost || !isReading(sample.beanTempC) ? null : sample.beanTempC + noise };
  });
};

const wholeFahrenheit: Condition['apply'] = (samples) =>
  samples.map((sample) => ({
    ...sample,
    beanTempC: isReading(sample.beanTempC) ? (Math.round(sample.beanTempC * 1.8 + 32) - 32) / 1.8 : null,
  }));

const begunLate =
  (beforeChargeSeconds: number): Condition['apply'] =>
  (samples, charge) =>
    samples.filter(({ timeSeconds }) => timeSeconds >= (charge ?? 0) - beforeChargeSeconds);

/** Modifications of recorded roasts before both rules read them. */
export const conditions: readonly Condition[] = [
  { name: 'as recorded', apply: (samples) => [...samples] },
  { name: 'read every 0.5 s', apply: readEvery(0.5) },
  { name: 'read every 1 s', apply: readEvery(1) },
  { name: 'read every 2 s', apply: readEvery(2) },
  { name: 'read every 3 s', apply: readEvery(3) },
  { name: 'noise of 0.3 °C, 1 in 20 lost', apply: noisy },
  { name: 'whole °F', apply: wholeFahrenheit },
  { name: 'begun 15 s before the charge', apply: begunLate(15) },
  { name: 'begun at the charge', apply: begunLate(0) },
];
