import type { Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { forEachRow, isConnectionLost, loggable, statementOf } from '../db/postgres-errors.ts';
import type { Database, Sql } from '../db/sql.ts';
import { announceRoast } from '../domains/roasts/life/announce-roast.ts';
import { giveBatchNumber } from '../domains/planned/batch-number.ts';
import { recomputeRoast } from '../domains/roasts/life/recompute-roast.ts';
import { sealStreams } from '../recordings/chunks.ts';
import { auditDrops } from './quarantine.ts';
import type { SeqRange } from '../db/seq-ranges.ts';
import { settleLot } from '../domains/roasts/life/settle-roast.ts';

export interface SweepRules {
  /** A running roast whose stream has been silent for this long is aborted. */
  readonly abortAfterHours: number;
  /** Samples outside every roast are kept for this long. */
  readonly keepSamplesDays: number;
  readonly keepQuarantineDays: number;
}
export const sweepRules: SweepRules = { abortAfterHours: 3, keepSamplesDays: 90, keepQuarantineDays: 30 };

/** A roast that began this long before a newer one on its machine has ended. */
const maxRoastHours = 1;
/** A board aborts a roast after this long without samples. */
const goneAfterMinutes = 15;
/** Samples this far before charge and after drop belong to a roast. */
const marginMinutes = 30;
/** Highest rate a machine map allows: turns minutes into sequence numbers. */
const maxHz = 10;
const maxRowsPerRun = 500;
/** A recording is swept when samples of a day have become old, not for each chunk. */
const sweepEveryDays = 1;
const marginSeqs = marginMinutes * 60 * maxHz;
/** The longest possible roast: a day at the highest rate. */
const maxRoastSeqs = 24 * 3600 * maxHz;
const maxChunksPerTransaction = 500;
const maxChunksPerRun = 5000;
const maxRecordingsPerRun = 200;
const everyMs = 60_000;

/**
 * Aborts roasts whose board is offline. `status_seq` is not changed, so that events of a board that returns take
 * precedence.
 */
export const abortStaleRoasts = async (sql: Database, rules: SweepRules): Promise<number> => {
  const stale = await sql<{ id: string }[]>`
    SELECT r.id FROM roasts r LEFT JOIN recordings c ON c.id = r.recording_id
    WHERE r.status = 'in_progress' AND (
      coalesce(c.last_received_at, r.created_at) < now() - make_interval(hours => ${rules.abortAfterHours})
      -- A new card in the board, or a new board: the roast of the earlier stream will not be continued.
      OR c.last_received_at < now() - make_interval(mins => ${goneAfterMinutes}) AND EXISTS (
        SELECT FROM recordings later
        WHERE later.machine_id = c.machine_id AND later.source = 'agent' AND later.created_at > c.created_at
          AND later.last_received_at > c.last_received_at)
      -- Only roasts that the same board recorded later: a logged or uploaded roast says nothing about the machine.
      OR EXISTS (
        SELECT FROM roasts newer
        WHERE newer.recording_id = r.recording_id AND newer.machine_id = r.machine_id AND newer.status_seq > r.status_seq
          AND newer.start_time > r.start_time + make_interval(hours => ${maxRoastHours})))
    ORDER BY r.id LIMIT ${maxRowsPerRun}`;
  await forEachRow(stale, ({ id }) =>
    sql.begin(async (tx) => {
      const [roast] = await tx<{ machine_id: string | null }[]>`
        UPDATE roasts SET status = 'aborted', recorded_status = 'aborted' WHERE id = ${id} AND status = 'in_progress' RETURNING machine_id`;
      if (roast === undefined) return;
      await settleLot(tx, id, null);
      await announceRoast(tx, id, roast.machine_id);
    }),
  );
  return stale.length;
};

/** Adds temperatures to marks that arrived before the samples around them. */
export const fillTemperatures = async (sql: Database): Promise<number> => {
  const bare = await sql<{ id: string }[]>`
    SELECT id FROM roasts
    WHERE start_time > now() - interval '2 days' AND charge_mono_ms IS NOT NULL
      AND (charge_temp IS NULL OR (drop_mono_ms IS NOT NULL AND drop_temp IS NULL))
    ORDER BY id LIMIT ${maxRowsPerRun}`;
  await forEachRow(bare, ({ id }) => sql.begin((tx) => recomputeRoast(tx, id)));
  return bare.length;
};

/** Assigns batch numbers to roasts whose boards never delivered the earlier recordings they waited for. */
export const numberLateRoasts = async (sql: Database): Promise<number> => {
  const late = await sql<{ id: string; machine_id: string | null }[]>`
    SELECT id, machine_id FROM roasts
    WHERE batch_number IS NULL AND is_numbered AND (status <> 'in_progress' OR charge_mono_ms IS NOT NULL)
    ORDER BY start_time, id LIMIT ${maxRowsPerRun}`;
  await forEachRow(late, ({ id, machine_id: machineId }) =>
    sql.begin(async (tx) => {
      await tx`SELECT FROM roasts WHERE id = ${id} FOR UPDATE`;
      await giveBatchNumber(tx, id);
      await announceRoast(tx, id, machineId);
    }),
  );
  return late.length;
};

interface OldChunk {
  readonly first_seq: number;
  readonly end_seq: number;
  readonly received_at: string;
  readonly is_old: boolean;
}

const chunksFrom = (tx: Sql, recordingId: string, fromSeq: number, toSeq: number, rules: SweepRules) => tx<OldChunk[]>`
  SELECT first_seq, first_seq + cardinality(dt_ms) AS end_seq, received_at,
         received_at < now() - make_interval(days => ${rules.keepSamplesDays}) AS is_old
  FROM recording_chunks WHERE recording_id = ${recordingId} AND first_seq >= ${fromSeq} AND first_seq < ${toSeq}
  ORDER BY first_seq LIMIT ${maxChunksPerTransaction}`;

/**
 * Roasts that may contain samples between two sequence numbers: two index ranges, as long as there are roasts at that
 * time.
 */
const coversBetween = (tx: Sql, recordingId: string, fromSeq: number, toSeq: number) => tx<SeqRange[]>`
  SELECT coalesce(charge_seq, status_seq, 0) - ${marginSeqs} AS start,
         coalesce(drop_seq, status_seq, charge_seq, 0) + ${marginSeqs} AS end
  FROM roasts WHERE recording_id = ${recordingId}
    AND (charge_seq BETWEEN ${fromSeq - marginSeqs - maxRoastSeqs} AND ${toSeq + marginSeqs}
      OR charge_seq IS NULL AND status_seq BETWEEN ${fromSeq - marginSeqs} AND ${toSeq + marginSeqs}
      OR charge_seq IS NULL AND status_seq IS NULL)`;

/** Removes the old ones of these chunks that belong to no roast. */
const removeUncovered = async (tx: Sql, recordingId: string, chunks: readonly OldChunk[]): Promise<number> => {
  const [first, last] = [chunks[0], chunks.at(-1)];
  if (first === undefined || last === undefined) return 0;
  const covers = await coversBetween(tx, recordingId, first.first_seq, last.end_seq);
  const uncovered = chunks.filter(
    ({ first_seq, end_seq, is_old }) => is_old && !covers.some(({ start, end }) => end_seq > start && first_seq <= end),
  );
  if (uncovered.length > 0) {
    await tx`
      DELETE FROM recording_chunks
      WHERE recording_id = ${recordingId} AND first_seq = ANY(${uncovered.map((chunk) => chunk.first_seq)}::bigint[])`;
  }
  return uncovered.length;
};

interface Swept {
  readonly examined: number;
  readonly removed: number;
}
const sum = (a: Swept, b: Swept): Swept => ({ examined: a.examined + b.examined, removed: a.removed + b.removed });

/** Sweeps a recording from the end of the last sweep. It locks the recording's row, as ingest does. */
const sweepRecording = async (tx: Sql, recordingId: string, rules: SweepRules): Promise<Swept> => {
  const [recording] = await tx<{ swept_seq: number }[]>`
    SELECT swept_seq FROM recordings WHERE id = ${recordingId} FOR NO KEY UPDATE`;
  if (recording === undefined) return { examined: 0, removed: 0 };
  const chunks = await chunksFrom(tx, recordingId, recording.swept_seq, Number.MAX_SAFE_INTEGER, rules);
  const young = chunks.findIndex(({ is_old }) => !is_old);
  const old = young < 0 ? chunks : chunks.slice(0, young);
  const next = chunks[young] ?? (chunks.length < maxChunksPerTransaction ? undefined : chunks.at(-1));
  await tx`
    UPDATE recordings r
    SET swept_seq = ${old.at(-1)?.end_seq ?? recording.swept_seq},
        unswept_since = coalesce(${next?.received_at ?? null}::timestamptz, now()),
        -- Removed samples stay committed.
        committed = committed_now(r)
    WHERE id = ${recordingId}`;
  return { examined: old.length, removed: await removeUncovered(tx, recordingId, old) };
};

/** Sweeps a range again that was swept before. */
const sweepAgain = async (tx: Sql, rules: SweepRules): Promise<Swept | undefined> => {
  const [due] = await tx<{ recording_id: string; from_seq: number; to_seq: number }[]>`
    DELETE FROM sample_sweeps WHERE ctid = (
      SELECT ctid FROM sample_sweeps
      WHERE received_at < now() - make_interval(days => ${rules.keepSamplesDays}) ORDER BY received_at LIMIT 1)
    RETURNING recording_id, from_seq, to_seq`;
  if (due === undefined) return undefined;
  const id = due.recording_id;
  const [recording] = await tx<{ swept_seq: number }[]>`
    SELECT swept_seq FROM recordings WHERE id = ${id} FOR NO KEY UPDATE`;
  const toSeq = Math.min(due.to_seq, recording?.swept_seq ?? 0);
  const chunks = await chunksFrom(tx, id, due.from_seq, toSeq, rules);
  const last = chunks.at(-1);
  if (chunks.length === maxChunksPerTransaction && last !== undefined) {
    await tx`INSERT INTO sample_sweeps VALUES (${id}, ${last.end_seq}, ${due.to_seq}, '-infinity')`;
  }
  return { examined: chunks.length, removed: await removeUncovered(tx, id, chunks) };
};

/**
 * Removes old samples that belong to no roast, a limited number per run. Samples that were examined once are not read
 * again, so the cost of a run depends only on the samples that became old since the last one. Returns the number of
 * removed chunks.
 */
export const removeOldSamples = async (sql: Database, rules: SweepRules): Promise<number> => {
  let total: Swept = { examined: 0, removed: 0 };
  while (total.examined < maxChunksPerRun) {
    const swept = await sql.begin((tx) => sweepAgain(tx, rules));
    if (swept === undefined) break;
    total = sum(total, swept);
  }
  const due = await sql<{ id: string }[]>`
    SELECT id FROM recordings
    WHERE unswept_since < now() - make_interval(days => ${rules.keepSamplesDays + sweepEveryDays})
    ORDER BY unswept_since LIMIT ${maxRecordingsPerRun}`;
  await forEachRow(due, async ({ id }) => {
    if (total.examined >= maxChunksPerRun) return;
    total = sum(total, await sql.begin((tx) => sweepRecording(tx, id, rules)));
  });
  return total.removed;
};

const removeOldQuarantine = async (sql: Database, rules: SweepRules): Promise<number> => {
  const gone = await sql`
    DELETE FROM quarantine WHERE id IN (
      SELECT id FROM quarantine
      WHERE received_at < now() - make_interval(days => ${rules.keepQuarantineDays}) LIMIT ${maxRowsPerRun})`;
  return gone.count;
};

/** An arbitrary number, the same in all versions: the instance that sweeps holds this advisory lock. */
const sweepLock = 7_265_401_123;

/**
 * Does the work unless another instance is doing it. The lock is held by an idle transaction without a snapshot, so
 * that it does not delay vacuum.
 */
export const whenAlone = (sql: Database, work: () => Promise<void>): Promise<void> =>
  sql.begin(async (tx) => {
    const [lock] = await tx<{ is_ours: boolean }[]>`
      SELECT pg_try_advisory_xact_lock(${sweepLock}) AS is_ours,
             set_config('idle_in_transaction_session_timeout', '10min', true)`;
    if (lock?.is_ours === true) await work();
  });

/** Does a limited part of each task. A failure of one does not stop the others. */
export const sweep = async (sql: Database, log: Logger, rules: SweepRules = sweepRules): Promise<void> => {
  const done: Record<string, number> = {};
  for (const task of [
    abortStaleRoasts,
    fillTemperatures,
    numberLateRoasts,
    sealStreams,
    removeOldSamples,
    removeOldQuarantine,
    auditDrops,
  ]) {
    try {
      const count = await task(sql, rules);
      if (count > 0) done[task.name] = count;
    } catch (error) {
      if (isConnectionLost(error)) throw error;
      log.warn({ ...loggable(error), statement: statementOf(error), what: task.name }, 'sweep failed');
    }
  }
  const names = Object.keys(done);
  // Nearly every run seals something.
  if (names.length > 0) log[names.every((name) => name === sealStreams.name) ? 'debug' : 'info'](done, 'sweep done');
};

/** Sweeps once a minute, in only one instance at a time. */
export const startSweeper = (sql: Database, log: Logger, clock: Clock) => {
  let running: Promise<void> = Promise.resolve();
  const sweepInTurn = (): void => {
    running = running
      .then(() => whenAlone(sql, () => sweep(sql, log)))
      .catch((error: unknown) => {
        if (!isConnectionLost(error)) log.warn(loggable(error), 'sweep failed');
      });
  };
  const cancel = clock.every(everyMs, sweepInTurn, { keepsAlive: false });
  return {
    async close(): Promise<void> {
      cancel();
      await running;
    },
  };
};
