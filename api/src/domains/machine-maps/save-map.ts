import { randomBytes } from 'node:crypto';
import type { MachineMap } from '@roastery/contract/machine-map';
import { type MapDetail, maxOwnMaps } from '@roastery/contract/machine-maps';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { configureMachines, machinesReadBy } from './configure-machine.ts';
import { exchangedRevs, readCatalogueMap } from './catalogue.ts';
import { findMap } from './find-map.ts';
import { publishConfigs } from './publish-configs.ts';
import { readMap } from './read-maps.ts';

/** `own-maker-model-1a2b3c`: readable on a board and unique. */
const newMapId = ({ maker, model }: MachineMap): string => {
  const words = `${maker} ${model}`
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return `own-${words.slice(0, 60).replace(/-+$/, '')}-${randomBytes(3).toString('hex')}`.replaceAll('--', '-');
};

const insertRevision = (tx: Sql, userId: string, map: MachineMap, note: string | undefined) => tx`
  INSERT INTO machine_map_revisions (map_id, rev, map, note, saved_by)
  VALUES (${map.id}, ${map.rev}, ${JSON.stringify(map)}::text::json, ${note === undefined || note === '' ? null : note}, ${userId})`;

export interface GivenMap {
  readonly map: MachineMap;
  readonly based_on?: string | undefined;
  readonly note?: string | undefined;
  /** Read from a settings file of Artisan. */
  readonly isFromArtisan?: boolean;
}

/** Whether bean and exhaust may be exchanged in a new map: they may where it was copied from, and in settings of Artisan. */
const mayBeExchanged = async (tx: Sql, { map, based_on: basedOn, isFromArtisan }: GivenMap): Promise<boolean> => {
  if (isFromArtisan === true) return true;
  if (basedOn === undefined) return false;
  if ((await exchangedRevs(basedOn)).includes(map.rev)) return true;
  const [own] = await tx<{ check_channels: boolean }[]>`SELECT check_channels FROM machine_maps WHERE id = ${basedOn}`;
  return own?.check_channels ?? false;
};

/** Stores a map as the caller's own, with its own id and revision 1; inside the transaction of the change. */
export const insertMap = async (tx: Sql, context: UserContext, given: GivenMap): Promise<MachineMap> => {
  const map: MachineMap = { ...given.map, id: newMapId(given.map), rev: 1 };
  // One at a time per user, so that two concurrent ones don't exceed the limit.
  await tx`SELECT 1 FROM users WHERE id = ${context.user.id} FOR NO KEY UPDATE`;
  const [own] = await tx<{ maps: number }[]>`
    SELECT count(*)::int AS maps FROM machine_maps WHERE owner_id = ${context.user.id} AND deleted_at IS NULL`;
  if ((own?.maps ?? 0) >= maxOwnMaps)
    throw new AppError('conflict', `You already have ${maxOwnMaps} machine maps. Delete one that no machine uses.`);
  const origin = given.isFromArtisan ? 'artisan_settings' : given.based_on === undefined ? 'other' : 'copy';
  await tx`
    INSERT INTO machine_maps (id, owner_id, rev, based_on, origin, check_channels)
    VALUES (${map.id}, ${context.user.id}, 1, ${given.based_on ?? null}, ${origin}, ${await mayBeExchanged(tx, given)})`;
  await insertRevision(tx, context.user.id, map, given.note);
  await recordAudit(tx, actorOf(context), {
    action: 'machine_map.created',
    subject: map.id,
    detail: { name: `${map.maker} ${map.model}`, based_on: given.based_on ?? null },
  });
  return map;
};

export const createMap = async (context: UserContext, given: GivenMap): Promise<MapDetail> => {
  const map = await context.sql.begin((tx) => insertMap(tx, context, given));
  return readMap(context, map.id);
};

/** Stores the next revision of an own map, which is locked, for the machines that use it. Returns their ids. */
export const insertNextRevision = async (
  tx: Sql,
  context: UserContext,
  given: { readonly map: MachineMap; readonly note?: string | undefined },
): Promise<string[]> => {
  const { id } = given.map;
  const map: MachineMap = { ...given.map, rev: given.map.rev + 1 };
  await insertRevision(tx, context.user.id, map, given.note);
  await tx`UPDATE machine_maps SET rev = ${map.rev} WHERE id = ${id}`;
  const machines = await machinesReadBy(tx, id);
  await configureMachines(tx, machines, map);
  await recordAudit(tx, actorOf(context), {
    action: 'machine_map.saved',
    subject: id,
    detail: {
      name: `${map.maker} ${map.model}`,
      rev: map.rev,
      machines: machines.map((machine) => machine.serial_number),
    },
  });
  return machines.map((machine) => machine.id);
};

/** The next revision of an own map. It is sent to the boards of the machines that use it. */
export const saveMap = async (
  context: UserContext,
  id: string,
  given: { map: MachineMap; rev: number; note?: string | undefined },
): Promise<MapDetail> => {
  if ((await readCatalogueMap(id)) !== undefined) {
    throw new AppError('conflict', 'A map of the catalogue can’t be changed. Make a copy and change that.');
  }
  const changed = await context.sql.begin(async (tx) => {
    await findMap(tx, context.user, id, undefined);
    const [before] = await tx<{ rev: number; owner_id: string }[]>`
      SELECT rev, owner_id FROM machine_maps WHERE id = ${id} FOR UPDATE`;
    // A person whose machine uses it may only view it.
    if (!before || !(context.user.is_admin || before.owner_id === context.user.id)) throw notFound('Machine map');
    if (before.rev !== given.rev) {
      throw new AppError('changed_meanwhile', 'Another user has changed this map. Reload it and repeat your change.');
    }
    return insertNextRevision(tx, context, { ...given, map: { ...given.map, id, rev: before.rev } });
  });
  await publishConfigs(context, changed);
  return readMap(context, id);
};
