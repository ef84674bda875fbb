import { type DeviceStatus, statusShape } from '@roastery/contract/mqtt';
import { parseJson, storableText } from '@roastery/contract/parse-shape';
import { createBackoff, pause } from '@roastery/runtime/backoff';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import type { MqttChannel, SubscribeKind } from '../../broker/channel.ts';
import { jsonHandler } from '../../broker/json-handler.ts';
import { isCollision, isDatabaseUnavailable, isTooSlow, loggable } from '../../db/postgres-errors.ts';
import type { Database, Sql, Statement } from '../../db/sql.ts';
import { publishConfigs } from '../machine-maps/publish-configs.ts';
import { historyRestoredChannel, publishStatements } from './history-statements.ts';

/** Notification channel: the connection state of a machine changed; the payload is the machine's id. */
export const machineStatusChannel = 'machine_status';

interface FollowerParts {
  readonly sql: Database;
  readonly mqtt: MqttChannel;
  readonly log: Logger;
}

const maxStatusBytes = 16 * 1024;
/** A database that is away would log a line for each statement. */
const logEveryMs = 60_000;

/** The same statement may succeed later. */
const isTemporary = (error: unknown): boolean => isDatabaseUnavailable(error) || isTooSlow(error);

/** How many connections of a board are remembered. */
const maxConnections = 8;

/** A text that Postgres can't store in JSON must not make its board offline. */
const storable = (status: DeviceStatus): DeviceStatus => {
  const text = JSON.stringify(status, (_, value: unknown) => (typeof value === 'string' ? storableText(value) : value));
  return parseJson(statusShape, text).data ?? status;
};

/** A status, and whether its broker had kept it. */
interface ReceivedStatus extends DeviceStatus {
  readonly retained: boolean;
}

interface BoardStatus {
  readonly serialNumber: string;
  readonly status: ReceivedStatus;
}

/** The place of a status among the connections of its board; null for an agent that knows one broker. */
const connectionOrder = (sql: Sql, status: Statement<readonly object[]>) => sql`
  CASE WHEN ${status} -> 'connection' IS NOT NULL
    THEN ARRAY[(${status} -> 'connection' ->> 'run')::bigint, (${status} -> 'connection' ->> 'count')::bigint] END`;

/**
 * Stores statuses, one of each board, in one statement: a fleet that reconnects sends thousands at once. Returns the
 * serial numbers whose status was stored. An `offline` of another session than the known one is the late last will of
 * an older connection and changes nothing, unless the board names an order and it is the newer one. An `online` of an
 * older connection of the same run, or one that its broker had kept, is what a broker that the board has left still says.
 * Another run that speaks now is another board with this credential. A retained status that a broker repeats does not change
 * `last_seen_at`. For an agent that names its run, the connection is recorded, and whether two boards alternate.
 */
const storeStatuses = async (sql: Sql, boards: readonly BoardStatus[]): Promise<Set<string>> => {
  const serials = boards.map(({ serialNumber }) => serialNumber);
  const instances = boards.map(({ status }) => status.instance ?? null);
  const rows = await sql<{ id: string; serial_number: string }[]>`
    UPDATE machines m SET
      board_connections = CASE WHEN NOT reported.online OR reported.instance IS NULL OR reported.connection = ANY(m.board_connections)
        THEN m.board_connections
        ELSE (m.board_connections || reported.connection)[greatest(1, cardinality(m.board_connections) + 2 - ${maxConnections}::int):] END,
      credential_shared_at = CASE WHEN reported.online AND reported.instance IS NOT NULL
          AND reported.connection <> ALL(m.board_connections)
          AND split_part(m.board_connections[cardinality(m.board_connections)], '/', 1) <> reported.instance
          AND EXISTS (SELECT FROM unnest(m.board_connections) AS known WHERE split_part(known, '/', 1) = reported.instance)
        THEN now() ELSE m.credential_shared_at END,
      is_online = reported.online,
      status_session = reported.session,
      status = CASE WHEN reported.online THEN reported.status
        ELSE coalesce(m.status, reported.status)
          || jsonb_strip_nulls(jsonb_build_object('online', false, 'connection', reported.status -> 'connection')) END,
      silent_since = CASE WHEN NOT reported.online THEN m.silent_since
        WHEN reported.status ->> 'machine_link' = 'failing' THEN coalesce(m.silent_since, now()) END,
      last_seen_at = CASE WHEN reported.online AND NOT (m.is_online AND m.status = reported.status) THEN now()
        ELSE m.last_seen_at END
    FROM (SELECT serial_number, online, session, instance, instance || '/' || session AS connection, status::jsonb AS status,
            retained, ${connectionOrder(sql, sql`status::jsonb`)} AS place
          FROM unnest(${serials}::text[], ${`{${boards.map(({ status }) => status.online).join(',')}}`}::boolean[],
            ${boards.map(({ status }) => status.session)}::text[], ${instances}::text[],
            ${boards.map(({ status: { retained: _retained, ...status } }) => JSON.stringify(status))}::text[],
            ${`{${boards.map(({ status }) => status.retained).join(',')}}`}::boolean[])
            AS reported (serial_number, online, session, instance, status, retained)) AS reported
    WHERE m.serial_number = reported.serial_number AND m.archived_at IS NULL
      AND m.id IN (SELECT id FROM machines WHERE serial_number = ANY(${serials}::text[]) AND archived_at IS NULL
                   ORDER BY id FOR NO KEY UPDATE)
      AND (m.status_session IS NULL OR m.status_session = reported.session OR reported.place > ${connectionOrder(sql, sql`m.status`)}
        OR reported.online AND ((reported.place >= ${connectionOrder(sql, sql`m.status`)}) IS NOT FALSE
          OR NOT reported.retained AND reported.instance IS DISTINCT FROM m.status ->> 'instance'))
    RETURNING m.id, m.serial_number`;
  if (rows.length > 0)
    await sql`SELECT pg_notify(${machineStatusChannel}, id) FROM unnest(${rows.map(({ id }) => id)}::text[]) AS id`;
  return new Set(rows.map(({ serial_number }) => serial_number));
};

