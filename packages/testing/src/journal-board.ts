import { randomBytes, randomUUID } from 'node:crypto';
import type { JournalBatch, JournalEvent } from '@roastery/contract/mqtt';

type Entry =
  | { readonly kind: 'sample'; readonly mono: number; readonly values: readonly (number | null)[] }
  | { readonly kind: 'event'; readonly mono: number; readonly event: JournalEvent };

export interface JournalBoardOptions {
  readonly epoch?: string;
  readonly boot?: string;
  readonly channels?: readonly string[];
  /** Wall clock minus monotonic clock, ms; default: booted a minute ago. */
  readonly wallOffsetMs?: number;
  readonly synced?: boolean;
  readonly map?: { readonly id: string; readonly rev: number };
}

/**
 * A board's journal in memory, for tests of its receivers: appends entries and splits them into batches as in the
 * contract, at any borders, repeatedly.
 */
export const createJournalBoard = (options: JournalBoardOptions = {}) => {
  const epoch = options.epoch ?? randomBytes(8).toString('hex');
  const boot = options.boot ?? randomUUID();
  const channels = options.channels ?? ['bean_temp', 'exhaust_temp', 'heat_power'];
  const wallOffsetMs = options.wallOffsetMs ?? Date.now() - 60_000;
  const synced = options.synced ?? true;
  const map = options.map ?? { id: 'test-roaster', rev: 1 };
  const entries: Entry[] = [];

  const batchOf = (from: number, to: number): JournalBatch => {
    const part = entries.slice(from, to);
    const mono = part[0]?.mono ?? 0;
    const head = { v: 1 as const, epoch, seq: from, boot, synced, t: Math.max(0, wallOffsetMs + mono), mono };
    const samples = part.filter((entry) => entry.kind === 'sample');
    if (samples.length === part.length) {
      return {
        ...head,
        k: 'samples',
        map: { ...map },
        dt: samples.map((entry) => entry.mono - mono),
        ch: [...channels],
        s: channels.map((_, column) => samples.map((entry) => entry.values[column] ?? null)),
      };
    }
    const events = part.filter((entry) => entry.kind === 'event');
    return { ...head, k: 'events', ev: events.map((entry) => ({ dt: entry.mono - mono, e: entry.event })) };
  };

  return {
    epoch,
    boot,
    channels,
    /** Appends a sample; returns its sequence number. */
    sample(mono: number, ...values: (number | null)[]): number {
      return entries.push({ kind: 'sample', mono, values }) - 1;
    },
    /** Appends an event; returns its sequence number. */
    event(mono: number, event: JournalEvent): number {
      return entries.push({ kind: 'event', mono, event }) - 1;
    },
    get length(): number {
      return entries.length;
    },
    entries: (): readonly Entry[] => entries,
    /**
     * Everything from `first` on, split whenever the kind changes and after as many entries as `size` returns (called
     * for each batch, so borders can be random).
     */
    batches(size: () => number = () => 20, first = 0): JournalBatch[] {
      const batches: JournalBatch[] = [];
      let from = first;
      while (from < entries.length) {
        const limit = Math.min(entries.length, from + Math.max(1, size()));
        let to = from + 1;
        while (to < limit && entries[to]?.kind === entries[from]?.kind) to++;
        batches.push(batchOf(from, to));
        from = to;
      }
      return batches;
    },
  };
};
export type JournalBoard = ReturnType<typeof createJournalBoard>;
