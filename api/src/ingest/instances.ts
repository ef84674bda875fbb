import { hash, randomBytes } from 'node:crypto';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import type { MqttLink } from '../broker/link.ts';
import { loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';

/** An instance that joined or left is announced to the others immediately. */
const instancesChannel = 'ingest_instances_changed';
/** Each instance repeats here for which division the broker sends it the messages of its machines. */
const readyChannel = 'ingest_instances_ready';
const renewEveryMs = 1000;
const always = (): boolean => true;
/** An instance counts as ended when it has not renewed its row for this long. A busy Postgres delays a renewal. */
const endedAfterSeconds = 4;

/**
 * The instance that stores the journals of a machine: the one with the highest hash of both (rendezvous hashing). When an instance
 * ends, only its machines move.
 */
export const ownerOf = (serialNumber: string, instances: readonly string[]): string | undefined => {
  let owner: string | undefined;
  let highest = '';
  for (const instance of instances) {
    const weight = hash('sha1', `${instance}/${serialNumber}`, 'hex');
    if (weight <= highest) continue;
    highest = weight;
    owner = instance;
  }
  return owner;
};

/** The instances that divide the machines, as one of them sees it. */
export interface Division {
  /** In the order of their ids. */
  readonly ids: readonly string[];
  owns(serialNumber: string): boolean;
}

export interface Instances {
  /** Unknown until the instances were read once. */
  readonly division: Division | undefined;
  /** How many instances divide the journals, as far as this one knows. */
  readonly count: number;
  /** Whether every other instance receives the messages of its machines by the division that this one knows. */
  readonly areOthersReady: boolean;
  /** Called when the division or the readiness of another instance may have changed. */
  onChange(handler: () => void): void;
  /** States whether this instance receives the messages of its machines; asked about once a second. */
  readyWhen(isReady: (division: Division) => boolean): void;
  /** Leaves its machines to the others; they are ready for them when `areOthersReady` is. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

export interface InstancesParts {
  readonly sql: Database;
  readonly mqtt: Pick<MqttLink, 'isConnected' | 'onConnect'>;
  readonly log: Logger;
  /** Of this process; different after each start. */
  readonly id?: string;
}

/**
 * Joins the instances that divide the machines. An instance that reaches the database and the broker renews its row;
 * one that is killed, hangs or has lost either is replaced after some seconds. For a moment two instances may see
 * different rows. Then either both store a machine's journal, each entry once, or neither does and the board resends
 * its unacknowledged entries. An instance keeps what it loses to another one until that one states that it is ready.
 */
export const joinInstances = ({ sql, mqtt, log, id = randomBytes(8).toString('hex') }: InstancesParts): Instances => {
  const mayLog = createLogGate(60_000);
  let division: Division | undefined;
  let isReady: (division: Division) => boolean = always;
  /** The division that each instance has stated last, since this one knows the present division. */
  const statedBy = new Map<string, string>();
  const handlers = new Set<() => void>();
  let hasLeft = false;

  const keyOf = ({ ids }: Division): string => hash('sha1', ids.join(), 'hex');
  const setDivision = (ids: readonly string[]): void => {
    if (division !== undefined && ids.join() === division.ids.join()) return;
    log.info({ instances: ids.length }, 'instances changed');
    division = { ids, owns: (serialNumber) => ownerOf(serialNumber, ids) === id };
    statedBy.clear();
    for (const handler of handlers) handler();
  };
  const onStated = (payload: string): void => {
    const [other = '', key = ''] = payload.split(' ');
    if (other === id || statedBy.get(other) === key) return;
    statedBy.set(other, key);
    for (const handler of handlers) handler();
  };

  const announce = () => sql`SELECT pg_notify(${instancesChannel}, ${id})`;
  const renew = async (): Promise<void> => {
    // The statement sees the rows as they were before it.
    const before = await sql<{ id: string }[]>`
      WITH renewed AS (
        INSERT INTO ingest_instances (id, seen_at) VALUES (${id}, now())
        ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at)
      SELECT id FROM ingest_instances
      WHERE seen_at > now() - make_interval(secs => ${endedAfterSeconds}) ORDER BY id`;
    const others = before.map((row) => row.id).filter((other) => other !== id);
    setDivision([...others, id].toSorted());
    if (before.length === others.length) await announce();
    if (others.length > 0 && division !== undefined && isReady(division))
      await sql`SELECT pg_notify(${readyChannel}, ${`${id} ${keyOf(division)}`})`;
  };

  let renewing: Promise<void> | undefined;
  let isDueAgain = false;
  const renewUntilCurrent = async (): Promise<void> => {
    do {
      isDueAgain = false;
      // Without the broker this instance receives nothing, so the others must take over its machines.
      if (hasLeft || !mqtt.isConnected) break;
      await renew().catch((error: unknown) => {
        const more = mayLog('renew');
        if (more !== undefined) log.warn({ ...loggable(error), more }, 'instances not read');
      });
    } while (isDueAgain);
  };
  const renewNow = (): void => {
    isDueAgain = true;
    renewing ??= renewUntilCurrent().finally(() => (renewing = undefined));
  };

  const stopConnect = mqtt.onConnect(renewNow);
  const timer = setInterval(renewNow, renewEveryMs);
  const listening = sql.listen(instancesChannel, renewNow);
  const hearing = sql.listen(readyChannel, onStated);
  Promise.all([listening, hearing]).catch((error: unknown) =>
    log.warn(loggable(error), 'instance notifications unavailable'),
  );
  // Rows of instances that were killed.
  sql`DELETE FROM ingest_instances WHERE seen_at < now() - interval '1 hour'`.catch((error: unknown) =>
    log.warn(loggable(error), 'ended instances not removed'),
  );

  const leave = async (): Promise<void> => {
    if (hasLeft) return;
    hasLeft = true;
    clearInterval(timer);
    stopConnect();
    await renewing;
    try {
      await sql`DELETE FROM ingest_instances WHERE id = ${id}`;
      await announce();
    } catch (error) {
      // The others detect it by the age of the row.
      log.warn(loggable(error), 'instance not removed');
    }
    setDivision((division?.ids ?? []).filter((other) => other !== id));
  };
  return {
    get division() {
      return division;
    },
    get count() {
      return division?.ids.length ?? 0;
    },
    get areOthersReady() {
      const key = division && keyOf(division);
      return division?.ids.every((other) => other === id || statedBy.get(other) === key) ?? false;
    },
    onChange: (handler) => void handlers.add(handler),
    readyWhen: (asked) => void (isReady = asked),
    leave,
    async close() {
      await leave();
      for (const listener of await Promise.allSettled([listening, hearing]))
        if (listener.status === 'fulfilled') await listener.value.unlisten();
    },
  };
};
