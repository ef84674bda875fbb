import type { Machine } from '@roastery/contract/machines';
import { actorOf, type UserContext } from '../../context.ts';
import { recordAudit } from '../../db/audit.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { findMachine } from './queries.ts';
import type { MachineForm } from './register-machine.ts';

/** Renames, retypes, changes the capacity. The serial number is the board's name and stays. */
export const updateMachine = async (
  context: UserContext,
  id: string,
  { revision, ...form }: Omit<MachineForm, 'serial_number' | 'map_id'> & { readonly revision?: number | undefined },
): Promise<Machine> =>
  context.sql.begin(async (tx) => {
    await tx`SELECT 1 FROM machines WHERE id = ${id} FOR NO KEY UPDATE`;
    const before = await findMachine(tx, context.user, id);
    if (!before || before.archived_at !== null) throw notFound('Machine');
    if (revision !== undefined && revision !== before.revision) {
      throw new AppError('changed_meanwhile', 'Somebody else has changed this machine meanwhile. Load it again');
    }
    await tx`
      UPDATE machines SET display_name = ${form.display_name}, machine_type = ${form.machine_type},
             max_capacity_kg = ${form.max_capacity_kg}, revision = revision + 1 WHERE id = ${id}`;
    await recordAudit(tx, actorOf(context), {
      action: 'machine.updated',
      subject: id,
      detail: {
        display_name: form.display_name,
        machine_type: form.machine_type,
        max_capacity_kg: form.max_capacity_kg,
      },
    });
    return { ...before, ...form, revision: before.revision + 1 };
  });
