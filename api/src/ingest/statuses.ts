import { allMachines, parseTopic, statusShape, type DeviceStatus } from '@roastery/contract/mqtt';
import { parseJson } from '@roastery/contract/parse-shape';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import type { MqttLink } from '../broker/link.ts';
import { loggable } from '../db/postgres-errors.ts';
import type { Database, Sql } from '../db/sql.ts';

/** Notification channel on which every instance hears that a machine's connection state changed; the payload is its id. */
export const machineStatusChannel = 'machine_status';

const maxStatusBytes = 16 * 1024;

export const parseStatus = (payload: Buffer): DeviceStatus | undefined => {
  if (payload.length === 0 || payload.length > maxStatusBytes) return undefined;
  return parseJson(statusShape, payload.toString('utf8')).data;
};

/** So many connections of a board are remembered. */
const maxConnections = 8;

/** Notes a connection of a board, and whether two boards take turns; nothing for an agent that does not name its run. */
const noteConnection = (sql: Sql, { instance, session }: DeviceStatus) => {
  if (instance === undefined) return sql``;
  const connection = `${instance}/${session}`;
  return sql`
      board_connections = CASE WHEN ${connection} = ANY(board_connections) THEN board_connections
        ELSE (board_connections || ${connection}::text)[greatest(1, cardinality(board_connections) + 2 - ${maxConnections}::int):] END,
      credential_shared_at = CASE WHEN ${connection} <> ALL(board_connections)
          AND split_part(board_connections[cardinality(board_connections)], '/', 1) <> ${instance}
          AND EXISTS (SELECT FROM unnest(board_connections) AS known WHERE split_part(known, '/', 1) = ${instance})
        THEN now() ELSE credential_shared_at END,`;
};

/**
 * Keeps what a board says of itself. An `offline` of another session than the one that is known is the late last will of
 * an older connection and changes nothing. A retained status that a broker repeats says nothing new about when we heard
 * from the board.
 */
export const storeStatus = async (sql: Sql, serialNumber: string, status: DeviceStatus): Promise<boolean> => {
  const rows = await sql<{ id: string }[]>`
    UPDATE machines SET
      ${status.online ? noteConnection(sql, status) : sql``}
      is_online = ${status.online},
      status_session = ${status.session},
      status = ${status.online ? sql.json(status) : sql`coalesce(status, ${sql.json(status)}::jsonb) || jsonb_build_object('online', false)`},
      last_seen_at = CASE WHEN ${status.online} AND NOT (is_online AND status = ${sql.json(status)}::jsonb) THEN now() ELSE last_seen_at END
    WHERE serial_number = ${serialNumber} AND archived_at IS NULL
      AND (${status.online} OR status_session IS NULL OR status_session = ${status.session})
    RETURNING id`;
  const [machine] = rows;
  if (machine === undefined) return false;
  await sql`SELECT pg_notify(${machineStatusChannel}, ${machine.id})`;
  return true;
};

/** What waits to be stored of one board. */
interface Waiting {
  statuses: DeviceStatus[];
}

/**
 * An online status says all that there is to know, so those before it need not be stored any more. An offline one may be
 * the late last will of another session: it counts beside what waits.
 */
const joinStatuses = (waiting: readonly DeviceStatus[], next: DeviceStatus): DeviceStatus[] =>
  next.online
    ? [next]
    : [...waiting.filter(({ online, session }) => online || session !== next.session), next].slice(-3);

/** Follows the statuses of all boards. They are few; each is stored by itself, one after the other for each board. */
export const followStatuses = (
  { sql, mqtt, log }: { sql: Database; mqtt: MqttLink; log: Logger },
  onStored: (serialNumber: string, status: DeviceStatus) => Promise<void>,
): (() => void) => {
  const boards = new Map<string, Waiting>();
  const mayLog = createLogGate(60_000);
  const storeAll = async (serialNumber: string, waiting: Waiting): Promise<void> => {
    for (let next = waiting.statuses.shift(); next !== undefined; next = waiting.statuses.shift()) {
      try {
        if (await storeStatus(sql, serialNumber, next)) await onStored(serialNumber, next);
      } catch (error) {
        log.warn({ ...loggable(error), serialNumber }, 'a status could not be stored');
      }
    }
    boards.delete(serialNumber);
  };
  return mqtt.subscribe(allMachines('status'), 1, (topic, payload) => {
    const place = parseTopic(topic);
    // Empty: a retained status was cleared.
    if (place?.kind !== 'status' || payload.length === 0) return;
    const { serialNumber } = place;
    const status = parseStatus(payload);
    if (status === undefined) {
      if (mayLog(serialNumber) !== undefined) log.warn({ serialNumber }, 'a status was not understood');
      return;
    }
    const waiting = boards.get(serialNumber);
    if (waiting !== undefined) {
      waiting.statuses = joinStatuses(waiting.statuses, status);
      return;
    }
    const first = { statuses: [status] };
    boards.set(serialNumber, first);
    void storeAll(serialNumber, first);
  });
};
