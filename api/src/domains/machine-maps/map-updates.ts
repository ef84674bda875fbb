import type { SignedInUser } from '../../http/server-context.ts';
import type { AppContext, UserContext } from '../../context.ts';
import { recordAudit, systemActor } from '../../db/audit.ts';
import { loggable } from '../../db/postgres-errors.ts';
import type { Sql } from '../../db/sql.ts';
import { notFound } from '../../http/app-error.ts';
import { machineAccess } from '../../identity/access.ts';
import { findManagedMachine } from '../../identity/machines.ts';
import { putIntoOutbox } from '../../mail/outbox.ts';
import { catalogueSummaries, exchangedRevs, readCatalogueMap } from './catalogue.ts';
import { configureMachines, type ConfiguredMachine } from './configure-machine.ts';
import { publishConfigs } from './publish-configs.ts';

type UpdateContext = Pick<AppContext, 'sql' | 'mqtt' | 'log' | 'config' | 'sendMail'>;

interface Behind extends ConfiguredMachine {
  readonly display_name: string;
  readonly owner_email: string;
  readonly map_id: string;
  readonly map_rev: number;
}

interface Updated extends Behind {
  readonly toRev: number;
  readonly exchanged: boolean;
}

const updateMachine = async (tx: Sql, machine: Behind): Promise<Updated> => {
  const found = await readCatalogueMap(machine.map_id);
  if (found === undefined) throw new Error(`${machine.map_id} is not in the catalogue any more`);
  const { map } = found;
  const exchanged = (await exchangedRevs(map.id)).includes(machine.map_rev);
  await configureMachines(tx, [machine], map);
  await tx`
    INSERT INTO map_updates (machine_id, map_id, to_rev, from_rev, exchanged)
    VALUES (${machine.id}, ${map.id}, ${map.rev}, ${machine.map_rev}, ${exchanged})`;
  await recordAudit(tx, systemActor, {
    action: 'machine.map_updated',
    subject: machine.id,
    detail: {
      serial_number: machine.serial_number,
      map: `${map.id}@${map.rev}`,
      before: `${map.id}@${machine.map_rev}`,
    },
  });
  return { ...machine, toRev: map.rev, exchanged };
};

const lineOf = ({ display_name: name, map_id: map, toRev, exchanged }: Updated): string =>
  exchanged
    ? `${name}: bean and exhaust temperature were exchanged in its map (${map}). Revision ${toRev} is right.`
    : `${name}: its map (${map}) was updated to revision ${toRev}.`;

/** One mail for each owner. */
const mailOwners = async (tx: Sql, updated: readonly Updated[], publicUrl: string): Promise<void> => {
  for (const email of new Set(updated.map((machine) => machine.owner_email))) {
    const machines = updated.filter((machine) => machine.owner_email === email);
    const [only] = machines;
    const subject =
      machines.length === 1 && only !== undefined
        ? `The map of ${only.display_name} was updated`
        : `The maps of ${machines.length} machines were updated`;
    const body = `${machines.map(lineOf).join('\n')}\n\nTheir boards use it after the roast that runs now.\n${publicUrl}/machines\n`;
    await putIntoOutbox(tx, { recipients: [email], subject, body });
  }
};

/**
 * Gives each machine on a map of the catalogue its newest revision, once. Settings and address of the machine stay.
 * Several instances may do it at the same time: the lock of a machine decides.
 */
