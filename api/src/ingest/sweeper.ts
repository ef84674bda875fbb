import type { Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { serial } from '@roastery/runtime/turns';
import { forEachRow, isConnectionLost, loggable, statementOf } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import { announceRoast } from '../domains/roasts/life/announce-roast.ts';
import { giveBatchNumber } from '../domains/planned/batch-number.ts';
import { recomputeRoast } from '../domains/roasts/life/recompute-roast.ts';
import { type SampleRules, sweepRecordings } from '../recordings/recordings.ts';
import { auditDrops } from './quarantine.ts';
import { settleLot } from '../domains/roasts/life/settle-roast.ts';

export interface SweepRules extends SampleRules {
  /** A running roast whose stream has been silent for this long is aborted. */
  readonly abortAfterHours: number;
  readonly keepQuarantineDays: number;
}
export const sweepRules: SweepRules = { abortAfterHours: 3, keepSamplesDays: 90, keepQuarantineDays: 30 };

/** A roast that began this long before a newer one on its machine has ended. */
const maxRoastHours = 1;
/** A board aborts a roast after this long without samples. */
const goneAfterMinutes = 15;
const maxRowsPerRun = 500;
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
    sweepRecordings,
    removeOldQuarantine,
    auditDrops,
  ]) {
    try {
      const counted = await task(sql, rules);
      for (const [name, count] of Object.entries(typeof counted === 'number' ? { [task.name]: counted } : counted))
        if (count > 0) done[name] = count;
    } catch (error) {
      if (isConnectionLost(error)) throw error;
      log.warn({ ...loggable(error), statement: statementOf(error), what: task.name }, 'sweep failed');
    }
  }
  const names = Object.keys(done);
  // Nearly every run seals something.
  if (names.length > 0) log[names.every((name) => name === 'sealed') ? 'debug' : 'info'](done, 'sweep done');
};

/** Sweeps once a minute, in only one instance at a time. */
export const startSweeper = (sql: Database, log: Logger, clock: Clock) => {
  const inTurn = serial();
  const sweepInTurn = (): void => {
    inTurn(() => whenAlone(sql, () => sweep(sql, log))).catch((error: unknown) => {
      if (!isConnectionLost(error)) log.warn(loggable(error), 'sweep failed');
    });
  };
  const cancel = clock.every(everyMs, sweepInTurn, { keepsAlive: false });
  return {
    async close(): Promise<void> {
      cancel();
      await inTurn.settled();
    },
  };
};
