import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ApiAwayError, type ApiAccess, type ConnectVerdict } from './api-access.ts';
import { BoundedMap } from './bounded-map.ts';
import type { PermittedTopics } from './topic-rules.ts';

/** Accepted credentials are not checked with the api again for this long. */
const freshMs = 30_000;
/** How long a known board is still admitted while the api is unreachable. */
const knownForMs = 24 * 60 * 60_000;
/** The same wrong credentials are refused without the api for this long. */
const refusedFreshMs = 5_000;
/**
 * Wrong attempts per address and board within `failureWindowMs`; after that the api gets no request until the window
 * ends.
 */
const maxFailures = 10;
const failureWindowMs = 60_000;
/** Cached boards: more than the allowed connections. */
const maxKnown = 50_000;

export interface Attempt {
  readonly clientid: string;
  readonly username: string;
  readonly password: string;
  readonly address: string;
  /** Whether the connection is still open: an answer after its end must not be cached. */
  readonly isOpen: () => boolean;
}

export type Admission =
  | {
      readonly allow: true;
      readonly superuser: boolean;
      readonly topics?: PermittedTopics;
      readonly by: 'api' | 'cache' | 'memory';
    }
  | {
      readonly allow: false;
      readonly reason: 'credentials' | 'too_many_failures' | 'api_away';
      readonly by: 'api' | 'cache';
    };

/** A request in progress, which connections of one client share. */
interface Question {
  readonly clientid: string;
  readonly waiting: (() => boolean)[];
  readonly answer: Promise<Admission>;
}

interface Known {
  readonly username: string;
  readonly hash: Buffer;
  readonly verdict: ConnectVerdict;
  readonly confirmedAt: number;
}

/**
 * Decides who may connect: queries the api and caches its answers for a short time. While the api is unreachable or
 * busy, boards that it accepted before with the same password are admitted, and checked with the api afterwards. Only
 * keyed hashes of passwords are kept; the key exists as long as the process.
 */
export const createDeviceAccess = (
  api: Pick<ApiAccess, 'authenticate' | 'isBusy'>,
  /** A client that was admitted from the cache is refused by the api. */
  onRevoked: (clientid: string) => void,
  now: () => number = Date.now,
) => {
  const key = randomBytes(32);
  const hash = (password: string): Buffer => createHmac('sha256', key).update(password).digest();
  const known = new BoundedMap<string, Known>(maxKnown);
  const failures = new BoundedMap<string, { since: number; count: number; lastHash: Buffer; lastAt: number }>(10_000);
  /** Requests in progress by client, password and address: a client that connects twice causes one request. */
  const asking = new Map<string, Question>();

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

  const ask = async (
    attempt: Attempt,
    passwordHash: Buffer,
    earlier: Known | undefined,
    isCurrent: () => boolean,
  ): Promise<Admission> => {
    const { clientid, username, address, isOpen } = attempt;
    const source = `${address} ${clientid}`;
    try {
      const verdict = await api.authenticate(attempt, isOpen);
      // The api may have read the credential before it was revoked.
      if (!isCurrent()) return await admit(attempt);
      if (verdict.allow) {
        if (isOpen()) known.set(clientid, { username, hash: passwordHash, verdict, confirmedAt: now() });
        failures.delete(source);
        return admissionOf(verdict, 'api');
      }
      if (earlier) known.delete(clientid);
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
      // Looked up again: the board may have been revoked during the request.
      if (earlier && known.get(clientid) === earlier) return admissionOf(earlier.verdict, 'memory');
      return { allow: false, reason: 'api_away', by: 'cache' };
    }
  };

  const askOnce = (attempt: Attempt, passwordHash: Buffer, earlier: Known | undefined): Promise<Admission> => {
    const key = `${attempt.address} ${attempt.clientid} ${passwordHash.toString('base64')}`;
    const begun = asking.get(key);
    if (begun) {
      begun.waiting.push(attempt.isOpen);
      return begun.answer;
    }
    const waiting = [attempt.isOpen];
    const isOpen = (): boolean => waiting.some((isWaiting) => isWaiting());
    /** `forget` removes the question; another may have taken its place. */
    const isCurrent = (): boolean => asking.get(key)?.waiting === waiting;
    const answer = ask({ ...attempt, isOpen }, passwordHash, earlier, isCurrent).finally(() => {
      if (isCurrent()) asking.delete(key);
    });
    asking.set(key, { clientid: attempt.clientid, waiting, answer });
    return answer;
  };

  const admit = async (attempt: Attempt): Promise<Admission> => {
    const { clientid, username, password, address } = attempt;
    const passwordHash = hash(password);
    const found = known.get(clientid);
    const isSame = found !== undefined && found.username === username && timingSafeEqual(found.hash, passwordHash);
    const age = isSame ? now() - found.confirmedAt : Infinity;
    const earlier = age < knownForMs ? found : undefined;
    if (earlier && age < freshMs) return admissionOf(earlier.verdict, 'cache');
    const refused = refusedWithoutAsking(`${address} ${clientid}`, passwordHash);
    if (refused) return refused;
    const answer = askOnce(attempt, passwordHash, earlier);
    if (!earlier || !api.isBusy()) return answer;
    void answer.then(
      (admission) => !admission.allow && onRevoked(clientid),
      () => onRevoked(clientid),
    );
    return admissionOf(earlier.verdict, 'memory');
  };

  return {
    admit,
    /**
     * The next connection of this client needs the api's answer to a question that is asked from now on; without the api it is
     * refused.
     */
    forget(clientid: string): void {
      known.delete(clientid);
      for (const [key, question] of asking) if (question.clientid === clientid) asking.delete(key);
    },
  };
};
export type DeviceAccess = ReturnType<typeof createDeviceAccess>;

const admissionOf = ({ superuser, topics }: ConnectVerdict, by: 'api' | 'cache' | 'memory'): Admission => ({
  allow: true,
  superuser,
  ...(topics === undefined ? {} : { topics }),
  by,
});
