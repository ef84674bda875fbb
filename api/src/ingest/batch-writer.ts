import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createBackoff, pause } from '@roastery/runtime/backoff';
import { realClock, type Cancel, type Clock } from '@roastery/runtime/clock';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import { serial } from '@roastery/runtime/turns';
import {
  isCollision,
  isDatabaseUnavailable,
  isFaultOfData,
  isTooSlow,
  loggable,
  statementOf,
} from '../db/postgres-errors.ts';
import { rangeOf } from '../db/seq-ranges.ts';
import type { Database } from '../db/sql.ts';
import type { IngestHealth } from '../http/server-context.ts';
import { commitIn, type Committed } from './commit.ts';
import { decodedBytes } from './decode-batch.ts';
import { sharedDecoder } from './shared-decoder.ts';
import { createMessageQueue } from './message-queue.ts';
import type { JournalMessage, QueuedMessage } from '../recordings/recordings.ts';
import { writeQuarantine } from './quarantine.ts';

/** A transaction of the batch writer. */
export interface Flushed extends Committed {
  /** Older messages dropped because the quarantine is full. */
  readonly dropped: number;
}

export interface BatchWriterOptions {
  readonly sql: Database;
  readonly log: Logger;
  /** Default: the computer's. It only measures how long messages and parked machines have waited. */
  readonly clock?: Clock;
  /** Called after each commit with the stored batches. */
  readonly onCommitted: (flushed: Flushed) => void;
  /** Called for a message that was dropped because the queue is full. Boards resend what isn't acknowledged. */
  readonly onDropped: () => void;
  readonly onFlush?: (seconds: number) => void;
  /** Called when a transaction timed out. */
  readonly onTimeout?: () => void;
  /** ms from the first message to the flush: messages that arrive until then share its transaction. */
  readonly flushDelayMs?: number;
  /** Limit of messages that wait or are being stored, bytes as received. */
  readonly maxQueuedBytes?: number;
  /** Ingest counts as stalled after this long without a commit while messages wait. */
  readonly stalledMs?: number;
}

/** For readiness and metrics. */
export interface IngestProgress extends IngestHealth {
  readonly queuedBytes: number;
}

/** Limits of one transaction: larger ones are no faster and hold locks for longer. */
const maxBatchMessages = 2000;
const maxDecodedBytes = 16 * 1024 * 1024;
/**
 * Larger transactions cost less per message. When this many messages arrive within the flush delay, the flush waits up
 * to six times as long, or until it is full. Messages of an idle roastery do not wait longer.
 */
const manyMessages = 25;
const fullFlush = 1000;
const maxDelays = 6;
/** Decoding yields to the event loop after this long. */
const sliceMs = 10;

/**
 * While Postgres works on one transaction the next one is prepared. Two that share a stream may run in either order:
 * its row is locked.
 */
const transactionsAtOnce = 2;

/** A serialization failure or deadlock with another instance is resolved by a retry. */
const collisionTries = 5;
/** A message that fails alone this often can't be stored. */
const faultTries = 3;
/** The batch limit grows again only after a transaction that was faster than this. */
const quickSeconds = 2;

/**
 * A transaction that sends nothing for so long belongs to an api that hangs. It holds rows of machines that others
 * would store, and they would park those machines.
 */
const hungAfter = '5s';

/** Many messages time out sooner than one alone, because a part of them may succeed. */
const timeouts = (count: number) => (count > 1 ? { statement: '5s', lock: '2s' } : { statement: '15s', lock: '5s' });

/**
 * Stores these messages in one transaction, all or none. When it returns they are committed and may be acknowledged.
 */
