import { topicOf } from '@roastery/contract/mqtt';
import type { Logger } from '@roastery/runtime/logger';
import type { MqttLink } from '../broker/link.ts';
import { loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';

/**
 * Publishes every machine's own map as retained config whenever the broker is (re)connected: a broker that lost its
 * memory has them again before its boards ask. The maps were parsed when they were saved.
 */
export const followConfigs = ({ sql, mqtt, log }: { sql: Database; mqtt: MqttLink; log: Logger }): (() => void) => {
  const publishAll = async (): Promise<void> => {
    const machines = await sql<{ serial_number: string; map: object }[]>`
      SELECT serial_number, map FROM machines WHERE archived_at IS NULL AND map IS NOT NULL`;
    for (const { serial_number: serialNumber, map } of machines) {
      await mqtt.publish(topicOf(serialNumber, 'config'), JSON.stringify({ v: 1, map }), { qos: 1, retain: true });
    }
  };
  return mqtt.onConnect(() => {
    publishAll().catch((error: unknown) => log.warn(loggable(error), 'configs could not be published'));
  });
};
