import type { DetectorSample } from '@roastery/roasting/detection/detector';
import { isReading } from '@roastery/roasting/curves/series';
import type { Truth } from './detection-score.ts';
import { normal, randomStream } from './random.ts';

/**
 * A fault of a line or an event in a roastery, applied to a recorded roast. The detector was developed with these conditions, so
 * they are regression tests and not held-out data.
 */
export interface ChangedCondition {
  readonly name: string;
  /** Whether it only makes sense for a machine that is charged hot. */
  readonly hotOnly?: true;
  readonly apply: (samples: readonly DetectorSample[], truth: Truth, seed: number) => DetectorSample[];
}

const changed = (samples: readonly DetectorSample[], change: (tempC: number, timeSeconds: number) => number) =>
  samples.map((sample) =>
    isReading(sample.beanTempC)
      ? { ...sample, beanTempC: change(sample.beanTempC, sample.timeSeconds) }
      : { ...sample, beanTempC: null },
  );

const noisy =
  (sigmaC: number): ChangedCondition['apply'] =>
  (samples, _truth, seed) => {
    const random = randomStream(seed + 7);
    return changed(samples, (tempC) => tempC + sigmaC * normal(random));
  };

const torn: ChangedCondition['apply'] = (samples, _truth, seed) => {
  const random = randomStream(seed + 11);
  return changed(samples, (tempC) => {
    if (random() >= 0.01) return tempC;
    return [0, 350, tempC - 40, tempC + 40, tempC - 15, tempC + 15][Math.floor(random() * 6)] ?? tempC;
  });
};

/** No readings from this many seconds after the charge, for this long. */
const silentAtCharge =
  (fromSeconds: number, lengthSeconds: number): ChangedCondition['apply'] =>
  (samples, { charge = 0 }) =>
    samples.filter(({ timeSeconds }) => {
      const since = timeSeconds - charge - fromSeconds;
      return since < 0 || since >= lengthSeconds;
    });

/** The probe is pulled with the trier, or the beans on it: a fall of a few degrees that is back within ten seconds. */
const trierPulled =
  (depthC: number): ChangedCondition['apply'] =>
  (samples, { charge = 0, drop = charge }, seed) => {
    const random = randomStream(seed + 41);
    const pulls: number[] = [];
    for (let at = charge + (drop - charge) * 0.55; at < drop - 25; at += 20 + 25 * random()) pulls.push(at);
    return changed(samples, (tempC, time) => {
      const since = time - (pulls.findLast((at) => at <= time) ?? Number.POSITIVE_INFINITY);
      if (!(since >= 0)) return tempC;
      return tempC - depthC * (since < 5 ? 1 - Math.exp(-since / 2) : 0.92 * Math.exp(-(since - 5) / 3));
    });
  };

/** 20 minutes at the level the file begins at; twice the lid stands open for up to 80 s and takes 25-45 °C off the probe. */
const lidOpened: ChangedCondition['apply'] = (samples, _truth, seed) => {
  const random = randomStream(seed + 31);
  const first = samples.find(({ beanTempC }) => isReading(beanTempC));
  if (!first || first.beanTempC === null) return [...samples];
  const openings = [250, 650].map((at) => ({
    at: at + 60 * random(),
    deep: 25 + 20 * random(),
    long: 20 + 60 * random(),
  }));
  const before = Array.from({ length: 1200 }, (_, second) => {
    const tempC = openings.reduce((temp, { at, deep, long }) => {
      const since = second - at;
      if (since < 0) return temp;
      const opened = deep * (1 - Math.exp(-Math.min(since, long) / 8));
      return temp - opened * Math.exp(-Math.max(0, since - long) / 40);
    }, first.beanTempC ?? 0);
    return { ...first, timeSeconds: first.timeSeconds - 1200 + second, beanTempC: tempC + 0.1 * normal(random) };
  });
  return [...before, ...samples];
};

/** Modifications of recorded roasts for which the detector wasn't tuned. */
export const changedConditions: readonly ChangedCondition[] = [
  { name: 'probe reads 40 °C low', apply: (samples) => changed(samples, (tempC) => tempC - 40) },
  { name: 'noise of 0.6 °C', apply: noisy(0.6) },
  { name: 'noise of 1 °C', apply: noisy(1) },
  { name: 'one reading in a hundred torn', apply: torn },
  { name: 'silent for 20 s across the charge', apply: silentAtCharge(-10, 20) },
  { name: 'silent for 40 s from the charge on', apply: silentAtCharge(0.5, 40) },
  { name: 'trier pulled, 3 °C', apply: trierPulled(3) },
  { name: 'trier pulled, 8 °C', apply: trierPulled(8) },
  { name: 'trier pulled, 15 °C', apply: trierPulled(15) },
  { name: 'lid open before, 25-45 °C', hotOnly: true, apply: lidOpened },
];

/**
 * A roast whose drop the probe never showed, in a drum that stayed as hot, and the next batch into the same drum.
 * @returns its samples and when the second batch was charged
 */
export const droppedUnseen = (
  samples: readonly DetectorSample[],
  { charge = 0, drop = 0 }: Truth,
): { samples: DetectorSample[]; secondCharge: number } => {
  const first = samples.filter(({ timeSeconds }) => timeSeconds <= drop);
  const top = first.findLast(({ beanTempC }) => isReading(beanTempC))?.beanTempC ?? 0;
  const level = samples.findLast(({ timeSeconds, beanTempC }) => timeSeconds <= charge && isReading(beanTempC));
  const levelC = level?.beanTempC ?? top;
  const standing = Array.from({ length: 150 }, (_, n) => {
    const hot = top + Math.max(3, levelC - top) * (1 - Math.exp(-n / 25));
    const beanTempC = n < 110 ? hot : hot + (levelC - hot) * ((n - 110) / 40);
    return { timeSeconds: drop + 1 + n, beanTempC };
  });
  const secondCharge = drop + 151;
  const second = samples
    .filter(({ timeSeconds }) => timeSeconds >= charge)
    .map((sample) => ({ ...sample, timeSeconds: sample.timeSeconds - charge + secondCharge }));
  return { samples: [...first, ...standing, ...second], secondCharge };
};
