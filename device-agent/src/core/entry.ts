import type { JournalEvent } from '@roastery/contract/mqtt';

/** The common properties of a run of samples: the boot of its monotonic times, the map and the columns. */
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

/** Both clocks at one time. */
export interface ClockReading {
  readonly boot: string;
  readonly mono: number;
  /** ms since 1970. */
  readonly wall: number;
  /** Whether the wall clock was synchronised. */
  readonly synced: boolean;
}
