import { maxAckRanges, topicOf, type Ack } from '@roastery/contract/mqtt';
import type { MqttChannel } from '../../broker/channel.ts';
import type { Sql } from '../../db/sql.ts';
import { historyOwner } from '../../identity/machines.ts';

/**
 * Notification channel on which every instance learns that an admin confirmed a restore; the payload is the serial number.
 */
export const historyRestoredChannel = 'history_restored';

/** A board and the streams that it reports. */
export interface HeldStreams {
  readonly serialNumber: string;
  readonly epochs: readonly string[];
}

interface Row {
  readonly serial_number: string;
  readonly machine_id: string;
  readonly owner_id: string;
  readonly epoch: string;
  readonly starts: number[];
  /** Exclusive. */
  readonly ends: number[];
  readonly is_confirmed: boolean;
}

const statementOf = ({ machine_id, owner_id, epoch, starts, ends, is_confirmed }: Row): Ack => {
  const ranges = starts
    .slice(0, maxAckRanges)
    .map((start, index): [number, number] => [start, (ends[index] ?? start + 1) - 1]);
  const last = ranges.at(-1)?.[1];
  return {
    v: 1,
    epoch,
    ranges,
    // Entries after a cut are stated when the gaps before it have closed.
    through: starts.length > maxAckRanges && last !== undefined ? last : Number.MAX_SAFE_INTEGER,
    owner: historyOwner(machine_id, owner_id),
    ...(is_confirmed ? { restore: true } : {}),
  };
};

/** The server's ranges of each of these streams, as messages; none for a machine that is unknown or archived. */
const readStatements = async (sql: Sql, boards: readonly HeldStreams[]) => {
  const wanted = boards.flatMap(({ serialNumber, epochs }) => epochs.map((epoch) => [serialNumber, epoch] as const));
  if (wanted.length === 0) return [];
  const rows = await sql<Row[]>`
    SELECT m.serial_number, m.id AS machine_id, m.owner_id, wanted.epoch, held.starts, held.ends,
           EXISTS (SELECT 1 FROM history_restores h
                    WHERE h.machine_id = m.id AND h.owner_id = m.owner_id AND h.epoch = wanted.epoch) AS is_confirmed
      FROM unnest(${wanted.map(([serial]) => serial)}::text[], ${wanted.map(([, epoch]) => epoch)}::text[])
             AS wanted (serial_number, epoch)
      JOIN machines m ON m.serial_number = wanted.serial_number AND m.archived_at IS NULL
      CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(lower(part) ORDER BY part), '{}') AS starts,
               coalesce(array_agg(upper(part) ORDER BY part), '{}') AS ends
          FROM stream_parts p JOIN recordings r ON r.id = p.recording_id,
               unnest(committed_now(r) * int8multirange(int8range(p.from_seq, p.until_seq))) AS part
         WHERE p.machine_id = m.id AND p.epoch = wanted.epoch) AS held`;
  return rows.map((row) => ({ topic: topicOf(row.serial_number, 'ack'), payload: JSON.stringify(statementOf(row)) }));
};

/**
 * States to boards which entries of their streams the server has. A board sends its other entries: after a restore of
 * a backup the curves return automatically. Deleted and expired entries are stated as held, so that they are not
 * requested.
 */
export const publishStatements = async (
  { sql, mqtt }: { readonly sql: Sql; readonly mqtt: Pick<MqttChannel, 'publish'> },
  boards: readonly HeldStreams[],
): Promise<void> => {
  for (const { topic, payload } of await readStatements(sql, boards)) await mqtt.publish(topic, payload, { qos: 1 });
};
