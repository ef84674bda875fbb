import { eliminated, weighted } from './ridge.ts';
import type { Sign } from './roast-signs.ts';

/** The signs of a roast, with what else sets it apart. */
export interface SignedRoast {
  /** Among the roasts of its machine, in the order of time. */
  readonly place: number;
  readonly coffee: string;
  readonly signs: readonly Sign[];
}

/** How a sign depends on its causes and on the seasons, learnt from roasts within their coffees. */
export interface SignRelation {
  /** Observations beyond those that the fit used up. */
  readonly freedom: number;
  /** Of this coffee among those learnt from. */
  roastsOf(coffee: string): number;
  /** What the causes do not explain of a sign of this roast; not a number for an unknown coffee. */
  unexplained(roast: SignedRoast, sign: Sign | undefined): number;
  /**
   * The variance of the mean of what is unexplained in these roasts, in variances of one: greater where they differ from
   * those learnt from.
   */
  varianceOfMean(roasts: readonly SignedRoast[]): number;
}

const penalty = 0.05;
/** So many roasts are one unit of time: the course of a season over them is learnt too. */
const seasonRoasts = 60;

/** @param roasts with the newest last */
export function signRelation(roasts: readonly SignedRoast[], sign: number): SignRelation {
  const newest = roasts.at(-1)?.place ?? 0;
  const causesOf = ({ place }: SignedRoast, { causes }: Sign) => [...causes, (place - newest) / seasonRoasts];
  const points = roasts.flatMap((roast) => {
    const own = roast.signs[sign];
    return own ? [{ coffee: roast.coffee, value: own.value, causes: causesOf(roast, own) }] : [];
  });
  const coffees = usualByCoffee(points);
  const apart = (coffee: string, causes: readonly number[]) => {
    const usual = coffees.get(coffee)?.causes ?? [];
    return causes.map((cause, at) => cause - (usual[at] ?? Number.NaN));
  };
  const size = points[0]?.causes.length ?? 0;
  const squares = Array.from({ length: size }, (_, row) =>
    Array.from({ length: size }, (_unused, column) => Number(row === column) * penalty),
  );
  const products = Array.from({ length: size }, () => 0);
  for (const { coffee, value, causes } of points) {
    const own = apart(coffee, causes);
    const above = value - (coffees.get(coffee)?.value ?? 0);
    for (const [row, one] of own.entries()) {
      products[row] = (products[row] ?? 0) + one * above;
      const line = squares[row] ?? [];
      for (const [column, other] of own.entries()) line[column] = (line[column] ?? 0) + one * other;
    }
  }
  const solvedFor = (right: readonly number[]) => eliminated(squares.map((line, at) => [...line, right[at] ?? 0]));
  const weights = solvedFor(products);
  return {
    freedom: Math.max(1, points.length - coffees.size - size),
    roastsOf: (coffee) => coffees.get(coffee)?.roasts ?? 0,
    unexplained(roast, own) {
      if (!own) return Number.NaN;
      const usual = coffees.get(roast.coffee)?.value ?? Number.NaN;
      return own.value - usual - weighted(apart(roast.coffee, causesOf(roast, own)), weights);
    },
    varianceOfMean(of) {
      const far = meanVector(
        of.flatMap((roast) => {
          const own = roast.signs[sign];
          return own ? [apart(roast.coffee, causesOf(roast, own))] : [];
        }),
      );
      const ofCoffees = [...coffees].map(
        ([coffee, { roasts: known }]) =>
          (of.filter((roast) => roast.coffee === coffee).length / of.length) ** 2 / known,
      );
      return 1 / of.length + ofCoffees.reduce((sum, share) => sum + share, 0) + weighted(far, solvedFor(far));
    },
  };
}

interface Point {
  readonly coffee: string;
  readonly value: number;
  readonly causes: readonly number[];
}

function usualByCoffee(points: readonly Point[]) {
  const names = [...new Set(points.map(({ coffee }) => coffee))];
  return new Map(
    names.map((name) => {
      const own = points.filter(({ coffee }) => coffee === name);
      const [value = Number.NaN] = meanVector(own.map((point) => [point.value]));
      return [name, { roasts: own.length, value, causes: meanVector(own.map(({ causes }) => causes)) }];
    }),
  );
}

/** The mean of vectors of one length. */
export const meanVector = (rows: readonly (readonly number[])[]): number[] =>
  (rows[0] ?? []).map((_, at) => rows.reduce((sum, row) => sum + (row[at] ?? Number.NaN), 0) / rows.length);