/**
 * Boards that have a newer config than this database: a backup was restored. They would ignore new settings, so the
 * config is published again with a revision above theirs.
 */
const overtakeConfigs = async (parts: FollowerParts, boards: readonly BoardStatus[]): Promise<void> => {
  const taken = boards.flatMap(({ serialNumber, status: { online, config } }) =>
    online && config !== undefined && Number.isSafeInteger(config.rev + 1) ? [{ serialNumber, rev: config.rev }] : [],
  );
  if (taken.length === 0) return;
  const rows = await parts.sql<{ id: string; serial_number: string; rev: number }[]>`
    WITH newer AS (
      SELECT m.id, taken.rev
      FROM unnest(${taken.map(({ serialNumber }) => serialNumber)}::text[], ${taken.map(({ rev }) => rev)}::bigint[])
        AS taken (serial_number, rev)
      JOIN machines m ON m.serial_number = taken.serial_number
      WHERE m.archived_at IS NULL AND m.config_rev BETWEEN 1 AND taken.rev - 1
      ORDER BY m.id FOR NO KEY UPDATE OF m)
    UPDATE machines m SET config_rev = newer.rev + 1 FROM newer WHERE m.id = newer.id
    RETURNING m.id, m.serial_number, newer.rev`;
  for (const { serial_number: serialNumber, rev } of rows) parts.log.warn({ serialNumber, rev }, 'config republished');
  await publishConfigs(
    parts,
    rows.map(({ id }) => id),
  );
};

/** Whether it is of a later connection in the same run. */
const isNewer = (status: DeviceStatus, than: DeviceStatus): boolean =>
  status.instance !== undefined &&
  status.instance === than.instance &&
  (status.connection?.count ?? 0) > (than.connection?.count ?? Infinity);

/**
 * An online status is complete, so it replaces the ones queued before it. An offline one may be the late last will of
 * another session: it is queued in addition.
 */
const enqueue = (queued: readonly ReceivedStatus[], next: ReceivedStatus): readonly ReceivedStatus[] => {
  if (queued.some((other) => isNewer(other, next))) return queued;
  return next.online
    ? [next]
    : [...queued.filter(({ online, session }) => online || session !== next.session), next].slice(-3);
};

/** An answer is repeated after this time: it may have been lost. */
const repeatMs = 6 * 3_600_000;
/** Boards per query. */
const maxBoardsPerQuery = 50;

interface KnownBoard {
  readonly session: string;
  readonly epochs: Set<string>;
}

/**
 * Sends each online board that lists streams in its status the entries of them that the server has: once for each
 * stream and session, and again for all after the database was unavailable.
 */
