import type { Lot, LotMovement } from '@roastery/contract/inventory';
import { containing, type Sql } from '../../db/sql.ts';
import { costPerKg } from '../../ledger/money.ts';

/** Run-out: current weight over the mean daily use by roasts of the last 30 days. Adjustments are not use. */
const runoutDays = (sql: Sql) => sql`
  (SELECT CASE WHEN sum(-v.kg) > 0 THEN greatest(l.current_weight, 0) / (sum(-v.kg) / 30) END
     FROM lot_movements v
    WHERE v.lot_id = l.id AND v.at > now() - interval '30 days' AND v.reason IN ('roast', 'roast_edit', 'roast_delete'))`;

/** Lots in the shape of the contract, as `lot`. In Use: a running roast uses it. */
const lotRows = (sql: Sql) => sql`(
  SELECT l.id, l.lot_number, l.coffee_name, l.origin, l.region, l.farm, l.variety, l.process, l.altitude,
         l.harvest_date, l.supplier, l.purchase_date, ${costPerKg(sql)} AS cost_per_kg, l.initial_weight, l.current_weight,
         round((l.current_weight / l.initial_weight::numeric) * 100, 2) AS percentage_remaining,
         l.location, l.cupping_score, l.moisture_content, l.water_activity, l.density, l.screen_size, l.notes,
         l.registration_date, l.is_reserved, l.archived_at, l.revision,
         ${runoutDays(sql)} AS estimated_runout_days,
         (SELECT count(*) FROM profiles p WHERE p.green_coffee_lot_id = l.id AND p.archived_at IS NULL) AS usage_count,
         CASE WHEN l.id IN (SELECT r.lot_id FROM roasts r WHERE r.status = 'in_progress' AND r.lot_id IS NOT NULL) THEN 'In Use'
              WHEN l.current_weight <= 0 THEN 'Depleted'
              WHEN l.is_reserved THEN 'Reserved'
              ELSE 'Available' END AS status
    FROM lots l) AS lot`;

/** One lot, archived or not. */
export const findLot = async (sql: Sql, id: string): Promise<Lot | undefined> => {
  const [row] = await sql<Lot[]>`SELECT * FROM ${lotRows(sql)} WHERE lot.id = ${id}`;
  return row;
};

const orders = {
  registration_date: (sql: Sql) => sql`lot.registration_date`,
  lot_number: (sql: Sql) => sql`lot.lot_number`,
  coffee_name: (sql: Sql) => sql`lower(lot.coffee_name)`,
  origin: (sql: Sql) => sql`lower(lot.origin)`,
  location: (sql: Sql) => sql`lower(lot.location)`,
  initial_weight: (sql: Sql) => sql`lot.initial_weight`,
  current_weight: (sql: Sql) => sql`lot.current_weight`,
  estimated_runout_days: (sql: Sql) => sql`lot.estimated_runout_days`,
  status: (sql: Sql) => sql`lot.status`,
};
type SortField = keyof typeof orders;
const isSortField = (text: string): text is SortField => text in orders;

export interface LotListQuery {
  readonly limit: number;
  readonly offset: number;
  readonly q?: string | undefined;
  readonly status?: Lot['status'] | undefined;
  readonly origin?: string | undefined;
  readonly location?: string | undefined;
  readonly runs_out_within_days?: number | undefined;
  readonly sort: string;
}

const filtered = (sql: Sql, query: LotListQuery) => {
  const search = query.q === undefined || query.q === '' ? undefined : containing(query.q);
  return sql`
    lot.archived_at IS NULL
    ${query.status === undefined ? sql`` : sql`AND lot.status = ${query.status}`}
    ${query.origin === undefined || query.origin === '' ? sql`` : sql`AND lot.origin = ${query.origin}`}
    ${query.location === undefined || query.location === '' ? sql`` : sql`AND lot.location = ${query.location}`}
    ${
      query.runs_out_within_days === undefined
        ? sql``
        : sql`AND lot.current_weight > 0 AND lot.estimated_runout_days <= ${query.runs_out_within_days}`
    }
    ${
      search === undefined
        ? sql``
        : sql`AND concat_ws(' ', lot.lot_number, lot.coffee_name, lot.region, lot.origin, lot.variety, lot.supplier)
              ILIKE ${search}`
    }`;
};

export const listLots = async (sql: Sql, query: LotListQuery): Promise<{ lots: Lot[]; total: number }> => {
  const where = filtered(sql, query);
  const isDescending = query.sort.startsWith('-');
  const name = query.sort.replace('-', '');
  const field = orders[isSortField(name) ? name : 'registration_date'](sql);
  const order = sql`${field} ${isDescending ? sql`DESC NULLS LAST` : sql`NULLS LAST`}, lot.id DESC`;
  // Sums per lot are only computed for those on the page: the page is chosen first.
  const [[count], lots] = await Promise.all([
    sql<{ total: number }[]>`SELECT count(*) AS total FROM ${lotRows(sql)} WHERE ${where}`,
    sql<Lot[]>`
      WITH page AS MATERIALIZED (
        SELECT lot.id FROM ${lotRows(sql)} WHERE ${where} ORDER BY ${order} LIMIT ${query.limit} OFFSET ${query.offset})
      SELECT lot.* FROM ${lotRows(sql)} JOIN page ON page.id = lot.id ORDER BY ${order}`,
  ]);
  return { lots, total: count?.total ?? 0 };
};

export const readSummary = async (sql: Sql) => {
  const [row] = await sql<
    { total_lots: number; total_weight_kg: number; available_lots: number; total_value: number }[]
  >`
    SELECT count(*) AS total_lots, coalesce(sum(lot.current_weight), 0) AS total_weight_kg,
           count(*) FILTER (WHERE lot.status = 'Available') AS available_lots,
           coalesce(sum(greatest(lot.current_weight, 0) * lot.cost_per_kg), 0) AS total_value
      FROM ${lotRows(sql)} WHERE lot.archived_at IS NULL`;
  return row ?? { total_lots: 0, total_weight_kg: 0, available_lots: 0, total_value: 0 };
};

export const listOrigins = async (sql: Sql): Promise<string[]> => {
  const rows = await sql<{ origin: string }[]>`
    SELECT DISTINCT origin FROM lots WHERE archived_at IS NULL ORDER BY origin`;
  return rows.map((row) => row.origin);
};

export const listLocations = async (sql: Sql): Promise<string[]> => {
  const rows = await sql<{ location: string }[]>`
    SELECT DISTINCT location FROM lots
     WHERE archived_at IS NULL AND location IS NOT NULL AND location <> '' ORDER BY location`;
  return rows.map((row) => row.location);
};

/** Newest first, each with the weight after it. */
export const listMovements = async (
  sql: Sql,
  lotId: string,
  page: { limit: number; offset: number },
): Promise<{ movements: LotMovement[]; total: number }> => {
  const [count] = await sql<{ total: number }[]>`
    SELECT count(*) AS total FROM lot_movements WHERE lot_id = ${lotId}`;
  const movements = await sql<LotMovement[]>`
    SELECT v.id, v.at, v.kg, v.reason, v.note, v.roast_id, u.full_name AS by,
           sum(v.kg) OVER (ORDER BY v.at, v.id) AS balance_kg
      FROM lot_movements v LEFT JOIN users u ON u.id = v.by_user
     WHERE v.lot_id = ${lotId} ORDER BY v.at DESC, v.id DESC LIMIT ${page.limit} OFFSET ${page.offset}`;
  return { movements, total: count?.total ?? 0 };
};
