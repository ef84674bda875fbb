import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ApiAwayError, type ApiAccess } from './api-access.ts';
import { BoundedMap } from './bounded-map.ts';

/** Within this time the api is not asked again about the same credentials. */
const freshMs = 30_000;
/** How long a known board stays welcome while the api is away. */
const knownForMs = 24 * 60 * 60_000;
/** The same wrong credentials are refused without asking for this long. */
const refusedFreshMs = 5_000;
/** Wrong attempts from one address for one board within `failureWindowMs`, then the api is not asked for the rest of it. */
const maxFailures = 10;
const failureWindowMs = 60_000;

export interface Attempt {
  readonly clientid: string;
  readonly username: string;
  readonly password: string;
  readonly address: string;
  /** Whether the connection still stands: an answer that comes after it was closed must not be remembered. */
  readonly isOpen: () => boolean;
}

export type Admission =
  | { readonly allow: true; readonly superuser: boolean; readonly by: 'api' | 'cache' | 'memory' }
  | {
      readonly allow: false;
      readonly reason: 'credentials' | 'too_many_failures' | 'api_away';
      readonly by: 'api' | 'cache';
    };

/**
 * Decides who may connect: by the api, with a short memory. While the api is away, boards it confirmed before with the
 * same password stay welcome and all others find a closed door. Only keyed hashes of passwords are kept, under a key
 * that lives as long as the process.
 */
export const createDeviceAccess = (api: Pick<ApiAccess, 'authenticate'>, now: () => number = Date.now) => {
  const key = randomBytes(32);
  const hash = (password: string): Buffer => createHmac('sha256', key).update(password).digest();
  const known = new BoundedMap<string, { username: string; hash: Buffer; superuser: boolean; confirmedAt: number }>(
    20_000,
  );
  const failures = new BoundedMap<string, { since: number; count: number; lastHash: Buffer; lastAt: number }>(10_000);

  const refusedWithoutAsking = (source: string, passwordHash: Buffer): Admission | undefined => {
    const failed = failures.get(source);
    if (!failed) return undefined;
    const time = now();
    if (time - failed.since >= failureWindowMs) {
      failures.delete(source);
      return undefined;
    }
    if (failed.count >= maxFailures) return { allow: false, reason: 'too_many_failures', by: 'cache' };
    if (time - failed.lastAt < refusedFreshMs && timingSafeEqual(failed.lastHash, passwordHash)) {
      return { allow: false, reason: 'credentials', by: 'cache' };
    }
    return undefined;
  };

  return {
    async admit({ clientid, username, password, address, isOpen }: Attempt): Promise<Admission> {
      const passwordHash = hash(password);
      const earlier = known.get(clientid);
      const same =
        earlier !== undefined && earlier.username === username && timingSafeEqual(earlier.hash, passwordHash);
      const age = same ? now() - earlier.confirmedAt : Infinity;
      if (same && age < freshMs) return { allow: true, superuser: earlier.superuser, by: 'cache' };

      const source = `${address} ${clientid}`;
      const refused = refusedWithoutAsking(source, passwordHash);
      if (refused) return refused;
      try {
        const answer = await api.authenticate({ clientid, username, password });
        if (answer.allow) {
          if (isOpen())
            known.set(clientid, { username, hash: passwordHash, superuser: answer.superuser, confirmedAt: now() });
          failures.delete(source);
          return { allow: true, superuser: answer.superuser, by: 'api' };
        }
        if (same) known.delete(clientid);
        const failed = failures.get(source);
        const time = now();
        failures.set(source, {
          since: failed?.since ?? time,
          count: (failed?.count ?? 0) + 1,
          lastHash: passwordHash,
          lastAt: time,
        });
        return { allow: false, reason: 'credentials', by: 'api' };
      } catch (error) {
        if (!(error instanceof ApiAwayError)) throw error;
        // Looked up again: a revocation may have come while the question was out.
        const still = known.get(clientid);
        if (same && still === earlier && age < knownForMs)
          return { allow: true, superuser: earlier.superuser, by: 'memory' };
        return { allow: false, reason: 'api_away', by: 'cache' };
      }
    },
    /** The next connection of this client asks the api again; without the api it stays outside. */
    forget(clientid: string): void {
      known.delete(clientid);
    },
  };
};
export type DeviceAccess = ReturnType<typeof createDeviceAccess>;