const createHistories = ({ sql, mqtt, log }: FollowerParts) => {
  const boards = new Map<string, KnownBoard>();
  const mayLog = createLogGate(logEveryMs);
  const warn = (error: unknown): void => {
    const more = mayLog('failed');
    if (more !== undefined) log.warn({ ...loggable(error), more }, 'history statement failed');
  };

  /** Throws the last temporary error of the database, after all were tried. */
  const stateAll = async (held: { serialNumber: string; epochs: readonly string[] }[]): Promise<void> => {
    let temporary: unknown;
    for (let from = 0; from < held.length; from += maxBoardsPerQuery) {
      const some = held.slice(from, from + maxBoardsPerQuery);
      try {
        await publishStatements({ sql, mqtt }, some);
      } catch (error) {
        // The board's next status is answered again.
        for (const { serialNumber } of some) boards.delete(serialNumber);
        if (isTemporary(error)) temporary = error;
        else warn(error);
      }
    }
    if (temporary !== undefined) throw temporary;
  };
  const restate = async (serials: readonly string[]): Promise<void> => {
    const all = serials.map((serialNumber) => ({
      serialNumber,
      epochs: [...(boards.get(serialNumber)?.epochs ?? [])],
    }));
    await stateAll(all).catch(warn);
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
    /** Of different boards. Throws while the database is unavailable: the same statuses are answered again then. */
    async onStatuses(stored: readonly BoardStatus[]): Promise<void> {
      const held = stored.flatMap(({ serialNumber, status: { online, session, history } }) => {
        const known = boards.get(serialNumber);
        if (!online) {
          if (known?.session === session) boards.delete(serialNumber);
          return [];
        }
        const answered = known?.session === session ? known.epochs : new Set<string>();
        const listed = (history ?? []).map(({ epoch }) => epoch);
        boards.set(serialNumber, { session, epochs: new Set(listed) });
        const epochs = listed.filter((epoch) => !answered.has(epoch));
        return epochs.length > 0 ? [{ serialNumber, epochs }] : [];
      });
      await stateAll(held);
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

/** Boards per statement. */
const maxStatuses = 500;
/** Boards that wait while the database is unavailable: more than the largest fleet of the tests. */
const maxWaiting = 20_000;
/** A deadlock with another transaction is resolved by a retry. */
const collisionTries = 5;

interface StatusParts extends FollowerParts {
  readonly subscribe: SubscribeKind;
  /** A board says itself that it goes offline, and names its stream; a last will names none. */
  readonly onLeaving?: (serialNumber: string, epoch: string) => void;
}

/**
 * Stores the statuses of all boards, in order for each board, and answers them with the entries that the server has.
 * Statuses that arrive while others are stored share the next statement. While the database is unavailable they wait.
 */
export const followStatuses = (parts: StatusParts): (() => Promise<void>) => {
  const { sql, mqtt, log, subscribe, onLeaving } = parts;
  const histories = createHistories({ sql, mqtt, log });
  const waiting = new Map<string, readonly ReceivedStatus[]>();
  const stopping = new AbortController();
  const backoff = createBackoff(200, 2000);
  const mayLog = createLogGate(logEveryMs);
  let isStoring = false;
  let limit = maxStatuses;

  const warn = (message: string, boards: number, error?: unknown): void => {
    const more = mayLog(message);
    if (more !== undefined) log.warn({ ...(error === undefined ? {} : loggable(error)), boards, more }, message);
  };
  /** The oldest status of each of these boards. */
  const take = (): BoardStatus[] => {
    const taken: BoardStatus[] = [];
    for (const [serialNumber, [status, ...rest]] of waiting) {
      if (taken.length >= limit) break;
      if (rest.length === 0) waiting.delete(serialNumber);
      else waiting.set(serialNumber, rest);
      if (status !== undefined) taken.push({ serialNumber, status });
    }
    return taken;
  };
  /** Behind the other boards, and before what the same board has sent since. */
  const putBack = (boards: readonly BoardStatus[]): void => {
    for (const { serialNumber, status } of boards) {
      const later = waiting.get(serialNumber) ?? [];
      waiting.delete(serialNumber);
      waiting.set(serialNumber, later.reduce(enqueue, [status]));
    }
  };
  /** Returns false when the boards wait again. A board whose status can't be stored does not stop the others. */
  const store = async (boards: readonly BoardStatus[], tries = collisionTries): Promise<boolean> => {
    try {
      const counted = await storeStatuses(sql, boards);
      const known = boards.filter(({ serialNumber }) => counted.has(serialNumber));
      await overtakeConfigs({ sql, mqtt, log }, known);
      await histories.onStatuses(known);
      return true;
    } catch (error) {
      if (isCollision(error) && tries > 0) return store(boards, tries - 1);
      if (isTemporary(error)) {
        // One locked row must not hold up the other boards: the next statements take fewer.
        if (isTooSlow(error)) limit = Math.max(1, boards.length >> 1);
        putBack(boards);
        warn('statuses wait for the database', boards.length, error);
        return false;
      }
      if (boards.length === 1) {
        warn('status not stored', 1, error);
        return true;
      }
    }
    for (const [index, board] of boards.entries()) {
      if (await store([board])) continue;
      putBack(boards.slice(index + 1));
      return false;
    }
    return true;
  };
  const storeAll = async (): Promise<void> => {
    if (isStoring) return;
    isStoring = true;
    while (waiting.size > 0 && !stopping.signal.aborted) {
      if (await store(take())) {
        backoff.reset();
        limit = Math.min(maxStatuses, limit * 2);
      } else await pause(backoff.nextMs(), stopping.signal);
    }
    isStoring = false;
  };

  const onStatus = jsonHandler(
    log,
    { shape: statusShape, maxBytes: maxStatusBytes },
    (received, serialNumber, { retained }) => {
      if (!received.online && received.epoch !== undefined) onLeaving?.(serialNumber, received.epoch);
      const queued = waiting.get(serialNumber);
      if (queued === undefined && waiting.size >= maxWaiting) return warn('status queue full', waiting.size);
      waiting.set(serialNumber, enqueue(queued ?? [], { ...storable(received), retained }));
      void storeAll();
    },
  );
  const stop = subscribe('status', 1, onStatus);
  return async () => {
    stop();
    stopping.abort();
    await histories.close();
  };
};
