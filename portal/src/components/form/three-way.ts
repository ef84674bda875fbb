/** The result of merging two people's changes to one record. */
export interface Merged<Values extends object> {
  /** The newest record with the user's own changes on top. */
  readonly merged: Values;
  /** Fields that only the other person changed. */
  readonly theirs: readonly (keyof Values & string)[];
  /** Fields that both changed to different values. `merged` has the user's own. */
  readonly clashes: readonly (keyof Values & string)[];
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The keys of an object that has exactly these fields, typed by them. */
export const keysOf = <Key extends string>(values: Readonly<Record<Key, unknown>>): readonly Key[] =>
  Object.keys(values) as Key[];

/** Merges field by field. Values are compared as JSON. */
export const mergeThreeWay = <Values extends object>(base: Values, newest: Values, own: Values): Merged<Values> => {
  const merged = { ...newest };
  const theirs: (keyof Values & string)[] = [];
  const clashes: (keyof Values & string)[] = [];
  for (const key of keysOf<keyof Values & string>(newest)) {
    const iChanged = !isSame(base[key], own[key]);
    const theyChanged = !isSame(base[key], newest[key]);
    if (iChanged) merged[key] = own[key];
    if (iChanged && theyChanged && !isSame(own[key], newest[key])) clashes.push(key);
    else if (theyChanged && !iChanged) theirs.push(key);
  }
  return { merged, theirs, clashes };
};
