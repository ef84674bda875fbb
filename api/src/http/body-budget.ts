import { AppError } from './app-error.ts';

/** What bodies of requests may hold in memory at the same time, bytes. */
export interface BodyLimits {
  readonly total: number;
  /** Of one person, or of one address that has not signed in. */
  readonly perCaller: number;
}

/** A browser sends two files of 10 MB at a time; the whole is a third of the memory of a small server. */
export const usualBodyLimits: BodyLimits = { total: 192 * 1024 * 1024, perCaller: 48 * 1024 * 1024 };

/** Seconds after which a refused request may be repeated. */
const retrySeconds = 5;

/** The bytes that one request holds, until it is answered. */
export interface HeldBody {
  /**
   * Counts more bytes of its body, before they are in memory.
   * @throws AppError `too_many_requests` when the caller holds too many, `not_ready` when all callers together do
   */
  add(bytes: number): void;
  release(): void;
}

/**
 * One budget for the bodies of all requests: thousands of connections that announce a body, or send one slowly, must not
 * fill the memory. What one caller holds is bounded too, so that the requests of others are still served.
 */
export const createBodyBudget = (limits: BodyLimits = usualBodyLimits) => {
  const held = new Map<string, number>();
  let total = 0;
  const add = (caller: string, bytes: number): void => {
    total += bytes;
    const own = (held.get(caller) ?? 0) + bytes;
    if (own > 0) held.set(caller, own);
    else held.delete(caller);
  };
  return {
    heldBytes: (): number => total,
    open(caller: string): HeldBody {
      let own = 0;
      return {
        add(bytes) {
          if ((held.get(caller) ?? 0) + bytes > limits.perCaller)
            throw new AppError(
              'too_many_requests',
              'Too much is being sent at once. Try again in a moment.',
              retrySeconds,
            );
          if (total + bytes > limits.total)
            throw new AppError('not_ready', 'The server is receiving too much at the moment. Try again.', retrySeconds);
          add(caller, bytes);
          own += bytes;
        },
        release() {
          add(caller, -own);
          own = 0;
        },
      };
    },
  };
};
export type BodyBudget = ReturnType<typeof createBodyBudget>;
