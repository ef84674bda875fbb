import { deviceMaySubscribe, topicOf, type TopicKind } from '@roastery/contract/mqtt';
import { serial } from '@roastery/runtime/turns';
import type { IsDue, MqttLink, PublishingShare } from '../../broker/channel.ts';
import { forgetRetained } from '../../broker/retained.ts';
import { loggable } from '../../db/postgres-errors.ts';
import type { Sql } from '../../db/sql.ts';
import { configsOwedChannel, publishConfigs, publishDueConfigs, type PublishingParts } from './publish-configs.ts';

/** All retained messages of a board: those the server sends to it, and its own status. */
const retainedKinds: readonly TopicKind[] = [...deviceMaySubscribe, 'status'];

/**
 * Records that the broker's retained messages of a serial number belong to no machine any more; inside the transaction
 * of the change.
 */
export const requestClear = async (tx: Sql, serialNumber: string): Promise<void> => {
  await tx`INSERT INTO retained_clears (serial_number) VALUES (${serialNumber}) ON CONFLICT DO NOTHING`;
};

/**
 * Clears the retained messages of these serial numbers, or of all recorded ones. A machine that is registered again under one
 * gets its own config and plans afterwards. While a broker can't be reached the records stay: all of them are cleared at the
 * next connection.
 */
export const clearRetained = async (context: PublishingParts, serialNumber?: string): Promise<void> => {
  const { sql, mqtt, log } = context;
  try {
    const noted = await sql<{ serial_number: string }[]>`
      SELECT serial_number FROM retained_clears
       ${serialNumber === undefined ? sql`` : sql`WHERE serial_number = ${serialNumber}`} ORDER BY requested_at`;
    for (const { serial_number: serial } of noted) {
      const topics = retainedKinds.map((kind) => topicOf(serial, kind));
      for (const topic of topics) await mqtt.publish(topic, '', { qos: 1, retain: true });
      await forgetRetained(sql, topics);
      const successors = await sql<{ id: string }[]>`
        SELECT id FROM machines WHERE serial_number = ${serial} AND archived_at IS NULL`;
      await publishConfigs(
        context,
        successors.map(({ id }) => id),
      );
      for (const { id } of successors) await sql`SELECT pg_notify('plans_changed', ${id})`;
      if (mqtt.missing.length === 0) await sql`DELETE FROM retained_clears WHERE serial_number = ${serial}`;
    }
  } catch (error) {
    log.warn(loggable(error), 'retained message clear failed');
  }
};

/**
 * Publishes the configs of the boards of this share at its broker when they are due, retained, and those that an instance
 * without that broker could not publish. Retained messages of deleted machines are cleared first, at all brokers.
 */
export const followConfigs = (
  context: PublishingParts,
  link: MqttLink,
  share: PublishingShare,
): (() => Promise<void>) => {
  const { sql, log } = context;
  const here = { sql, log, mqtt: link };
  // One comparison after the other: what the first publishes the next one finds.
  const inTurn = serial();
  const publishDue = (isDue: IsDue): void => {
    inTurn(async () => {
      await clearRetained(context);
      await publishDueConfigs(here, link, isDue);
    }).catch((error: unknown) => log.warn(loggable(error), 'configs not published'));
  };
  const stop = share.onDue(publishDue);
  const publishOwed = (id: string): void => {
    if (link.isConnected) void publishConfigs(here, [id], share.owns);
  };
  const listening = sql.listen(configsOwedChannel, publishOwed, () => publishDue(share.owns));
  listening.catch((error: unknown) => log.warn(loggable(error), 'config notifications unavailable'));
  return async () => {
    stop();
    await listening.then(
      (listener) => listener.unlisten(),
      () => undefined,
    );
  };
};
