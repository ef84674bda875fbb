import { hash, randomBytes } from 'node:crypto';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import type { MqttLink } from '../broker/channel.ts';
import { loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';

/** An instance that joined or left is announced to the others immediately. */
const instancesChannel = 'ingest_instances_changed';
/** Each instance repeats here for which division a broker sends it the messages of its machines. */
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

/** The instances that divide the machines at a broker, as one of them sees it. */
export interface Division {
  /** In the order of their ids. */
  readonly ids: readonly string[];
  owns(serialNumber: string): boolean;
}

/** The instances that are connected to one broker. */
export interface InstancesAtBroker {
  /** Unknown until the instances were read once. */
  readonly division: Division | undefined;
  /** Whether every other instance receives the messages of its machines by the division that this one knows. */
  readonly areOthersReady: boolean;
  /** Called when the division or the readiness of another instance may have changed. */
  onChange(handler: () => void): void;
  /** States whether this instance receives the messages of its machines; asked about once a second. */
  readyWhen(isReady: (division: Division) => boolean): void;
}

export interface Instances {
  /** How many instances divide the machines of a broker, as far as this one knows: at the broker with most of them. */
  readonly count: number;
  /** Whether every other instance is ready at each broker that this one is connected to. */
  readonly areOthersReady: boolean;
  at(link: Pick<MqttLink, 'broker'>): InstancesAtBroker;
  /** Leaves its machines to the others; they are ready for them when `areOthersReady` is. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

export interface InstancesParts {
  readonly sql: Database;
  readonly links: readonly Pick<MqttLink, 'broker' | 'isConnected' | 'onConnect'>[];
  readonly log: Logger;
  /** Of this process; different after each start. */
  readonly id?: string;
}

const keyOf = ({ ids }: Division): string => hash('sha1', ids.join(), 'hex');

/** The division of the machines of one broker. */
class BrokerDivision implements InstancesAtBroker {
  division: Division | undefined;
  readonly #id: string;
  /** The division that each instance has stated last, since this one knows the present division. */
  readonly #statedBy = new Map<string, string>();
  readonly #handlers = new Set<() => void>();
  #isReady: (division: Division) => boolean = always;

  constructor(id: string) {
    this.#id = id;
  }

  get areOthersReady(): boolean {
    const key = this.division && keyOf(this.division);
    return this.division?.ids.every((other) => other === this.#id || this.#statedBy.get(other) === key) ?? false;
  }

  onChange(handler: () => void): void {
    this.#handlers.add(handler);
  }

  readyWhen(isReady: (division: Division) => boolean): void {
    this.#isReady = isReady;
  }

  /** What this instance states at present; undefined while it does not receive the messages of its machines. */
  statement(): string | undefined {
    return this.division && this.#isReady(this.division) ? keyOf(this.division) : undefined;
  }

  stated(other: string, key: string): void {
    if (other === this.#id || this.#statedBy.get(other) === key) return;
    this.#statedBy.set(other, key);
    this.#changed();
  }

  /** Returns whether it is another division. */
  set(ids: readonly string[]): boolean {
    if (this.division !== undefined && ids.join() === this.division.ids.join()) return false;
    this.division = { ids, owns: (serialNumber) => ownerOf(serialNumber, ids) === this.#id };
    this.#statedBy.clear();
    this.#changed();
    return true;
  }

  #changed(): void {
    for (const handler of this.#handlers) handler();
  }
}

interface InstanceRow {
  readonly id: string;
  /** Null: it knows one broker. */
  readonly brokers: string[] | null;
}

/**
 * Joins the instances that divide the machines. An instance that reaches the database and a broker renews its row, which
 * names the brokers that it is connected to; at each broker those that are connected to it divide the machines. One that is
 * killed, hangs or has lost the database is replaced after some seconds, and one that has lost a broker at that broker. For a moment two
 * instances may see different rows. Then either both store a machine's journal, each entry once, or neither does and the board
 * resends its unacknowledged entries. An instance keeps what it loses to another one until that one states that it is ready.
 */
class JoinedInstances implements Instances {
  readonly #sql: Database;
  readonly #log: Logger;
  readonly #id: string;
  readonly #links: InstancesParts['links'];
  readonly #divisions: ReadonlyMap<string, BrokerDivision>;
  readonly #mayLog = createLogGate(60_000);
  readonly #listening: readonly Promise<{ unlisten(): Promise<void> }>[];
  readonly #stops: readonly (() => void)[];
  #hasLeft = false;
  #renewing: Promise<void> | undefined;
  #isDueAgain = false;

  constructor({ sql, links, log, id = randomBytes(8).toString('hex') }: InstancesParts) {
    this.#sql = sql;
    this.#log = log;
    this.#id = id;
    this.#links = links;
    this.#divisions = new Map(links.map(({ broker }) => [broker, new BrokerDivision(id)]));
    const renewNow = (): void => this.#renewNow();
    const timer = setInterval(renewNow, renewEveryMs);
    this.#stops = [() => clearInterval(timer), ...links.map((link) => link.onConnect(renewNow))];
    this.#listening = [
      sql.listen(instancesChannel, renewNow),
      sql.listen(readyChannel, (payload) => this.#onStated(payload)),
    ];
    Promise.all(this.#listening).catch((error: unknown) =>
      log.warn(loggable(error), 'instance notifications unavailable'),
    );
    // Rows of instances that were killed.
    sql`DELETE FROM ingest_instances WHERE seen_at < now() - interval '1 hour'`.catch((error: unknown) =>
      log.warn(loggable(error), 'ended instances not removed'),
    );
  }

  get count(): number {
    return Math.max(0, ...Array.from(this.#divisions.values(), ({ division }) => division?.ids.length ?? 0));
  }

  get areOthersReady(): boolean {
    return this.#links.every((link) => !link.isConnected || this.at(link).areOthersReady);
  }

  at({ broker }: Pick<MqttLink, 'broker'>): BrokerDivision {
    const division = this.#divisions.get(broker);
    if (division === undefined) throw new Error(`no broker ${broker}`);
    return division;
  }

  async leave(): Promise<void> {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    for (const stop of this.#stops) stop();
    await this.#renewing;
    try {
      const sql = this.#sql;
      await sql`DELETE FROM ingest_instances WHERE id = ${this.#id}`;
      await this.#announce();
    } catch (error) {
      // The others detect it by the age of the row.
      this.#log.warn(loggable(error), 'instance not removed');
    }
    for (const division of this.#divisions.values())
      division.set((division.division?.ids ?? []).filter((other) => other !== this.#id));
  }

  async close(): Promise<void> {
    await this.leave();
    for (const listener of await Promise.allSettled(this.#listening))
      if (listener.status === 'fulfilled') await listener.value.unlisten();
  }

  #announce() {
    const sql = this.#sql;
    return sql`SELECT pg_notify(${instancesChannel}, ${this.#id})`;
  }

  #onStated(payload: string): void {
    const [other = '', key = '', broker] = payload.split(' ');
    const isOnly = this.#links.length === 1;
    for (const [name, division] of this.#divisions)
      if (broker === undefined || isOnly || broker === name) division.stated(other, key);
  }

  async #renew(brokers: readonly string[]): Promise<void> {
    const sql = this.#sql;
    // Several addresses may lead to the only broker.
    const named = this.#links.length > 1 ? [...brokers] : null;
    // The statement sees the rows as they were before it.
    const before = await sql<InstanceRow[]>`
      WITH renewed AS (
        INSERT INTO ingest_instances (id, seen_at, brokers) VALUES (${this.#id}, now(), ${named}::text[])
        ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, brokers = excluded.brokers)
      SELECT id, brokers FROM ingest_instances
      WHERE seen_at > now() - make_interval(secs => ${endedAfterSeconds}) ORDER BY id`;
    const own = before.find(({ id }) => id === this.#id);
    const others = before.filter(({ id }) => id !== this.#id);
    // Where it has no connection, it keeps its subscriptions for the next one: all may have lost that broker.
    for (const broker of brokers) {
      const there = named === null ? others : others.filter((other) => other.brokers?.includes(broker) ?? true);
      const ids = [...there.map(({ id }) => id), this.#id].toSorted();
      if (this.at({ broker }).set(ids)) this.#log.info({ instances: ids.length, broker }, 'instances changed');
    }
    if (own === undefined || own.brokers?.join() !== named?.join()) await this.#announce();
    for (const broker of others.length > 0 ? brokers : []) {
      const key = this.at({ broker }).statement();
      if (key === undefined) continue;
      const words = [this.#id, key, ...(named === null ? [] : [broker])];
      await sql`SELECT pg_notify(${readyChannel}, ${words.join(' ')})`;
    }
  }

  async #renewUntilCurrent(): Promise<void> {
    do {
      this.#isDueAgain = false;
      // Without a broker this instance receives nothing, so the others must take over its machines.
      const brokers = this.#links.filter(({ isConnected }) => isConnected).map(({ broker }) => broker);
      if (this.#hasLeft || brokers.length === 0) break;
      await this.#renew(brokers.toSorted()).catch((error: unknown) => {
        const more = this.#mayLog('renew');
        if (more !== undefined) this.#log.warn({ ...loggable(error), more }, 'instances not read');
      });
    } while (this.#isDueAgain);
  }

  #renewNow(): void {
    this.#isDueAgain = true;
    this.#renewing ??= this.#renewUntilCurrent().finally(() => (this.#renewing = undefined));
  }
}

export const joinInstances = (parts: InstancesParts): Instances => new JoinedInstances(parts);
