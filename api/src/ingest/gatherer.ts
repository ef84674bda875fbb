import { createBackoff, pause } from '@roastery/runtime/backoff';
import type { Logger } from '@roastery/runtime/logger';
import { isCollision, isDatabaseAway, loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import { commitMessages, commitRefusal, type Committed } from './commit-messages.ts';
import type { JournalMessage } from './journal-message.ts';

export interface GathererOptions {
  readonly sql: Database;
  readonly log: Logger;
  /** Called after each commit with what it made durable. */
  readonly onCommitted: (committed: Committed) => void;
  /** Called for a message that found no room. Boards send again what isn't acknowledged. */
  readonly onDropped: () => void;
  readonly onFlush?: (seconds: number) => void;
  /** Time to gather from the first message on, ms. */
  readonly gatherMs?: number;
  /** Room for messages that wait, bytes of payload. */
  readonly maxWaitingBytes?: number;
}

/** A transaction holds at most this much: beyond it, larger statements win nothing and hold locks for longer. */
const maxBatchMessages = 2000;
const maxBatchBytes = 8 * 1024 * 1024;
/** An object, its arrays and the queue's slot cost about this much beside the payload. */
const messageOverhead = 512;

const sizeOf = (message: JournalMessage): number => message.payload.length + messageOverhead;

/**
 * While Postgres works on one transaction the next one is being prepared. Which of two that share a stream comes first does
 * not matter: the stream's row is locked.
 */
const transactionsAtOnce = 2;

/** A collision with another instance goes away when one of both tries again. */
const collisionTries = 5;

/**
 * Gathers messages of all machines for a moment and stores them in one transaction. While Postgres is away they wait, up to
 * a limit, and nothing is acknowledged. A message that can't be stored is found by halving and put away with the reason, so
 * it never blocks the others.
 */
export const createGatherer = (options: GathererOptions) => {
  const { sql, log, onCommitted, onDropped, gatherMs = 50, maxWaitingBytes = 64 * 1024 * 1024 } = options;
  const stopping = new AbortController();
  const backoff = createBackoff(200, 2000);
  let waiting: JournalMessage[] = [];
  let waitingBytes = 0;
  const sleepers = new Set<() => void>();
  let away = false;
  let isGathering = false;

  const takeBatch = (): JournalMessage[] => {
    let bytes = 0;
    let count = 0;
    while (count < waiting.length && count < maxBatchMessages && bytes < maxBatchBytes) {
      const message = waiting[count];
      if (message === undefined) break;
      bytes += sizeOf(message);
      count += 1;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    waitingBytes -= bytes;
    return batch;
  };

  /** Stores all of them or finds out which can't be. Throws only when Postgres is away or we stop. */
  const store = async (batch: readonly JournalMessage[], tries = collisionTries): Promise<void> => {
    try {
      onCommitted(await commitMessages(sql, batch));
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      if (isCollision(error) && tries > 0) return store(batch, tries - 1);
      const [only] = batch;
      if (batch.length > 1 || only === undefined) {
        const half = batch.length >> 1;
        await store(batch.slice(0, half));
        return store(batch.slice(half));
      }
      log.warn({ ...loggable(error), topic: only.topic }, 'a batch could not be stored and is quarantined');
      const reason = `could not be stored: ${error instanceof Error ? error.message : 'unknown error'}`;
      onCommitted(await commitRefusal(sql, only, reason));
    }
  };

  /** Repeats until it is stored; what was stored before a loss of Postgres is simply known when it is sent again. */
  const storeWhenPossible = async (batch: readonly JournalMessage[]): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const begun = performance.now();
        await store(batch);
        options.onFlush?.((performance.now() - begun) / 1000);
        if (away) log.info('the database is back: ingest goes on');
        away = false;
        backoff.reset();
        return;
      } catch (error) {
        if (!away) log.warn(loggable(error), 'the database is away: nothing is acknowledged until it is back');
        away = true;
        await pause(isDatabaseAway(error) ? backoff.nextMs() : 1000, stopping.signal);
      }
    }
  };

  /** One worker gathers at a time; the other may be busy storing. */
  const wakeOne = (): void => {
    if (isGathering) return;
    for (const sleeper of sleepers) {
      sleepers.delete(sleeper);
      return sleeper();
    }
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      if (waiting.length === 0) {
        await new Promise<void>((resolve) => {
          sleepers.add(resolve);
        });
        if (stopping.signal.aborted) break;
        isGathering = true;
        await pause(gatherMs, stopping.signal);
        isGathering = false;
      }
      const batch = takeBatch();
      if (waiting.length > 0) wakeOne();
      if (batch.length > 0) await storeWhenPossible(batch);
    }
    // One last time: what came in before the end is stored if Postgres is there, else the boards send it again.
    const rest = takeBatch();
    if (rest.length === 0 || away) return;
    try {
      await store(rest);
    } catch (error) {
      log.warn(loggable(error), 'the last messages could not be stored; their boards will send them again');
    }
  };
  const running = Promise.all(Array.from({ length: transactionsAtOnce }, run));
  return {
    /** Takes a message in, or lets it go when there is no room. */
    add(message: JournalMessage): void {
      if (waitingBytes + sizeOf(message) > maxWaitingBytes) return onDropped();
      waiting.push(message);
      waitingBytes += sizeOf(message);
      wakeOne();
    },
    get waitingBytes(): number {
      return waitingBytes;
    },
    /** Whether Postgres could be reached at the last attempt. */
    get isAway(): boolean {
      return away;
    },
    async close(): Promise<void> {
      stopping.abort();
      for (const sleeper of sleepers) sleeper();
      await running;
    },
  };
};
