import type { Clash } from '../../components/form/EditConflict.tsx';
import { mergeThreeWay } from '../../components/form/three-way.ts';
import type { MapDraft } from './map-draft.ts';

type Part = 'channels' | 'outputs' | 'events';
const parts: readonly Part[] = ['channels', 'outputs', 'events'];
type Row = MapDraft[Part][number];

const labels: Readonly<Record<string, string>> = {
  maker: 'Maker',
  model: 'Model',
  notes: 'Notes',
  verified: 'Verified',
  link: 'Link',
  unit: 'Unit',
  order: 'Order of 32-bit values',
  hz: 'Readings per second',
  timeoutMs: 'Wait for an answer',
  maxDrumRpm: 'Drum RPM at 100 %',
  charging: 'How beans go in',
};

/** A draft as one value a place, each row by its name: `hz`, `channels bean_temp`. Row numbers say nothing and are left away. */
const placesOf = (draft: MapDraft): Record<string, unknown> => {
  const { channels: _, outputs: __, events: ___, ...plain } = draft;
  const places: Record<string, unknown> = { ...plain };
  for (const part of parts) {
    for (const { key, ...row } of draft[part]) {
      const name = row.name.trim();
      places[name === '' || `${part} ${name}` in places ? `${part} ${name}#${key}` : `${part} ${name}`] = row;
    }
  }
  return places;
};

const rowsOf = (places: Record<string, unknown>, part: Part): readonly Row[] =>
  Object.entries(places)
    .filter(([place, row]) => place.startsWith(`${part} `) && row !== undefined)
    .map(([, row], key) => ({ ...(row as Omit<Row, 'key'>), key }) as Row);

const isRow = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const fieldWords: Readonly<Record<string, string>> = {
  at: 'address',
  as: 'type',
  low: 'from',
  high: 'to',
  maxPerSecond: 'at most a second',
  readback: 'read back by',
  when: 'signal',
  on: 'writes',
};

/** A value in words; of a row what it says otherwise than `other` does. */
const textOf = (value: unknown, other: unknown): string => {
  if (value === undefined) return 'deleted';
  if (!isRow(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  return Object.entries(value)
    .filter(([field, said]) => !isRow(other) || JSON.stringify(said) !== JSON.stringify(other[field]))
    .map(
      ([field, said]) =>
        `${fieldWords[field] ?? field} ${typeof said === 'string' ? said || '--' : JSON.stringify(said)}`,
    )
    .join(', ');
};

const labelOf = (place: string): string => {
  const [part = '', name] = place.split(' ');
  return name === undefined
    ? (labels[place] ?? place)
    : `${part.slice(0, 1).toUpperCase()}${part.slice(1, -1)} ${name}`;
};

export interface MergedDraft {
  readonly draft: MapDraft;
  /** Places that only the other person changed, in words. */
  readonly theirs: readonly string[];
  readonly clashes: readonly Clash[];
}

/** What two people made of one map: the newest with one's own changes on top, channel by channel. */
export const mergeDrafts = (base: MapDraft, newest: MapDraft, own: MapDraft): MergedDraft => {
  const [before, now, mine] = [placesOf(base), placesOf(newest), placesOf(own)];
  const nothing = Object.fromEntries(Object.keys({ ...before, ...mine }).map((place) => [place, undefined]));
  // In the order of the newest; what it does not have comes behind.
  const merged = mergeThreeWay({ ...nothing, ...before }, { ...now, ...nothing, ...now }, { ...nothing, ...mine });
  const plain = Object.fromEntries(Object.entries(merged.merged).filter(([place]) => !place.includes(' ')));
  return {
    draft: {
      ...(plain as unknown as MapDraft),
      channels: rowsOf(merged.merged, 'channels') as MapDraft['channels'],
      outputs: rowsOf(merged.merged, 'outputs') as MapDraft['outputs'],
      events: rowsOf(merged.merged, 'events') as MapDraft['events'],
    },
    theirs: merged.theirs.map(labelOf),
    clashes: merged.clashes.map((place) => ({
      label: labelOf(place),
      now: textOf(now[place], mine[place]),
      yours: textOf(mine[place], now[place]),
    })),
  };
};
