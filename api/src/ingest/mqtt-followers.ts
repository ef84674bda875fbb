import { allMachines, type DeviceStatus, statusShape, topicOf } from '@roastery/contract/mqtt';
import { parseJson, storableText } from '@roastery/contract/parse-shape';
import type { Plans } from '@roastery/contract/roast-plan';
import type { Logger } from '@roastery/runtime/logger';
import type { MqttLink } from '../broker/link.ts';
import { subscribeJson } from '../broker/subscribe-json.ts';
import { loggable } from '../db/postgres-errors.ts';
import type { Database, Sql } from '../db/sql.ts';
import { historyRestoredChannel, publishStatements } from '../domains/devices/history-statements.ts';
import { clearRetained } from '../domains/machine-maps/clear-retained.ts';
import { publishConfigs } from '../domains/machine-maps/publish-configs.ts';
import { readPlansOfMachine } from '../domains/planned/roast-plan.ts';

/** Notification channel: the connection state of a machine changed; the payload is the machine's id. */
export const machineStatusChannel = 'machine_status';

interface FollowerParts {
  readonly sql: Database;
  readonly mqtt: MqttLink;
  readonly log: Logger;
}

const maxStatusBytes = 16 * 1024;

/** How many connections of a board are remembered. */
const maxConnections = 8;

/**
 * Records a connection of a board and whether two boards alternate; does nothing for an agent that does not name its
 * run.
 */
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

