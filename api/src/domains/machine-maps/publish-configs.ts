import { topicOf, type DeviceConfig } from '@roastery/contract/mqtt';
import type { IsDue, MqttChannel, MqttLink } from '../../broker/channel.ts';
import { atEachBroker } from '../../broker/links.ts';
import { publishRetained } from '../../broker/retained.ts';
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

/** Serial number and config of these machines, if they are in use and have settings. They were parsed when they were saved. */
export const readConfigs = async (sql: Sql, boardUrls: readonly string[], ids: readonly string[]) => {
  const rows = await sql<ConfigRow[]>`
    SELECT serial_number, map, board_settings, config_rev, board_order FROM machines
     WHERE archived_at IS NULL AND (config_rev > 0 OR map IS NOT NULL OR board_order IS NOT NULL)
       AND id = ANY(${[...ids]}::uuid[])`;
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
      return { serialNumber, topic: topicOf(serialNumber, 'config'), text: JSON.stringify(config) };
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
 * Publishes the settings of these machines as retained config at every broker that has others. For a broker that it does not reach it
 * asks the other instances, and logs: the owner of a machine there also compares them at its next connection.
 */
export const publishConfigs = async (
  { sql, mqtt, log }: PublishingParts,
  ids: readonly string[],
  isDue: IsDue = () => true,
): Promise<void> => {
  if (ids.length === 0) return;
  const read = async (tx: Sql) =>
    (await readConfigs(tx, mqtt.boardUrls, ids)).filter(({ serialNumber }) => isDue(serialNumber));
  try {
    await atEachBroker(mqtt, (link) => publishRetained({ sql, log }, link, read));
  } catch (error) {
    log.warn(loggable(error), 'config publish failed');
  }
  if (mqtt.missing.length === 0) return;
  await sql`SELECT pg_notify(${configsOwedChannel}, id) FROM unnest(${[...ids]}::text[]) AS id`.catch((lost: unknown) =>
    log.warn(loggable(lost), 'config publish failed'),
  );
};

const firstId = '00000000-0000-0000-0000-000000000000';
/** Machines per query, and published at once. */
const pageSize = 200;

/** Publishes the configs of all machines that are due at a broker. */
export const publishDueConfigs = async (
  { sql, log }: Omit<PublishingParts, 'mqtt'>,
  link: MqttLink,
  isDue: IsDue,
): Promise<void> => {
  for (let last: string | undefined = firstId; last !== undefined && link.isConnected;) {
    const page: readonly { id: string; serial_number: string }[] = await sql<{ id: string; serial_number: string }[]>`
      SELECT id, serial_number FROM machines
      WHERE archived_at IS NULL AND (config_rev > 0 OR map IS NOT NULL OR board_order IS NOT NULL) AND id > ${last}
      ORDER BY id LIMIT ${pageSize}`;
    const due = page.filter(({ serial_number: serial }) => isDue(serial));
    await publishConfigs(
      { sql, log, mqtt: link },
      due.map(({ id }) => id),
    );
    last = page.at(-1)?.id;
  }
};
