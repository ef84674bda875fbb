import { eliminated, weighted } from './ridge.ts';
import {
  curvedRoast,
  signsOf,
  type Alteration,
  type CurvedRoast,
  type Sign,
  type WatchedRoast,
} from './roast-signs.ts';
import { isReading } from '../curves/series.ts';
import { meanVector, signRelation, type SignedRoast, type SignRelation } from './sign-relation.ts';

export const driftKinds = ['bean_probe', 'exhaust_probe', 'burner'] as const;
export type DriftKind = (typeof driftKinds)[number];

/** A change of a machine that its own roasts show. */
export interface MachineDrift {
  readonly of: DriftKind;
  /** °C that the probe reads more than before, or percent that the burner gives more at the same setting. */
  readonly change: number;
  /** Standard deviation of `change`. */
  readonly deviation: number;
  /** Place of its first roast among those given. */
  readonly fromRoast: number;
}

/** What the roasts of a machine say of its probes and burner. */
export interface DriftWatch {
  /** Roasts that could be compared. */
  readonly roasts: number;
  readonly drift: MachineDrift | null;
}

/** The roasts before a change that the ones after it are compared with. */
const comparedRoasts = 60;
const fewestBefore = 25;
const fewestAfter = 5;
const rangesAgo = [5, 7, 10, 14, 20, 28];
/** A change is looked for at most so many roasts ago. */
export const longestAgo = 28;
/** Older roasts do not count. */
export const watchedRoasts = comparedRoasts + longestAgo;
/** Nothing is said with fewer. */
export const fewestWatched = fewestBefore + fewestAfter;
/** A coffee counts with so many roasts before the change. */
const fewestOfACoffee = 3;
/** Of the roasts after it, at least this share must be of such coffees. */
const comparableShare = 0.5;

/*
 * Chosen on made years (`made-year.ts` of the tests) of the seeds 1 to 330; `machine-drift.endurance.test.ts` judges
 * them on others.
 */
/** The least change in its standard deviations. */
const surelyChanged: Record<DriftKind, number> = { bean_probe: 4.5, exhaust_probe: 5, burner: 5 };
/** °C or percent. */
const leastChange: Record<DriftKind, number> = { bean_probe: 1.5, exhaust_probe: 2, burner: 3.5 };
/** By how much the squared sureness of a kind must exceed the next one's, for it to be named. */
const clearer = 4;
/** The probe in the beans wears more than the one in the exhaust, which looks alike if it changes the other way. */
const handicap: Record<DriftKind, number> = { bean_probe: 0, exhaust_probe: 4, burner: 0 };
/** Half of the roasts must show this share of the change each, so that one odd roast makes none. */
const medianShare = 0.6;

/** What each kind of change does to readings, for 1 °C or 1 %. */
const alterations: Record<DriftKind, Alteration> = {
  bean_probe: { beanC: 1 },
  exhaust_probe: { exhaustC: 1 },
  burner: { setShare: 1 / 1.01 },
};

interface Row extends SignedRoast {
  readonly altered: Readonly<Record<DriftKind, readonly Sign[]>>;
}

/**
 * Looks for a change of probes or burner between earlier and newer roasts. What a roast shows is first explained by what
 * was done in it, coffee by coffee, and by the slow course of the seasons; what remains is compared before and after.
 * How a change would show is read from the roasts themselves, with altered readings.
 * @param roasts of one machine, oldest first
 */
export function watchDrift(roasts: readonly WatchedRoast[]): DriftWatch {
  const rows = rowsOf(roasts);
  const found = strongest(rows, rangesAgo);
  if (!found) return { roasts: rows.length, drift: null };
  // Once more from every roast on, to name the one from which it is.
  const every = Array.from({ length: longestAgo - fewestAfter + 1 }, (_, more) => fewestAfter + more);
  return { roasts: rows.length, drift: (strongest(rows, every) ?? found).drift };
}

/** How one roast went beside what its burner, air, batch, coffee and season explain. */
export interface RoastDeparture {
  /** Place of the roast among those given. */
  readonly place: number;
  /** The temperature of its turning point, °C above what was to be expected. */
  readonly turnC: number;
  /** Its rate of rise between turning point and drop, percent above. */
  readonly ratePercent: number;
}

/**
 * The course of a machine, roast by roast, beside what its earlier ones teach: a probe or burner that changes bends it
 * before a single figure is sure. Nothing where there are too few roasts.
 * @param roasts of one machine, oldest first
 */
export function departuresOf(roasts: readonly WatchedRoast[]): RoastDeparture[] {
  const rows = rowsOf(roasts);
  if (rows.length < fewestWatched) return [];
  const relations = relationsOf(rows.slice(0, Math.max(fewestBefore, rows.length - longestAgo)));
  return rows.flatMap((row): RoastDeparture[] => {
    if ((relations[0]?.roastsOf(row.coffee) ?? 0) < fewestOfACoffee) return [];
    const [turnC = Number.NaN, ...rates] = unexplained(relations, row).slice(0, 3);
    const rate = rates.reduce((sum, value) => sum + value, 0);
    const seen = row.signs.slice(1, 3).reduce((sum, { value }) => sum + value, 0);
    return [{ place: row.place, turnC, ratePercent: (100 * rate) / (seen - rate) }];
  });
}

