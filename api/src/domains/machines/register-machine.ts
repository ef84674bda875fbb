import { apiBasePath } from '@roastery/contract/endpoint';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { uuidV7 } from '@roastery/runtime/uuid';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import { isTaken } from '../../db/postgres-errors.ts';
import { AppError } from '../../http/app-error.ts';
import { hashToken, newToken } from '../../http/secrets.ts';
import { issueTicket } from '../../identity/pairing-tickets.ts';
import { clearRetained, requestClear } from '../machine-maps/clear-retained.ts';
import { configureMachines } from '../machine-maps/configure-machine.ts';
import { findMapToUse } from '../machine-maps/find-map.ts';
import { findMachine } from './queries.ts';

export interface MachineForm {
  readonly serial_number: string;
  readonly display_name: string;
  readonly machine_type: string;
  readonly max_capacity_kg: number;
  readonly map_id?: string | null | undefined;
  readonly host?: string | null | undefined;
  readonly port?: number | null | undefined;
  readonly path?: string | null | undefined;
}

/** Registers a machine for the caller. Token and pairing code are only in this answer; hashes are stored. */
export const registerMachine = async (context: UserContext, form: MachineForm): Promise<RegisteredMachine> => {
  const { config, user } = context;
  const id = uuidV7();
  const token = newToken();
  try {
    const registered = await context.sql.begin(async (tx) => {
      await tx`
        INSERT INTO machines (id, owner_id, serial_number, display_name, machine_type, max_capacity_kg)
        VALUES (${id}, ${user.id}, ${form.serial_number}, ${form.display_name}, ${form.machine_type},
                ${form.max_capacity_kg})`;
      await tx`
        INSERT INTO machine_credentials (id, machine_id, token_hash, origin)
        VALUES (${uuidV7()}, ${id}, ${hashToken(token)}, 'registration')`;
      if (form.map_id !== null && form.map_id !== undefined) {
        const { map } = await findMapToUse(tx, user, form.map_id, undefined);
        const { host, port, path } = form;
        const address = { ...(host && { host }), ...(port && { port }), ...(path && { path }) };
        await configureMachines(tx, [{ id, serial_number: form.serial_number, board_settings: address }], map);
      }
      const [settings] = await tx<{ email: string | null }[]>`SELECT email FROM roastery_settings`;
      // A machine of this number may have been deleted while the broker was unavailable, or by an earlier version.
      await requestClear(tx, form.serial_number);
      await recordAudit(tx, actorOf(context), {
        action: 'machine.registered',
        subject: id,
        detail: { serial_number: form.serial_number },
      });
      const ticket = await issueTicket(tx, {
        secretKey: config.secretKey,
        machineId: id,
        serialNumber: form.serial_number,
        by: actorOf(context),
      });
      const machine = await findMachine(tx, user, id);
      if (!machine) throw new Error('the machine just registered is not there');
      return {
        ...machine,
        auth_token: token,
        pairing_code: ticket.code,
        api_url: `${config.publicUrl}${apiBasePath}`,
        pairing_expires_at: ticket.expires_at,
        support_email: config.supportEmail ?? settings?.email ?? null,
      };
    });
    await clearRetained(context, form.serial_number);
    return registered;
  } catch (error) {
    if (!isTaken(error, 'machines_by_serial')) throw error;
    throw new AppError('already_exists', 'A machine with this serial number is already registered.');
  }
};
