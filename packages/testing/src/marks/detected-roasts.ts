import {
  createRoastDetector,
  isRetraction,
  type DetectorSample,
  type Finding,
} from '@roastery/roasting/detection/detector';
import { artisanMarks, type ArtisanMode } from './artisan-rule.ts';

/** The true charge and drop; undefined when unknown. */
export interface RoastTruth {
  readonly charge: number;
  readonly drop: number | undefined;
}

export interface FoundRoast {
  readonly charge: number;
  readonly drop: number | null;
}

/** The roasts that a rule finds in one recording. */
export interface DetectedRoasts {
  readonly roasts: readonly FoundRoast[];
  /** Roasts that were opened and retracted. */
  readonly retracted: number;
}

/** The roasts of a recording after its last sample. */
export function detectorRoasts(samples: readonly DetectorSample[], charging: 'hot' | 'cold' = 'hot'): DetectedRoasts {
  const detector = createRoastDetector({ charging });
  const roasts: FoundRoast[] = [];
  let retracted = 0;
  let charge: number | null = null;
  let drop: number | null = null;
  const close = () => {
    if (charge !== null) roasts.push({ charge, drop });
    [charge, drop] = [null, null];
  };
  const take = (findings: readonly Finding[]) => {
    for (const finding of findings) {
      if (isRetraction(finding)) {
        if (finding.retract === 'drop') drop = null;
        if (finding.retract !== 'charge') continue;
        retracted++;
        [charge, drop] = [null, null];
      } else if (finding.kind === 'charge') charge = finding.timeSeconds;
      else if (finding.kind === 'drop') {
        drop = finding.timeSeconds;
        if (!finding.provisional) close();
      }
    }
  };
  for (const sample of samples) {
    const findings = detector.push(sample);
    if (findings.length === 0 && detector.state === 'idle') close();
    take(findings);
  }
  take(detector.finish());
  close();
  return { roasts, retracted };
}

/** Artisan marks one charge and one drop, and retracts nothing. */
export function artisanRoasts(
  samples: readonly DetectorSample[],
  mode: ArtisanMode,
  truth: RoastTruth,
): DetectedRoasts {
  const { charge, drop } = artisanMarks(samples, mode, truth.charge);
  return { roasts: [{ charge: charge ?? Number.NaN, drop }], retracted: 0 };
}

/** Counts over many roasts. */
export interface RoastScore {
  roasts: number;
  charges: number;
  chargeWithin5: number;
  chargeMissed: number;
  drops: number;
  dropWithin10: number;
  dropMissed: number;
  falseRoasts: number;
  retracted: number;
}

export const emptyRoastScore = (): RoastScore => ({
  roasts: 0,
  charges: 0,
  chargeWithin5: 0,
  chargeMissed: 0,
  drops: 0,
  dropWithin10: 0,
  dropMissed: 0,
  falseRoasts: 0,
  retracted: 0,
});

/** A charge further away belongs to another roast. */
const sameRoastSeconds = 60;

/** Which marks of a recording are scored: those that the curve does not contradict. */
export interface Asked {
  readonly charge: boolean;
  readonly drop: boolean;
}

/**
 * Adds one recording to a score. Each true roast is matched with the found roast of the nearest charge; the others are
 * false.
 * @returns how far the charge of each true roast lies from the found one, s; infinite where it was not found
 */
export function countRoasts(
  score: RoastScore,
  truths: readonly RoastTruth[],
  said: DetectedRoasts,
  asked: Asked = { charge: true, drop: true },
): number[] {
  const left = new Set(said.roasts.filter(({ charge }) => Number.isFinite(charge)));
  const found = truths.map((truth) => {
    const away = ({ charge }: FoundRoast) => Math.abs(charge - truth.charge);
    const nearest = [...left].sort((a, b) => away(a) - away(b))[0];
    const mine = nearest && away(nearest) <= sameRoastSeconds ? nearest : undefined;
    if (mine) left.delete(mine);
    score.roasts++;
    if (asked.charge) {
      score.charges++;
      if (!mine) score.chargeMissed++;
      else if (away(mine) <= 5) score.chargeWithin5++;
    }
    if (asked.drop && truth.drop !== undefined) {
      score.drops++;
      // Artisan's drop is searched from the marked charge, so it counts without Artisan's charge.
      const drop = (mine ?? (said.roasts.length === 1 ? said.roasts[0] : undefined))?.drop ?? null;
      if (drop === null) score.dropMissed++;
      else if (Math.abs(drop - truth.drop) <= 10) score.dropWithin10++;
    }
    return mine ? away(mine) : Number.POSITIVE_INFINITY;
  });
  score.falseRoasts += left.size;
  score.retracted += said.retracted;
  return found;
}

export function addScores(scores: readonly RoastScore[]): RoastScore {
  const sum = emptyRoastScore();
  for (const score of scores) {
    for (const key of Object.keys(sum) as (keyof RoastScore)[]) sum[key] += score[key];
  }
  return sum;
}
