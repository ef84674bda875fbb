import { detectRoasts } from '@roastery/roasting/detection/detect-marks';
import {
  createRoastDetector,
  isRetraction,
  type DetectorOptions,
  type DetectorSample,
} from '@roastery/roasting/detection/detector';
import { markOf } from '@roastery/roasting/marks';
import { artisanMarks, type ArtisanMode } from './artisan-rule.ts';

/** The result of a rule for one roast: seconds on the recording's axis. */
export interface Said {
  readonly charge: number | null;
  readonly drop: number | null;
  /** False drops, whether withdrawn later or not. */
  readonly falseDrops: number;
}

export interface Truth {
  readonly charge: number | undefined;
  readonly drop: number | undefined;
}

/** Counts over many roasts. */
export interface Score {
  charges: number;
  chargeWithin5: number;
  chargeWithin10: number;
  chargeMissed: number;
  /** Reported, and more than 10 s from the mark. */
  chargeFalse: number;
  drops: number;
  dropWithin10: number;
  dropMissed: number;
  /** Roasts with a reported drop more than 10 s before the real one. */
  dropFalse: number;
}

/** A mark this far from the person's is another moment. */
const sameMomentSeconds = 10;

export const emptyScore = (): Score => ({
  charges: 0,
  chargeWithin5: 0,
  chargeWithin10: 0,
  chargeMissed: 0,
  chargeFalse: 0,
  drops: 0,
  dropWithin10: 0,
  dropMissed: 0,
  dropFalse: 0,
});

export const count = (score: Score, truth: Truth, said: Said): void => {
  if (truth.charge !== undefined) {
    score.charges++;
    const away = said.charge === null ? null : Math.abs(said.charge - truth.charge);
    if (away === null) score.chargeMissed++;
    else {
      if (away <= 5) score.chargeWithin5++;
      if (away <= sameMomentSeconds) score.chargeWithin10++;
      else score.chargeFalse++;
    }
  }
  if (truth.drop === undefined) return;
  score.drops++;
  if (said.drop === null) score.dropMissed++;
  else if (Math.abs(said.drop - truth.drop) <= sameMomentSeconds) score.dropWithin10++;
  if (said.falseDrops > 0) score.dropFalse++;
};

/** The final marks, when all samples are in: of the roast that lasts longest. */
export const correctedMarks = (samples: readonly DetectorSample[], truth: Truth, options?: DetectorOptions): Said => {
  let longest: Said = { charge: null, drop: null, falseDrops: 0 };
  let span = -1;
  for (const { marks, complete } of detectRoasts(samples, options)) {
    const charge = markOf(marks, 'charge')?.timeSeconds ?? null;
    const drop = markOf(marks, 'drop')?.timeSeconds ?? null;
    const lasted = (drop ?? samples.at(-1)?.timeSeconds ?? 0) - (charge ?? 0);
    if (charge === null || lasted <= span) continue;
    span = lasted;
    const early = complete && drop !== null && truth.drop !== undefined && drop < truth.drop - sameMomentSeconds;
    longest = { charge, drop, falseDrops: early ? 1 : 0 };
  }
  return longest;
};

/** Marks as they were first reported while the roast ran, before any correction. */
export const marksAsFirstSaid = (samples: readonly DetectorSample[], truth: Truth, options?: DetectorOptions): Said => {
  const detector = createRoastDetector(options);
  let charge: number | null = null;
  let drop: number | null = null;
  let falseDrops = 0;
  for (const sample of samples) {
    for (const finding of detector.push(sample)) {
      if (isRetraction(finding)) {
        if (finding.retract === 'charge') [charge, drop] = [null, null];
        if (finding.retract === 'drop') drop = null;
        continue;
      }
      if (finding.kind === 'charge') charge ??= finding.timeSeconds;
      if (finding.kind !== 'drop') continue;
      if (drop === null && truth.drop !== undefined && finding.timeSeconds < truth.drop - sameMomentSeconds)
        falseDrops++;
      drop ??= finding.timeSeconds;
    }
  }
  return { charge, drop, falseDrops };
};

/** Artisan's rule, which reports a mark once and keeps it; its drop is searched from the charge a person marked. */
export const marksByArtisan = (samples: readonly DetectorSample[], truth: Truth, mode: ArtisanMode): Said => {
  const { charge, drop } = artisanMarks(samples, mode, truth.charge);
  const early = drop !== null && truth.drop !== undefined && drop < truth.drop - sameMomentSeconds;
  return { charge, drop, falseDrops: early ? 1 : 0 };
};
