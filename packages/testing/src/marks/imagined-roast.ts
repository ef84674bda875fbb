import type { DetectorSample } from '@roastery/roasting/detection/detector';
import { normal, randomStream } from './random.ts';

export interface ImaginedRoast {
  readonly samples: readonly DetectorSample[];
  readonly chargeSeconds: number;
  readonly dropSeconds: number;
  /** Its parameters, to read in a failing test. */
  readonly story: string;
}

/**
 * A drum roast as a bean probe sees it: preheated drum, beans that warm up while the influence of the air around the
 * probe decreases, a probe with its own lag, a drop into the hot empty drum. Varied by seed: sampling, noise,
 * resolution, dropouts, spikes, and events in the middle that are no drop: the trier pulled, the air opened, a stall.
 */
export function imaginedRoast(seed: number): ImaginedRoast {
  const random = randomStream(seed);
  const between = (low: number, high: number) => low + (high - low) * random();
  const pick = <T>(...choices: readonly [T, ...T[]]): T => choices[Math.floor(random() * choices.length)] ?? choices[0];
  const interval = pick(0.25, 0.5, 1, 2, 3);
  const noiseC = between(0, 0.25);
  const resolutionC = pick(0.01, 0.1, 0.3);
  const probeLag = between(2, 8);
  const airLag = between(12, 28);
  const chargeTempC = between(160, 230);
  const chargeSeconds = between(40, 400);
  const lengthSeconds = between(420, 840);
  const dropTempC = between(195, 225);
  const drumAfterC = dropTempC - between(12, 60);
  const dropSeconds = chargeSeconds + lengthSeconds;
  const trierAt = random() < 0.5 ? chargeSeconds + lengthSeconds * between(0.6, 0.9) : null;
  const airAt = random() < 0.5 ? chargeSeconds + lengthSeconds * between(0.4, 0.8) : null;
  const stallAt = random() < 0.3 ? chargeSeconds + lengthSeconds * between(0.7, 0.85) : null;
  const dropoutRate = pick(0, 0, 0.02, 0.1);
  const spikeRate = pick(0, 0, 0.005);

  const shape = 1 - Math.exp(-2.2);
  const beansC = (t: number) => 25 + ((dropTempC - 25) * (1 - Math.exp((-2.2 * t) / lengthSeconds))) / shape;
  const outsideC = (t: number): number => {
    if (t < chargeSeconds) return chargeTempC + 0.03 * (t - chargeSeconds);
    if (t >= dropSeconds) return drumAfterC;
    const sinceCharge = t - chargeSeconds;
    let temp = beansC(sinceCharge);
    temp += (chargeTempC - temp) * Math.exp(-sinceCharge / airLag);
    if (trierAt !== null && t > trierAt && t < trierAt + 6) temp -= 6;
    if (airAt !== null && t > airAt) temp -= 3 * Math.exp(-(t - airAt) / 60);
    if (stallAt !== null && t > stallAt) temp -= 1.5 * Math.sin(Math.min(1, (t - stallAt) / 40) * Math.PI);
    return temp;
  };

  const samples: DetectorSample[] = [];
  let probeC = outsideC(0);
  let next = interval * random();
  const step = 0.05;
  for (let t = 0; t < dropSeconds + 90; t += step) {
    probeC += ((outsideC(t) - probeC) * step) / probeLag;
    if (t < next) continue;
    next += interval * between(0.9, 1.1);
    const read = Math.round((probeC + noiseC * normal(random)) / resolutionC) * resolutionC;
    const beanTempC = random() < dropoutRate ? null : random() < spikeRate ? pick(0, 850 / 2, read - 60) : read;
    samples.push({ timeSeconds: t, beanTempC });
  }
  const story = JSON.stringify({
    seed,
    interval,
    noiseC,
    resolutionC,
    probeLag,
    trierAt,
    airAt,
    stallAt,
    dropoutRate,
    spikeRate,
  });
  return { samples, chargeSeconds, dropSeconds, story };
}
