import { topicOf } from '@roastery/contract/mqtt';
import type { Plans } from '@roastery/contract/roast-plan';
import type { IsDue, MqttChannel, PublishingShare } from '../../broker/link.ts';
import type { AppContext } from '../../context.ts';
import { loggable } from '../../db/postgres-errors.ts';
import { readPlansOfMachine } from './roast-plan.ts';

type FollowerParts = Pick<AppContext, 'sql' | 'log'> & { readonly mqtt: MqttChannel };

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

/** Machines in use with an id after `after`, in the order of their ids: all of them, page by page, or only this one. */
const readMachines = ({ sql }: FollowerParts, after: string, limit: number, only?: string) => sql<KnownMachine[]>`
  SELECT m.id, m.serial_number, EXISTS (
    SELECT FROM planned_roasts p LEFT JOIN roasts r ON r.id = p.roast_id
    WHERE p.machine_id = m.id AND (p.bound_at IS NULL AND p.cancelled_at IS NULL OR r.status = 'in_progress')) AS has_plans
  FROM machines m
  WHERE m.archived_at IS NULL AND m.id > ${after} ${only === undefined ? sql`` : sql`AND m.id = ${only}`}
  ORDER BY m.id LIMIT ${limit}`;

/** Publishes a machine's plans, retained. An empty list too: a board that was offline must learn of a cancelled plan. */
const publishPlans = async ({ sql, mqtt }: FollowerParts, { id, serial_number, has_plans }: KnownMachine) => {
  const payload: Plans = { v: 1, plans: has_plans ? await readPlansOfMachine(sql, id) : [] };
  await mqtt.publish(topicOf(serial_number, 'plan'), JSON.stringify(payload), { qos: 1, retain: true });
};

const firstId = '00000000-0000-0000-0000-000000000000';
/** Machines per query, and published at once. */
const pageSize = 200;

/**
 * Publishes the plans of each machine of this share when they change, when they are due, and after each (re)connect to the
 * database, because the api may have missed changes.
 */
export const followPlans = (parts: FollowerParts, share: PublishingShare): (() => Promise<void>) => {
  const { sql, mqtt, log } = parts;
  // One at a time per machine, and once for several changes: the newest plans are published last.
  const working = new Map<string, Promise<void>>();
  const waiting = new Set<string>();
  const after = (machineId: string, work: () => Promise<void>): Promise<void> => {
    const next = (working.get(machineId) ?? Promise.resolve())
      .then(work)
      .catch((error: unknown) => log.warn(loggable(error), 'plans not published'))
      .finally(() => {
        if (working.get(machineId) === next) working.delete(machineId);
      });
    working.set(machineId, next);
    return next;
  };
  const publishNow = async (machineId: string): Promise<void> => {
    if (!mqtt.isConnected) return;
    const [machine] = await readMachines(parts, firstId, 1, machineId);
    if (machine !== undefined && share.owns(machine.serial_number)) await publishPlans(parts, machine);
  };
  let changes = 0;
  /** When a machine's plans changed last, by the count of changes. */
  const changedAt = new Map<string, number>();
  const publish = (machineId: string): void => {
    changedAt.set(machineId, ++changes);
    if (waiting.has(machineId)) return;
    waiting.add(machineId);
    void after(machineId, () => {
      waiting.delete(machineId);
      return publishNow(machineId);
    });
  };
  const publishDue = async (isDue: IsDue): Promise<void> => {
    // Also machines without a plan: after a backup was restored, a board may hold plans that this database lacks.
    for (let last: string | undefined = firstId; last !== undefined && mqtt.isConnected;) {
      const readAt = changes;
      const page: readonly KnownMachine[] = await readMachines(parts, last, pageSize);
      await Promise.all(
        page
          .filter(({ serial_number: serial }) => isDue(serial))
          .map((machine) =>
            after(machine.id, () =>
              (changedAt.get(machine.id) ?? 0) > readAt ? publishNow(machine.id) : publishPlans(parts, machine),
            ),
          ),
      );
      last = page.at(-1)?.id;
    }
  };
  const publishDueNow = (isDue: IsDue): void => {
    publishDue(isDue).catch((error: unknown) => log.warn(loggable(error), 'plans not published'));
  };
  const listening = sql.listen(plansChangedChannel, publish, () => publishDueNow(share.owns));
  listening.catch((error: unknown) => log.warn(loggable(error), 'plan notifications unavailable'));
  const stopDue = share.onDue(publishDueNow);
  return async () => {
    stopDue();
    const ended = await Promise.allSettled([listening.then((listener) => listener.unlisten()), ...working.values()]);
    for (const { reason } of ended.filter((end) => end.status === 'rejected'))
      log.debug(loggable(reason), 'plan publishing ended with an error');
  };
};
