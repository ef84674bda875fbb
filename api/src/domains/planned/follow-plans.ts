import { topicOf } from '@roastery/contract/mqtt';
import type { Plans } from '@roastery/contract/roast-plan';
import { serial } from '@roastery/runtime/turns';
import type { IsDue, MqttLink, PublishingShare } from '../../broker/channel.ts';
import { publishRetained, type RetainedMessage } from '../../broker/retained.ts';
import type { AppContext } from '../../context.ts';
import { loggable } from '../../db/postgres-errors.ts';
import type { Sql } from '../../db/sql.ts';
import { readPlansOfMachine } from './roast-plan.ts';

type FollowerParts = Pick<AppContext, 'sql' | 'log'> & { readonly mqtt: MqttLink };

/**
 * Notification channel of the database's triggers: the plans of a machine changed, or a machine is new; the payload is the
 * machine's id.
 */
export const plansChangedChannel = 'plans_changed';

interface KnownMachine {
  readonly id: string;
  readonly serial_number: string;
  readonly has_plans: boolean;
}

/** Machines in use: of these, or the next ones in the order of their ids. */
const readMachines = (sql: Sql, wanted: readonly string[] | { readonly after: string }) => sql<KnownMachine[]>`
  SELECT m.id, m.serial_number, EXISTS (
    SELECT FROM planned_roasts p LEFT JOIN roasts r ON r.id = p.roast_id
    WHERE p.machine_id = m.id AND (p.bound_at IS NULL AND p.cancelled_at IS NULL OR r.status = 'in_progress')) AS has_plans
  FROM machines m
  WHERE m.archived_at IS NULL
    AND ${'after' in wanted ? sql`m.id > ${wanted.after} ORDER BY m.id LIMIT ${pageSize}` : sql`m.id = ANY(${[...wanted]}::uuid[])`}`;

/** A machine's plans, to be retained. An empty list too: a board that was offline must learn of a cancelled plan. */
const messageOf = async (sql: Sql, { id, serial_number, has_plans }: KnownMachine): Promise<RetainedMessage> => {
  const payload: Plans = { v: 1, plans: has_plans ? await readPlansOfMachine(sql, id) : [] };
  return { topic: topicOf(serial_number, 'plan'), text: JSON.stringify(payload) };
};

const messagesOf = (sql: Sql, machines: readonly KnownMachine[], isDue: IsDue): Promise<RetainedMessage[]> =>
  Promise.all(machines.filter(({ serial_number: serial }) => isDue(serial)).map((machine) => messageOf(sql, machine)));

const firstId = '00000000-0000-0000-0000-000000000000';
/** Machines per query, and published at once. */
const pageSize = 200;

/**
 * Publishes the plans of each machine of this share when they change, when they are due, and after each (re)connect to the
 * database, because the api may have missed changes.
 */
export const followPlans = (parts: FollowerParts, share: PublishingShare): (() => Promise<void>) => {
  const { sql, mqtt, log } = parts;
  const warn = (error: unknown): void => log.warn(loggable(error), 'plans not published');
  /** Machines whose plans changed: what comes until they are read is published with them. */
  const waiting = new Set<string>();
  const publishWaiting = (): Promise<void> =>
    publishRetained(parts, mqtt, async (tx) => {
      const ids = [...waiting];
      waiting.clear();
      return messagesOf(tx, await readMachines(tx, ids), share.owns);
    });
  let working = Promise.resolve();
  const publish = (machineId: string): void => {
    if (!mqtt.isConnected) return;
    waiting.add(machineId);
    if (waiting.size === 1) working = publishWaiting().catch(warn);
  };
  const publishPage = async (after: string, isDue: IsDue): Promise<string | undefined> => {
    let last: string | undefined;
    await publishRetained(parts, mqtt, async (tx) => {
      const page = await readMachines(tx, { after });
      last = page.at(-1)?.id;
      return messagesOf(tx, page, isDue);
    });
    return last;
  };
  const publishDue = async (isDue: IsDue): Promise<void> => {
    // Also machines without a plan: after a backup was restored, a board may hold plans that this database lacks.
    for (let last: string | undefined = firstId; last !== undefined && mqtt.isConnected;)
      last = await publishPage(last, isDue);
  };
  // One comparison after the other: what the first publishes the next one finds.
  const inTurn = serial();
  const publishDueNow = (isDue: IsDue): void => void inTurn(() => publishDue(isDue)).catch(warn);
  const listening = sql.listen(plansChangedChannel, publish, () => publishDueNow(share.owns));
  listening.catch((error: unknown) => log.warn(loggable(error), 'plan notifications unavailable'));
  const stopDue = share.onDue(publishDueNow);
  return async () => {
    stopDue();
    const ended = await Promise.allSettled([listening.then((listener) => listener.unlisten()), working]);
    for (const { reason } of ended.filter((end) => end.status === 'rejected'))
      log.debug(loggable(reason), 'plan publishing ended with an error');
  };
};
