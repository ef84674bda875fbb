import type { Logger } from '@roastery/runtime/logger';
import type { MqttLink } from '../broker/link.ts';
import type { Database } from '../db/sql.ts';
import { clearRetained } from '../domains/machine-maps/clear-retained.ts';
import { publishConfigs } from '../domains/machine-maps/publish-configs.ts';

/**
 * Publishes what is set for every machine's board as retained config whenever the broker is (re)connected: a broker that
 * lost its memory has it again before its boards ask. What it retains of deleted machines goes first.
 */
export const followConfigs = (context: { sql: Database; mqtt: MqttLink; log: Logger }): (() => void) =>
  context.mqtt.onConnect(() => void clearRetained(context).then(() => publishConfigs(context)));
