import type { Link, MachineMap } from '@roastery/contract/machine-map';
import type { BoardSettings } from '@roastery/contract/machine-maps';
import type { Sql } from '../../db/sql.ts';

/** As stored: absent settings are those of the map or the board. */
export type StoredSettings = { readonly [K in keyof BoardSettings]?: NonNullable<BoardSettings[K]> };

/** An update that was ordered for a board, stored with its machine. */
export interface StoredOrder {
  readonly id: string;
  readonly version: string;
  readonly at: string;
  readonly by: string;
  readonly withdrawn?: true;
}

export interface ConfiguredMachine {
  readonly id: string;
  readonly serial_number: string;
  readonly board_settings: StoredSettings;
}

const linkWith = (link: Link, { host, port, path }: StoredSettings): Link =>
  link.kind === 'tcp' || link.kind === 'rtu-over-tcp'
    ? { ...link, host: host ?? link.host, port: port ?? link.port }
    : { ...link, path: path ?? link.path };

/** The map for one board: with the address of its own machine. */
export const mapForMachine = (map: MachineMap, settings: StoredSettings): MachineMap => ({
  ...map,
  link: linkWith(map.link, settings),
});

/** Machines in use with a map, locked until the transaction ends. */
export const machinesReadBy = async (tx: Sql, mapId: string): Promise<ConfiguredMachine[]> => [
  ...(await tx<ConfiguredMachine[]>`
    SELECT id, serial_number, board_settings FROM machines
     WHERE map_id = ${mapId} AND archived_at IS NULL ORDER BY id FOR NO KEY UPDATE`),
];

/**
 * Sets the map of machines, or removes the choice. The caller publishes after the commit. The revision starts at the
 * current time: a machine that is registered again under its serial number continues above the revisions that its board
 * knows.
 */
export const configureMachines = async (
  tx: Sql,
  machines: readonly ConfiguredMachine[],
  map: MachineMap | null,
): Promise<void> => {
  for (const { id, board_settings: settings } of machines) {
    await tx`
      UPDATE machines SET map_id = ${map?.id ?? null}, map_rev = ${map?.rev ?? null},
             map = ${map === null ? null : tx.json(mapForMachine(map, settings))},
             max_drum_rpm = ${map === null ? tx`max_drum_rpm` : map.maxDrumRpm},
             board_settings = ${tx.json(settings)}, 
             config_rev = greatest(config_rev + 1, (extract(epoch FROM now()) * 1000)::bigint), config_changed_at = now()
       WHERE id = ${id}`;
  }
};
