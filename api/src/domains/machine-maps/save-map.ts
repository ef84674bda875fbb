import { randomBytes } from 'node:crypto';
import type { MachineMap } from '@roastery/contract/machine-map';
import { type MapDetail, maxOwnMaps } from '@roastery/contract/machine-maps';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { configureMachines, machinesReadBy } from './configure-machine.ts';
import { readCatalogueMap } from './catalogue.ts';
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

/** Stores a map as the caller's own, with its own id and revision 1. */
export const createMap = async (
  context: UserContext,
  given: { map: MachineMap; based_on?: string | undefined; note?: string | undefined },
): Promise<MapDetail> => {
  const map: MachineMap = { ...given.map, id: newMapId(given.map), rev: 1 };
  await context.sql.begin(async (tx) => {
    // One at a time per user, so that two concurrent ones don't exceed the limit.
    await tx`SELECT 1 FROM users WHERE id = ${context.user.id} FOR NO KEY UPDATE`;
    const [own] = await tx<{ maps: number }[]>`
      SELECT count(*)::int AS maps FROM machine_maps WHERE owner_id = ${context.user.id} AND deleted_at IS NULL`;
    if ((own?.maps ?? 0) >= maxOwnMaps)
      throw new AppError('conflict', `You already have ${maxOwnMaps} machine maps. Delete one that no machine uses.`);
    await tx`
      INSERT INTO machine_maps (id, owner_id, rev, based_on)
      VALUES (${map.id}, ${context.user.id}, 1, ${given.based_on ?? null})`;
    await insertRevision(tx, context.user.id, map, given.note);
    await recordAudit(tx, actorOf(context), {
      action: 'machine_map.created',
      subject: map.id,
      detail: { name: `${map.maker} ${map.model}`, based_on: given.based_on ?? null },
    });
  });
  return readMap(context, map.id);
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
    const map: MachineMap = { ...given.map, id, rev: before.rev + 1 };
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
  });
  await publishConfigs(context, changed);
  return readMap(context, id);
};
