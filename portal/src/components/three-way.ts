/** What two people did to one record since both began with `base`. */
export interface Merged<Values extends object> {
  /** The newest of the server with one's own changes on top. */
  readonly merged: Values;
  /** Changed by the other person only: taken over. */
  readonly theirs: readonly (keyof Values & string)[];
  /** Changed by both, and differently: one's own value stands in `merged`. */
  readonly clashes: readonly (keyof Values & string)[];
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Merges field by field; values are compared as JSON. */
export const mergeThreeWay = <Values extends object>(base: Values, newest: Values, own: Values): Merged<Values> => {
  const merged = { ...newest };
  const theirs: (keyof Values & string)[] = [];
  const clashes: (keyof Values & string)[] = [];
  for (const key of Object.keys(newest) as (keyof Values & string)[]) {
    const iChanged = !isSame(base[key], own[key]);
    const theyChanged = !isSame(base[key], newest[key]);
    if (iChanged) merged[key] = own[key];
    if (iChanged && theyChanged && !isSame(own[key], newest[key])) clashes.push(key);
    else if (theyChanged && !iChanged) theirs.push(key);
  }
  return { merged, theirs, clashes };
};
