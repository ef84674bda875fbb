import { isReading, type Reading } from './series.ts';

/**
 * Which of two probes is in the beans. Cold beans cover the bean probe at the charge: it falls far, turns within two minutes, and
 * stays below the gas around the beans, which heats them, up to the drop. How far an exhaust falls says little by itself: an open
 * door or a full drum may cool it more than the beans cool their probe.
 */
export interface ProbeRoast {
  /** Rising. */
  readonly timesSeconds: readonly number[];
  readonly beanTempC: readonly Reading[];
  readonly exhaustTempC: readonly Reading[];
  /** Up to 20 s off; a drop up to two minutes: they may be marks of a detector that read the wrong probe. */
  readonly chargeSeconds: number;
  readonly dropSeconds: number;
}

/** `right`: the channel named bean temperature is the probe in the beans. `exchanged`: the other one is. */
export type ChannelVerdict = 'right' | 'exchanged' | 'unsure';

/** One probe around the charge, and while the beans warm up. */
export interface ProbeEvidence {
  /** From the top around the charge to the turn, °C. */
  readonly fallC: number;
  readonly lowestC: number;
  /** Seconds after the charge. */
  readonly turnSeconds: number;
}
export interface ChannelEvidence {
  readonly bean: ProbeEvidence;
  readonly exhaust: ProbeEvidence;
  /** Median of exhaust minus bean between the turn and the drop, °C. */
  readonly exhaustAboveC: number;
}
export interface ChannelFinding {
  readonly verdict: ChannelVerdict;
  /** Null when one of the probes shows nothing. */
  readonly evidence: ChannelEvidence | null;
}

/**
 * When one of two probes counts as the one in the beans. `docs/exchanged-channels.md` has the figures of each maker, also with limits
 * that were chosen on the other makers.
 */
const limits = {
  /** It falls by at least this, °C. Small batches in a drum fall by 20 °C, an exhaust far from the drum by 4 to 8 °C. */
  minFallC: 15,
  /** … and by at least this share of the other's fall. Exhausts below the bean temperature fall by up to 0.43 of its fall. */
  minFallShare: 0.5,
  /** It is colder by at least this at its turn, and in the median from the turn to the drop, °C. */
  colderC: 4,
  /** It turns at most this long after the other one. A sluggish exhaust turns up to three minutes after the beans. */
  laterTurnSeconds: 70,
};

const stepSeconds = 2;
/** A level is the median of the readings this close to it. */
const besideSeconds = 3;
/** Levels between two readings further apart than this are unknown. */
const bridgedSeconds = 15;
const beforeChargeSeconds = 30;
const chargeLateSeconds = 20;
const latestTurnSeconds = 240;
/** The turn lies in the first part of a roast, and the probes are compared up to shortly before the drop. */
const turnShare = 0.6;
const comparedShare = { from: 0.3, to: 0.9 };
const shortestRoastSeconds = 120;
const leastKnownShare = 0.8;
/** A probe that moves less during a roast, or stays below this, is absent, broken or elsewhere. */
const leastRangeC = 15;
const leastTopC = 60;
/** Beans turn between 50 and 150 °C. A probe that turns hotter saw a door or an empty drum. */
const hottestTurnC = 150;
/** Two channels this close are one probe. */
const copyC = 2;
/** No probe in a gas or in beans falls by this within this time: an infrared sensor that looks at the beans, or a fault. */
const opticalFallC = 100;
const opticalSeconds = 10;

interface Level {
  readonly sinceCharge: number;
  readonly tempC: number;
}

const unsure: ChannelFinding = { verdict: 'unsure', evidence: null };

/** This many roasts in a row have to agree before anything is said. */
export const roastsToAgree = 2;

/**
 * How many roasts in a row look exchanged, after one more. A roast that is unsure says nothing: a probe may have been
 * unplugged. A right one begins again.
 */
export function exchangedInRow(before: number, { verdict }: Pick<ChannelFinding, 'verdict'>): number {
  if (verdict === 'right') return 0;
  return verdict === 'exchanged' ? before + 1 : before;
}

/** Judges one roast. Exchanging the two columns exchanges the verdict. */
export function channelsLookExchanged(roast: ProbeRoast): ChannelFinding {
  const evidence = channelEvidence(roast);
  return evidence === null ? unsure : { verdict: verdictOf(evidence), evidence };
}

