import type { JournalBatch } from '@roastery/contract/mqtt';
import type { Decoded } from './decode-batch.ts';

/** A message of the journal topic as it waits for its transaction. */
export interface JournalMessage {
  readonly topic: string;
  readonly serialNumber: string;
  readonly payload: Buffer;
  readonly receivedAtMs: number;
  readonly decoded: Decoded;
}

/** A batch that is understood, with the machine it belongs to. */
export interface KnownBatch {
  readonly message: JournalMessage;
  readonly machineId: string;
  readonly ownerId: string;
  readonly batch: JournalBatch;
}
