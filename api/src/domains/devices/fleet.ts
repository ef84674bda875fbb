import type { Device } from '@roastery/contract/fleet';
import { type DeviceStatus, statusShape } from '@roastery/contract/mqtt';
import { parseShape } from '@roastery/contract/parse-shape';
import { connectionOf } from '../../identity/machines.ts';
import { containing, type Sql } from '../../db/sql.ts';
import { configState } from '../machine-maps/board-config.ts';
import type { StoredOrder, StoredSettings } from '../machine-maps/configure-machine.ts';
import { orderOf } from './board-updates.ts';
import { standingCredentials } from './credentials.ts';
import { warningsOf } from './device-warnings.ts';
import { sealedHistory } from './restore-history.ts';
import { newestTickets } from './tickets.ts';

type Row = Pick<
  Device,
  'machine_id' | 'serial_number' | 'display_name' | 'machine_type' | 'owner_name' | 'connection' | 'last_seen_at'
> & {
  status: unknown;
  chosen: Device['config']['map'];
  config_rev: number;
  config_changed_at: string | null;
  credential_shared: boolean;
  board_settings: StoredSettings;
  board_order: StoredOrder | null;
};

/**
 * Two boards with one credential alternate at least this often, since a board waits at most half a minute before it
 * connects.
 */
const sharedMinutes = 10;

/** Machines in use with the last status of their boards. */
export const listDevices = async (
  sql: Sql,
  query: { limit: number; offset: number; q?: string | undefined },
): Promise<{ devices: Device[]; total: number }> => {
  const search = query.q === undefined || query.q === '' ? undefined : containing(query.q);
  const where = sql`
    m.archived_at IS NULL
    ${search === undefined ? sql`` : sql`AND (m.serial_number ILIKE ${search} OR m.display_name ILIKE ${search} OR o.full_name ILIKE ${search})`}`;
  const [count] = await sql<{ total: number }[]>`
    SELECT count(*) AS total FROM machines m JOIN users o ON o.id = m.owner_id WHERE ${where}`;
  const rows = await sql<Row[]>`
    SELECT m.id AS machine_id, m.serial_number, m.display_name, m.machine_type, o.full_name AS owner_name,
           ${connectionOf(sql)} AS connection,
           coalesce(m.credential_shared_at > now() - make_interval(mins => ${sharedMinutes}), false) AS credential_shared,
           m.last_seen_at, m.status, m.config_rev, m.config_changed_at, m.board_settings, m.board_order,
           CASE WHEN m.map IS NULL THEN NULL ELSE jsonb_build_object(
             'id', m.map -> 'id', 'rev', m.map -> 'rev', 'maker', m.map -> 'maker', 'model', m.map -> 'model',
             'verified', coalesce(m.map ->> 'verified', 'none'), 'notes', m.map -> 'notes') END AS chosen
      FROM machines m JOIN users o ON o.id = m.owner_id
     WHERE ${where} ORDER BY lower(m.display_name), m.id LIMIT ${query.limit} OFFSET ${query.offset}`;
  const ids = rows.map((row) => row.machine_id);
  const [credentials, tickets] = await Promise.all([standingCredentials(sql, ids), newestTickets(sql, ids)]);
  const devices = rows.map(({ status: stored, chosen, config_rev, config_changed_at, board_settings, ...rest }) => {
    const { board_order: ordered, ...row } = rest;
    const status = stored === null ? undefined : parseShape(statusShape, stored).data;
    const device = {
      ...row,
      ...described(status),
      config: {
        map: chosen,
        revision: config_rev,
        changed_at: config_changed_at,
        ...configState(config_rev, status, board_settings),
      },
      order: orderOf(ordered, status),
      takes_orders: status?.order !== undefined,
      credential: credentials.get(row.machine_id) ?? null,
      ticket: tickets.get(row.machine_id) ?? null,
    };
    return { ...device, warnings: warningsOf(device) };
  });
  return { devices, total: count?.total ?? 0 };
};

const journalOf = ({
  in_memory: isInMemory,
  entries_in_memory: count,
  ...journal
}: NonNullable<DeviceStatus['journal']>): NonNullable<Device['journal']> => ({
  ...journal,
  entries_in_memory: isInMemory === true ? (count ?? 0) : null,
});

const described = (status: DeviceStatus | undefined) => {
  return {
    agent_version: status?.agent_version ?? null,
    firmware_version: status?.firmware_version ?? null,
    map: status?.map ?? null,
    source: status?.source ?? null,
    machine_link: status?.machine_link ?? null,
    machine_link_detail: status?.machine_link_detail ?? null,
    journal: status?.journal === undefined ? null : journalOf(status.journal),
    sealed_history: sealedHistory(status?.history),
    clock_synced: status?.clock_synced ?? null,
    disk_free_bytes: status?.disk_free_bytes ?? null,
    update: status?.update ?? null,
  };
};
