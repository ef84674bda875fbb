import { topicOf } from '@roastery/contract/mqtt';
import type { Plans } from '@roastery/contract/roast-plan';
import type { Logger } from '@roastery/runtime/logger';
import type { MqttLink } from '../broker/link.ts';
import { loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import { readPlansOfMachine } from '../domains/planned/roast-plan.ts';

interface PlanParts {
  readonly sql: Database;
  readonly mqtt: MqttLink;
  readonly log: Logger;
}

/** Channel on which the database itself says of which machine the plans have changed (migrations 0090, 0091). */
const plansChangedChannel = 'plans_changed';

/** Sends a machine's board what is planned, retained. An empty list too: a board that was away must hear of a plan taken back. */
const publishPlans = async ({ sql, mqtt }: PlanParts, machineId: string): Promise<void> => {
  const [machine] = await sql<{ serial_number: string }[]>`
    SELECT serial_number FROM machines WHERE id = ${machineId} AND archived_at IS NULL`;
  if (machine === undefined) return;
  const payload: Plans = { v: 1, plans: await readPlansOfMachine(sql, machineId) };
  await mqtt.publish(topicOf(machine.serial_number, 'plan'), JSON.stringify(payload), { qos: 1, retain: true });
};

/**
 * Publishes the plans of a machine when they change, and those of all machines whenever the broker is (re)connected: a
 * broker that lost its memory has them again, and a change that fell into a gap of the connection is told then. The same
 * after a gap of the connection to the database.
 */
export const followPlans = (parts: PlanParts): (() => Promise<void>) => {
  const { sql, mqtt, log } = parts;
  // One after the other per machine, and once for several changes: the last word on the topic is the newest.
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
      .catch((error: unknown) => log.warn(loggable(error), 'plans could not be published'))
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
  const tellAll = (): void => {
    publishAll().catch((error: unknown) => log.warn(loggable(error), 'plans could not be published'));
  };
  // What changed while this instance could not listen was said to nobody.
  const listening = sql.listen(plansChangedChannel, publish, tellAll);
  listening.catch((error: unknown) => log.warn(loggable(error), 'not told of changed plans'));
  const stopConnect = mqtt.onConnect(tellAll);
  return async () => {
    stopConnect();
    const ended = await Promise.allSettled([listening.then((listener) => listener.unlisten()), ...working.values()]);
    for (const { reason } of ended.filter((end) => end.status === 'rejected')) log.debug(loggable(reason), 'plans');
  };
};
