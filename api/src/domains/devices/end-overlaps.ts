import { clientIdOf } from '@roastery/contract/mqtt';
import { recordAudit, systemActor } from '../../db/audit.ts';
import type { AppContext } from '../../context.ts';
import { loggable } from '../../db/postgres-errors.ts';

const everyMs = 10_000;

/** Ends credentials whose overlap is over and disconnects boards that still use one. */
export const endOverlaps = async ({ sql, broker }: Pick<AppContext, 'sql' | 'broker'>): Promise<void> => {
  const ended = await sql.begin(async (tx) => {
    const rows = await tx<{ machine_id: string; serial_number: string }[]>`
      UPDATE machine_credentials c SET revoked_at = now() FROM machines m
       WHERE m.id = c.machine_id AND c.expires_at <= now() AND c.revoked_at IS NULL
      RETURNING c.machine_id, m.serial_number`;
    for (const { machine_id: subject, serial_number: serial } of rows) {
      await recordAudit(tx, systemActor, { action: 'credential.ended', subject, detail: { serial_number: serial } });
    }
    return rows.map((row) => row.serial_number);
  });
  for (const serial of new Set(ended)) await broker.disconnect(clientIdOf(serial));
};

/** A credential becomes invalid in the second its overlap ends; its connections are closed within ten seconds. */
export const watchOverlaps = async (context: AppContext): Promise<{ close(): Promise<void> }> => {
  let running = Promise.resolve();
  const sweep = (): void => {
    running = endOverlaps(context).catch((error: unknown) =>
      context.log.warn(loggable(error), 'credential sweep failed'),
    );
  };
  const cancel = context.clock.every(everyMs, sweep, { keepsAlive: false });
  return {
    async close() {
      cancel();
      await running;
    },
  };
};
