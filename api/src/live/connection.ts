import type { Connection } from '@roastery/contract/machines';
import { type DeviceStatus, statusShape } from '@roastery/contract/mqtt';
import { parseShape } from '@roastery/contract/parse-shape';
import { connectionOf } from '../identity/machines.ts';
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

/** How these machines are connected; archived and deleted ones are absent. */
export const readConnections = async (
  sql: Sql,
  machineIds: readonly string[],
): Promise<Map<string, WatchedMachine>> => {
  const rows = await sql<Row[]>`
    SELECT m.id, m.serial_number, m.last_seen_at, m.status,
      ${connectionOf(sql)} AS connection
    FROM machines m WHERE m.id = ANY(${[...machineIds]}::uuid[]) AND m.archived_at IS NULL`;
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
