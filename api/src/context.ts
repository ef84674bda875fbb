import type { Logger } from '@roastery/runtime/logger';
import type { Registry } from 'prom-client';
import type { BrokerManagement, MqttLink } from './broker/link.ts';
import type { ApiConfig } from './config.ts';
import type { Database } from './db/sql.ts';
import type { FileReaders } from './file-reading/file-readers.ts';
import type { DatabaseWatch } from './http/database-watch.ts';
import type { Health } from './http/health.ts';
import type { OpenStreams } from './http/open-streams.ts';
import type { SendMail } from './mail/smtp.ts';

/** What the whole process shares: composed in `main.ts`, handed to every domain, to ingest and to live. */
export interface AppContext {
  readonly config: ApiConfig;
  readonly log: Logger;
  readonly sql: Database;
  /** Notices that Postgres hangs, and ends the requests that wait for it. */
  readonly databaseWatch: DatabaseWatch;
  readonly mqtt: MqttLink;
  readonly broker: BrokerManagement;
  /** Long answers (server-sent events) that must end with their session or with the process. */
  readonly streams: OpenStreams;
  readonly health: Health;
  /** Whatever reads a person's file does it there, in a process of its own. */
  readonly files: FileReaders;
  readonly metrics: Registry;
  /** Undefined where no mail server is set. */
  readonly sendMail: SendMail | undefined;
}

/** One HTTP request. `log` carries the request id. */
export interface RequestContext extends AppContext {
  readonly requestId: string;
  readonly address: string | null;
  readonly userAgent: string | null;
}

export interface SignedInUser {
  readonly id: string;
  readonly full_name: string;
  readonly email: string;
  readonly is_active: boolean;
  readonly is_admin: boolean;
  readonly created_at: string;
  readonly preferences: Record<string, unknown>;
}

export interface PublicContext extends RequestContext {
  /** The session that came along, if it is good. */
  readonly session: { readonly id: string; readonly user: SignedInUser } | undefined;
  /** Tells accounts that have signed in with this browser before; see `device-cookie.ts`. */
  readonly deviceCookie: string | undefined;
}

export interface UserContext extends RequestContext {
  readonly user: SignedInUser;
  readonly sessionId: string;
}

export interface DeviceContext extends RequestContext {
  readonly machine: { readonly id: string; readonly serial_number: string; readonly credential_id: string };
}

/** Who an audit row names: a person, a board, or the system itself. */
export interface Actor {
  readonly actor: string;
  readonly actorId: string | null;
  readonly address: string | null;
}

export const systemActor: Actor = { actor: 'system', actorId: null, address: null };
export const actorOf = (context: UserContext): Actor => ({
  actor: context.user.email,
  actorId: context.user.id,
  address: context.address,
});
export const boardActor = (serialNumber: string, address: string | null): Actor => ({
  actor: serialNumber,
  actorId: null,
  address,
});
