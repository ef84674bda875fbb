import * as contract from '@roastery/contract/machine-maps';
import type { Domain } from '../../app.ts';
import { readBoardConfig, setBoardConfig } from './board-config.ts';
import { deleteMap } from './delete-map.ts';
import { findMap } from './find-map.ts';
import { listMaps, listRevisions, readMap } from './read-maps.ts';
import { createMap, saveMap } from './save-map.ts';

export const machineMapRoutes: Domain = (routes) => {
  routes.forUser(contract.listMachineMaps, (context, { query }) => listMaps(context, query));
  routes.forUser(contract.getMachineMap, (context, { params, query }) => readMap(context, params.id, query.rev));
  routes.forUser(contract.listMapRevisions, (context, { params }) => listRevisions(context, params.id));
  routes.forUser(contract.downloadMachineMap, async ({ sql, user }, { params, query }) => {
    const { map } = await findMap(sql, user, params.id, query.rev);
    return new Response(`${JSON.stringify(map, null, 2)}\n`, {
      headers: {
        'content-type': 'application/json',
        // Letters, digits, dots and dashes alone: nothing to quote.
        'content-disposition': `attachment; filename="${map.id}.rev${map.rev}.json"`,
      },
    });
  });
  routes.forUser(contract.createMachineMap, (context, { body }) => createMap(context, body));
  routes.forUser(contract.saveMachineMap, (context, { params, body }) => saveMap(context, params.id, body));
  routes.forUser(contract.deleteMachineMap, (context, { params }) => deleteMap(context, params.id));
  routes.forUser(contract.getBoardConfig, ({ sql, user }, { params }) => readBoardConfig(sql, user, params.id));
  routes.forUser(contract.setBoardConfig, (context, { params, body }) => setBoardConfig(context, params.id, body));
};
