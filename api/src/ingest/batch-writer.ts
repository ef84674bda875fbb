import { createBackoff, pause } from '@roastery/runtime/backoff';
import { realClock, type Cancel, type Clock } from '@roastery/runtime/clock';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import { serial } from '@roastery/runtime/turns';
import { isDatabaseUnavailable, isTooSlow, loggable, statementOf } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import type { IngestHealth } from '../http/server-context.ts';
import { createMessageQueue, type MessageQueue } from './message-queue.ts';
import type { JournalMessage, QueuedMessage } from '../recordings/recordings.ts';
import { storeBatch, type Flushed } from './store-batch.ts';
import { takeBatch, type Taken } from './take-batch.ts';

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

/** A larger transaction is no faster and holds locks for longer. */
const maxBatchMessages = 2000;
/**
 * Larger transactions cost less per message. When this many messages arrive within the flush delay, the flush waits up
 * to six times as long, or until it is full. Messages of an idle roastery do not wait longer.
 */
const manyMessages = 25;
const fullFlush = 1000;
const maxDelays = 6;
/**
 * While Postgres works on one transaction the next one is prepared. Two that share a stream may run in either order:
 * its row is locked.
 */
const transactionsAtOnce = 2;

/** Messages whose streams another instance was storing are tried again after these pauses. */
const [minBusyMs, maxBusyMs] = [100, 1000];

/** The batch limit grows again only after a transaction that was faster than this. */
const quickSeconds = 2;

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
  readonly #queue: MessageQueue;
  readonly #stopping = new AbortController();
  readonly #backoff = createBackoff(200, 2000);
  readonly #busyBackoff = createBackoff(minBusyMs, maxBusyMs);
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
    const rest = await this.#take();
    if (rest.raw.length === 0 || this.#isOffline) return;
    try {
      await this.#store(rest.batch);
    } catch (error) {
      this.#options.log.warn(loggable(error), 'last flush failed');
    }
  }

  #take(): Promise<Taken> {
    return takeBatch(this.#queue, this.#clock.now(), this.#batchLimit);
  }

  #store(batch: readonly JournalMessage[]): Promise<readonly JournalMessage[]> {
    const { sql, log, onCommitted } = this.#options;
    return storeBatch({
      sql,
      log,
      committed: (flushed) => {
        this.#lastCommitAtMs = this.#clock.now();
        onCommitted(flushed);
      },
      batch,
    });
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
  async #storeWithRetry({ raw, batch, machines, isTrial }: Taken): Promise<void> {
    const { log } = this.#options;
    while (!this.#stopping.signal.aborted) {
      try {
        const begun = performance.now();
        const busy = await this.#store(batch);
        const seconds = (performance.now() - begun) / 1000;
        this.#options.onFlush?.(seconds);
        if (this.#isOffline) log.info('database available');
        this.#isOffline = false;
        this.#backoff.reset();
        if (seconds < quickSeconds && !isTrial) this.#batchLimit = Math.min(maxBatchMessages, this.#batchLimit * 2);
        const left = new Set(busy.map((message) => raw[batch.indexOf(message)]));
        this.#queue.release(raw.filter((message) => !left.has(message)));
        if (left.size > 0) await pause(this.#busyBackoff.nextMs(), this.#stopping.signal);
        else this.#busyBackoff.reset();
        this.#queue.stored(machines);
        return this.#queue.requeue(raw.filter((message) => left.has(message)));
      } catch (error) {
        if (isTooSlow(error) || !isDatabaseUnavailable(error)) {
          this.#queue.stored(machines);
          return this.#splitOrPark(raw, isTrial, error);
        }
        if (!this.#isOffline) log.warn(loggable(error), 'database unavailable');
        this.#isOffline = true;
        await pause(this.#backoff.nextMs(), this.#stopping.signal);
      }
    }
    this.#queue.stored(machines);
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
      const taken = await this.#take();
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
