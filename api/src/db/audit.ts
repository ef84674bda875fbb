import { uuidV7 } from '@roastery/runtime/uuid';
import type { Actor } from '../context.ts';
import type { Sql } from './sql.ts';

export interface AuditEvent {
  /** `thing.happened`, e.g. `machine.registered`. */
  readonly action: string;
  /** Id of what it happened to. */
  readonly subject?: string | null;
  /** Never a secret. */
  readonly detail?: Record<string, string | number | boolean | null | string[]>;
}

/** Writes one audit row; inside the transaction of the change it tells of. */
export const recordAudit = async (sql: Sql, who: Actor, event: AuditEvent): Promise<void> => {
  await sql`
    INSERT INTO audit_log (id, actor_id, actor, action, subject, address, detail)
    VALUES (${uuidV7()}, ${who.actorId}, ${who.actor}, ${event.action}, ${event.subject ?? null}, ${who.address},
            ${sql.json(event.detail ?? {})})`;
};
