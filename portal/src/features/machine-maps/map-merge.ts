import type { Clash } from '../../components/form/EditConflict.tsx';
import { mergeThreeWay } from '../../components/form/three-way.ts';
import type { MapDraft } from './map-draft.ts';
import { t } from '../../language/t.ts';

type Part = 'channels' | 'outputs' | 'events';

const labels: Readonly<Record<string, string>> = {
  maker: t`Maker`,
  model: t`Model`,
  notes: t`Notes`,
  verified: t`Verified`,
  link: t`Link`,
  unit: t`Unit`,
  order: t`Order of 32-bit values`,
  hz: t`Readings per second`,
  timeoutMs: t`Response timeout`,
  maxDrumRpm: t`Drum RPM at 100 %`,
  charging: t`Charging`,
};

type Row = MapDraft[Part][number];
type ByName<One> = Readonly<Record<string, One | undefined>>;

/** The rows of a part by their names. Keys are not compared, so all are 0. */
const byName = <One extends Row>(part: Part, rows: readonly One[]): ByName<One> => {
  const places: Record<string, One> = {};
  for (const row of rows) {
    const place = `${part} ${row.name.trim()}`;
    places[row.name.trim() === '' || place in places ? `${place}#${row.key}` : place] = { ...row, key: 0 };
  }
  return places;
};

/** Merges a part of three drafts: in the order of the newest, own new rows at the end. */
const mergeRows = <One extends Row>(
  part: Part,
  ...[base, newest, own]: readonly [readonly One[], readonly One[], readonly One[]]
) => {
  const [before, now, mine] = [byName(part, base), byName(part, newest), byName(part, own)];
  const nothing = Object.fromEntries(Object.keys({ ...before, ...mine }).map((place) => [place, undefined]));
  const { merged, theirs, clashes } = mergeThreeWay<ByName<One>>(
    { ...nothing, ...before },
    { ...now, ...nothing, ...now },
    { ...nothing, ...mine },
  );
  const rows = Object.values(merged).flatMap((row) => (row === undefined ? [] : [row]));
  return { rows: rows.map((row, key) => ({ ...row, key })), theirs, clashes: clashesOf(clashes, now, mine) };
};

const isRow = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const fieldLabels: Readonly<Record<string, string>> = {
  at: 'address',
  as: 'type',
  low: 'from',
  high: 'to',
  maxPerSecond: t`max per second`,
  readback: t`read back by`,
  when: 'signal',
  on: 'writes',
};

/** A value as text; of a row only what differs from `other`. */
const textOf = (value: unknown, other: unknown): string => {
  if (value === undefined) return 'deleted';
  if (!isRow(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  return Object.entries(value)
    .filter(([field]) => field !== 'key')
    .filter(([field, said]) => !isRow(other) || JSON.stringify(said) !== JSON.stringify(other[field]))
    .map(
      ([field, said]) =>
        `${fieldLabels[field] ?? field} ${typeof said === 'string' ? said || '--' : JSON.stringify(said)}`,
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
  /** Labels of what only the other person changed. */
  readonly theirs: readonly string[];
  readonly clashes: readonly Clash[];
}

const clashesOf = (
  places: readonly string[],
  now: Readonly<Record<string, unknown>>,
  mine: Readonly<Record<string, unknown>>,
): readonly Clash[] =>
  places.map((place) => ({
    label: labelOf(place),
    now: textOf(now[place], mine[place]),
    yours: textOf(mine[place], now[place]),
  }));

const plainOf = (draft: MapDraft): Omit<MapDraft, Part> => {
  const { channels: _, outputs: __, events: ___, ...plain } = draft;
  return plain;
};

/** Merges two edits of one map: the newest revision with the user's own changes on top, row by row. */
export const mergeDrafts = (base: MapDraft, newest: MapDraft, own: MapDraft): MergedDraft => {
  const plain = mergeThreeWay(plainOf(base), plainOf(newest), plainOf(own));
  const channels = mergeRows('channels', base.channels, newest.channels, own.channels);
  const outputs = mergeRows('outputs', base.outputs, newest.outputs, own.outputs);
  const events = mergeRows('events', base.events, newest.events, own.events);
  const parts = [channels, outputs, events];
  return {
    draft: { ...plain.merged, channels: channels.rows, outputs: outputs.rows, events: events.rows },
    theirs: [...plain.theirs, ...parts.flatMap(({ theirs }) => theirs)].map(labelOf),
    clashes: [...clashesOf(plain.clashes, plainOf(newest), plainOf(own)), ...parts.flatMap(({ clashes }) => clashes)],
  };
};