export const commitMessages = async (sql: Database, messages: readonly JournalMessage[]): Promise<Flushed> => {
  const flushed = await sql.begin(async (tx) => {
    const { statement, lock } = timeouts(messages.length);
    await tx`
      SELECT set_config('statement_timeout', ${statement}, true), set_config('lock_timeout', ${lock}, true),
        set_config('idle_in_transaction_session_timeout', ${hungAfter}, true)`;
    const committed = await commitIn(tx, messages);
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

const decoded = (message: QueuedMessage): JournalMessage => ({
  ...message,
  decoded: sharedDecoder.forStorage(message.payload),
});

interface Taken {
  readonly raw: QueuedMessage[];
  readonly batch: JournalMessage[];
  /** A message of a parked machine, alone. */
  readonly isTrial: boolean;
}

/**
 * Collects messages of all machines briefly and stores them in one transaction. While Postgres is unavailable they are
 * queued, up to a limit, and nothing is acknowledged. After a timeout the next transaction is half as large; a message
 * that times out alone is parked with its machine, so that the other machines continue. A message that can't be stored
 * is found by bisection and quarantined with the reason.
 */
export class BatchWriter {
  readonly #options: BatchWriterOptions;
  readonly #clock: Clock;
  readonly #flushDelayMs: number;
  readonly #stalledMs: number;
  readonly #queue: ReturnType<typeof createMessageQueue>;
  readonly #stopping = new AbortController();
  readonly #backoff = createBackoff(200, 2000);
  readonly #mayLog = createLogGate(10_000);
  readonly #timers = new Set<Cancel>();
  readonly #startedAtMs: number;
  readonly #running: Promise<unknown>;
  /** One worker collects at a time; the other may be storing. */
  readonly #inTurn = serial();
  #isOffline = false;
  #batchLimit = maxBatchMessages;
  #lastCommitAtMs: number | undefined;

  constructor(options: BatchWriterOptions) {
    const { clock = realClock, flushDelayMs = 50, maxQueuedBytes = 64 * 1024 * 1024, stalledMs = 60_000 } = options;
    this.#options = options;
    this.#clock = clock;
    this.#flushDelayMs = flushDelayMs;
    this.#stalledMs = stalledMs;
    this.#queue = createMessageQueue(maxQueuedBytes);
    this.#startedAtMs = clock.now();
    this.#running = Promise.all(Array.from({ length: transactionsAtOnce }, () => this.#run()));
  }

  /** Queues a message until it is stored, or drops it when the queue is full. */
  add(message: QueuedMessage): void {
    // Copied: the client's buffer may be a slice of a large one, which would stay in memory with it.
    if (!this.#queue.add({ ...message, payload: Buffer.from(message.payload) })) return this.#options.onDropped();
    if (this.#queue.count === 1 || this.#isFull()) this.#queue.wake();
  }

  progress(): IngestProgress {
    const now = this.#clock.now();
    const { oldestAtMs } = this.#queue;
    const waitedMs = oldestAtMs === undefined ? 0 : Math.max(0, now - oldestAtMs);
    const sinceCommitMs = now - (this.#lastCommitAtMs ?? this.#startedAtMs);
    return {
      queuedBytes: this.#queue.bytes,
      oldestWaitingSeconds: waitedMs / 1000,
      lastCommitAt: this.#lastCommitAtMs === undefined ? undefined : new Date(this.#lastCommitAtMs),
      parkedMachines: this.#queue.parkedMachines,
      isStalled: this.#isOffline || (waitedMs > this.#stalledMs && sinceCommitMs > this.#stalledMs),
    };
  }

  /** Whether Postgres could be reached at the last attempt. */
  get isOffline(): boolean {
    return this.#isOffline;
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    for (const cancel of this.#timers) cancel();
    this.#queue.wake();
    await this.#running;
    // The last flush. If Postgres is unavailable, the boards send these messages again.
    const rest = await this.#takeBatch();
    if (rest.raw.length === 0 || this.#isOffline) return;
    try {
      await this.#store(rest.batch);
    } catch (error) {
      this.#options.log.warn(loggable(error), 'last flush failed');
    }
  }

  /** Decodes as many messages as fit into a transaction. */
  async #takeBatch(): Promise<Taken> {
    const trial = this.#queue.nextTrial(this.#clock.now());
    if (trial !== undefined) return { raw: [trial], batch: [decoded(trial)], isTrial: true };
    const raw: QueuedMessage[] = [];
    const batch: JournalMessage[] = [];
    let bytes = 0;
    let since = performance.now();
    while (raw.length < this.#batchLimit && bytes < maxDecodedBytes) {
      const message = this.#queue.next();
      if (message === undefined) break;
      raw.push(message);
      const read = decoded(message);
      batch.push(read);
      bytes += decodedBytes(read.decoded) + message.payload.length;
      if (performance.now() - since < sliceMs) continue;
      await yieldToEventLoop();
      since = performance.now();
    }
    return { raw, batch, isTrial: false };
  }

  #committed(result: Flushed): void {
    this.#lastCommitAtMs = this.#clock.now();
    this.#options.onCommitted(result);
  }

  /** Stores the batch, quarantining what can't be stored. Throws when Postgres is unavailable, fails or times out. */
  async #store(batch: readonly JournalMessage[], tries = collisionTries, faults = faultTries): Promise<void> {
    const { sql, log } = this.#options;
    try {
      this.#committed(await commitMessages(sql, batch));
    } catch (error) {
      if (isCollision(error) && tries > 0) return this.#store(batch, tries - 1, faults);
      if (!isFaultOfData(error)) throw error;
      const [only] = batch;
      if (batch.length > 1 || only === undefined) {
        const half = batch.length >> 1;
        await this.#store(batch.slice(0, half));
        return this.#store(batch.slice(half));
      }
      // A race with another transaction, or a connection that was lost in the middle, can make a valid message fail
      // once.
      if (faults > 1) return this.#store(batch, tries, faults - 1);
      log.warn({ ...loggable(error), topic: only.topic }, 'batch quarantined');
      const reason = `could not be stored: ${error instanceof Error ? error.message : 'unknown error'}`;
      this.#committed(await commitRefusal(sql, only, reason));
    }
  }

  #park(message: QueuedMessage): void {
    const waitMs = this.#queue.park(message, this.#clock.now());
    const cancel = this.#clock.after(waitMs + 1, () => {
      this.#timers.delete(cancel);
      this.#queue.wake();
    });
    this.#timers.add(cancel);
  }

  /** Halves the next batch; parks a message that failed alone, so that other machines do not wait for it. */
  #splitOrPark(raw: readonly QueuedMessage[], isTrial: boolean, error: unknown): void {
    if (isTooSlow(error)) this.#options.onTimeout?.();
    const statement = statementOf(error);
    const more = this.#mayLog(`${statement}`);
    if (more !== undefined) {
      const about = { ...loggable(error), statement, messages: raw.length, more };
      this.#options.log.warn(about, 'ingest transaction failed');
    }
    const [first] = raw;
    if (raw.length === 1 && first !== undefined) return this.#park(first);
    if (!isTrial) this.#batchLimit = Math.max(1, raw.length >> 1);
    this.#queue.requeue(raw);
  }

  /**
   * Retries while Postgres is unavailable. If the messages were committed before the connection was lost, the retry
   * recognises them as repeats.
   */
  async #storeWithRetry({ raw, batch, isTrial }: Taken): Promise<void> {
    const { log } = this.#options;
    while (!this.#stopping.signal.aborted) {
      try {
        const begun = performance.now();
        await this.#store(batch);
        const seconds = (performance.now() - begun) / 1000;
        this.#options.onFlush?.(seconds);
        if (this.#isOffline) log.info('database available');
        this.#isOffline = false;
        this.#backoff.reset();
        if (seconds < quickSeconds && !isTrial) this.#batchLimit = Math.min(maxBatchMessages, this.#batchLimit * 2);
        this.#queue.release(raw);
        return;
      } catch (error) {
        if (isTooSlow(error) || !isDatabaseUnavailable(error)) return this.#splitOrPark(raw, isTrial, error);
        if (!this.#isOffline) log.warn(loggable(error), 'database unavailable');
        this.#isOffline = true;
        await pause(this.#backoff.nextMs(), this.#stopping.signal);
      }
    }
  }

  #isFull(): boolean {
    return this.#queue.count >= Math.min(fullFlush, this.#batchLimit);
  }

  async #untilFull(delayMs: number): Promise<void> {
    const until = performance.now() + delayMs;
    for (
      let left = delayMs;
      left > 0 && !this.#isFull() && !this.#stopping.signal.aborted;
      left = until - performance.now()
    )
      await this.#queue.untilWoken(left);
  }

  /** Waits until a message is queued, collects more for the flush delay, and takes them; undefined at the end. */
  async #collect(): Promise<Taken | undefined> {
    while (!this.#stopping.signal.aborted) {
      if (this.#queue.count > 0) await this.#untilFull(this.#flushDelayMs);
      if (this.#queue.count >= manyMessages) await this.#untilFull(this.#flushDelayMs * (maxDelays - 1));
      if (this.#stopping.signal.aborted) return undefined;
      const taken = await this.#takeBatch();
      if (taken.raw.length > 0) return taken;
      if (this.#queue.count === 0) await this.#queue.untilWoken();
    }
    return undefined;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const taken = await this.#inTurn(() => this.#collect());
      if (taken === undefined) return;
      await this.#storeWithRetry(taken);
      // Messages that could not be stored are queued again.
      if (this.#queue.count > 0) this.#queue.wake();
    }
  }
}