/** A text that Postgres can't store in JSON must not make its board offline. */
const storable = (status: DeviceStatus): DeviceStatus => {
  const text = JSON.stringify(status, (_, value: unknown) => (typeof value === 'string' ? storableText(value) : value));
  return parseJson(statusShape, text).data ?? status;
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

/**
 * The board has a newer config than this database: a backup was restored. The board would ignore what is set here, so
 * the config is published again with a revision above the board's.
 */
const overtakeConfig = async (parts: FollowerParts, serialNumber: string, { config }: DeviceStatus): Promise<void> => {
  if (config === undefined || !Number.isSafeInteger(config.rev + 1)) return;
  const rows = await parts.sql<{ id: string }[]>`
    UPDATE machines SET config_rev = ${config.rev + 1}
    WHERE serial_number = ${serialNumber} AND archived_at IS NULL AND config_rev BETWEEN 1 AND ${config.rev - 1}
    RETURNING id`;
  if (rows.length === 0) return;
  parts.log.warn({ serialNumber, rev: config.rev }, 'config republished');
  await publishConfigs(
    parts,
    rows.map(({ id }) => id),
  );
};

/** Statuses of one board that wait for the database. */
interface StatusQueue {
  statuses: DeviceStatus[];
}

/**
 * An online status is complete, so it replaces the ones queued before it. An offline one may be the late last will of
 * another session: it is queued in addition.
 */
const enqueue = (queued: readonly DeviceStatus[], next: DeviceStatus): DeviceStatus[] =>
  next.online
    ? [next]
    : [...queued.filter(({ online, session }) => online || session !== next.session), next].slice(-3);

/** An answer is repeated after this time: it may have been lost. */
const repeatMs = 6 * 3_600_000;
/** Boards per query. */
const maxBoardsPerQuery = 50;

interface KnownBoard {
  readonly session: string;
  readonly epochs: Set<string>;
}

/**
 * Tells each online board that lists streams in its status which entries the server holds of them: once for each stream
 * and session, and again for all after the database was unavailable.
 */
const createHistories = ({ sql, mqtt, log }: FollowerParts) => {
  const boards = new Map<string, KnownBoard>();

  const state = async (held: { serialNumber: string; epochs: readonly string[] }[]): Promise<void> => {
    try {
      await publishStatements({ sql, mqtt }, held);
    } catch (error) {
      log.warn(loggable(error), 'history statement failed');
      // The board's next status is answered again.
      for (const { serialNumber } of held) boards.delete(serialNumber);
    }
  };

  const restate = async (serials: readonly string[]): Promise<void> => {
    const all = serials.map((serialNumber) => ({
      serialNumber,
      epochs: [...(boards.get(serialNumber)?.epochs ?? [])],
    }));
    for (let from = 0; from < all.length; from += maxBoardsPerQuery)
      await state(all.slice(from, from + maxBoardsPerQuery));
  };
  const restateAll = (): void => void restate([...boards.keys()]);
  const timer = setInterval(restateAll, repeatMs);
  timer.unref();
  let hasListened = false;
  const listening = sql.listen(
    historyRestoredChannel,
    (serialNumber) => void restate([serialNumber]),
    () => {
      // The database may have been restored from a backup.
      if (hasListened) restateAll();
      hasListened = true;
    },
  );
  listening.catch((error: unknown) => log.warn(loggable(error), 'restore notifications unavailable'));

  return {
    async onStatus(serialNumber: string, { online, session, history }: DeviceStatus): Promise<void> {
      if (!online) {
        if (boards.get(serialNumber)?.session === session) boards.delete(serialNumber);
        return;
      }
      const known = boards.get(serialNumber);
      const answered = known?.session === session ? known.epochs : new Set<string>();
      const listed = (history ?? []).map(({ epoch }) => epoch);
      boards.set(serialNumber, { session, epochs: new Set(listed) });
      const epochs = listed.filter((epoch) => !answered.has(epoch));
      if (epochs.length > 0) await state([{ serialNumber, epochs }]);
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await listening.then(
        (listener) => listener.unlisten(),
        () => undefined,
      );
    },
  };
};

/** Stores the statuses of all boards, in order for each board, and answers them with what the server holds. */
export const followStatuses = ({ sql, mqtt, log }: FollowerParts): (() => Promise<void>) => {
  const histories = createHistories({ sql, mqtt, log });
  const queues = new Map<string, StatusQueue>();
  const storeAll = async (serialNumber: string, queue: StatusQueue): Promise<void> => {
    for (let next = queue.statuses.shift(); next !== undefined; next = queue.statuses.shift()) {
      try {
        if (!(await storeStatus(sql, serialNumber, next))) continue;
        if (next.online) await overtakeConfig({ sql, mqtt, log }, serialNumber, next);
        await histories.onStatus(serialNumber, next);
      } catch (error) {
        log.warn({ ...loggable(error), serialNumber }, 'status not stored');
      }
    }
    queues.delete(serialNumber);
  };
  const stop = subscribeJson(
    { mqtt, log },
    { filter: allMachines('status'), qos: 1, shape: statusShape, maxBytes: maxStatusBytes },
    (received, serialNumber) => {
      const status = storable(received);
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
  return async () => {
    stop();
    await histories.close();
  };
};

/** Notification channel of the database's triggers: the plans of a machine changed; the payload is the machine's id. */
const plansChangedChannel = 'plans_changed';

/** Publishes a machine's plans, retained. An empty list too: a board that was offline must learn of a cancelled plan. */
const publishPlans = async ({ sql, mqtt }: FollowerParts, machineId: string): Promise<void> => {
  const [machine] = await sql<{ serial_number: string }[]>`
    SELECT serial_number FROM machines WHERE id = ${machineId} AND archived_at IS NULL`;
  if (machine === undefined) return;
  const payload: Plans = { v: 1, plans: await readPlansOfMachine(sql, machineId) };
  await mqtt.publish(topicOf(machine.serial_number, 'plan'), JSON.stringify(payload), { qos: 1, retain: true });
};

/**
 * Publishes the plans of a machine when they change, and those of all machines after each (re)connect to the broker or
 * to the database: a broker may have lost its retained messages, and the api may have missed changes.
 */
export const followPlans = (parts: FollowerParts): (() => Promise<void>) => {
  const { sql, mqtt, log } = parts;
  // One at a time per machine, and once for several changes: the newest plans are published last.
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
    // Also machines without a plan: after a backup was restored, a board may hold plans that this database lacks.
    const rows = await sql<{ id: string }[]>`SELECT id FROM machines WHERE archived_at IS NULL`;
    for (const { id } of rows) publish(id);
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
 * Publishes the config of every machine's board as a retained message after each (re)connect to the broker, which may
 * have lost it. Retained messages of deleted machines are cleared first.
 */
export const followConfigs = (context: FollowerParts): (() => void) =>
  context.mqtt.onConnect(() => void clearRetained(context).then(() => publishConfigs(context)));
