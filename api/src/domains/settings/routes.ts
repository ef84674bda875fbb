import * as contract from '@roastery/contract/settings';
import type { RoasterySettings } from '@roastery/contract/settings';
import type { Domain } from '../../app.ts';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import { isUnstorableValue } from '../../db/postgres-errors.ts';
import type { Sql } from '../../db/sql.ts';
import { isTimeZone } from '../../format/format.ts';
import { AppError, invalid } from '../../http/app-error.ts';
import { endOfPerson } from '../../identity/endings.ts';
import { changeCurrency } from '../../ledger/money.ts';
import { createOption, deleteOption, listOptions, seedDefaults } from './options.ts';

export const settingsRoutes: Domain = (routes) => {
  routes.forUser(contract.listOptions, ({ sql }, { params, query }) =>
    listOptions(sql, params.category, query.active_only ?? false),
  );
  routes.forUser(contract.createOption, (context, { body }) => createOption(context, body));
  routes.forUser(contract.deleteOption, (context, { params }) => deleteOption(context, params.id));
  routes.forUser(contract.seedDefaults, (context) => seedDefaults(context));
  routes.forUser(contract.getRoasterySettings, ({ sql }) => readRoastery(sql));
  routes.forUser(contract.putRoasterySettings, (context, { body }) => changeRoastery(context, body));
};

const columns = (sql: Sql) => sql`roastery_name, address, city, country, postal_code, email, phone, website, time_zone,
  alert_email, all_users_see_all_machines, currency, bag_sizes, revision`;

export const readRoastery = async (sql: Sql): Promise<RoasterySettings> => {
  const [row] = await sql<RoasterySettings[]>`SELECT ${columns(sql)} FROM roastery_settings`;
  if (!row) throw new Error('the settings row is missing: it is made when the api first starts');
  return row;
};

/** Both use it: Node for dates in files and mails, Postgres for "today". */
const checkTimeZone = async (sql: Sql, name: string): Promise<void> => {
  const unknown = invalid('time_zone', 'must be a time zone such as Europe/Berlin');
  if (!/^[A-Za-z0-9_+/-]+$/.test(name) || !isTimeZone(name)) throw unknown;
  try {
    await sql`SELECT now() AT TIME ZONE ${name}::text`;
  } catch (error) {
    if (isUnstorableValue(error)) throw unknown;
    throw error;
  }
};

/** Changes the given fields. */
export const changeRoastery = async (
  context: UserContext,
  given: { readonly [K in keyof RoasterySettings]?: RoasterySettings[K] | undefined },
): Promise<RoasterySettings> => {
  if (given.time_zone !== undefined) await checkTimeZone(context.sql, given.time_zone);
  return context.sql.begin(async (tx) => {
    await tx`SELECT 1 FROM roastery_settings FOR UPDATE`;
    const before = await readRoastery(tx);
    const { revision, ...fields } = given;
    if (revision !== undefined && revision !== before.revision) {
      throw new AppError(
        'changed_meanwhile',
        'Another user has changed these settings. Reload them and repeat your change.',
      );
    }
    const changed: Partial<RoasterySettings> = Object.fromEntries(
      Object.entries(fields).filter(([, value]) => value !== undefined),
    );
    const after = { ...before, ...changed, revision: before.revision + 1 };
    await tx`UPDATE roastery_settings SET ${tx({ ...after, bag_sizes: tx.json(after.bag_sizes) })}`;
    if (after.currency !== before.currency) await changeCurrency(tx, before.currency, after.currency);
    if (before.all_users_see_all_machines && !after.all_users_see_all_machines) {
      const others = await tx<{ id: string }[]>`SELECT id FROM users WHERE NOT is_admin`;
      for (const { id } of others) await endOfPerson(tx, id, 'machine_lost', actorOf(context));
    }
    const { all_users_see_all_machines: sharesAll } = changed;
    await recordAudit(tx, actorOf(context), {
      action: 'roastery.changed',
      detail: {
        fields: Object.keys(changed),
        ...(sharesAll === undefined ? {} : { all_users_see_all_machines: sharesAll }),
      },
    });
    return readRoastery(tx);
  });
};
