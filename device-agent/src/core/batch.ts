import { maxBatchEntries, type Continues, type EventBatch, type SampleBatch } from '@roastery/contract/mqtt';
import type { Entry, EventEntry, SampleEntry } from './entry.ts';
import type { WallClock } from './wall-clock.ts';

/** Longest time one batch may span: the contract's limit on `dt`. */
const maxSpanMs = 86_400_000;

/**
 * The longest run from the first entry that one batch can hold: consecutive sequence numbers, one kind, one context,
 * times that do not fall.
 */
const firstRun = (entries: readonly Entry[]): readonly Entry[] => {
  const head = entries[0];
  if (!head) return [];
  let length = 1;
  while (length < Math.min(entries.length, maxBatchEntries)) {
    const before = entries[length - 1];
    const entry = entries[length];
    if (!before || !entry || entry.kind !== head.kind || entry.seq !== before.seq + 1) break;
    if (entry.context !== head.context && !sameColumns(entry, head)) break;
    if (entry.mono < before.mono || entry.mono - head.mono > maxSpanMs) break;
    length += 1;
  }
  return entries.slice(0, length);
};

const sameColumns = (a: Entry, b: Entry): boolean =>
  a.context.boot === b.context.boot &&
  a.context.map.id === b.context.map.id &&
  a.context.map.rev === b.context.map.rev &&
  a.context.channels.join() === b.context.channels.join();

/**
 * Takes the next batch from the front of `entries`. Returns it with the range it covers, or undefined when there are
 * no entries. Times are converted with the current clock.
 */
export const cutBatch = (
  entries: readonly Entry[],
  epoch: string,
  clock: Pick<WallClock, 'at'>,
  continues?: Continues,
): { batch: SampleBatch | EventBatch; from: number; to: number } | undefined => {
  const run = firstRun(entries);
  const head = run[0];
  if (!head) return undefined;
  const { t, synced } = clock.at(head.context.boot, head.mono);
  const common = { v: 1, epoch, seq: head.seq, boot: head.context.boot, synced, t, mono: head.mono } as const;
  const link = continues === undefined ? {} : { continues };
  const covered = { from: head.seq, to: head.seq + run.length - 1 };
  if (head.kind === 'event') {
    const events = run.filter((entry): entry is EventEntry => entry.kind === 'event');
    const ev = events.map((entry) => ({ dt: entry.mono - head.mono, e: entry.event }));
    return { batch: { ...common, ...link, k: 'events', ev }, ...covered };
  }
  const samples = run.filter((entry): entry is SampleEntry => entry.kind === 'sample');
  const batch: SampleBatch = {
    ...common,
    ...link,
    k: 'samples',
    map: head.context.map,
    dt: samples.map((entry) => entry.mono - head.mono),
    ch: [...head.context.channels],
    s: head.context.channels.map((_, column) => samples.map((entry) => entry.values[column] ?? null)),
  };
  return { batch, ...covered };
};