/** What both probes show in a roast; null unless both are live probes and the roast is whole. */
function channelEvidence(roast: ProbeRoast): ChannelEvidence | null {
  const lengthSeconds = roast.dropSeconds - roast.chargeSeconds;
  if (!(lengthSeconds >= shortestRoastSeconds)) return null;
  const beans = levelsOf(roast, roast.beanTempC);
  const exhaust = levelsOf(roast, roast.exhaustTempC);
  const [bean, other] = [probeEvidence(beans, lengthSeconds), probeEvidence(exhaust, lengthSeconds)];
  if (bean === null || other === null) return null;
  const exhaustAt = new Map(exhaust.map(({ sinceCharge, tempC }) => [sinceCharge, tempC]));
  const gaps = beans.flatMap(({ sinceCharge, tempC }) => {
    const exhaustC = exhaustAt.get(sinceCharge);
    const share = sinceCharge / lengthSeconds;
    return exhaustC === undefined || share < 0 || share > comparedShare.to ? [] : [{ share, gapC: exhaustC - tempC }];
  });
  const apart = median(gaps.map(({ gapC }) => Math.abs(gapC)));
  const exhaustAboveC = median(gaps.flatMap(({ share, gapC }) => (share < comparedShare.from ? [] : [gapC])));
  if (apart === null || exhaustAboveC === null || apart < copyC) return null;
  return { bean, exhaust: other, exhaustAboveC };
}

function verdictOf({ bean, exhaust, exhaustAboveC }: ChannelEvidence): ChannelVerdict {
  if (isInBeans(bean, exhaust, exhaustAboveC)) return 'right';
  return isInBeans(exhaust, bean, -exhaustAboveC) ? 'exchanged' : 'unsure';
}

function isInBeans(probe: ProbeEvidence, other: ProbeEvidence, otherAboveC: number): boolean {
  return (
    probe.lowestC <= hottestTurnC &&
    probe.fallC >= limits.minFallC &&
    probe.fallC >= limits.minFallShare * other.fallC &&
    other.lowestC - probe.lowestC >= limits.colderC &&
    otherAboveC >= limits.colderC &&
    probe.turnSeconds - other.turnSeconds <= limits.laterTurnSeconds
  );
}

function probeEvidence(levels: readonly Level[], lengthSeconds: number): ProbeEvidence | null {
  const inRoast = levels.filter(({ sinceCharge }) => sinceCharge >= 0 && sinceCharge <= lengthSeconds);
  if (inRoast.length < leastKnownShare * (lengthSeconds / stepSeconds)) return null;
  const topC = highestC(inRoast);
  if (topC < leastTopC || topC - lowestOf(inRoast).tempC < leastRangeC) return null;
  const latest = Math.min(latestTurnSeconds, turnShare * lengthSeconds);
  const turn = lowestOf(inRoast.filter(({ sinceCharge }) => sinceCharge <= latest));
  const atCharge = levels.filter(
    ({ sinceCharge }) => sinceCharge >= -beforeChargeSeconds && sinceCharge <= chargeLateSeconds,
  );
  const until = atCharge.filter(({ sinceCharge }) => sinceCharge <= turn.sinceCharge);
  const looksOptical = levels.some(({ sinceCharge, tempC }, index) => {
    if (sinceCharge > latest) return false;
    const soon = levels.slice(index + 1, index + 1 + opticalSeconds / stepSeconds);
    return soon.some((later) => tempC - later.tempC >= opticalFallC);
  });
  if (looksOptical) return null;
  return {
    fallC: Math.max(0, highestC(until) - turn.tempC),
    lowestC: turn.tempC,
    turnSeconds: turn.sinceCharge,
  };
}

/** Every two seconds from before the charge to the drop the median of the readings beside it. */
function levelsOf({ timesSeconds, chargeSeconds, dropSeconds }: ProbeRoast, values: readonly Reading[]): Level[] {
  const levels: Level[] = [];
  let first = 0;
  for (let at = chargeSeconds - beforeChargeSeconds; at <= dropSeconds; at += stepSeconds) {
    while ((timesSeconds[first] ?? Infinity) < at - bridgedSeconds) first++;
    const beside: number[] = [];
    let before: number | undefined;
    let after: number | undefined;
    for (let index = first; (timesSeconds[index] ?? Infinity) <= at + bridgedSeconds; index++) {
      const value = values[index];
      if (!isReading(value)) continue;
      const away = (timesSeconds[index] ?? at) - at;
      if (Math.abs(away) <= besideSeconds) beside.push(value);
      else if (away < 0) before = value;
      else after ??= value;
    }
    const tempC = median(beside) ?? (before === undefined || after === undefined ? null : (before + after) / 2);
    if (tempC !== null) levels.push({ sinceCharge: at - chargeSeconds, tempC });
  }
  return levels;
}

function highestC(levels: readonly Level[]): number {
  return levels.reduce((high, { tempC }) => Math.max(high, tempC), -Infinity);
}

function lowestOf(levels: readonly Level[]): Level {
  return levels.reduce((low, level) => (level.tempC < low.tempC ? level : low), { sinceCharge: 0, tempC: Infinity });
}

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? null;
}
