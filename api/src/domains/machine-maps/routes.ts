import * as channels from '@roastery/contract/channel-check';
import * as contract from '@roastery/contract/machine-maps';
import type { Domain } from '../../app.ts';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { machineAccess } from '../../identity/access.ts';
import { readArtisanSettings } from './artisan/read-artisan-settings.ts';
import { readBoardConfig, setBoardConfig } from './board-config.ts';
import { readChannelCheck } from './channel-check.ts';
import { confirmChannels, exchangeChannels } from './exchange-channels.ts';
import { findMap } from './find-map.ts';
import { dismissMapUpdate, showMapUpdate } from './map-updates.ts';
import { listMaps, listRevisions, readMap } from './read-maps.ts';
import { createMap, saveMap } from './save-map.ts';
import { readCatalogueMap } from './catalogue.ts';

export const machineMapRoutes: Domain = (routes) => {
  routes.forUser(contract.listMachineMaps, (context, { query }) => listMaps(context, query));
  routes.forUser(contract.getMachineMap, (context, { params, query }) => readMap(context, params.id, query.rev));
  routes.forUser(contract.listMapRevisions, (context, { params }) => listRevisions(context, params.id));
  routes.forUser(contract.downloadMachineMap, async ({ sql, user }, { params, query }) => {
    const { map } = await findMap(sql, user, params.id, query.rev);
    return new Response(`${JSON.stringify(map, null, 2)}\n`, {
      headers: {
        'content-type': 'application/json',
        // Only letters, digits, dots and dashes: no quoting needed.
        'content-disposition': `attachment; filename="${map.id}.rev${map.rev}.json"`,
      },
    });
  });
  routes.forUser(contract.createMachineMap, (context, { body }) => createMap(context, body));
  routes.forUser(contract.importArtisanSettings, async (context, { query, file }) => {
    const { file_name: fileName } = query;
    const { map, remarks } = await context.files.run(readArtisanSettings, context.user.id, file, { fileName });
    const note = `From ${fileName}`.slice(0, 200);
    return { map: await createMap(context, { map, note, isFromArtisan: true }), remarks: [...remarks] };
  });
  routes.forUser(contract.saveMachineMap, (context, { params, body }) => saveMap(context, params.id, body));
  routes.forUser(contract.deleteMachineMap, (context, { params }) => deleteMap(context, params.id));
  routes.forUser(contract.getBoardConfig, ({ sql, user }, { params }) => readBoardConfig(sql, user, params.id));
  routes.forUser(contract.setBoardConfig, (context, { params, body }) => setBoardConfig(context, params.id, body));
  routes.forUser(channels.getChannelCheck, ({ sql, user }, { params }) => readChannelCheck(sql, user, params.id));
  routes.forUser(channels.exchangeChannels, (context, { params, body }) => exchangeChannels(context, params.id, body));
  routes.forUser(channels.confirmChannels, (context, { params, body }) => confirmChannels(context, params.id, body));
  routes.forUser(channels.dismissMapUpdate, (context, { params }) => dismissMapUpdate(context, params.id));
  routes.forUser(channels.showMapUpdate, (context, { params }) => showMapUpdate(context, params.id));
};

const namesShown = 3;

/** `“Big Drum” and “Sample Roaster” are read`, with machines that the caller may not see as a number. */
const usedBy = (names: readonly string[], others: number): string => {
  const shown = names.slice(0, namesShown).map((name) => `“${name}”`);
  const more = names.length - shown.length + others;
  if (more > 0) {
    const whose =
      names.length === 0 ? (more === 1 ? 'a machine of another user' : 'machines of other users') : `${more} more`;
    shown.push(names.length === 0 && more > 1 ? `${more} ${whose}` : whose);
  }
  const last = shown.pop() ?? '';
  const text = shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)} ${names.length + others === 1 ? 'is' : 'are'} read`;
};

/** Hides an own map that no machine uses. Its revisions stay: recordings refer to them. */
export const deleteMap = async (context: UserContext, id: string): Promise<{ message: string }> => {
  if ((await readCatalogueMap(id)) !== undefined) {
    throw new AppError('conflict', 'A map of the catalogue can’t be deleted.');
  }
  const name = await context.sql.begin(async (tx) => {
    // A request that sets this map for a machine waits, and then does not find it.
    await tx`SELECT 1 FROM machine_maps WHERE id = ${id} FOR UPDATE`;
    const { map, ownerId } = await findMap(tx, context.user, id, undefined);
    if (!(context.user.is_admin || ownerId === context.user.id)) throw notFound('Machine map');
    const machines = await tx<{ display_name: string; may_see: boolean }[]>`
      SELECT m.display_name, ${machineAccess(tx, context.user)} AS may_see FROM machines m
       WHERE m.map_id = ${id} AND m.archived_at IS NULL ORDER BY lower(m.display_name), m.id`;
    if (machines.length > 0) {
      const seen = machines.filter((machine) => machine.may_see).map((machine) => machine.display_name);
      throw new AppError(
        'conflict',
        `${usedBy(seen, machines.length - seen.length)} by this map. Choose another map there first, under Map and settings.`,
      );
    }
    await tx`UPDATE machine_maps SET deleted_at = now() WHERE id = ${id}`;
    const words = `${map.maker} ${map.model}`;
    await recordAudit(tx, actorOf(context), {
      action: 'machine_map.deleted',
      subject: id,
      detail: { name: words, rev: map.rev },
    });
    return words;
  });
  return { message: `${name} was deleted.` };
};
