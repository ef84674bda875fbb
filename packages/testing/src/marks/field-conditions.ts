import type { DetectorSample } from '@roastery/roasting/detection/detector';
import { isReading } from '@roastery/roasting/curves/series';
import { maxStepC, readEvery } from './conditions.ts';
import { normal, randomStream } from './random.ts';

/** A sampling condition that the aims of the detector name, applied to a recorded roast. */
interface FieldCondition {
  readonly name: string;
  /** The aim: this percentage of charges within 5 s. A slow probe shows the charge later. */
  readonly chargeShare: number;
  /** Several faults at once. */
  readonly combined?: true;
  readonly apply: (samples: readonly DetectorSample[], seed: number) => DetectorSample[];
}

const changed = (
  samples: readonly DetectorSample[],
  change: (tempC: number, timeSeconds: number) => number | null,
): DetectorSample[] =>
  samples.map((sample) => ({
    ...sample,
    beanTempC: isReading(sample.beanTempC) ? change(sample.beanTempC, sample.timeSeconds) : null,
  }));

export const wholeDegrees: FieldCondition['apply'] = (samples) => changed(samples, (tempC) => Math.round(tempC));

export const noise =
  (sigmaC: number): FieldCondition['apply'] =>
  (samples, seed) => {
    const random = randomStream(seed + 101);
    return changed(samples, (tempC) => tempC + sigmaC * normal(random));
  };

export const lost =
  (share: number): FieldCondition['apply'] =>
  (samples, seed) => {
    const random = randomStream(seed + 211);
    return changed(samples, (tempC) => (random() < share ? null : tempC));
  };

/** The first-order lag of a sheath around the probe, exact for straight lines between readings. */
export const lag =
  (lagSeconds: number): FieldCondition['apply'] =>
  (samples) => {
    let [shown, before, at, torn] = [Number.NaN, Number.NaN, Number.NaN, 0];
    return changed(samples, (tempC, timeSeconds) => {
      const step = timeSeconds - at;
      // A loose plug is not delayed by the sheath.
      if (Math.abs(tempC - before) > maxStepC && ++torn < 3) return tempC;
      torn = 0;
      // After a long gap the sheath has caught up.
      if (Number.isNaN(shown) || step > 60) shown = tempC;
      else if (step > 0) {
        const slope = (tempC - before) / step;
        const behind = shown - (before - slope * lagSeconds);
        shown = tempC - slope * lagSeconds + behind * Math.exp(-step / lagSeconds);
      }
      [before, at] = [tempC, timeSeconds];
      return shown;
    });
  };

const every =
  (seconds: number): FieldCondition['apply'] =>
  (samples, seed) =>
    readEvery(seconds)(samples, undefined, seed);

/** One after the other. */
export const both =
  (...steps: readonly FieldCondition['apply'][]): FieldCondition['apply'] =>
  (samples, seed) =>
    steps.reduce<DetectorSample[]>((read, step) => step(read, seed), [...samples]);

const usual = 97;

export const fieldConditions: readonly FieldCondition[] = [
  { name: 'as recorded', chargeShare: usual, apply: (samples) => [...samples] },
  ...[0.25, 0.5, 1, 2, 3, 5].map((seconds) => ({
    name: `every ${seconds} s`,
    chargeShare: usual,
    apply: every(seconds),
  })),
  { name: 'whole °C', chargeShare: usual, apply: wholeDegrees },
  { name: 'noise 0.5 °C', chargeShare: usual, apply: noise(0.5) },
  { name: 'noise 0.5 °C every 0.25 s', chargeShare: usual, combined: true, apply: both(every(0.25), noise(0.5)) },
  { name: '1 in 10 lost', chargeShare: usual, apply: lost(0.1) },
  { name: 'lag 8 s', chargeShare: 90, apply: lag(8) },
  {
    name: 'lag 8 s, whole °C, noise, loss',
    chargeShare: 90,
    combined: true,
    apply: both(lag(8), noise(0.5), wholeDegrees, lost(0.1)),
  },
];
