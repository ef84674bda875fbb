import type { Device } from '@roastery/contract/fleet';
import { type DeviceStatus, statusShape } from '@roastery/contract/mqtt';
import { parseShape } from '@roastery/contract/parse-shape';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError } from '../../http/app-error.ts';
import { lockManagedMachine } from '../../identity/machines.ts';
import { correctRecordings } from '../../recordings/recordings.ts';
import { historyRestoredChannel } from './history-statements.ts';

const instant = (ms: number): string => new Date(ms).toISOString();

/** All sealed streams of a board. */
export const sealedHistory = (history: DeviceStatus['history']): Device['sealed_history'] => {
  const sealed = (history ?? []).filter((stream) => stream.sealed);
  if (sealed.length === 0) return null;
  const starts = sealed.flatMap(({ from }) => (from === null ? [] : [from]));
  const ends = sealed.flatMap(({ to }) => (to === null ? [] : [to]));
  return {
    epochs: sealed.map(({ epoch }) => epoch),
    entries: sealed.reduce((sum, { entries }) => sum + entries, 0),
    from: starts.length === 0 ? null : instant(Math.min(...starts)),
    to: ends.length === 0 ? null : instant(Math.max(...ends)),
  };
};

/**
 * Streams that an archived machine of the same serial number and owner recorded become this machine's, with their
 * roasts: the board then only sends missing entries, and curves and roasts stay together. Streams of another owner stay
 * with the archived machine.
 */
const adoptRecordings = async (tx: Sql, machineId: string, epochs: readonly string[]): Promise<number> => {
  const adopted = await tx<{ id: string }[]>`
    WITH holder AS (
      SELECT DISTINCT ON (p.epoch) p.epoch, p.machine_id
      FROM machines now
      JOIN machines before ON before.serial_number = now.serial_number AND before.owner_id = now.owner_id
        AND before.archived_at IS NOT NULL
      JOIN stream_parts p ON p.machine_id = before.id AND p.epoch = ANY(${[...epochs]}::text[])
      WHERE now.id = ${machineId}
        AND NOT EXISTS (SELECT FROM stream_parts own WHERE own.machine_id = now.id AND own.epoch = p.epoch)
      ORDER BY p.epoch, before.archived_at DESC)
    SELECT r.id FROM recordings r WHERE r.id IN (
      SELECT p.recording_id FROM holder JOIN stream_parts p ON p.machine_id = holder.machine_id AND p.epoch = holder.epoch)
    ORDER BY r.id FOR NO KEY UPDATE`;
  const ids = adopted.map(({ id }) => id);
  await correctRecordings(tx, ids, { kind: 'machine', machineId });
  await tx`UPDATE roasts SET machine_id = ${machineId} WHERE recording_id = ANY(${ids}::uuid[])`;
  await tx`UPDATE board_roasts SET machine_id = ${machineId} WHERE recording_id = ANY(${ids}::uuid[])`;
  // What was said about these recordings, unless it was said anew about this machine.
  await tx`
    INSERT INTO channel_exchanges (machine_id, map_id, map_rev, is_exchanged, stated_by, stated_at)
    SELECT DISTINCT ON (e.map_id, e.map_rev) now.id, e.map_id, e.map_rev, e.is_exchanged, e.stated_by, e.stated_at
    FROM machines now
    JOIN machines before ON before.serial_number = now.serial_number AND before.owner_id = now.owner_id
    JOIN channel_exchanges e ON e.machine_id = before.id
    JOIN recorded_layouts l ON l.map_id = e.map_id AND l.map_rev = e.map_rev AND l.recording_id = ANY(${ids}::uuid[])
    WHERE now.id = ${machineId} AND before.archived_at IS NOT NULL
    ORDER BY e.map_id, e.map_rev, e.stated_at DESC
    ON CONFLICT DO NOTHING`;
  // Discarded roasts, which can be restored.
  await tx`
    UPDATE roast_tombstones SET kept = jsonb_set(kept, '{roast,machine_id}', to_jsonb(${machineId}::text))
    WHERE kept->'roast'->>'recording_id' = ANY(${ids}::text[])`;
  return ids.length;
};

/**
 * Lets a board send sealed streams to this machine and its current owner. Only streams that the board itself reports
 * as sealed: an admin confirms the shown ones. An offline board receives it when it connects.
 */
export const restoreHistory = (
  context: UserContext,
  machineId: string,
  epochs: readonly string[],
): Promise<{ streams: number }> =>
  context.sql.begin(async (tx) => {
    const machine = await lockManagedMachine(tx, context.user, machineId);
    const [row] = await tx<{ status: unknown; owner_id: string }[]>`
      SELECT status, owner_id FROM machines WHERE id = ${machine.id}`;
    const sealed = sealedHistory(parseShape(statusShape, row?.status).data?.history)?.epochs ?? [];
    const confirmed = [...new Set(epochs)].filter((epoch) => sealed.includes(epoch));
    if (row === undefined || confirmed.length < new Set(epochs).size)
      throw new AppError('conflict', 'The board no longer holds this history. Reload the page.');
    await tx`
      INSERT INTO history_restores (machine_id, epoch, owner_id, confirmed_by)
      SELECT ${machine.id}, epoch, ${row.owner_id}, ${context.user.id} FROM unnest(${confirmed}::text[]) AS epoch
      ON CONFLICT DO NOTHING`;
    const adopted = await adoptRecordings(tx, machine.id, confirmed);
    await recordAudit(tx, actorOf(context), {
      action: 'history.restored',
      subject: machine.id,
      detail: { serial_number: machine.serial_number, epochs: confirmed, adopted_recordings: adopted },
    });
    await tx`SELECT pg_notify(${historyRestoredChannel}, ${machine.serial_number})`;
    return { streams: confirmed.length };
  });
