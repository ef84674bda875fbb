import * as contract from '@roastery/contract/quarantine';
import type { Quarantined } from '@roastery/contract/quarantine';
import type { Domain } from '../app.ts';
import { actorOf } from '../db/audit.ts';
import { containing } from '../db/search.ts';
import type { Sql } from '../db/sql.ts';
import { discardQuarantined, replayQuarantined } from './replay-quarantined.ts';

interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly q?: string | undefined;
}

/** Refused messages, newest first. */
export const listQuarantined = async (sql: Sql, { limit, offset, q }: Page) => {
  const search = q === undefined || q === '' ? undefined : containing(q);
  const where = sql`${search === undefined ? sql`true` : sql`q.serial_number ILIKE ${search} OR m.display_name ILIKE ${search} OR q.reason ILIKE ${search}`}`;
  const from = sql`
    quarantine q LEFT JOIN machines m ON m.serial_number = q.serial_number AND m.archived_at IS NULL
      AND (q.machine_id IS NULL OR q.machine_id = m.id)`;
  const [count] = await sql<{ total: number }[]>`SELECT count(*) AS total FROM ${from} WHERE ${where}`;
  const [drops] = await sql<{ dropped: number }[]>`SELECT coalesce(sum(dropped), 0) AS dropped FROM quarantine_drops`;
  const quarantined = await sql<Quarantined[]>`
    SELECT q.id, coalesce(q.serial_number, '') AS serial_number, m.id AS machine_id, m.display_name, q.reason,
           octet_length(q.payload) AS bytes, q.received_at, q.times,
           coalesce(q.last_received_at, q.received_at) AS last_received_at
      FROM ${from} WHERE ${where}
     ORDER BY q.received_at DESC, q.id DESC LIMIT ${limit} OFFSET ${offset}`;
  return { quarantined: [...quarantined], total: count?.total ?? 0, dropped: drops?.dropped ?? 0 };
};

export const quarantineRoutes: Domain = (routes) => {
  routes.forUser(contract.listQuarantined, ({ sql }, { query }) => listQuarantined(sql, query));
  routes.forUser(contract.replayQuarantined, (context, { params }) =>
    replayQuarantined(context.sql, params.id, actorOf(context)),
  );
  routes.forUser(contract.discardQuarantined, async (context, { params }) => {
    await discardQuarantined(context.sql, params.id, actorOf(context));
    return { discarded: true };
  });
};
