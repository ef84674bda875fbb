import type { JournalEvent } from '@roastery/contract/mqtt';

/** What a run of samples has in common: the boot its monotonic times belong to, the map and the columns. */
export interface RecordingContext {
  readonly boot: string;
  readonly map: { readonly id: string; readonly rev: number };
  readonly channels: readonly string[];
}

interface EntryHead {
  readonly seq: number;
  /** Monotonic clock, whole ms since boot. */
  readonly mono: number;
  readonly context: RecordingContext;
}

/** One reading of the machine; `values` are in the order of `context.channels`, null where nothing valid was read. */
export interface SampleEntry extends EntryHead {
  readonly kind: 'sample';
  readonly values: readonly (number | null)[];
}

export interface EventEntry extends EntryHead {
  readonly kind: 'event';
  readonly event: JournalEvent;
}

/** Samples and events share one sequence. */
export type Entry = SampleEntry | EventEntry;

/** What the two clocks showed at one moment. */
export interface ClockReading {
  readonly boot: string;
  readonly mono: number;
  /** ms since 1970. */
  readonly wall: number;
  /** Whether the wall clock was synchronised. */
  readonly synced: boolean;
}
