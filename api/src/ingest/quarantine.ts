import { uuidV7 } from '@roastery/runtime/uuid';
import type { Sql } from '../db/sql.ts';
import type { JournalMessage } from './journal-message.ts';

export interface Refusal {
  readonly message: JournalMessage;
  /** For a person: why it was not stored. */
  readonly reason: string;
}

/** More than the broker lets through; a quarantined message is kept to be looked at, not to fill the disk. */
const maxKeptBytes = 256 * 1024;
const maxReasonLength = 500;
/** Postgres refuses NUL in a text, and a topic or a message of a driver can hold one. */
// oxlint-disable-next-line no-control-regex -- NUL is what is taken out here
const storable = (text: string): string => text.replaceAll(/\u0000/g, '\uFFFD').slice(0, maxReasonLength);

export const writeQuarantine = async (tx: Sql, refusals: readonly Refusal[]): Promise<void> => {
  if (refusals.length === 0) return;
  const rows = refusals.map(({ message, reason }) => ({
    id: uuidV7(),
    received_at: new Date(message.receivedAtMs).toISOString(),
    topic: storable(message.topic),
    serial_number: storable(message.serialNumber),
    reason: storable(reason),
    payload: message.payload.subarray(0, maxKeptBytes),
  }));
  await tx`INSERT INTO quarantine ${tx(rows)}`;
};
