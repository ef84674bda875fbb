import type { Connection } from '@roastery/contract/machines';
import { statusShape, type DeviceStatus } from '@roastery/contract/mqtt';
import { parseShape } from '@roastery/contract/parse-shape';
import type { Sql } from '../db/sql.ts';

export interface MachineConnection {
  readonly connection: Connection;
  readonly last_seen_at: string | null;
  readonly status: DeviceStatus | null;
}

export interface WatchedMachine extends MachineConnection {
  readonly id: string;
  readonly serialNumber: string;
}

interface Row {
  id: string;
  serial_number: string;
  connection: Connection;
  last_seen_at: string | null;
  status: unknown;
}

/** How these machines are connected; archived and deleted ones are absent. Online: it said so and was heard within a minute. */
export const readConnections = async (
  sql: Sql,
  machineIds: readonly string[],
): Promise<Map<string, WatchedMachine>> => {
  const rows = await sql<Row[]>`
    SELECT id, serial_number, last_seen_at, status,
      CASE WHEN last_seen_at IS NULL THEN 'never_connected'
           WHEN is_online AND last_seen_at > now() - interval '1 minute' THEN 'online'
           ELSE 'offline' END AS connection
    FROM machines WHERE id = ANY(${[...machineIds]}::uuid[]) AND archived_at IS NULL`;
  return new Map(
    rows.map((row) => {
      const status = parseShape(statusShape, row.status);
      return [
        row.id,
        {
          id: row.id,
          serialNumber: row.serial_number,
          connection: row.connection,
          last_seen_at: row.last_seen_at,
          status: status.success ? status.data : null,
        },
      ];
    }),
  );
};
