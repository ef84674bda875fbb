import { steadyMs, withBackoff, type BackoffLimits, type FailedAttempt } from '@roastery/runtime/backoff';
import type { Clock } from '@roastery/runtime/clock';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import type { WallClock } from '../core/wall-clock.ts';
import type { KnownBrokers } from '../device-profile.ts';
import { BrokerChoice, hostAndPort } from './broker-choice.ts';
import { SessionError, usualConnackMs, type SessionFailure } from './session.ts';

export interface Connection {
  readonly connected: boolean;
  /** Since when the state is this, ms since 1970. */
  readonly since: number;
  /** Why there is none. */
  readonly reason: string | undefined;
}

/** One attempt at a broker. */
export interface BrokerAttempt {
  readonly url: string;
  readonly login: KnownBrokers['login'];
  /** Attempts of this run, this one included. */
  readonly count: number;
  /** How long the broker may take to accept this board. */
  readonly answerMs: number;
  /** Whether this board may use another broker. */
  readonly hasOthers: boolean;
  /** From now on this broker serves the board. */
  readonly accepted: () => void;
}

export interface BrokerRoundsParts {
  readonly serialNumber: string;
  readonly clock: WallClock;
  readonly time: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Undefined while they are unknown. */
  readonly brokers: () => Promise<KnownBrokers | undefined>;
  /** One session, to its end: resolves with the reason. Throws when the broker does not accept the board. */
  readonly serve: (attempt: BrokerAttempt) => Promise<string>;
}

/** Where there are other brokers, one that does not accept the board so soon is left for the next, in the first round. */
const hastyAnswerMs = 5000;
const sameLineEveryMs = 60_000;

/**
 * An unreachable address costs little to retry, and live readings should return within 2 s. A refusal is unlikely to
 * change soon. Short sessions mean a broker with problems, or another board with the same credential.
 */
const retryLimits: Record<SessionFailure | 'unsteady', BackoffLimits> = {
  network: { minMs: 300, maxMs: 1500 },
  busy: { minMs: 500, maxMs: 5000 },
  refused: { minMs: 1000, maxMs: 60_000 },
  unsteady: { minMs: 500, maxMs: 30_000 },
};

const explained: Record<SessionFailure, string> = {
  network: 'no connection to the broker',
  busy: 'the broker does not answer as it should',
  refused: 'the broker refuses this board',
};

/** From the mildest on: after a round the limits of the mildest failure count. */
const failures: readonly SessionFailure[] = ['network', 'busy', 'refused'];

/** Logs a warning once a minute for each `key`. */
export const createRareWarnings = (log: Logger, time: Clock) => {
  const gate = createLogGate(sameLineEveryMs, time.monotonic);
  return (event: string, details: object, key: string = event): void => {
    const held = gate(key);
    if (held !== undefined) log.warn(held > 0 ? { ...details, held_back: held } : details, event);
  };
};

/**
 * Which broker a board uses, and when it tries one again. It stays with a broker as long as that works, and goes on to
 * the next when the connection fails or ends; there is a pause after all of them have failed.
 */
export class BrokerRounds {
  /** Resolves once the signal has aborted and the last session has ended. */
  readonly ended: Promise<unknown>;
  readonly #parts: BrokerRoundsParts;
  readonly #choice: BrokerChoice;
  readonly #stopped: Promise<undefined>;
  readonly #warn: ReturnType<typeof createRareWarnings>;
  #known: KnownBrokers | undefined;
  #brokerAt: string | undefined;
  #connection: Connection;
  #count = 0;
  #isFirstRound = true;

  constructor(parts: BrokerRoundsParts) {
    const { serialNumber, clock, time, log, signal } = parts;
    this.#parts = parts;
    this.#choice = new BrokerChoice(serialNumber);
    this.#warn = createRareWarnings(log, time);
    this.#connection = { connected: false, since: clock.now().wall, reason: undefined };
    this.#stopped = new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    this.ended = withBackoff(() => this.#round(), { limits: retryLimits.network, signal, clock: time });
  }

  connection(): Connection {
    return this.#connection;
  }

  /** `host:port` of the newest session; undefined before the first. */
  brokerAt(): string | undefined {
    return this.#brokerAt;
  }

  /** `host:port` of each broker that this board may use. */
  brokers(): readonly string[] {
    return (this.#known?.urls ?? []).map(hostAndPort);
  }

  /** `since` stays while nothing changes; the newest reason counts. */
  #note(connected: boolean, reason?: string): void {
    const since = connected === this.#connection.connected ? this.#connection.since : this.#parts.clock.now().wall;
    this.#connection = { connected, since, reason };
  }

  /** Each broker once, until one of them serves this board. */
  async #round(): Promise<FailedAttempt> {
    const known = await Promise.race([this.#parts.brokers(), this.#stopped]);
    if (known === undefined) {
      this.#note(false, 'the api has not sent the broker address yet');
      return { limits: retryLimits.network };
    }
    this.#known = known;
    let mildest: SessionFailure = 'refused';
    for (const url of this.#choice.round(known.urls)) {
      if (this.#parts.signal.aborted) break;
      try {
        const lastedMs = await this.#serve(url, known);
        this.#isFirstRound = true;
        return { limits: lastedMs >= steadyMs ? retryLimits.network : retryLimits.unsteady, lastedMs };
      } catch (error) {
        const failure = this.#failed(url, error);
        if (failures.indexOf(failure) < failures.indexOf(mildest)) mildest = failure;
      }
    }
    this.#isFirstRound = false;
    return { limits: retryLimits[mildest] };
  }

  /** Returns how long the broker served this board, ms. */
  async #serve(url: string, { urls, login }: KnownBrokers): Promise<number> {
    const { time, signal, serve } = this.#parts;
    const hasOthers = urls.length > 1;
    let acceptedAt = Infinity;
    this.#count += 1;
    const reason = await serve({
      url,
      login,
      count: this.#count,
      answerMs: this.#isFirstRound && hasOthers ? hastyAnswerMs : usualConnackMs,
      hasOthers,
      accepted: () => {
        acceptedAt = time.monotonic();
        this.#brokerAt = hostAndPort(url);
        this.#choice.works(url);
        this.#note(true);
      },
    });
    this.#choice.failed(url);
    this.#note(false, reason);
    const lastedMs = Math.max(0, time.monotonic() - acceptedAt);
    const about = { broker: hostAndPort(url), reason, lasted_ms: Math.round(lastedMs) };
    if (!signal.aborted) this.#warn('uplink: connection lost', about);
    return lastedMs;
  }

  #failed(url: string, error: unknown): SessionFailure {
    this.#choice.failed(url);
    const failure = error instanceof SessionError ? error.stage : 'busy';
    const reason = error instanceof Error ? error.message : String(error);
    this.#note(false, `${explained[failure]} (${reason})`);
    this.#warn('uplink: connection failed', { broker: hostAndPort(url), failure, reason }, failure);
    return failure;
  }
}