export const updateCatalogueMaps = async (context: UpdateContext): Promise<void> => {
  const { sql, config, sendMail } = context;
  const newest = new Map((await catalogueSummaries()).map(({ id, rev }) => [id, rev]));
  const updated = await sql.begin(async (tx) => {
    const behind = await tx<Behind[]>`
      SELECT m.id, m.serial_number, m.board_settings, m.display_name, m.map_id, m.map_rev, o.email AS owner_email
        FROM machines m JOIN users o ON o.id = m.owner_id
        JOIN unnest(${[...newest.keys()]}::text[], ${[...newest.values()]}::int[]) AS c (id, rev) ON c.id = m.map_id
       WHERE m.archived_at IS NULL AND m.map_rev < c.rev
         AND NOT EXISTS (
             SELECT FROM map_updates u WHERE u.machine_id = m.id AND u.map_id = m.map_id AND u.to_rev = c.rev)
       ORDER BY m.id FOR NO KEY UPDATE OF m`;
    const done: Updated[] = [];
    for (const machine of behind) done.push(await updateMachine(tx, machine));
    if (sendMail !== undefined) await mailOwners(tx, done, config.publicUrl);
    return done;
  });
  if (updated.length === 0) return;
  context.log.info({ machines: updated.map((machine) => machine.serial_number) }, 'machine maps updated');
  await publishConfigs(
    context,
    updated.map(({ id }) => id),
  );
};

/** The same as part of the housekeeping: a failure is logged and tried again with the next one. */
export const tryToUpdateMaps = async (context: UpdateContext): Promise<void> => {
  try {
    await updateCatalogueMaps(context);
  } catch (error) {
    context.log.warn({ ...loggable(error), what: 'updateCatalogueMaps' }, 'housekeeping failed');
  }
};

/** The newest update of a machine `m` that its manager has not read yet, as `MapUpdate` of the contract, else null. */
export const unreadUpdate = (sql: Sql, user: SignedInUser) => sql`
  (SELECT json_build_object(
            'map_id', u.map_id, 'from_rev', u.from_rev, 'to_rev', u.to_rev, 'exchanged', u.exchanged,
            'updated_at', to_char(u.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'state', CASE WHEN m.status -> 'config' ->> 'rev' IS DISTINCT FROM m.config_rev::text THEN 'waiting'
                          WHEN m.status -> 'config' ->> 'reverted' = 'true' THEN 'reverted'
                          WHEN m.status -> 'config' ->> 'state' = 'refused' THEN 'refused'
                          WHEN m.status -> 'config' ->> 'state' = 'waiting' THEN 'waiting'
                          WHEN m.status -> 'config' ->> 'trial' = 'true' THEN 'trial' ELSE 'running' END,
            'reason', CASE WHEN m.status -> 'config' ->> 'rev' = m.config_rev::text
                           THEN m.status -> 'config' ->> 'reason' END)
     FROM map_updates u
    WHERE u.machine_id = m.id AND u.map_id = m.map_id AND u.to_rev = m.map_rev AND ${machineAccess(sql, user, 'manage')}
      AND NOT EXISTS (
          SELECT FROM map_update_dismissals d
           WHERE d.machine_id = m.id AND d.map_id = u.map_id AND d.to_rev = u.to_rev AND d.user_id = ${user.id}))`;

/** For this person. Dismissing twice is allowed. */
export const dismissMapUpdate = async (context: UserContext, id: string): Promise<{ message: string }> => {
  const { sql, user } = context;
  await findManagedMachine(sql, user, id);
  const [update] = await sql`
    WITH newest AS (
      SELECT u.machine_id, u.map_id, u.to_rev FROM map_updates u JOIN machines m ON m.id = u.machine_id
       WHERE m.id = ${id} AND u.map_id = m.map_id AND u.to_rev = m.map_rev FOR KEY SHARE OF u),
    noted AS (
      INSERT INTO map_update_dismissals (machine_id, map_id, to_rev, user_id)
      SELECT machine_id, map_id, to_rev, ${user.id} FROM newest ON CONFLICT DO NOTHING)
    SELECT machine_id FROM newest`;
  if (update === undefined) throw notFound('Update of the map');
  return { message: 'It is not shown again.' };
};

/** For this person. Where it is shown already, nothing changes. */
export const showMapUpdate = async (context: UserContext, id: string): Promise<{ message: string }> => {
  const { sql, user } = context;
  await findManagedMachine(sql, user, id);
  await sql`
    DELETE FROM map_update_dismissals d USING machines m
     WHERE m.id = ${id} AND d.machine_id = m.id AND d.map_id = m.map_id AND d.to_rev = m.map_rev AND d.user_id = ${user.id}`;
  return { message: 'It is shown again.' };
};
