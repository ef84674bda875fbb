import { topicOf, type DeviceConfig } from '@roastery/contract/mqtt';
import type { IsDue, MqttChannel } from '../../broker/link.ts';
import type { AppContext } from '../../context.ts';
import { loggable } from '../../db/postgres-errors.ts';
import type { Sql } from '../../db/sql.ts';
import type { StoredOrder, StoredSettings } from './configure-machine.ts';

interface ConfigRow {
  readonly serial_number: string;
  readonly map: DeviceConfig['map'];
  readonly board_settings: StoredSettings;
  readonly config_rev: number;
  readonly board_order: StoredOrder | null;
}

/** Serial number and config of machines in use with settings: all, or these. They were parsed when they were saved. */
export const readConfigs = async (sql: Sql, boardUrls: readonly string[], ids?: readonly string[]) => {
  const rows = await sql<ConfigRow[]>`
    SELECT serial_number, map, board_settings, config_rev, board_order FROM machines
     WHERE archived_at IS NULL AND (config_rev > 0 OR map IS NOT NULL OR board_order IS NOT NULL)
       ${ids === undefined ? sql`` : sql`AND id IN ${sql([...ids])}`}`;
  return rows.map(
    ({ serial_number: serialNumber, map, board_settings: settings, config_rev: rev, board_order: order }) => {
      const { host: _host, port: _port, path: _path, ...overrides } = settings;
      const update = order === null || order.withdrawn ? undefined : { id: order.id, version: order.version };
      const config: DeviceConfig = {
        v: 1,
        rev,
        map,
        ...overrides,
        ...(update === undefined ? {} : { update }),
        ...(boardUrls.length > 1 && { mqtt_urls: [...boardUrls] }),
      };
      return { serialNumber, text: JSON.stringify(config) };
    },
  );
};

/** Notification channel: the config of a machine could not be published; the payload is the machine's id. */
export const configsOwedChannel = 'configs_owed';

export interface PublishingParts extends Pick<AppContext, 'sql' | 'log'> {
  /** One broker or all. */
  readonly mqtt: MqttChannel;
}

/**
 * Publishes the settings of these machines as retained config, or of all that are due. For a broker that it does not reach it asks the
 * other instances to publish them, and logs: the owner of a machine also publishes them at its next connection. It reads them again
 * afterwards: two concurrent changes of a board, here or on two instances, may be published in another order than they were stored, and
 * the board must end with the newest.
 */
export const publishConfigs = async (
  { sql, mqtt, log }: PublishingParts,
  ids?: readonly string[],
  isDue: IsDue = () => true,
): Promise<void> => {
  if (ids?.length === 0) return;
  try {
    const published = new Map<string, string>();
    const unpublished = async () =>
      (await readConfigs(sql, mqtt.boardUrls, ids)).filter(
        ({ serialNumber, text }) => published.get(serialNumber) !== text,
      );
    for (let next = await unpublished(); next.length > 0; next = await unpublished()) {
      for (const { serialNumber, text } of next) {
        published.set(serialNumber, text);
        if (!isDue(serialNumber)) continue;
        try {
          await mqtt.publish(topicOf(serialNumber, 'config'), text, { qos: 1, retain: true });
        } catch (error) {
          if (!mqtt.isConnected) throw error;
          // A failure for one board must not stop the others.
          log.warn({ ...loggable(error), serial_number: serialNumber }, 'config publish failed');
        }
      }
    }
  } catch (error) {
    log.warn(loggable(error), 'config publish failed');
  }
  if (ids === undefined || mqtt.missing.length === 0) return;
  await sql`SELECT pg_notify(${configsOwedChannel}, id) FROM unnest(${[...ids]}::text[]) AS id`.catch((lost: unknown) =>
    log.warn(loggable(lost), 'config publish failed'),
  );
};
