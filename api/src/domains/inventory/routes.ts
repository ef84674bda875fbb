import * as contract from '@roastery/contract/inventory';
import type { Domain } from '../../app.ts';
import { notFound } from '../../http/app-error.ts';
import { fileAnswer } from '../../http/file-answer.ts';
import { adjustLot, deleteLot, updateLot } from './commands.ts';
import { createLot } from './create-lot.ts';
import { formatsOf } from '../../identity/preferences.ts';
import { writeLotsCsv } from './lot-csv.ts';
import { findLot, listLocations, listLots, listMovements, listOrigins, readSummary } from './queries.ts';

/** More lots than any roastery has: an export is never cut. */
const maxExported = 1_000_000;

export const inventoryRoutes: Domain = (routes) => {
  routes.forUser(contract.listLots, ({ sql }, { query }) => listLots(sql, query));
  routes.forUser(contract.inventorySummary, ({ sql }) => readSummary(sql));
  routes.forUser(contract.lotOrigins, ({ sql }) => listOrigins(sql));
  routes.forUser(contract.lotLocations, ({ sql }) => listLocations(sql));
  routes.forUser(contract.lotStatusList, () => [...contract.lotStatuses]);
  routes.forUser(contract.exportLots, async ({ sql, user }, { query }) => {
    const { lots } = await listLots(sql, { ...query, limit: maxExported, offset: 0 });
    return fileAnswer(
      await writeLotsCsv(lots, formatsOf(user)),
      'text/csv; charset=utf-8',
      `attachment; filename="lots-${new Date().toISOString().slice(0, 10)}.csv"`,
    );
  });
  routes.forUser(contract.getLot, async ({ sql }, { params }) => {
    const lot = await findLot(sql, params.id);
    if (!lot) throw notFound('Lot');
    return lot;
  });
  routes.forUser(contract.createLot, (context, { body }) => createLot(context, body));
  routes.forUser(contract.updateLot, (context, { params, body }) => updateLot(context, params.id, body));
  routes.forUser(contract.deleteLot, (context, { params }) => deleteLot(context, params.id));
  routes.forUser(contract.listLotMovements, async ({ sql }, { params, query }) => {
    if (!(await findLot(sql, params.id))) throw notFound('Lot');
    return listMovements(sql, params.id, query);
  });
  routes.forUser(contract.adjustLot, (context, { params, body }) => adjustLot(context, params.id, body));
};
