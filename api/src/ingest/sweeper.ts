import type { Logger } from '@roastery/runtime/logger';
import { isDatabaseUnavailable, loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import { announceRoast } from '../domains/roasts/announce-roast.ts';
import { recomputeRoast } from '../domains/roasts/recompute-roast.ts';
import { sealStreams } from './chunks.ts';
import { auditDrops } from './quarantine.ts';
import { settleLot } from '../domains/roasts/settle-roast.ts';

export interface SweepRules {
  /** A running roast whose stream is silent for this long is aborted. */
  readonly abortAfterHours: number;
  /** Samples outside every roast are kept for this long. */
  readonly keepSamplesDays: number;
  readonly keepQuarantineDays: number;
}
export const sweepRules: SweepRules = { abortAfterHours: 3, keepSamplesDays: 90, keepQuarantineDays: 30 };

/** A roast that began so long before a newer one on its machine is over. */
const maxRoastHours = 1;
/** A board aborts a roast after so long without samples. */
const goneAfterMinutes = 15;
/** Samples this far before charge and after drop belong to a roast. */
const marginMinutes = 30;
/** Highest rate a machine map allows: turns minutes into sequence numbers. */
const maxHz = 10;
const maxRowsPerRun = 500;
const everyMs = 60_000;

/** Aborts roasts whose board is gone. `status_seq` stays, so that events of a board that returns still win. */
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
        WHERE newer.recording_id = r.recording_id AND newer.status_seq > r.status_seq
          AND newer.start_time > r.start_time + make_interval(hours => ${maxRoastHours})))
    ORDER BY r.id LIMIT ${maxRowsPerRun}`;
  for (const { id } of stale) {
    await sql.begin(async (tx) => {
      const [roast] = await tx<{ machine_id: string | null }[]>`
        UPDATE roasts SET status = 'aborted', recorded_status = 'aborted' WHERE id = ${id} AND status = 'in_progress' RETURNING machine_id`;
      if (roast === undefined) return;
      await settleLot(tx, id, null);
      await announceRoast(tx, id, roast.machine_id);
    });
  }
  return stale.length;
};

/** Adds temperatures to marks that arrived before the samples around them. */
export const fillTemperatures = async (sql: Database): Promise<number> => {
  const bare = await sql<{ id: string }[]>`
    SELECT id FROM roasts
    WHERE start_time > now() - interval '2 days' AND charge_mono_ms IS NOT NULL
      AND (charge_temp IS NULL OR (drop_mono_ms IS NOT NULL AND drop_temp IS NULL))
    ORDER BY id LIMIT ${maxRowsPerRun}`;
  for (const { id } of bare) await sql.begin((tx) => recomputeRoast(tx, id));
  return bare.length;
};

/** Removes old samples that belong to no roast, a bounded number per run. Answers the number of removed chunks. */
export const removeOldSamples = async (sql: Database, rules: SweepRules): Promise<number> => {
  const margin = marginMinutes * 60 * maxHz;
  const gone = await sql`
    DELETE FROM recording_chunks c USING (
      SELECT k.recording_id, k.first_seq FROM recording_chunks k
      WHERE k.received_at < now() - make_interval(days => ${rules.keepSamplesDays})
        AND NOT EXISTS (
          SELECT FROM roasts r
          WHERE r.recording_id = k.recording_id
            AND k.first_seq + cardinality(k.dt_ms) > coalesce(r.charge_seq, r.status_seq, 0) - ${margin}
            AND k.first_seq <= coalesce(r.drop_seq, r.status_seq, r.charge_seq, 0) + ${margin})
      LIMIT ${maxRowsPerRun}
    ) AS old
    WHERE c.recording_id = old.recording_id AND c.first_seq = old.first_seq`;
  return gone.count;
};

const removeOldQuarantine = async (sql: Database, rules: SweepRules): Promise<number> => {
  const gone = await sql`
    DELETE FROM quarantine WHERE id IN (
      SELECT id FROM quarantine
      WHERE received_at < now() - make_interval(days => ${rules.keepQuarantineDays}) LIMIT ${maxRowsPerRun})`;
  return gone.count;
};

/** Runs a bounded piece of each kind of work once a minute, in every instance: the pieces are idempotent. */
export const startSweeper = (sql: Database, log: Logger, rules: SweepRules = sweepRules) => {
  let running: Promise<void> = Promise.resolve();
  const sweep = async (): Promise<void> => {
    const aborted = await abortStaleRoasts(sql, rules);
    const filled = await fillTemperatures(sql);
    const sealed = await sealStreams(sql);
    const chunks = await removeOldSamples(sql, rules);
    const quarantined = await removeOldQuarantine(sql, rules);
    await auditDrops(sql);
    if (aborted + filled + chunks + quarantined > 0) log.info({ aborted, filled, chunks, quarantined }, 'sweep done');
    if (sealed > 0) log.debug({ sealed }, 'chunks sealed');
  };
  const timer = setInterval(() => {
    running = running.then(sweep).catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) log.warn(loggable(error), 'sweep failed');
    });
  }, everyMs);
  timer.unref();
  return {
    async close(): Promise<void> {
      clearInterval(timer);
      await running;
    },
  };
};
