import type { ParsedBody } from '@roastery/contract/endpoint';
import type { changeTimesToCheck } from '@roastery/contract/roast-times';
import type { UserContext } from '../../../context.ts';
import { actorOf, recordAudits } from '../../../db/audit.ts';
import { readTimeZone } from '../../../db/roastery-time-zone.ts';
import type { Sql } from '../../../db/sql.ts';
import { roastAccess } from '../../../identity/access.ts';
import { correctRecordings } from '../../../recordings/recordings.ts';
import { isToCheck, shiftMs, timesToCheck } from './read-times.ts';

type Change = ParsedBody<typeof changeTimesToCheck>;

interface Chosen {
  recording_id: string;
  wall_offset_ms: number;
  shifted_ms: number;
}

const actions: Record<Change['action'], string> = {
  shift: 'roast.time_corrected',
  confirm: 'roast.time_confirmed',
  undo: 'roast.time_restored',
};

/** Locked recordings in the state that the action changes, of the roasts that the person chose and may change. */
const lockChosen = async (tx: Sql, { user }: UserContext, change: Change, timeZone: string): Promise<Chosen[]> => {
  const { action, state, format, roast_ids: ids } = change;
  const rows = await tx<Chosen[]>`
    SELECT t.recording_id, wall_ms(t.recording_id, 0::smallint, 0)::float8 AS wall_offset_ms, t.shifted_ms::float8
    FROM times_to_check t
    WHERE t.state = ${action === 'undo' ? state : 'open'} AND t.recording_id IN (
      SELECT t.recording_id FROM ${timesToCheck(tx)}
      WHERE ${isToCheck(tx, user, timeZone)}
        AND ${format === undefined ? tx`true` : tx`c.file_format = ${format}`}
        AND ${ids === undefined ? tx`true` : tx`r.id = ANY(${ids}::uuid[])`})
      -- Its other roasts move with it.
      AND NOT EXISTS (SELECT FROM roasts r WHERE r.recording_id = t.recording_id AND NOT ${roastAccess(tx, user, 'roast')})
    ORDER BY t.recording_id FOR UPDATE OF t`;
  await tx`
    SELECT 1 FROM recordings WHERE id = ANY(${rows.map((row) => row.recording_id)}::uuid[]) ORDER BY id FOR NO KEY UPDATE`;
  return rows;
};

/** Moves recordings and their roasts in time. Days, months and statistics are counted by a roast's start. */
const move = async (tx: Sql, recordingIds: readonly string[], byMs: readonly number[]): Promise<void> => {
  await correctRecordings(tx, recordingIds, { kind: 'times', byMs });
  const shifts = tx`unnest(${[...recordingIds]}::uuid[], ${[...byMs]}::bigint[]) AS s (recording_id, by_ms)`;
  await tx`
    UPDATE roasts r SET start_time = r.start_time + s.by_ms * interval '1 ms', revision = r.revision + 1
    FROM ${shifts} WHERE r.recording_id = s.recording_id`;
};

/**
 * Corrects the times of roasts that an earlier version imported, or undoes it, all in one step. Green coffee stays taken: a
 * movement of stock has the time of the import.
 */
export const changeTimes = async (context: UserContext, change: Change): Promise<{ roasts: number }> => {
  const timeZone = change.time_zone ?? (await readTimeZone(context.sql));
  return context.sql.begin(async (tx) => {
    const chosen = await lockChosen(tx, context, change, timeZone);
    if (chosen.length === 0) return { roasts: 0 };
    const ids = chosen.map((row) => row.recording_id);
    const by = chosen.map((row) =>
      change.action === 'shift'
        ? shiftMs(row.wall_offset_ms, timeZone)
        : change.action === 'undo'
          ? -row.shifted_ms
          : 0,
    );
    if (change.action !== 'confirm') await move(tx, ids, by);
    const next = { shift: 'shifted', confirm: 'right', undo: 'open' }[change.action];
    await tx`
      UPDATE times_to_check t SET state = ${next}, shifted_ms = CASE ${next} WHEN 'shifted' THEN s.by_ms ELSE 0 END,
                                  changed_by = ${context.user.id}, changed_at = now()
      FROM unnest(${ids}::uuid[], ${by}::bigint[]) AS s (recording_id, by_ms) WHERE t.recording_id = s.recording_id`;
    const moved = await tx<{ id: string; start_time: string; by_ms: number }[]>`
      SELECT r.id, r.start_time, s.by_ms::float8 FROM roasts r
      JOIN unnest(${ids}::uuid[], ${by}::bigint[]) AS s (recording_id, by_ms) ON s.recording_id = r.recording_id ORDER BY r.id`;
    await recordAudits(
      tx,
      actorOf(context),
      moved.map(({ id, start_time: now, by_ms: byMs }) => ({
        action: actions[change.action],
        subject: id,
        detail: { from: new Date(Date.parse(now) - byMs).toISOString(), to: new Date(now).toISOString() },
      })),
    );
    return { roasts: moved.length };
  });
};
