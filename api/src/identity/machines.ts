import { createHash } from 'node:crypto';
import type { Connection } from '@roastery/contract/machines';
import { type DeviceStatus, noMapDetail, statusShape } from '@roastery/contract/mqtt';
import { parseShape } from '@roastery/contract/parse-shape';
import type { SignedInUser } from '../http/server-context.ts';
import type { Sql } from '../db/sql.ts';
import { notFound } from '../http/app-error.ts';
import { requireMachine } from './access.ts';

export interface ManagedMachine {
  readonly id: string;
  readonly serial_number: string;
  readonly display_name: string;
  readonly machine_type: string;
  readonly max_capacity_kg: number;
}

const find = async (
  sql: Sql,
  user: SignedInUser,
  id: string,
  lock: 'FOR NO KEY UPDATE' | undefined,
): Promise<ManagedMachine> => {
  await requireMachine(sql, user, id, 'manage');
  const [machine] = await sql<ManagedMachine[]>`
    SELECT id, serial_number, display_name, machine_type, max_capacity_kg FROM machines
     WHERE id = ${id} AND archived_at IS NULL ${lock === undefined ? sql`` : sql`FOR NO KEY UPDATE`}`;
  if (!machine) throw notFound('Machine');
  return machine;
};

/** A machine in use that the caller may manage. Throws `not_found` or `forbidden`. */
export const findManagedMachine = (sql: Sql, user: SignedInUser, id: string): Promise<ManagedMachine> =>
  find(sql, user, id, undefined);

/**
 * The same, locked until the transaction ends: a change of credentials or tickets locks its machine first. Not FOR UPDATE: ingest,
 * which stores rows that refer to the machine, would wait.
 */
export const lockManagedMachine = (tx: Sql, user: SignedInUser, id: string): Promise<ManagedMachine> =>
  find(tx, user, id, 'FOR NO KEY UPDATE');

/** A machine `m` is online: its board reported it and sent a message within a minute. */
export const isOnline = (sql: Sql, at = sql`now()`) =>
  sql`(m.is_online AND m.last_seen_at > ${at} - interval '1 minute')`;

/** The connection of a machine `m`, as `Connection` of the contract. */
export const connectionOf = (sql: Sql) => sql`
  CASE WHEN m.last_seen_at IS NULL THEN 'never_connected' WHEN ${isOnline(sql)} THEN 'online' ELSE 'offline' END`;

/** Whether and where a machine `m` does not answer its board, as `MachineSilence` of the contract. */
export const silenceOf = (sql: Sql) => sql`
  CASE WHEN ${isOnline(sql)} THEN m.silent_since END AS silent_since,
  coalesce(CASE WHEN m.map -> 'link' ->> 'host' LIKE '%:%' THEN '[' || (m.map -> 'link' ->> 'host') || ']'
                ELSE m.map -> 'link' ->> 'host' END || ':' || (m.map -> 'link' ->> 'port'),
           m.map -> 'link' ->> 'path') AS address`;

/** A machine `m` whose board reported that it has no machine map. */
export const lacksMapOf = (sql: Sql) => sql`
  coalesce(m.status -> 'map' IS NULL AND starts_with(m.status ->> 'machine_link_detail', ${noMapDetail}), false)`;

export interface MachineConnection {
  readonly connection: Connection;
  readonly last_seen_at: string | null;
  readonly status: DeviceStatus | null;
}

export interface WatchedMachine extends MachineConnection {
  readonly id: string;
  readonly serialNumber: string;
  /** Map revisions, as `id@rev`, whose bean and exhaust are exchanged, by a statement about this machine. */
  readonly exchanged: readonly string[];
}

interface ConnectionRow {
  id: string;
  serial_number: string;
  connection: Connection;
  last_seen_at: string | null;
  status: unknown;
  exchanged: string[];
}

/** Connection of these machines; archived and deleted ones are absent. */
export const readConnections = async (
  sql: Sql,
  machineIds: readonly string[],
): Promise<Map<string, WatchedMachine>> => {
  const rows = await sql<ConnectionRow[]>`
    SELECT m.id, m.serial_number, m.last_seen_at, m.status,
      ${connectionOf(sql)} AS connection,
      ARRAY(SELECT e.map_id || '@' || e.map_rev FROM channel_exchanges e WHERE e.machine_id = m.id AND e.is_exchanged)
        AS exchanged
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
          exchanged: row.exchanged,
        },
      ];
    }),
  );
};

/**
 * The owner key of a machine's history. It is the same after a restore, and another for a machine registered again.
 */
export const historyOwner = (machineId: string, ownerId: string): string =>
  createHash('sha256').update(`${machineId}/${ownerId}`).digest('hex').slice(0, 16);
