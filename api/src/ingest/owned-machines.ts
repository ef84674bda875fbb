import { allMachines, topicOf, type TopicKind } from '@roastery/contract/mqtt';
import { pause } from '@roastery/runtime/backoff';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import type { MqttLink, SubscribeKind, TopicSet } from '../broker/link.ts';
import { loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import { plansChangedChannel } from '../domains/planned/follow-plans.ts';
import type { Division, Instances } from './instances.ts';

/** Archived machines are forgotten, and machines whose announcement was missed are found, after this time. */
const rereadEveryMs = 60_000;
/** Machines whose owner is computed without a pause. */
const machinesAtOnce = 2000;
/** An instance that ends stays subscribed at most so long; boards resend after ten seconds. */
const [longestLeaveMs, leaveStepMs] = [3000, 100];

export interface OwnedMachines {
  /** Receives one kind of message of the machines that this instance owns. */
  readonly subscribe: SubscribeKind;
  /** Leaves the machines to the other instances, and resolves when they receive the messages. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

interface Following {
  readonly kind: TopicKind;
  readonly set: TopicSet;
}

const topicsOf = (kind: TopicKind, serials: Iterable<string> | 'all'): string[] =>
  serials === 'all' ? [allMachines(kind)] : Array.from(serials, (serial) => topicOf(serial, kind));

interface OwnedMachinesParts {
  readonly sql: Database;
  readonly mqtt: MqttLink;
  readonly log: Logger;
  readonly instances: Instances;
}

/**
 * Subscribes to each machine that this instance owns by its own topic, so that the broker sends a message only where it is
 * stored; to all machines by one filter while this instance is alone. A machine that another instance owns now is kept
 * until that one is subscribed: what both receive is stored once.
 */
export const followOwnedMachines = ({ sql, mqtt, log, instances }: OwnedMachinesParts): OwnedMachines => {
  const followings = new Set<Following>();
  /** Serial numbers of the machines in use, by id; read where other instances share them. */
  let machines = new Map<string, string>();
  let isStale = true;
  /** What was subscribed last, and for which division: serial numbers, or all machines. */
  let wanted: { readonly division: Division; readonly serials: Set<string> | 'all' } | undefined;
  let hasLeft = false;
  const mayLog = createLogGate(60_000);

  const letGo = (): void => {
    if (wanted === undefined || wanted.division !== instances.division || !instances.areOthersReady) return;
    for (const { kind, set } of followings) {
      const topics = new Set(topicsOf(kind, wanted.serials));
      set.remove([...set.topics].filter((topic) => !topics.has(topic)));
    }
  };

  const readMachines = async (only?: string): Promise<Map<string, string>> => {
    const rows = await sql<{ id: string; serial_number: string }[]>`
      SELECT id, serial_number FROM machines
      WHERE archived_at IS NULL ${only === undefined ? sql`` : sql`AND id = ${only}`}`;
    return new Map(rows.map((row) => [row.id, row.serial_number]));
  };
  const ownedBy = async (division: Division): Promise<Set<string> | 'all'> => {
    if (division.ids.length === 1) return 'all';
    while (isStale) {
      isStale = false;
      try {
        machines = await readMachines();
      } catch (error) {
        isStale = true;
        throw error;
      }
    }
    const owned = new Set<string>();
    let count = 0;
    for (const serial of machines.values()) {
      if (division.owns(serial)) owned.add(serial);
      count += 1;
      if (count % machinesAtOnce === 0) await pause(0);
    }
    return owned;
  };
  const divide = async (): Promise<void> => {
    const { division } = instances;
    if (division === undefined || hasLeft) return;
    const serials = await ownedBy(division);
    if (division !== instances.division) return;
    wanted = { division, serials };
    for (const { kind, set } of followings) set.add(topicsOf(kind, serials));
    letGo();
  };

  let dividing: Promise<void> | undefined;
  let isDueAgain = false;
  const divideUntilCurrent = async (): Promise<void> => {
    do {
      isDueAgain = false;
      await divide().catch((error: unknown) => {
        const more = mayLog('divide');
        if (more !== undefined) log.warn({ ...loggable(error), more }, 'machines not divided');
      });
    } while (isDueAgain);
  };
  const divideNow = (): void => {
    isDueAgain = true;
    dividing ??= divideUntilCurrent().finally(() => (dividing = undefined));
  };
  const rereadNow = (): void => {
    isStale = true;
    if (instances.count > 1) divideNow();
  };
  /** Before its board knows its credentials, a new machine is subscribed. */
  const addMachine = async (id: string): Promise<void> => {
    if (machines.has(id)) return;
    // The machines are read when another instance joins, or are being read, perhaps as they were before this one.
    if (instances.count < 2 || isStale || dividing !== undefined) return rereadNow();
    for (const [known, serial] of await readMachines(id)) {
      machines.set(known, serial);
      if (wanted === undefined || wanted.serials === 'all' || !wanted.division.owns(serial)) continue;
      wanted.serials.add(serial);
      for (const { kind, set } of followings) set.add(topicsOf(kind, [serial]));
    }
  };

  instances.onChange(() => (wanted?.division === instances.division ? letGo() : divideNow()));
  instances.readyWhen((division) => wanted?.division === division && mqtt.isSubscribed);
  const listening = sql.listen(
    plansChangedChannel,
    (id) => void addMachine(id).catch((error: unknown) => log.warn(loggable(error), 'new machine not subscribed')),
    rereadNow,
  );
  listening.catch((error: unknown) => log.warn(loggable(error), 'new machines are found late'));
  const timer = setInterval(rereadNow, rereadEveryMs);

  return {
    subscribe(kind, qos, handler) {
      const following = { kind, set: mqtt.subscribeSet(qos, handler) };
      followings.add(following);
      if (wanted !== undefined) following.set.add(topicsOf(kind, wanted.serials));
      return () => {
        followings.delete(following);
        following.set.remove([...following.set.topics]);
      };
    },
    async leave() {
      hasLeft = true;
      await instances.leave();
      for (let waited = 0; waited < longestLeaveMs && !instances.areOthersReady; waited += leaveStepMs)
        await pause(leaveStepMs);
    },
    async close() {
      clearInterval(timer);
      await instances.close();
      await dividing;
      await listening.then(
        (listener) => listener.unlisten(),
        () => undefined,
      );
    },
  };
};
