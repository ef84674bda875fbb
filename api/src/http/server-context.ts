import type { Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import type { Registry } from 'prom-client';
import type { ApiConfig } from '../config.ts';
import type { Database } from '../db/sql.ts';
import type { DatabaseWatch } from './database-watch.ts';
import type { BodyBudget } from './body-budget.ts';
import type { OpenRequests } from './open-requests.ts';
import type { OpenStreams } from './open-streams.ts';
import type { UnreadAnswers } from './unread-answers.ts';

/** The progress of ingest, for readiness. */
export interface IngestHealth {
  /** Age of the oldest uncommitted message; 0 without one. */
  readonly oldestWaitingSeconds: number;
  readonly lastCommitAt: Date | undefined;
  /** Machines whose messages could not be stored and are retried. */
  readonly parkedMachines: number;
  /** Messages wait, and Postgres refused the last ones for a reason of its own, or none was committed for a minute. */
  readonly isStalled: boolean;
}

/** The checks of `/readyz` besides Postgres and the broker link. */
export interface Health {
  /** The schema is up to date: endpoints may be served. */
  migrated: boolean;
  /** Every service runs, live streams among them. */
  started: boolean;
  /** The process is ending: no new work. */
  stopping: boolean;
  /** Undefined until ingest was started. */
  ingest: (() => IngestHealth) | undefined;
}

export const createHealth = (): Health => ({ migrated: false, started: false, stopping: false, ingest: undefined });

/** The parts of the process that HTTP needs; `AppContext` is the whole. */
export interface ServerContext {
  readonly config: ApiConfig;
  readonly log: Logger;
  /** Time of everything that happens by itself, such as alarms, heartbeats and retries. Postgres has its own. */
  readonly clock: Clock;
  readonly sql: Database;
  /** Detects a hanging Postgres, and ends the requests that wait for it. */
  readonly databaseWatch: DatabaseWatch;
  /** Lets bulk work wait for them. */
  readonly openRequests: OpenRequests;
  /** What the bodies of all requests hold in memory. */
  readonly bodies: BodyBudget;
  /** What unread answers hold in memory. */
  readonly answers: UnreadAnswers;
  readonly mqtt: { readonly isConnected: boolean; readonly missing: readonly string[] };
  /** Long answers (server-sent events) that must end with their session or with the process. */
  readonly streams: OpenStreams;
  readonly health: Health;
  readonly metrics: Registry;
}

/** One HTTP request. */
export interface RequestDetails {
  readonly requestId: string;
  readonly address: string | null;
  readonly userAgent: string | null;
}

export interface Account {
  readonly id: string;
  readonly full_name: string;
  readonly email: string;
  readonly is_active: boolean;
  readonly is_admin: boolean;
  readonly created_at: string;
  readonly preferences: Record<string, unknown>;
}

/** The caller of a request. */
export interface SignedInUser extends Account {
  /**
   * Ids of machines that the caller is a member of, and those with the role roaster; `all`: of every machine, by the
   * setting.
   */
  readonly shared: { readonly see: readonly string[]; readonly roast: readonly string[]; readonly all: boolean };
}

/** Which accounts a browser knows; see `cookies.ts`. */
export interface DeviceCookies {
  /** Accounts that have signed in with this browser before. */
  readonly deviceCookie: string | undefined;
  /** Accounts whose PIN was typed right in this browser. */
  readonly pinCookie: string | undefined;
}

/** Callers, by the access of the endpoint. */
export interface PublicCaller extends DeviceCookies {
  /** The caller's session, if it is valid. */
  readonly session: { readonly id: string; readonly user: SignedInUser } | undefined;
}
export interface UserCaller extends DeviceCookies {
  readonly user: SignedInUser;
  readonly sessionId: string;
}
/** The viewer of the wall: a signed-in user, or a screen of a wall link without an account. */
export interface WallCaller {
  readonly user: SignedInUser | null;
  /** The wall link of a screen. */
  readonly linkId?: string;
  /** Id of the session, or of the screen: a stream ends with it. */
  readonly sessionId: string;
}
export interface DeviceCaller {
  readonly machine: { readonly id: string; readonly serial_number: string; readonly credential_id: string };
}
