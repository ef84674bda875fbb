import * as contract from '@roastery/contract/roasters';
import type { Roaster } from '@roastery/contract/roasters';
import type { Routes } from '../../app.ts';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { invalid, notFound } from '../../http/app-error.ts';
import { deviceCookie } from '../../http/cookies.ts';
import { mayRoastOn, requireMachine } from '../../identity/access.ts';
import { checkPin, type PinOwner } from '../../identity/pins.ts';
import { announceRoast } from '../roasts/life/announce-roast.ts';

export const mountRoasters = (routes: Routes): void => {
  routes.forUser(contract.listRoasters, (context, { params }) => listRoasters(context, params.id));
  routes.forUser(contract.setRoaster, (context, { params, body }, reply) =>
    setRoaster(context, params.id, body, (cookie) => reply.header('set-cookie', cookie)),
  );
};

const roasterColumns = (sql: Sql) => sql`u.id AS user_id, u.full_name, u.pin_hash IS NOT NULL AS has_pin`;

/** The people who may roast on a machine, and the caller if they may: an admin may roast on it too. */
const readPeople = async (sql: Sql, machineId: string, callerId: string): Promise<Roaster[]> => {
  const rows = await sql<Roaster[]>`
    SELECT ${roasterColumns(sql)} FROM users u JOIN machines m ON m.id = ${machineId}
     WHERE u.is_active AND (${mayRoastOn(sql)} OR (u.is_admin AND u.id = ${callerId}))
     ORDER BY lower(u.full_name), u.id`;
  return [...rows];
};

const listRoasters = async ({ sql, user }: UserContext, machineId: string) => {
  await requireMachine(sql, user, machineId, 'see');
  const [people, [current]] = await Promise.all([
    readPeople(sql, machineId, user.id),
    sql<Roaster[]>`
      SELECT ${roasterColumns(sql)} FROM machines m JOIN users u ON u.id = m.roaster_id
       WHERE m.id = ${machineId} AND u.is_active`,
  ]);
  return { current: current ?? null, people };
};

/**
 * Sets the roaster at a machine. It needs the PIN of another person who has one; it only sets a name: the caller's
 * rights stay the same. With a right PIN the browser knows the person from then on.
 */
const setRoaster = async (
  context: UserContext,
  machineId: string,
  { user_id: userId, pin }: { user_id: string; pin?: string | undefined },
  setCookie: (cookie: string) => void,
): Promise<Roaster> => {
  const { sql, user, config } = context;
  await requireMachine(sql, user, machineId, 'roast');
  const roaster = (await readPeople(sql, machineId, user.id)).find((one) => one.user_id === userId);
  if (roaster === undefined) throw invalid('user_id', 'This person is not a roaster of this machine');
  if (roaster.has_pin && userId !== user.id) {
    const [owner] = await sql<PinOwner[]>`SELECT id, email FROM users WHERE id = ${userId}`;
    if (owner === undefined) throw notFound('User');
    const device = { ...context, callerEmail: user.email };
    await checkPin(sql, actorOf(context), config.secretKey, { owner, device, pin });
    setCookie(deviceCookie(context.pinCookie, config, owner.email, 'pin'));
  }
  await sql.begin(async (tx) => {
    await tx`UPDATE machines SET roaster_id = ${userId}, roaster_since = now() WHERE id = ${machineId}`;
    const running = await tx<{ id: string }[]>`
      UPDATE roasts SET roasted_by = ${roaster.full_name}, revision = revision + 1
       WHERE machine_id = ${machineId} AND status = 'in_progress' RETURNING id`;
    for (const { id } of running) await announceRoast(tx, id, machineId);
    await recordAudit(tx, actorOf(context), {
      action: 'machine.roaster_set',
      subject: machineId,
      detail: { roaster: roaster.full_name, roasts: running.map(({ id }) => id) },
    });
  });
  return roaster;
};
