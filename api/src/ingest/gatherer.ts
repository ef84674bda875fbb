import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { createBackoff, pause } from '@roastery/runtime/backoff';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import { isCollision, isDatabaseAway, isFaultOfData, isTooSlow, loggable, statementOf } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import type { IngestHealth } from '../http/server-context.ts';
import { commitMessages, commitRefusal, type Committed } from './commit-messages.ts';
import { decodeBatch, decodedBytes } from './decode-batch.ts';
import type { JournalMessage, WaitingMessage } from './journal-message.ts';
import { createWaitingMessages } from './waiting-messages.ts';

export interface GathererOptions {
  readonly sql: Database;
  readonly log: Logger;
  /** Called after each commit with what it made durable. */
  readonly onCommitted: (committed: Committed) => void;
  /** Called for a message that found no room. Boards send again what isn't acknowledged. */
  readonly onDropped: () => void;
  readonly onFlush?: (seconds: number) => void;
  /** Called when a transaction was given up because it took too long. */
  readonly onTimeout?: () => void;
  /** Time to gather from the first message on, ms. */
  readonly gatherMs?: number;
  /** Room for messages that wait or are being stored, bytes as they came. */
  readonly maxWaitingBytes?: number;
  /** Nothing committed for so long although messages wait: ingest is stalled. */
  readonly stalledMs?: number;
}

/** How ingest gets on, for readiness and metrics. */
export interface IngestProgress extends IngestHealth {
  readonly waitingBytes: number;
}

/** A transaction holds at most this much: beyond it, larger statements win nothing and hold locks for longer. */
const maxBatchMessages = 2000;
const maxDecodedBytes = 16 * 1024 * 1024;
/** Decoding gives way to others after so long. */
const sliceMs = 10;

/**
 * While Postgres works on one transaction the next one is being prepared. Which of two that share a stream comes first does
 * not matter: the stream's row is locked.
 */
const transactionsAtOnce = 2;

/** A collision with another instance goes away when one of both tries again. */
const collisionTries = 5;
/** A transaction that took longer is no reason to put more into the next one. */
const quickSeconds = 2;

const decoded = (message: WaitingMessage): JournalMessage => ({ ...message, decoded: decodeBatch(message.payload) });

/**
 * Gathers messages of all machines for a moment and stores them in one transaction. While Postgres is away they wait, up to
 * a limit, and nothing is acknowledged. A transaction that takes too long is given up and half of it tried; a message that
 * takes too long alone is parked with its machine, so that the others go on. A message that can't be stored is found by
 * halving and quarantined with the reason.
 */
