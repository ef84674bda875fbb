import * as contract from '@roastery/contract/machines';
import type { Machine } from '@roastery/contract/machines';
import type { ParsedBody } from '@roastery/contract/endpoint';
import { clientIdOf } from '@roastery/contract/mqtt';
import type { Domain } from '../../app.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import { isTaken } from '../../db/postgres-errors.ts';
import type { Sql } from '../../db/sql.ts';
import { clearRetained, requestClear } from '../machine-maps/clear-retained.ts';
import { requireMachine } from '../../identity/access.ts';
import { endOfMachine } from '../../identity/endings.ts';
import { findMachine, listMachines, readTotals } from './queries.ts';
import { registerMachine } from './register-machine.ts';

export const machineRoutes: Domain = (routes) => {
  routes.forUser(contract.listMachines, async ({ sql, user }, { query }, reply) => {
    const { machines, total } = await listMachines(sql, user, query);
    reply.header('x-total-count', String(total));
    return machines;
  });
  routes.forUser(contract.machineTotals, ({ sql, user }) => readTotals(sql, user));
  routes.forUser(contract.getMachine, async ({ sql, user }, { params }) => {
    const machine = await findMachine(sql, user, params.id);
    if (!machine) throw notFound('Machine');
    return machine;
  });
  routes.forUser(contract.registerMachine, (context, { body }) => registerMachine(context, body));
  routes.forUser(contract.updateMachine, (context, { params, body }) => updateMachine(context, params.id, body));
  routes.forUser(contract.deleteMachine, (context, { params }) => deleteMachine(context, params.id));
};

/** Changes name, type or capacity. The serial number identifies the board and stays. */
export const updateMachine = async (
  context: UserContext,
  id: string,
  edit: ParsedBody<typeof contract.updateMachine>,
): Promise<Machine> => {
  try {
    return await changeMachine(context, id, edit);
  } catch (error) {
    if (!isTaken(error, 'machines_by_batch_prefix')) throw error;
    throw new AppError('already_exists', 'Another machine already uses this prefix.');
  }
};

const changeMachine = (
  context: UserContext,
  id: string,
  { revision, batch_prefix: batchPrefix, ...form }: ParsedBody<typeof contract.updateMachine>,
): Promise<Machine> =>
  context.sql.begin(async (tx) => {
    await requireMachine(tx, context.user, id, 'manage');
    await tx`SELECT 1 FROM machines WHERE id = ${id} FOR NO KEY UPDATE`;
    const before = await findMachine(tx, context.user, id);
    if (!before || before.archived_at !== null) throw notFound('Machine');
    if (revision !== undefined && revision !== before.revision) {
      throw new AppError(
        'changed_meanwhile',
        'Another user has changed this machine. Reload it and repeat your change.',
      );
    }
    const after = { ...before, ...form, batch_prefix: batchPrefix === undefined ? before.batch_prefix : batchPrefix };
    await tx`
      UPDATE machines SET display_name = ${form.display_name}, machine_type = ${form.machine_type},
             max_capacity_kg = ${form.max_capacity_kg}, batch_prefix = ${after.batch_prefix}, revision = revision + 1
       WHERE id = ${id}`;
    await recordAudit(tx, actorOf(context), {
      action: 'machine.updated',
      subject: id,
      detail: {
        display_name: form.display_name,
        machine_type: form.machine_type,
        max_capacity_kg: form.max_capacity_kg,
        batch_prefix: after.batch_prefix,
      },
    });
    return { ...after, revision: before.revision + 1 };
  });

/** History of any kind: roasts, or samples in which a roast may still be found. */
const hasHistory = async (sql: Sql, id: string): Promise<boolean> => {
  const [row] = await sql<{ has: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM roasts WHERE machine_id = ${id})
        OR EXISTS (SELECT 1 FROM recordings WHERE machine_id = ${id}) AS has`;
  return row?.has ?? false;
};

/**
 * Deletes a machine, or archives it when it has roasts or recordings. Its credential, its open ticket and its queue end in
 * the same transaction (`identity/endings.ts`), and its board is disconnected right after it.
 */
export const deleteMachine = async (
  context: UserContext,
  id: string,
): Promise<{ message: string; archived: boolean }> => {
  const { serialNumber, archived, name } = await context.sql.begin(async (tx) => {
    await requireMachine(tx, context.user, id, 'manage');
    await tx`SELECT 1 FROM machines WHERE id = ${id} FOR UPDATE`;
    const machine = await findMachine(tx, context.user, id);
    if (!machine || machine.archived_at !== null) throw notFound('Machine');
    const archived = await hasHistory(tx, id);
    await endOfMachine(tx, id, 'removed', actorOf(context));
    if (archived) await tx`UPDATE machines SET archived_at = now(), is_online = false WHERE id = ${id}`;
    else await tx`DELETE FROM machines WHERE id = ${id}`;
    await requestClear(tx, machine.serial_number);
    await recordAudit(tx, actorOf(context), {
      action: archived ? 'machine.archived' : 'machine.deleted',
      subject: id,
      detail: { serial_number: machine.serial_number, display_name: machine.display_name },
    });
    return { serialNumber: machine.serial_number, archived, name: machine.display_name };
  });
  await context.broker.disconnect(clientIdOf(serialNumber));
  // After the board has disconnected: its last will is retained too.
  await clearRetained(context, serialNumber);
  return {
    archived,
    message: archived ? `${name} has roast history.` : `${name} was deleted.`,
  };
};
