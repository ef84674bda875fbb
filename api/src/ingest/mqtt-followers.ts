import { allMachines, type DeviceStatus, statusShape, topicOf } from '@roastery/contract/mqtt';
import type { Plans } from '@roastery/contract/roast-plan';
import type { Logger } from '@roastery/runtime/logger';
import type { MqttLink } from '../broker/link.ts';
import { subscribeJson } from '../broker/subscribe-json.ts';
import { loggable } from '../db/postgres-errors.ts';
import type { Database, Sql } from '../db/sql.ts';
import { clearRetained } from '../domains/machine-maps/clear-retained.ts';
import { publishConfigs } from '../domains/machine-maps/publish-configs.ts';
import { readPlansOfMachine } from '../domains/planned/roast-plan.ts';

/** Notification channel: the connection state of a machine changed; the payload is the machine's id. */
export const machineStatusChannel = 'machine_status';

const maxStatusBytes = 16 * 1024;

/** Connections of a board that are remembered. */
const maxConnections = 8;

/** Records a connection of a board, and whether two boards take turns; nothing for an agent that does not name its run. */
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
 * Stores a board's status. An `offline` of another session than the known one is the late last will of an older connection and
 * changes nothing. A retained status that a broker repeats does not change `last_seen_at`.
 */
const storeStatus = async (sql: Sql, serialNumber: string, status: DeviceStatus): Promise<boolean> => {
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

/** Statuses of one board that wait for the database. */
interface StatusQueue {
  statuses: DeviceStatus[];
}

/**
 * An online status is complete, so it replaces those before it. An offline one may be the late last will of another session: it
 * is queued beside them.
 */
const enqueue = (queued: readonly DeviceStatus[], next: DeviceStatus): DeviceStatus[] =>
  next.online
    ? [next]
    : [...queued.filter(({ online, session }) => online || session !== next.session), next].slice(-3);

/** Stores the statuses of all boards, one after the other for each board. */
export const followStatuses = (
  { sql, mqtt, log }: { sql: Database; mqtt: MqttLink; log: Logger },
  onStored: (serialNumber: string, status: DeviceStatus) => Promise<void>,
): (() => void) => {
  const queues = new Map<string, StatusQueue>();
  const storeAll = async (serialNumber: string, queue: StatusQueue): Promise<void> => {
    for (let next = queue.statuses.shift(); next !== undefined; next = queue.statuses.shift()) {
      try {
        if (await storeStatus(sql, serialNumber, next)) await onStored(serialNumber, next);
      } catch (error) {
        log.warn({ ...loggable(error), serialNumber }, 'status not stored');
      }
    }
    queues.delete(serialNumber);
  };
  return subscribeJson(
    { mqtt, log },
    { filter: allMachines('status'), qos: 1, shape: statusShape, maxBytes: maxStatusBytes },
    (status, serialNumber) => {
      const queue = queues.get(serialNumber);
      if (queue !== undefined) {
        queue.statuses = enqueue(queue.statuses, status);
        return;
      }
      const first = { statuses: [status] };
      queues.set(serialNumber, first);
      void storeAll(serialNumber, first);
    },
  );
};

interface PlanParts {
  readonly sql: Database;
  readonly mqtt: MqttLink;
  readonly log: Logger;
}

/** Notification channel of the database's triggers: the plans of a machine changed; the payload is the machine's id. */
const plansChangedChannel = 'plans_changed';

/** Publishes a machine's plans, retained. An empty list too: a board that was offline must learn of a cancelled plan. */
const publishPlans = async ({ sql, mqtt }: PlanParts, machineId: string): Promise<void> => {
  const [machine] = await sql<{ serial_number: string }[]>`
    SELECT serial_number FROM machines WHERE id = ${machineId} AND archived_at IS NULL`;
  if (machine === undefined) return;
  const payload: Plans = { v: 1, plans: await readPlansOfMachine(sql, machineId) };
  await mqtt.publish(topicOf(machine.serial_number, 'plan'), JSON.stringify(payload), { qos: 1, retain: true });
};

/**
 * Publishes the plans of a machine when they change, and those of all machines after each (re)connect to the broker or to the
 * database: a broker may have lost its retained messages, and changes may have been missed.
 */
export const followPlans = (parts: PlanParts): (() => Promise<void>) => {
  const { sql, mqtt, log } = parts;
  // One after the other per machine, and once for several changes: the newest plans are published last.
  const working = new Map<string, Promise<void>>();
  const waiting = new Set<string>();
  const publish = (machineId: string): void => {
    if (waiting.has(machineId)) return;
    waiting.add(machineId);
    const next = (working.get(machineId) ?? Promise.resolve())
      .then(() => {
        waiting.delete(machineId);
        return mqtt.isConnected ? publishPlans(parts, machineId) : undefined;
      })
      .catch((error: unknown) => log.warn(loggable(error), 'plans not published'))
      .finally(() => {
        if (working.get(machineId) === next) working.delete(machineId);
      });
    working.set(machineId, next);
  };
  const publishAll = async (): Promise<void> => {
    const rows = await sql<{ machine_id: string }[]>`
      SELECT id AS machine_id FROM machines m WHERE archived_at IS NULL
        AND EXISTS (SELECT 1 FROM planned_roasts p WHERE p.machine_id = m.id)`;
    for (const row of rows) publish(row.machine_id);
  };
  const publishAllNow = (): void => {
    publishAll().catch((error: unknown) => log.warn(loggable(error), 'plans not published'));
  };
  const listening = sql.listen(plansChangedChannel, publish, publishAllNow);
  listening.catch((error: unknown) => log.warn(loggable(error), 'plan notifications unavailable'));
  const stopConnect = mqtt.onConnect(publishAllNow);
  return async () => {
    stopConnect();
    const ended = await Promise.allSettled([listening.then((listener) => listener.unlisten()), ...working.values()]);
    for (const { reason } of ended.filter((end) => end.status === 'rejected'))
      log.debug(loggable(reason), 'plan publishing ended with an error');
  };
};

/**
 * Publishes the config of every machine's board, retained, after each (re)connect to the broker, which may have lost its retained
 * messages. Retained messages of deleted machines are cleared first.
 */
export const followConfigs = (context: { sql: Database; mqtt: MqttLink; log: Logger }): (() => void) =>
  context.mqtt.onConnect(() => void clearRetained(context).then(() => publishConfigs(context)));
