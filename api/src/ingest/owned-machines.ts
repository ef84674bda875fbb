import { allMachines, topicOf, type TopicKind } from '@roastery/contract/mqtt';
import { pause } from '@roastery/runtime/backoff';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import type { MqttLink, SubscribeKind, TopicSet } from '../broker/channel.ts';
import { loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import { plansChangedChannel } from '../domains/planned/follow-plans.ts';
import type { Division, Instances, InstancesAtBroker } from './instances.ts';

/** Archived machines are forgotten, and machines whose announcement was missed are found, after this time. */
const rereadEveryMs = 60_000;
/** Machines whose owner is computed without a pause. */
const machinesAtOnce = 2000;
/** An instance that ends stays subscribed at most so long; boards resend after ten seconds. */
const [longestLeaveMs, leaveStepMs] = [3000, 100];

export interface OwnedMachines {
  /** Receives one kind of message of the machines that this instance owns, at each broker. */
  readonly subscribe: SubscribeKind;
  /** Leaves the machines to the other instances, and resolves when they receive the messages. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

interface Following {
  readonly kind: TopicKind;
  readonly set: TopicSet;
}

type Owned = Set<string> | 'all';

const topicsOf = (kind: TopicKind, serials: Iterable<string> | 'all'): string[] =>
  serials === 'all' ? [allMachines(kind)] : Array.from(serials, (serial) => topicOf(serial, kind));

/** The topics of this instance at one broker. */
class OwnedAtBroker {
  readonly #link: MqttLink;
  readonly #instances: InstancesAtBroker;
  readonly #followings = new Set<Following>();
  /** What was subscribed last, and for which division: serial numbers, or all machines. */
  #wanted: { readonly division: Division; readonly serials: Owned } | undefined;

  constructor(link: MqttLink, instances: InstancesAtBroker, onDivided: () => void) {
    this.#link = link;
    this.#instances = instances;
    instances.onChange(() => (this.#isCurrent() ? this.#letGo() : onDivided()));
    instances.readyWhen((division) => this.#wanted?.division === division && link.isSubscribed);
  }

  /** Whether others own a part of the machines. */
  get isShared(): boolean {
    return (this.#instances.division?.ids.length ?? 0) > 1;
  }

  subscribe(...[kind, qos, handler]: Parameters<SubscribeKind>): () => void {
    const following = { kind, set: this.#link.subscribeSet(qos, handler) };
    this.#followings.add(following);
    if (this.#wanted !== undefined) following.set.add(topicsOf(kind, this.#wanted.serials));
    return () => {
      this.#followings.delete(following);
      following.set.remove([...following.set.topics]);
    };
  }

  async divide(ownedBy: (division: Division) => Promise<Owned>): Promise<void> {
    const { division } = this.#instances;
    if (division === undefined) return;
    const serials = await ownedBy(division);
    if (division !== this.#instances.division) return;
    this.#wanted = { division, serials };
    for (const { kind, set } of this.#followings) set.add(topicsOf(kind, serials));
    this.#letGo();
  }

  addMachine(serial: string): void {
    const wanted = this.#wanted;
    if (wanted === undefined || wanted.serials === 'all' || !wanted.division.owns(serial)) return;
    wanted.serials.add(serial);
    for (const { kind, set } of this.#followings) set.add(topicsOf(kind, [serial]));
  }

  #isCurrent(): boolean {
    return this.#wanted !== undefined && this.#wanted.division === this.#instances.division;
  }

  #letGo(): void {
    if (this.#wanted === undefined || !this.#isCurrent() || !this.#instances.areOthersReady) return;
    for (const { kind, set } of this.#followings) {
      const topics = new Set(topicsOf(kind, this.#wanted.serials));
      set.remove([...set.topics].filter((topic) => !topics.has(topic)));
    }
  }
}

interface OwnedMachinesParts {
  readonly sql: Database;
  readonly links: readonly MqttLink[];
  readonly log: Logger;
  readonly instances: Instances;
}

/**
 * Subscribes to each machine that this instance owns at a broker by its own topic, so that the broker sends a message only where it
 * is stored; to all machines by one filter while this instance is alone there. A machine that another instance owns now is kept
 * until that one is subscribed: what both receive is stored once.
 */
class FollowedMachines implements OwnedMachines {
  readonly #sql: Database;
  readonly #log: Logger;
  readonly #instances: Instances;
  readonly #brokers: readonly OwnedAtBroker[];
  readonly #listening: Promise<{ unlisten(): Promise<void> }>;
  readonly #timer: NodeJS.Timeout;
  readonly #mayLog = createLogGate(60_000);
  /** Serial numbers of the machines in use, by id; read where other instances share them. */
  #machines = new Map<string, string>();
  #isStale = true;
  #hasLeft = false;
  #dividing: Promise<void> | undefined;
  #isDueAgain = false;

  constructor({ sql, links, log, instances }: OwnedMachinesParts) {
    this.#sql = sql;
    this.#log = log;
    this.#instances = instances;
    this.#brokers = links.map((link) => new OwnedAtBroker(link, instances.at(link), () => this.#divideNow()));
    const rereadNow = (): void => this.#rereadNow();
    this.#listening = sql.listen(
      plansChangedChannel,
      (id) =>
        void this.#addMachine(id).catch((error: unknown) => log.warn(loggable(error), 'new machine not subscribed')),
      rereadNow,
    );
    this.#listening.catch((error: unknown) => log.warn(loggable(error), 'new machines are found late'));
    this.#timer = setInterval(rereadNow, rereadEveryMs);
  }

  readonly subscribe: SubscribeKind = (kind, qos, handler) => {
    const stops = this.#brokers.map((broker) => broker.subscribe(kind, qos, handler));
    return () => {
      for (const stop of stops) stop();
    };
  };

  async leave(): Promise<void> {
    this.#hasLeft = true;
    await this.#instances.leave();
    for (let waited = 0; waited < longestLeaveMs && !this.#instances.areOthersReady; waited += leaveStepMs)
      await pause(leaveStepMs);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#instances.close();
    await this.#dividing;
    await this.#listening.then(
      (listener) => listener.unlisten(),
      () => undefined,
    );
  }

  async #readMachines(only?: string): Promise<Map<string, string>> {
    const sql = this.#sql;
    const rows = await sql<{ id: string; serial_number: string }[]>`
      SELECT id, serial_number FROM machines
      WHERE archived_at IS NULL ${only === undefined ? sql`` : sql`AND id = ${only}`}`;
    return new Map(rows.map((row) => [row.id, row.serial_number]));
  }

  async #ownedBy(division: Division): Promise<Owned> {
    if (division.ids.length === 1) return 'all';
    while (this.#isStale) {
      this.#isStale = false;
      try {
        this.#machines = await this.#readMachines();
      } catch (error) {
        this.#isStale = true;
        throw error;
      }
    }
    const owned = new Set<string>();
    let count = 0;
    for (const serial of this.#machines.values()) {
      if (division.owns(serial)) owned.add(serial);
      count += 1;
      if (count % machinesAtOnce === 0) await pause(0);
    }
    return owned;
  }

  async #divideUntilCurrent(): Promise<void> {
    do {
      this.#isDueAgain = false;
      for (const broker of this.#hasLeft ? [] : this.#brokers)
        await broker
          .divide((division) => this.#ownedBy(division))
          .catch((error: unknown) => {
            const more = this.#mayLog('divide');
            if (more !== undefined) this.#log.warn({ ...loggable(error), more }, 'machines not divided');
          });
    } while (this.#isDueAgain);
  }

  #divideNow(): void {
    this.#isDueAgain = true;
    this.#dividing ??= this.#divideUntilCurrent().finally(() => (this.#dividing = undefined));
  }

  #isShared(): boolean {
    return this.#brokers.some(({ isShared }) => isShared);
  }

  #rereadNow(): void {
    this.#isStale = true;
    if (this.#isShared()) this.#divideNow();
  }

  /** Before its board knows its credentials, a new machine is subscribed. */
  async #addMachine(id: string): Promise<void> {
    if (this.#machines.has(id)) return;
    // The machines are read when another instance joins, or are being read, perhaps as they were before this one.
    if (!this.#isShared() || this.#isStale || this.#dividing !== undefined) return this.#rereadNow();
    for (const [known, serial] of await this.#readMachines(id)) {
      this.#machines.set(known, serial);
      for (const broker of this.#brokers) broker.addMachine(serial);
    }
  }
}

export const followOwnedMachines = (parts: OwnedMachinesParts): OwnedMachines => new FollowedMachines(parts);
