import type { Logger } from '@roastery/runtime/logger';
import { isCollision, isFaultOfData, loggable } from '../db/postgres-errors.ts';
import { rangeOf } from '../db/seq-ranges.ts';
import type { Database } from '../db/sql.ts';
import type { BusyStreams, JournalMessage } from '../recordings/recordings.ts';
import { commitIn, type Committed } from './commit.ts';
import { writeQuarantine } from './quarantine.ts';

/** A transaction that stored messages. */
export interface Flushed extends Committed {
  /** Older messages dropped because the quarantine is full. */
  readonly dropped: number;
}

/** A serialization failure or deadlock with another instance is resolved by a retry. */
const collisionTries = 5;
/** A message that fails alone this often can't be stored. */
const faultTries = 3;
/**
 * A transaction that sends nothing for so long belongs to an api that hangs. It holds rows of machines that others
 * would store, and they would park those machines.
 */
const hungAfter = '5s';

/** Many messages time out sooner than one alone, because a part of them may succeed. */
const timeouts = (count: number) => (count > 1 ? { statement: '5s', lock: '2s' } : { statement: '15s', lock: '5s' });

/**
 * Stores these messages in one transaction, all or none, but for those of busy streams where these are left. When it returns
 * they are committed and may be acknowledged.
 */
export const commitMessages = async (
  sql: Database,
  messages: readonly JournalMessage[],
  busyStreams: BusyStreams = 'wait',
): Promise<Flushed> => {
  const flushed = await sql.begin(async (tx) => {
    const { statement, lock } = timeouts(messages.length);
    await tx`
      SELECT set_config('statement_timeout', ${statement}, true), set_config('lock_timeout', ${lock}, true),
        set_config('idle_in_transaction_session_timeout', ${hungAfter}, true)`;
    const committed = await commitIn(tx, messages, { busyStreams });
    return { ...committed, dropped: await writeQuarantine(tx, committed.refusals) };
  });
  flushed.remember();
  return flushed;
};

/** Quarantines one message that can't be stored, with the reason, and counts its entries as committed. */
export const commitRefusal = (sql: Database, message: JournalMessage, reason: string): Promise<Flushed> => {
  const claims = message.decoded.ok
    ? { epoch: message.decoded.batch.epoch, range: rangeOf(message.decoded.batch) }
    : message.decoded.claims;
  const refused = { ok: false as const, reason, ...(claims === undefined ? {} : { claims }) };
  return commitMessages(sql, [{ ...message, decoded: refused }]);
};

export interface StoredBatch {
  readonly sql: Database;
  readonly log: Logger;
  readonly committed: (flushed: Flushed) => void;
  readonly batch: readonly JournalMessage[];
}

/**
 * Stores the batch, quarantining what can't be stored. Throws when Postgres is unavailable, fails or times out.
 * @returns the messages that it left: another transaction stores entries of their streams. One alone waits for it.
 */
export const storeBatch = async (
  stored: StoredBatch,
  tries = collisionTries,
  faults = faultTries,
): Promise<readonly JournalMessage[]> => {
  const { sql, log, committed, batch } = stored;
  try {
    const flushed = await commitMessages(sql, batch, batch.length > 1 ? 'leave' : 'wait');
    committed(flushed);
    return flushed.busy;
  } catch (error) {
    if (isCollision(error) && tries > 0) return storeBatch(stored, tries - 1, faults);
    if (!isFaultOfData(error)) throw error;
    const [only] = batch;
    if (batch.length > 1 || only === undefined) {
      const half = batch.length >> 1;
      const left = await storeBatch({ ...stored, batch: batch.slice(0, half) });
      return [...left, ...(await storeBatch({ ...stored, batch: batch.slice(half) }))];
    }
    // A race with another transaction, or a connection that was lost in the middle, can make a valid message fail once.
    if (faults > 1) return storeBatch(stored, tries, faults - 1);
    log.warn({ ...loggable(error), topic: only.topic }, 'batch quarantined');
    const reason = `could not be stored: ${error instanceof Error ? error.message : 'unknown error'}`;
    committed(await commitRefusal(sql, only, reason));
    return [];
  }
};