export const createGatherer = (options: GathererOptions) => {
  const {
    sql,
    log,
    onCommitted,
    onDropped,
    gatherMs = 50,
    maxWaitingBytes = 64 * 1024 * 1024,
    stalledMs = 60_000,
  } = options;
  const stopping = new AbortController();
  const backoff = createBackoff(200, 2000);
  const waiting = createWaitingMessages(maxWaitingBytes);
  const mayLog = createLogGate(10_000);
  const sleepers = new Set<() => void>();
  const timers = new Set<NodeJS.Timeout>();
  let away = false;
  let isGathering = false;
  let batchLimit = maxBatchMessages;
  const startedAtMs = Date.now();
  let lastCommitAtMs: number | undefined;

  /** Unpacks as many as make a transaction. */
  const takeBatch = async (): Promise<{ raw: WaitingMessage[]; batch: JournalMessage[]; isTrial: boolean }> => {
    const trial = waiting.nextTrial(Date.now());
    if (trial !== undefined) return { raw: [trial], batch: [decoded(trial)], isTrial: true };
    const raw: WaitingMessage[] = [];
    const batch: JournalMessage[] = [];
    let bytes = 0;
    let since = performance.now();
    while (raw.length < batchLimit && bytes < maxDecodedBytes) {
      const message = waiting.next();
      if (message === undefined) break;
      raw.push(message);
      const read = decoded(message);
      batch.push(read);
      bytes += decodedBytes(read.decoded) + message.payload.length;
      if (performance.now() - since < sliceMs) continue;
      await yieldToOthers();
      since = performance.now();
    }
    return { raw, batch, isTrial: false };
  };

  const committed = (result: Committed): void => {
    lastCommitAtMs = Date.now();
    onCommitted(result);
  };

  /** Stores all of them or finds out which can't be. Throws when Postgres is away, is in trouble or takes too long. */
  const store = async (batch: readonly JournalMessage[], tries = collisionTries): Promise<void> => {
    try {
      committed(await commitMessages(sql, batch));
    } catch (error) {
      if (isCollision(error) && tries > 0) return store(batch, tries - 1);
      if (!isFaultOfData(error)) throw error;
      const [only] = batch;
      if (batch.length > 1 || only === undefined) {
        const half = batch.length >> 1;
        await store(batch.slice(0, half));
        return store(batch.slice(half));
      }
      log.warn({ ...loggable(error), topic: only.topic }, 'a batch could not be stored and is quarantined');
      const reason = `could not be stored: ${error instanceof Error ? error.message : 'unknown error'}`;
      committed(await commitRefusal(sql, only, reason));
    }
  };

  const wakeOne = (): void => {
    // One worker gathers at a time; the other may be busy storing.
    if (isGathering) return;
    for (const sleeper of sleepers) {
      sleepers.delete(sleeper);
      return sleeper();
    }
  };

  const park = (message: WaitingMessage): void => {
    const waitMs = waiting.park(message, Date.now());
    const timer = setTimeout(() => {
      timers.delete(timer);
      wakeOne();
    }, waitMs + 1);
    timers.add(timer);
  };

  /** Half as much next time, or the one that is left set aside: what others sent must not wait for it. */
  const giveUp = (raw: readonly WaitingMessage[], isTrial: boolean, error: unknown): void => {
    if (isTooSlow(error)) options.onTimeout?.();
    const statement = statementOf(error);
    const more = mayLog(`${statement}`);
    if (more !== undefined) {
      log.warn({ ...loggable(error), statement, messages: raw.length, more }, 'ingest transaction given up');
    }
    const [first] = raw;
    if (raw.length === 1 && first !== undefined) return park(first);
    if (!isTrial) batchLimit = Math.max(1, raw.length >> 1);
    waiting.putBack(raw);
  };

  /** Repeats until it is stored or has to give way; what was stored before a loss of Postgres is known when it is sent again. */
  const storeWhenPossible = async ({ raw, batch, isTrial }: Awaited<ReturnType<typeof takeBatch>>): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const begun = performance.now();
        await store(batch);
        const seconds = (performance.now() - begun) / 1000;
        options.onFlush?.(seconds);
        if (away) log.info('the database is back: ingest goes on');
        away = false;
        backoff.reset();
        if (seconds < quickSeconds && !isTrial) batchLimit = Math.min(maxBatchMessages, batchLimit * 2);
        waiting.release(raw);
        return;
      } catch (error) {
        if (isTooSlow(error) || !isDatabaseAway(error)) return giveUp(raw, isTrial, error);
        if (!away) log.warn(loggable(error), 'the database is away: nothing is acknowledged until it is back');
        away = true;
        await pause(backoff.nextMs(), stopping.signal);
      }
    }
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const taken = await takeBatch();
      if (taken.raw.length > 0) {
        if (waiting.count > 0) wakeOne();
        await storeWhenPossible(taken);
        continue;
      }
      await new Promise<void>((resolve) => {
        sleepers.add(resolve);
      });
      if (stopping.signal.aborted) break;
      isGathering = true;
      await pause(gatherMs, stopping.signal);
      isGathering = false;
    }
    // One last time: what came in before the end is stored if Postgres is there, else the boards send it again.
    const rest = await takeBatch();
    if (rest.raw.length === 0 || away) return;
    try {
      await store(rest.batch);
    } catch (error) {
      log.warn(loggable(error), 'the last messages could not be stored; their boards will send them again');
    }
  };
  const running = Promise.all(Array.from({ length: transactionsAtOnce }, run));
  return {
    /** Keeps a message until it is stored, or drops it when there is no room. */
    add(message: WaitingMessage): void {
      // The client's buffer may be a small part of a large one, which would be kept with it.
      if (!waiting.add({ ...message, payload: Buffer.from(message.payload) })) return onDropped();
      wakeOne();
    },
    progress(): IngestProgress {
      const now = Date.now();
      const { oldestAtMs } = waiting;
      const waitedMs = oldestAtMs === undefined ? 0 : Math.max(0, now - oldestAtMs);
      return {
        waitingBytes: waiting.bytes,
        oldestWaitingSeconds: waitedMs / 1000,
        lastCommitAt: lastCommitAtMs === undefined ? undefined : new Date(lastCommitAtMs),
        parkedMachines: waiting.parkedMachines,
        isStalled: waitedMs > stalledMs && now - (lastCommitAtMs ?? startedAtMs) > stalledMs,
      };
    },
    /** Whether Postgres could be reached at the last attempt. */
    get isAway(): boolean {
      return away;
    },
    async close(): Promise<void> {
      stopping.abort();
      for (const timer of timers) clearTimeout(timer);
      for (const sleeper of sleepers) sleeper();
      await running;
    },
  };
};
