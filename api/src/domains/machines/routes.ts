import * as contract from '@roastery/contract/machines';
import type { Domain } from '../../app.ts';
import { notFound } from '../../http/app-error.ts';
import { deleteMachine, updateMachine } from './commands.ts';
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
