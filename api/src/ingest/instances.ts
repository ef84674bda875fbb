import { hash, randomBytes } from 'node:crypto';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import type { MqttLink } from '../broker/link.ts';
import { loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';

/** An instance that joined or left is announced to the others immediately. */
const instancesChannel = 'ingest_instances_changed';
const renewEveryMs = 1000;
/** An instance counts as ended when it has not renewed its row for this long. A busy Postgres delays a renewal. */
const endedAfterSeconds = 4;
const maxKnownSerials = 50_000;

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

export interface Instances {
  /** Whether this instance stores the journals of a machine. True for every machine until it knows the others. */
  owns(serialNumber: string): boolean;
  /** How many instances divide the journals, as far as this one knows. */
  readonly count: number;
  /** Leaves its machines to the others. */
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
 * its unacknowledged entries.
 */
export const joinInstances = ({ sql, mqtt, log, id = randomBytes(8).toString('hex') }: InstancesParts): Instances => {
  const mayLog = createLogGate(60_000);
  let instances: readonly string[] = [id];
  const owned = new Map<string, boolean>();
  let hasLeft = false;

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
    const next = [...others, id].toSorted();
    if (next.join() !== instances.join()) {
      log.info({ instances: next.length }, 'instances changed');
      instances = next;
      owned.clear();
    }
    if (before.length === others.length) await announce();
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
  listening.catch((error: unknown) => log.warn(loggable(error), 'instance notifications unavailable'));
  // Rows of instances that were killed.
  sql`DELETE FROM ingest_instances WHERE seen_at < now() - interval '1 hour'`.catch((error: unknown) =>
    log.warn(loggable(error), 'ended instances not removed'),
  );

  return {
    owns(serialNumber) {
      const known = owned.get(serialNumber);
      if (known !== undefined) return known;
      const isOwned = ownerOf(serialNumber, instances) === id;
      if (owned.size >= maxKnownSerials) owned.clear();
      owned.set(serialNumber, isOwned);
      return isOwned;
    },
    get count() {
      return instances.length;
    },
    async close() {
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
      await listening.then(
        (listener) => listener.unlisten(),
        () => undefined,
      );
    },
  };
};