const relationsOf = (before: readonly Row[]): SignRelation[] =>
  (before[0]?.signs ?? []).map((_, sign) => signRelation(before, sign));

function rowsOf(roasts: readonly WatchedRoast[]): Row[] {
  const curved = roasts.map(curvedRoast);
  const drops = curved.flatMap((roast) => lastOf(roast) ?? []).sort((a, b) => a - b);
  const usualDropC = drops[drops.length >> 1] ?? Number.NaN;
  const hasExhaust = curved.filter((roast) => roast?.exhaustTempC?.some(isReading)).length > curved.length / 2;
  return curved.flatMap((roast, place): Row[] => {
    const of = (alteration?: Alteration) => roast && signsOf(roast, usualDropC, hasExhaust, alteration);
    const signs = of();
    const [bean, exhaust, burner] = driftKinds.map((kind) => of(alterations[kind]));
    if (!roast || !signs || !bean || !exhaust || !burner) return [];
    return [{ place, coffee: roast.coffee, signs, altered: { bean_probe: bean, exhaust_probe: exhaust, burner } }];
  });
}

const lastOf = (roast: CurvedRoast | null): [number] | null => {
  const last = roast?.beanTempC.findLast(isReading);
  return isReading(last) ? [last] : null;
};

interface Found {
  readonly drift: MachineDrift;
  /** In standard deviations. */
  readonly sureness: number;
}

function strongest(rows: readonly Row[], ranges: readonly number[]): Found | undefined {
  return ranges
    .flatMap((after) => compared(rows, after) ?? [])
    .reduce<Found | undefined>((best, next) => (best && best.sureness >= next.sureness ? best : next), undefined);
}

/** The newest roasts and those before them. */
function compared(rows: readonly Row[], after: number): [Found] | null {
  const newer = rows.slice(-after);
  const before = rows.slice(0, -after).slice(-comparedRoasts);
  const [first] = newer;
  if (before.length < fewestBefore || newer.length < after || !first) return null;
  const relations = relationsOf(before);
  const known = newer.filter(({ coffee }) => (relations[0]?.roastsOf(coffee) ?? 0) >= fewestOfACoffee);
  if (known.length < Math.max(fewestAfter - 1, after * comparableShare)) return null;
  const remains = known.map((row) => unexplained(relations, row));
  const shift = meanVector(remains);
  const scatter = scatterOfMean(relations, before, known);
  const [best, second] = driftKinds
    .map((of) => {
      const effect = effectOf(relations, before, of);
      const weights = eliminated(scatter.map((line, at) => [...line, effect[at] ?? 0]));
      const information = weighted(weights, effect);
      const changes = remains.map((values) => weighted(weights, values) / information).sort((a, b) => a - b);
      const change = weighted(weights, shift) / information;
      const middle = changes[changes.length >> 1] ?? 0;
      const deviation = 1 / Math.sqrt(information);
      const sureness = Math.abs(change) / deviation;
      const drift = { of, change, deviation, fromRoast: first.place };
      return { drift, middle, sureness, evidence: sureness ** 2 - handicap[of] };
    })
    .filter(({ sureness }) => Number.isFinite(sureness))
    .sort((a, b) => b.evidence - a.evidence);
  if (!best) return null;
  const { drift, middle, sureness, evidence } = best;
  const isLarge = sureness >= surelyChanged[drift.of] && Math.abs(drift.change) >= leastChange[drift.of];
  const isClear = !second || evidence - second.evidence >= clearer;
  return isLarge && isClear && middle / drift.change >= medianShare ? [{ drift, sureness }] : null;
}

const unexplained = (relations: readonly SignRelation[], row: Row, signs = row.signs): number[] =>
  relations.map((relation, at) => relation.unexplained(row, signs[at]));

/** What 1 °C or 1 % would add to the signs beyond what their causes explain. */
function effectOf(relations: readonly SignRelation[], rows: readonly Row[], kind: DriftKind): number[] {
  return meanVector(
    rows.map((row) => {
      const without = unexplained(relations, row);
      return unexplained(relations, row, row.altered[kind]).map((value, at) => value - (without[at] ?? Number.NaN));
    }),
  );
}

/** The covariance of the means of the newer roasts, if nothing had changed. */
function scatterOfMean(relations: readonly SignRelation[], before: readonly Row[], newer: readonly Row[]): number[][] {
  const remains = before.map((row) => unexplained(relations, row));
  const widths = relations.map((relation) => Math.sqrt(relation.varianceOfMean(newer) / relation.freedom));
  return widths.map((one, row) =>
    widths.map(
      (other, column) => one * other * remains.reduce((sum, of) => sum + (of[row] ?? 0) * (of[column] ?? 0), 0),
    ),
  );
}
