import type { Ack, Continues, JournalEvent } from '@roastery/contract/mqtt';
import { realClock, type Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import type { Entry, RecordingContext } from '../core/entry.ts';
import type { SeqRange } from '../core/ranges.ts';
import type { RecordedPast, RecordedState } from '../core/replay.ts';
import type { SyncPace } from '../core/sync-pace.ts';
import type { WallClock } from '../core/wall-clock.ts';
import { nodeDisk, type JournalDisk } from './disk.ts';
import type { StreamHistory } from './streams.ts';

export interface JournalOptions {
  readonly folder: string;
  readonly capBytes: number;
  readonly clock: WallClock;
  readonly log: Logger;
  /** Written to the first segment; samples carry it until `setContext`. */
  readonly context: RecordingContext;
  /** The state to resume from; every segment begins with it, so that an older one is never needed. */
  readonly state: () => RecordedState | undefined;
  /** A new segment begins at this size: entries are dropped by whole segments. */
  readonly segmentBytes?: number;
  /** Longest time an entry waits for the disk to be synced, at the pace `each_second`, and while the board gathers. */
  readonly syncMs?: number;
  readonly idleSyncMs?: number;
  /** How long the disk may refuse before entries are sent from memory, in a stream of their own. */
  readonly diskGraceMs?: number;
  readonly disk?: JournalDisk;
  readonly time?: Clock;
  /**
   * Identifies the credential of this board; see `credentialId`. Without it every stream counts as recorded with it.
   */
  readonly credential?: string;
}

/** Options with what is usual for those left out. */
export const withDefaults = (options: JournalOptions) => ({
  ...options,
  credential: options.credential,
  segmentBytes: options.segmentBytes ?? 262_144,
  diskGraceMs: options.diskGraceMs ?? 20_000,
  disk: options.disk ?? nodeDisk,
  time: options.time ?? realClock,
});
export type JournalSettings = ReturnType<typeof withDefaults>;

export interface JournalListener {
  /** Entries that may be sent: from now on they survive a power cut, or there is no disk for them. */
  readonly durable: (ranges: readonly SeqRange[], epoch: string) => void;
  /** Entries that can never be read again, or are not to be sent now. */
  readonly gone: (from: number, to: number, epoch: string) => void;
}

export interface JournalStats {
  readonly bytes: number;
  readonly droppedEntries: number;
  /** Why the disk refuses writes, while it does. */
  readonly trouble: string | undefined;
  /** Entries are kept in memory and sent from there: there is no disk for them. */
  readonly inMemory: boolean;
  /** How many entries are kept in memory and are not acknowledged. */
  readonly entriesInMemory: number;
  /** Streams that wait for the server to state their owner, since the board was paired again. */
  readonly awaitingOwner: number;
  readonly stalledMs: number;
  /** How often entries are synced, ms; they may be sent afterwards. */
  readonly syncEveryMs: number;
}

/**
 * The board's own record of the machine. Entries are on disk before they are sent, synced at the current pace, at
 * every event and at every flush. Entries that the server has committed are kept until their room is needed, so that a
 * server that lost them can request them again. Uncommitted entries are dropped last, and the stream reports the loss.
 * While the disk fails, entries are sent from memory, in a stream with a new epoch.
 */
export interface Journal {
  /** Id of the stream that is being written: random, so that no number is ever used twice. */
  readonly epoch: string;
  /** State and entries of the last process, to resume from. */
  readonly past: RecordedPast;
  readonly listen: (listener: JournalListener) => void;
  /** The context of the next samples. */
  readonly setContext: (context: RecordingContext) => void;
  /** How often samples are synced from now on; at first each second. */
  readonly setPace: (pace: SyncPace) => void;
  /** Records both clocks, so that a later boot can convert the times of this one. */
  readonly noteClock: () => void;
  /** Records `state()`. */
  readonly noteState: () => void;
  /** Appends a reading, returns its sequence number. `values` in the order of the context's channels. */
  appendSample(mono: number, values: readonly (number | null)[]): number;
  readonly appendEvent: (mono: number, event: JournalEvent) => number;
  /** Resolves when everything appended so far is synced, or the disk has refused it. */
  readonly flush: () => Promise<void>;
  /** Epochs of the streams that may be sent, the current one first. */
  readonly epochs: () => string[];
  /** Entries of a stream that may be sent and are not acknowledged. */
  readonly waiting: (epoch?: string) => readonly SeqRange[];
  /**
   * Entries from `from` on, to `to` at most, of one place, and where that place ends. Throws while it can't be read.
   */
  readonly readPart: (from: number, to: number, epoch?: string) => Promise<{ entries: readonly Entry[]; to: number }>;
  /** Where the place of `from` ends, `to` at most. */
  readonly segmentEnd: (from: number, to: number, epoch?: string) => number;
  readonly read: (from: number, to: number) => Promise<readonly Entry[]>;
  /** Applies the server's statement about the entries that it holds, and their owner. */
  readonly hear: (ack: Ack) => void;
  /** The stream that one begun because of a failed disk, or after a kill, continues. */
  readonly continues: (epoch: string) => Continues | undefined;
  /** The owner of a stream, once the server has stated it. */
  readonly ownerOf: (epoch: string) => string | undefined;
  /** The remaining entries of each stream, newest first. */
  readonly history: () => Promise<StreamHistory[]>;
  stats(): JournalStats;
  readonly close: () => Promise<void>;
}
