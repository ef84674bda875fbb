import type { JournalBatch } from '@roastery/contract/mqtt';
import type { SeqRange, SeqRanges } from '../db/seq-ranges.ts';

export type Decoded =
  | { readonly ok: true; readonly batch: JournalBatch }
  | {
      readonly ok: false;
      /** Shown to users. */
      readonly reason: string;
      /** Stream and entries that it claims to hold, if they can be read: they are acknowledged as refused. */
      readonly claims?: { readonly epoch: string; readonly range: SeqRange };
    };

/**
 * A message of the journal topic as received: still compressed, so that a queued message occupies only the size of its
 * payload.
 */
export interface QueuedMessage {
  readonly topic: string;
  readonly serialNumber: string;
  readonly payload: Buffer;
  readonly receivedAtMs: number;
}

/** A message that is being processed in a transaction. */
export interface JournalMessage extends QueuedMessage {
  readonly decoded: Decoded;
}

/**
 * What happens to entries of a stream that another transaction stores at the moment. A transaction of many machines that waited for
 * one would keep all the others waiting that it has locked already, those of other instances too.
 */
export type BusyStreams = 'wait' | 'leave';

/** A valid batch with its machine. */
export interface ReceivedBatch {
  readonly machineId: string;
  readonly ownerId: string;
  readonly batch: JournalBatch;
  readonly message: { readonly receivedAtMs: number };
}

/** The same with its message. */
export interface KnownBatch extends ReceivedBatch {
  readonly message: JournalMessage;
}

export interface Refusal {
  readonly message: JournalMessage;
  /** Why it was not stored; shown to users. */
  readonly reason: string;
  /** Undefined if no machine has the serial number. */
  readonly machineId?: string | undefined;
}

export interface CoveredBatch extends SeqRange {
  readonly receivedAtMs: number;
}

/** Sent to a board after the commit. */
export interface Acknowledgement {
  readonly serialNumber: string;
  readonly epoch: string;
  /** All entries in the database, or only those that this message claimed when its machine is unknown. */
  readonly ranges: SeqRanges;
  /** The batches that this commit covered. */
  readonly covered: readonly CoveredBatch[];
}

/** The part of a batch that one recording holds. */
export interface StoredBatch {
  readonly recordingId: string;
  readonly bootNo: number;
  readonly range: SeqRange;
  readonly batch: JournalBatch;
}
