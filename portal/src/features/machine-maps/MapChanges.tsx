import type { MachineMap } from '@roastery/contract/machine-map';
import { t } from '../../language/t.ts';

export interface MapChange {
  /** Place in the map: `channels.bean_temp.scale`. */
  readonly place: string;
  /** Undefined where the place is new. */
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

/** The differences of two revisions, without the revision number and the id. */
export const mapDifference = (before: MachineMap | undefined, after: MachineMap): MapChange[] => {
  const [old, now] = [placesOf(before, '', new Map()), placesOf(after, '', new Map())];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((place) => place !== 'rev' && place !== 'id' && old.get(place) !== now.get(place))
    .map((place) => ({ place, before: old.get(place), after: now.get(place) }));
};

/** The differences of two maps, one line for each place. */
export const Changes = ({ changes, label }: { changes: readonly MapChange[]; label?: string }) =>
  changes.length === 0 ? (
    <p className="border-t border-stroke px-4 py-2.5 text-sm text-muted">{t`Nothing changed`}</p>
  ) : (
    <ul aria-label={label} className="border-t border-stroke font-mono text-xs">
      {changes.map(({ place, before, after }) => (
        <li key={place} className="flex flex-wrap gap-x-3 gap-y-0.5 border-b border-stroke px-4 py-2 last:border-0">
          <span className="min-w-0 font-medium break-all text-strong">{place}</span>
          {before !== undefined && (
            <del className="break-all text-danger">
              <span className="sr-only">{t`Before:`} </span>
              {before}
            </del>
          )}
          {after !== undefined && (
            <ins className="break-all text-success no-underline">
              <span className="sr-only">{t`Now:`} </span>
              {after}
            </ins>
          )}
        </li>
      ))}
    </ul>
  );
