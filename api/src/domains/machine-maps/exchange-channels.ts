import type { ChannelCheck } from '@roastery/contract/channel-check';
import { storedMapShape, type MachineMap } from '@roastery/contract/machine-map';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError } from '../../http/app-error.ts';
import { findManagedMachine, lockManagedMachine } from '../../identity/machines.ts';
import { needsCopy, readChannelCheck } from './channel-check.ts';
import { configureMachines, type StoredSettings } from './configure-machine.ts';
import { findMap } from './find-map.ts';
import { publishConfigs } from './publish-configs.ts';
import { insertMap, insertNextRevision } from './save-map.ts';

interface SeenMap {
  readonly map_id: string;
  readonly map_rev: number;
}

/** The machine with its map, locked; the map first, as saving a map does. Refuses when it is not the one that was seen. */
const lockSeen = async (tx: Sql, context: UserContext, id: string, seen: SeenMap) => {
  await findManagedMachine(tx, context.user, id);
  const [own] = await tx<{ owner_id: string; newest: number }[]>`
    SELECT owner_id, rev AS newest FROM machine_maps WHERE id = ${seen.map_id} FOR UPDATE`;
  const machine = await lockManagedMachine(tx, context.user, id);
  const [row] = await tx<{ map: unknown; board_settings: StoredSettings }[]>`
    SELECT map, board_settings FROM machines WHERE id = ${id} AND map_id = ${seen.map_id} AND map_rev = ${seen.map_rev}`;
  if (!row) {
    throw new AppError(
      'changed_meanwhile',
      'The map of this machine has changed. Look at its registers again before you exchange them.',
    );
  }
  return {
    machine: { ...machine, board_settings: row.board_settings },
    used: parseOrThrow(storedMapShape, row.map),
    own: own ?? { owner_id: null, newest: null },
  };
};

/** Each with its register, range and excluded values. */
const withExchanged = (map: MachineMap): MachineMap => {
  const { bean_temp: bean, exhaust_temp: exhaust } = map.channels;
  if (bean === undefined || exhaust === undefined)
    throw new AppError('conflict', 'This map does not have both a bean and an exhaust temperature.');
  return { ...map, channels: { ...map.channels, bean_temp: exhaust, exhaust_temp: bean } };
};

const noteConfirmed = async (tx: Sql, context: UserContext, map: MachineMap): Promise<void> => {
  const { bean_temp: bean, exhaust_temp: exhaust } = map.channels;
  if (bean === undefined || exhaust === undefined)
    throw new AppError('conflict', 'This map does not have both a bean and an exhaust temperature.');
  await tx`
    INSERT INTO confirmed_channels (map_id, bean_at, exhaust_at, map_rev, confirmed_by)
    VALUES (${map.id}, ${bean.at}, ${exhaust.at}, ${map.rev}, ${context.user.id})
    ON CONFLICT (map_id, bean_at, exhaust_at) DO UPDATE
       SET map_rev = excluded.map_rev, confirmed_by = excluded.confirmed_by, confirmed_at = now()`;
};

const note = 'Bean and exhaust temperature exchanged';

/**
 * Exchanges bean and exhaust temperature in the map of a machine. An own map gets its next revision, for all machines that
 * use it; any other map becomes an own copy for this machine. Doing it again puts them back.
 */
export const exchangeChannels = async (context: UserContext, id: string, seen: SeenMap): Promise<ChannelCheck> => {
  const { sql, user } = context;
  const changed = await sql.begin(async (tx) => {
    const { machine, used, own } = await lockSeen(tx, context, id, seen);
    // The stored map of the machine has its own address.
    const { map } = await findMap(tx, user, seen.map_id, seen.map_rev);
    const exchanged = withExchanged(map);
    const isCopy = needsCopy(user, used, own);
    let machines: string[];
    let result: MachineMap;
    if (isCopy) {
      result = await insertMap(tx, context, { map: exchanged, based_on: map.id, note });
      await configureMachines(tx, [machine], result);
      machines = [id];
    } else {
      result = { ...exchanged, rev: map.rev + 1 };
      machines = await insertNextRevision(tx, context, { map: exchanged, note });
    }
    await noteConfirmed(tx, context, result);
    await recordAudit(tx, actorOf(context), {
      action: 'machine.channels_exchanged',
      subject: id,
      detail: {
        serial_number: machine.serial_number,
        map: `${result.id}@${result.rev}`,
        before: `${map.id}@${map.rev}`,
        bean_temp: result.channels['bean_temp']?.at ?? null,
        exhaust_temp: result.channels['exhaust_temp']?.at ?? null,
      },
    });
    return machines;
  });
  await publishConfigs(context, changed);
  return readChannelCheck(sql, user, id);
};

/** Stores that a person has found them right, for this map as long as its registers stay. */
export const confirmChannels = async (context: UserContext, id: string, seen: SeenMap): Promise<ChannelCheck> => {
  await context.sql.begin(async (tx) => {
    const { machine, used } = await lockSeen(tx, context, id, seen);
    await noteConfirmed(tx, context, used);
    await recordAudit(tx, actorOf(context), {
      action: 'machine.channels_confirmed',
      subject: id,
      detail: { serial_number: machine.serial_number, map: `${used.id}@${used.rev}` },
    });
  });
  return readChannelCheck(context.sql, context.user, id);
};
