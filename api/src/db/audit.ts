import { uuidV7 } from '@roastery/runtime/uuid';
import type { Sql } from './sql.ts';

/** The actor of an audit row: a person, a board, or the system itself. */
export interface Actor {
  readonly actor: string;
  readonly actorId: string | null;
  readonly address: string | null;
}

export const systemActor: Actor = { actor: 'system', actorId: null, address: null };

/** The user of a request. */
export const actorOf = (request: {
  readonly user: { readonly id: string; readonly email: string };
  readonly address: string | null;
}): Actor => ({ actor: request.user.email, actorId: request.user.id, address: request.address });

export const boardActor = (serialNumber: string, address: string | null): Actor => ({
  actor: serialNumber,
  actorId: null,
  address,
});

export interface AuditEvent {
  /** `thing.happened`, e.g. `machine.registered`. */
  readonly action: string;
  /** Id of the affected record. */
  readonly subject?: string | null;
  /** Never a secret. */
  readonly detail?: Record<string, string | number | boolean | null | string[]>;
}

/** Writes one audit row; inside the transaction of its change. */
export const recordAudit = (sql: Sql, who: Actor, event: AuditEvent): Promise<void> => recordAudits(sql, who, [event]);

/** The same for many events of one change, in one statement. */
export const recordAudits = async (sql: Sql, who: Actor, events: readonly AuditEvent[]): Promise<void> => {
  const rows = events.map((event) => ({
    id: uuidV7(),
    actor_id: who.actorId,
    actor: who.actor,
    action: event.action,
    subject: event.subject ?? null,
    address: who.address,
    detail: sql.json(event.detail ?? {}),
  }));
  await sql`INSERT INTO audit_log ${sql(rows)}`;
};
