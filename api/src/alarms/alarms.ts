import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { minLastingSeconds } from '@roastery/contract/alarm-rules';
import { lateAlarmSeconds } from '@roastery/contract/alarms';
import type { Cancel, Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { serial } from '@roastery/runtime/turns';
import type { AppContext } from '../context.ts';
import { forEachRow, loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import {
  alarmRulesChangedChannel,
  clearAlarms,
  raiseAlarms,
  readOpenSilence,
} from '../domains/alarms/stored-alarms.ts';
import { parseRoastNotice, roastChangedChannel } from '../domains/roasts/life/announce-roast.ts';
import { findPlace, type StoredBatch } from '../recordings/recordings.ts';
import {
  endOfComplete,
  lastSeqOf,
  readRoastRows,
  readRules,
  readWatchedRoast,
  type RoastRow,
  samplePages,
  type WatchedRoast,
} from './read-watched.ts';
import {
  ageSeconds,
  type AlarmChanges,
  columnsOf,
  createRoastEvaluation,
  newAlarm,
  type RoastEvaluation,
  secondsSinceCharge,
} from './roast-evaluation.ts';

/** A board sends every second during a roast. After this long without a committed sample it counts as silent. */
const silentSeconds = 15;
const tickMs = 1000;
const maxEnded = 10_000;
/** Changes of roasts within this time are read together. */
const debounceMs = 200;
/** A backlog is evaluated when it has paused for this long … */
const quietMs = 2000;
/** … or at least this often while it continues. */
const evaluateEveryMs = 5000;
/** A stored roast is evaluated in slices of some milliseconds. */
const sliceSamples = 300;

interface Watched {
  roast: WatchedRoast;
  evaluation: RoastEvaluation;
  /** Batches that arrive while samples are being read; undefined after that. */
  pending: StoredBatch[] | undefined;
  /** When the last sample was committed, or the watch began; ms of the monotonic clock. */
  receivedAt: number;
  /** Stored samples have to be evaluated: from the last evaluated one, or from the charge if samples arrived late. */
  dirty: { since: number; last: number; isFromCharge: boolean } | null;
  silence: string | null;
  isCheckingSilence: boolean;
}

/** After this long without a sample there may be an alarm: a silent board, or a rule about a silent channel. */
const silenceIsDueMs = ({ roast, silence }: Watched): number => {
  if (roast.rules.some(({ condition }) => condition.kind === 'channel_silent')) return minLastingSeconds * 1000;
  return silence === null ? silentSeconds * 1000 : Number.POSITIVE_INFINITY;
};

interface WatchParts {
  readonly sql: Database;
  readonly log: Logger;
  readonly clock: Clock;
  /** Whether the boards' messages reach the database promptly. */
  readonly isReceiving: () => boolean;
}

/**
 * Evaluates every running roast on the samples that ingest has committed. Each instance evaluates them all; a unique
 * key of the database lets one of them raise an alarm. After a start, and when samples arrived late, a roast is
 * evaluated from its charge by the samples in the database, without raising earlier alarms again. Samples that another
 * instance stored are read every five seconds, from the last sample on.
 */
class RoastWatch {
  readonly #sql: Database;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #isReceiving: () => boolean;
  readonly #byRecording = new Map<string, Watched>();
  readonly #changed = new Set<string>();
  /** Roasts that ended while they were watched: a later change is not a backfill. */
  readonly #ended = new Set<string>();
  readonly #inTurn = serial();
  readonly #cancelTicks: Cancel;
  #gathering: Cancel | undefined;
  #receivingSince: number;
  #isEnded = false;

  constructor({ sql, log, clock, isReceiving }: WatchParts) {
    this.#sql = sql;
    this.#log = log;
    this.#clock = clock;
    this.#isReceiving = isReceiving;
    this.#receivingSince = clock.monotonic();
    this.#cancelTicks = clock.every(tickMs, () => this.#tick(), { keepsAlive: false });
  }

  take(all: readonly StoredBatch[]): void {
    if (this.#byRecording.size === 0) return;
    for (const stored of all) {
      const watched = this.#byRecording.get(stored.recordingId);
      if (watched === undefined) continue;
      if (stored.batch.k === 'samples') {
        watched.receivedAt = this.#clock.monotonic();
        this.#endSilence(watched);
      }
      if (watched.pending === undefined) this.#takeInto(watched, stored);
      else watched.pending.push(stored);
    }
  }

  refreshRunning(): void {
    this.#enqueue('running roasts not read', () => this.#refreshAll('running'));
  }

  /** Resolves when all work that was due is done. */
  settled(): Promise<void> {
    return this.#inTurn.settled();
  }

  async close(): Promise<void> {
    this.#isEnded = true;
    this.#cancelTicks();
    this.#gathering?.();
    await this.#inTurn.settled();
  }

  /** One after the other, so that a start with many roasts does not use every database connection. */
  #enqueue(what: string, task: () => Promise<void>): void {
    this.#inTurn(() => (this.#isEnded ? undefined : task())).catch((error: unknown) =>
      this.#log.warn(loggable(error), what),
    );
  }

  #markDirty(watched: Watched, isFromCharge = true): void {
    const now = this.#clock.monotonic();
    const { since = now, isFromCharge: wasFromCharge = false } = watched.dirty ?? {};
    watched.dirty = { since, last: now, isFromCharge: isFromCharge || wasFromCharge };
  }

  #store(watched: Watched, { raised, cleared }: AlarmChanges): void {
    if (raised.length + cleared.length === 0) return;
    const { id } = watched.roast.row;
    const save = async () => {
      await raiseAlarms(this.#sql, raised);
      await clearAlarms(this.#sql, id, cleared);
    };
    save().catch((error: unknown) => {
      this.#log.warn({ ...loggable(error), roast: id }, 'alarms not stored');
      // A later evaluation finds them again.
      this.#markDirty(watched);
    });
  }

  #isLate(watched: Watched, { batch, bootNo }: StoredBatch): boolean {
    if (batch.k !== 'samples') return false;
    const seconds = secondsSinceCharge(watched.roast, bootNo, batch.mono + (batch.dt.at(-1) ?? 0));
    return seconds !== undefined && ageSeconds(watched.roast, seconds, this.#clock.now()) > lateAlarmSeconds;
  }

  #takeInto(watched: Watched, stored: StoredBatch): void {
    const { batch, bootNo, range } = stored;
    const { evaluation } = watched;
    if (range.end <= evaluation.nextSeq && watched.dirty === null) return;
    // Another instance ingests the batches in between.
    if (range.start > evaluation.nextSeq) this.#markDirty(watched, false);
    // Marks of a backlog may follow its samples, so it is evaluated when it is complete.
    if ((watched.dirty !== null && range.start < evaluation.nextSeq) || this.#isLate(watched, stored))
      this.#markDirty(watched);
    if (watched.dirty !== null) return;
    if (batch.k === 'events') {
      evaluation.nextSeq = range.end;
      return;
    }
    const from = Math.max(range.start, evaluation.nextSeq);
    this.#store(watched, evaluation.push(watched.roast, columnsOf(batch, bootNo, from, range.end)));
  }

  #endSilence(watched: Watched): void {
    if (watched.silence === null) return;
    this.#store(watched, { raised: [], cleared: [watched.silence] });
    watched.silence = null;
  }

  /** Evaluates a roast by its stored samples: from its charge, or only new ones if nothing is missing before them. */
  async #evaluateStored(watched: Watched): Promise<void> {
    const { row } = watched.roast;
    const isFromCharge = watched.dirty?.isFromCharge ?? true;
    watched.pending = [];
    watched.dirty = null;
    try {
      const { nextSeq } = watched.evaluation;
      const end = isFromCharge ? undefined : await endOfComplete(this.#sql, row.recording_id, nextSeq);
      const evaluation = end === undefined ? createRoastEvaluation(0, this.#clock) : watched.evaluation;
      const fromSeq = end === undefined ? row.charge_seq : nextSeq;
      const toSeq = Math.min(lastSeqOf(row), (end ?? Infinity) - 1);
      for await (const samples of samplePages(this.#sql, row.recording_id, fromSeq, toSeq)) {
        for (let from = 0; from < samples.seq.length; from += sliceSamples) {
          const to = Math.min(samples.seq.length, from + sliceSamples);
          this.#store(watched, evaluation.push(watched.roast, samples, from, to));
          await yieldToEventLoop();
        }
      }
      if (end !== undefined) evaluation.nextSeq = Math.max(evaluation.nextSeq, end);
      watched.evaluation = evaluation;
    } catch (error) {
      this.#markDirty(watched);
      throw error;
    } finally {
      const { pending } = watched;
      watched.pending = undefined;
      for (const stored of pending) this.#takeInto(watched, stored);
    }
  }

  async #begin(roast: WatchedRoast): Promise<Watched> {
    const { row } = roast;
    const watched: Watched = {
      roast,
      evaluation: createRoastEvaluation(0, this.#clock),
      pending: [],
      receivedAt: this.#clock.monotonic(),
      dirty: null,
      silence: null,
      isCheckingSilence: false,
    };
    if (row.status === 'in_progress') this.#byRecording.set(row.recording_id, watched);
    watched.silence = await readOpenSilence(this.#sql, row.id);
    await this.#evaluateStored(watched);
    return watched;
  }

  async #end(watched: Watched): Promise<void> {
    const { row } = watched.roast;
    if (this.#byRecording.get(row.recording_id) === watched) this.#byRecording.delete(row.recording_id);
    if (this.#ended.size >= maxEnded) this.#ended.clear();
    this.#ended.add(row.id);
    if (watched.dirty !== null) await this.#evaluateStored(watched);
    await clearAlarms(this.#sql, row.id, 'all');
  }

  async #refresh(row: RoastRow, rules: Awaited<ReturnType<typeof readRules>>): Promise<void> {
    const known = this.#byRecording.get(row.recording_id);
    const watched = known?.roast.row.id === row.id ? known : undefined;
    const isBackfill = row.is_new && !this.#ended.has(row.id);
    if (watched === undefined && row.status !== 'in_progress' && !isBackfill)
      return clearAlarms(this.#sql, row.id, 'all');
    const roast = await readWatchedRoast(this.#sql, row, rules, watched?.roast);
    if (watched === undefined) {
      const started = await this.#begin(roast);
      if (row.status !== 'in_progress') await this.#end(started);
      return;
    }
    const { charge_mono_ms: charge, boot_no: boot, layouts_rev: layoutsRev } = watched.roast.row;
    watched.roast = roast;
    if (row.status !== 'in_progress') return this.#end(watched);
    if (charge !== row.charge_mono_ms || boot !== row.boot_no || layoutsRev !== row.layouts_rev)
      this.#markDirty(watched);
  }

  async #refreshAll(ids: readonly string[] | 'running'): Promise<void> {
    const rows = await readRoastRows(this.#sql, ids);
    // A roast that was deleted, or has ended while the connection to the database was lost.
    const found = new Set(rows.map(({ id }) => id));
    for (const watched of this.#byRecording.values()) {
      const { row } = watched.roast;
      if (found.has(row.id) || (ids !== 'running' && !ids.includes(row.id))) continue;
      this.#byRecording.delete(row.recording_id);
      if (ids === 'running') await clearAlarms(this.#sql, row.id, 'all');
    }
    if (rows.length === 0) return;
    const rules = await readRules(this.#sql, rows);
    await forEachRow(rows, (row) => this.#refresh(row, rules));
  }

  refreshLater(id: string): void {
    this.#changed.add(id);
    this.#gathering ??= this.#clock.after(debounceMs, () => {
      this.#gathering = undefined;
      const ids = [...this.#changed];
      this.#changed.clear();
      this.#enqueue('changed roasts not read', () => this.#refreshAll(ids));
    });
  }

  /** When a sample of the recording was last stored, by this or another instance; ms ago. */
  async #storedAgoMs(recordingId: string): Promise<number> {
    return (await findPlace(this.#sql, [recordingId], 'newest'))?.stored_ago_ms ?? Number.POSITIVE_INFINITY;
  }

  async #raiseSilence(watched: Watched): Promise<void> {
    const { roast, receivedAt } = watched;
    const { row } = roast;
    const agoMs = await this.#storedAgoMs(row.recording_id);
    if (
      watched.receivedAt !== receivedAt ||
      watched.pending !== undefined ||
      this.#byRecording.get(row.recording_id) !== watched
    )
      return;
    const dueMs = silenceIsDueMs(watched);
    if (agoMs < dueMs) {
      watched.receivedAt = this.#clock.monotonic() - agoMs;
      // Another instance ingests the batches of this board.
      this.#markDirty(watched, false);
      return;
    }
    const silentMs = this.#clock.monotonic() - Math.max(receivedAt, this.#receivingSince);
    if (silentMs < dueMs) return;
    const { evaluation } = watched;
    const since = evaluation.lastSeconds ?? 0;
    this.#store(watched, evaluation.pushSilence(roast, since + silentMs / 1000));
    if (watched.silence !== null || silentMs < silentSeconds * 1000) return;
    const occurrence = `silent ${Math.round(row.charge_mono_ms + since * 1000)}`;
    watched.silence = occurrence;
    // It is about the present, however old the last sample is.
    await raiseAlarms(this.#sql, [
      newAlarm(roast, since, this.#clock.now(), { kind: 'silent', occurrence, is_late: false }),
    ]);
  }

  #checkRoast(watched: Watched, now: number): void {
    if (watched.pending !== undefined) return;
    const { dirty, evaluation } = watched;
    if (dirty !== null && (now - dirty.last >= quietMs || now - dirty.since >= evaluateEveryMs)) {
      this.#enqueue('late samples not evaluated', () => this.#evaluateStored(watched));
    }
    const silentMs = now - Math.max(watched.receivedAt, this.#receivingSince);
    if (evaluation.lastSeconds === null || watched.isCheckingSilence || silentMs < silenceIsDueMs(watched)) return;
    watched.isCheckingSilence = true;
    this.#enqueue('silent board not stored', async () => {
      try {
        await this.#raiseSilence(watched);
      } finally {
        watched.isCheckingSilence = false;
      }
    });
  }

  #tick(): void {
    const now = this.#clock.monotonic();
    if (!this.#isReceiving()) this.#receivingSince = now;
    for (const watched of this.#byRecording.values()) this.#checkRoast(watched, now);
  }
}

/** The alarms of running roasts: a service that listens to the database and receives the batches of ingest. */
export const createAlarms = () => {
  let watch: RoastWatch | undefined;

  const service = async ({ sql, log: parent, clock, mqtt, health }: AppContext) => {
    const log = parent.child({ part: 'alarms' });
    const started = new RoastWatch({
      sql,
      log,
      clock,
      isReceiving: () => mqtt.isConnected && (health.ingest?.().oldestWaitingSeconds ?? 0) < 2,
    });
    watch = started;
    const listening = [
      await sql.listen(
        roastChangedChannel,
        (text) => {
          const notice = parseRoastNotice(text);
          if (notice !== undefined) started.refreshLater(notice.roast_id);
        },
        // After the start, and whenever the connection to the database was lost.
        () => started.refreshRunning(),
      ),
      await sql.listen(alarmRulesChangedChannel, () => started.refreshRunning()),
    ];
    return {
      async close(): Promise<void> {
        watch = undefined;
        await Promise.all(listening.map((listener) => listener.unlisten()));
        await started.close();
      },
    };
  };
  return {
    service,
    onStored: (stored: readonly StoredBatch[]): void => watch?.take(stored),
    /** Resolves when every evaluation that was due is done. */
    settled: async (): Promise<void> => watch?.settled(),
  };
};
