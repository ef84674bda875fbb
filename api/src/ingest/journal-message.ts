import type { JournalBatch } from '@roastery/contract/mqtt';
import type { Decoded } from './decode-batch.ts';

/** A message of the journal topic as it came: not unpacked, so what it costs to let it wait is the size of its payload. */
export interface WaitingMessage {
  readonly topic: string;
  readonly serialNumber: string;
  readonly payload: Buffer;
  readonly receivedAtMs: number;
}

/** A message that is about to be stored. */
export interface JournalMessage extends WaitingMessage {
  readonly decoded: Decoded;
}

/** A batch that is understood, with the machine it belongs to. */
export interface KnownBatch {
  readonly message: JournalMessage;
  readonly machineId: string;
  readonly ownerId: string;
  readonly batch: JournalBatch;
}
