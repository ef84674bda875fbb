import type { MachineMap } from '@roastery/contract/machine-map';

export interface MapChange {
  /** Place in the map: `channels.bean_temp.scale`. */
  readonly place: string;
  /** Undefined: it was not there. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const placesOf = (value: unknown, place: string, found: Map<string, string>): Map<string, string> => {
  if (isPlain(value))
    for (const [key, child] of Object.entries(value)) placesOf(child, place === '' ? key : `${place}.${key}`, found);
  else if (value !== undefined) found.set(place, typeof value === 'string' ? value : JSON.stringify(value));
  return found;
};

/** What changed from one revision to the next, place by place; the revision's own number aside. */
export const mapDifference = (before: MachineMap | undefined, after: MachineMap): MapChange[] => {
  const [old, now] = [placesOf(before, '', new Map()), placesOf(after, '', new Map())];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((place) => place !== 'rev' && place !== 'id' && old.get(place) !== now.get(place))
    .map((place) => ({ place, before: old.get(place), after: now.get(place) }));
};
