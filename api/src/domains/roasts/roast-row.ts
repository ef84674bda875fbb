import type { Roast, RoastRow } from '@roastery/contract/roasts';
import { markOf } from '@roastery/roasting/marks';
import type { SignedInUser } from '../../http/server-context.ts';
import type { Sql } from '../../db/sql.ts';
import { roastAccess } from '../../identity/access.ts';
import { type Place, readClocks } from '../../recordings/recordings.ts';
import { effectiveMarks } from './marks/effective-marks.ts';
import { readMarkEntries } from './life/recompute-roast.ts';
import { windowFrom, type WindowRow, zeroOf } from './curves/roast-curve.ts';
import { timedMarks } from './curves/roast-window.ts';

/** The person at the machine; the machine's owner where unknown. */
export const roastedBy = (sql: Sql) => sql`coalesce(r.roasted_by, o.full_name)`;

/** Whether it took its batch from its lot. The ledger follows it: its movements of the roast sum to the batch. */
export const usedGreenCoffee = (sql: Sql) =>
  sql`(r.deducts IS TRUE AND r.lot_id IS NOT NULL AND r.batch_size_kg IS NOT NULL)`;

export const rowColumns = (sql: Sql, userId: string | null) => sql`
  r.id, r.shown_number AS roast_number, r.batch_number, r.is_numbered, r.source_batch, r.said_number, r.status, r.coffee_name, r.coffee_origin, r.coffee_process, r.start_time,
  r.profile_name, r.profile_id, r.lot_id, r.machine_id, m.display_name AS machine_name, o.full_name AS owner_name,
  ${roastedBy(sql)} AS roasted_by, r.batch_size_kg, r.end_weight_kg, r.duration_seconds, r.roast_level,
  r.roast_level_target, r.charge_temp, r.drop_temp, r.first_crack_time, r.first_crack_temp, r.development_time_seconds,
  r.development_time_ratio,
  EXISTS (SELECT FROM roast_favorites f WHERE f.roast_id = r.id AND f.user_id = ${userId}) AS is_favorite`;

export const rowSource = (sql: Sql) => sql`
  roasts r JOIN users o ON o.id = r.owner_id LEFT JOIN machines m ON m.id = r.machine_id`;

/** Whether a board recorded it: it is on the timeline of its machine. */
export const isRecorded = (sql: Sql) =>
  sql`EXISTS (SELECT FROM recordings c WHERE c.id = r.recording_id AND c.source = 'agent')`;

/** Its drop; without one, where its board ended it. Null while it runs. */
export const endedAt = (sql: Sql) => sql`
  CASE WHEN r.drop_mono_ms IS NOT NULL AND r.charge_mono_ms IS NOT NULL
         THEN r.start_time + make_interval(secs => (r.drop_mono_ms - r.charge_mono_ms) / 1000.0)
       WHEN r.status = 'in_progress' THEN NULL
       ELSE greatest(r.start_time, (
         SELECT to_timestamp(wall_ms(b.recording_id, b.state_boot_no, b.state_mono_ms) / 1000.0) FROM board_roasts b
         WHERE b.id = r.id)) END`;

type StoredRoast = RoastRow &
  Pick<Roast, 'notes' | 'cupping_score' | 'color' | 'original_file' | 'max_drum_rpm' | 'revision' | 'made_by_hand'> & {
    window: WindowRow;
    is_recorded: boolean;
    ended_at: string | null;
  };

/** A synchronised clock, in the quality of a boot's clock. */
const synchronised = 2;

/** The channels of the chunks between the charge of a roast and its end: of a board's recording that is a small part. */
const channelsOf = async (sql: Sql, row: WindowRow, zero: Place | undefined): Promise<string[]> => {
  if (row.recording_id === null || zero === undefined) return [];
  const { fromSeq, toSeq } = windowFrom(zero, row, { before: 0, after: 0 });
  const channels = await sql<{ channel: string }[]>`
    SELECT channel FROM recorded_channels(${row.recording_id}, ${Math.max(0, Math.floor(fromSeq))}, ${Math.floor(toSeq)}) AS channel`;
  return channels.map(({ channel }) => channel);
};

/**
 * One roast with its marks, or undefined. `viewer` limits it to what a person may see and adds their favourites; null
 * is the system itself, which notifies all watchers of a machine.
 */
export const readRoast = async (
  sql: Sql,
  id: string,
  viewer: SignedInUser | null,
): Promise<{ roast: Roast; chargeMonoMs: number | null } | undefined> => {
  const [row] = await sql<StoredRoast[]>`
    SELECT ${rowColumns(sql, viewer?.id ?? null)}, r.notes, r.cupping_score, r.color, m.max_drum_rpm, r.revision,
           (SELECT coalesce(c.file_name, '') FROM recordings c JOIN recording_files f ON f.recording_id = c.id
            WHERE c.id = r.recording_id) AS original_file,
           r.made_by_hand, ${isRecorded(sql)} AS is_recorded, ${endedAt(sql)} AS ended_at,
           jsonb_build_object(
             'recording_id', r.recording_id, 'status', r.status, 'status_seq', r.status_seq, 'boot_no', r.boot_no,
             'charge_mono_ms', r.charge_mono_ms, 'charge_seq', r.charge_seq, 'drop_mono_ms', r.drop_mono_ms,
             'drop_seq', r.drop_seq) AS "window"
    FROM ${rowSource(sql)}
    WHERE r.id = ${id} AND ${viewer === null ? sql`true` : roastAccess(sql, viewer)}`;
  if (row === undefined) return undefined;
  const { window, is_recorded, ended_at, ...shown } = row;
  const { recording_id: recordingId } = window;
  const [entries, zero] = await Promise.all([readMarkEntries(sql, id, recordingId), zeroOf(sql, id, window)]);
  const boots = [...entries, ...(zero === undefined ? [] : [zero])].map(({ boot_no: boot }) => boot);
  const [clocks, channels] = await Promise.all([readClocks(sql, recordingId, boots), channelsOf(sql, window, zero)]);
  const origin = window.charge_seq === null ? zero : undefined;
  const marks = effectiveMarks(entries);
  const charge = markOf(marks, 'charge');
  const start = charge ?? origin;
  const quality = start === undefined ? undefined : clocks.get(start.boot_no)?.quality;
  return {
    roast: {
      ...shown,
      marks: timedMarks(marks, clocks, origin).map(({ kind, timeSeconds, mark }) => ({
        kind,
        time_seconds: timeSeconds,
        temp: mark.temp,
        origin: mark.origin,
        confidence: mark.confidence,
        provisional: mark.provisional,
      })),
      channels,
      time_quality: quality === synchronised || recordingId === null ? 'synchronised' : 'estimated',
      recorded: is_recorded ? { from: row.start_time, to: ended_at } : null,
    },
    chargeMonoMs: charge?.mono_ms ?? null,
  };
};
