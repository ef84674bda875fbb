import { randomUUID } from 'node:crypto';
import {
  clientIdOf,
  topicOf,
  type DeviceConfig,
  type DeviceStatus,
  type LiveReading,
  type TopicKind,
} from '@roastery/contract/mqtt';
import type { RoastPlan } from '@roastery/contract/roast-plan';
import type { ProbeMessage, ProbeRequest } from '@roastery/contract/probe';
import { pause, steadyMs, withBackoff, type BackoffLimits, type FailedAttempt } from '@roastery/runtime/backoff';
import { realClock, type Clock } from '@roastery/runtime/clock';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import type { WallClock } from '../core/wall-clock.ts';
import type { KnownBrokers } from '../device-profile.ts';
import type { Journal } from '../journal/journal.ts';
import { BrokerChoice, hostAndPort } from './broker-choice.ts';
import { createInbox } from './inbox.ts';
import { LineWatch } from './line-watch.ts';
import { openSession, SessionError, usualConnackMs, type Session, type SessionFailure } from './session.ts';
import { createShipper, type Shipper } from './shipper.ts';

export type StatusDetails = Omit<DeviceStatus, 'v' | 'online' | 'session' | 't' | 'connection'>;

export interface Connection {
  readonly connected: boolean;
  /** Since when the state is this, ms since 1970. */
  readonly since: number;
  /** Why there is none. */
  readonly reason: string | undefined;
}

export interface UplinkParts {
  readonly serialNumber: string;
  readonly token: string;
  readonly ca: string | undefined;
  readonly journal: Journal;
  readonly clock: WallClock;
  readonly log: Logger;
  /** The number of this run: greater than that of every earlier one. */
  readonly run: number;
  /** Undefined while they are unknown. */
  readonly brokers: () => Promise<KnownBrokers | undefined>;
  /** The content of the status besides connection and session. */
  readonly status: () => Promise<StatusDetails>;
  readonly configReceived: (config: DeviceConfig) => void;
  readonly configRefused: (rev: number, issue: string) => void;
  readonly plansReceived: (plans: readonly RoastPlan[]) => void;
  readonly probeRequested: (request: ProbeRequest) => void;
  readonly time?: Clock;
}

/** Waiting entries are sent this often, in addition to newly synced ones. */
const shipEveryMs = 1000;
/** A journal in memory reports each entry: they are sent together. */
const minShipMs = 500;
/** The retained status is never older than 30 s. */
const statusEveryMs = 25_000;
const statusSoonMs = 500;
/** Time for a retained acknowledgement to arrive, before the entries it covers are sent again. */
const settleMs = 150;
const sameLineEveryMs = 60_000;
/** An acknowledgement that takes longer is given up. */
const reachMs = 5000;
/** Where there are other brokers, one that does not accept the board so soon is left for the next, in the first round. */
const hastyAnswerMs = 4000;

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

interface OpenLine {
  readonly id: string;
  readonly count: number;
  readonly line: Session;
}

/** How a session ended. */
interface Ended {
  readonly reason: string;
  readonly lastedMs: number;
}

/**
 * Keeps a session to one of the brokers: sends journal, live readings and status, receives acknowledgements and maps. It stays with
 * a broker as long as that works, and goes on to the next when the connection fails or brings nothing; there is a pause after all
 * of them have failed.
 */
export class Uplink {
  readonly #parts: UplinkParts;
  readonly #log: Logger;
  readonly #time: Clock;
  readonly #shipper: Shipper;
  readonly #choice: BrokerChoice;
  readonly #watch: LineWatch;
  readonly #gate: ReturnType<typeof createLogGate>;
  readonly #receive: ReturnType<typeof createInbox>;
  readonly #stopping = new AbortController();
  readonly #stopped: Promise<undefined>;
  readonly #running: Promise<unknown>;
  #session: OpenLine | undefined;
  #known: KnownBrokers | undefined;
  #brokerAt: string | undefined;
  #connection: Connection;
  /** Connections of this run, open or not. */
  #count = 0;
  #isFirstRound = true;
  #shippedAt = Number.NEGATIVE_INFINITY;
  #isStatusDue = false;

  constructor(parts: UplinkParts) {
    const { serialNumber, journal, log, time = realClock } = parts;
    this.#parts = parts;
    this.#log = log;
    this.#time = time;
    this.#shipper = createShipper({ journal, clock: parts.clock, topic: this.#topic('journal'), log, time });
    this.#choice = new BrokerChoice(serialNumber);
    this.#watch = new LineWatch(time);
    this.#gate = createLogGate(sameLineEveryMs, time.monotonic);
    this.#receive = this.#openInbox();
    this.#connection = { connected: false, since: parts.clock.now().wall, reason: undefined };
    this.#stopped = new Promise<undefined>((resolve) => {
      this.#stopping.signal.addEventListener('abort', () => resolve(undefined));
    });
    journal.listen({
      durable: () => {
        if (time.monotonic() - this.#shippedAt < minShipMs) return;
        this.#shippedAt = time.monotonic();
        this.#shipSynced();
      },
      gone: () => undefined,
    });
    this.#running = withBackoff(() => this.#connect(), {
      limits: retryLimits.network,
      signal: this.#stopping.signal,
      clock: time,
    });
  }

  /** Publishes a live reading; does nothing when offline. */
  show(reading: LiveReading): void {
    this.#session?.line.show(this.#topic('live'), JSON.stringify(reading));
  }

  /** Publishes an answer of the probe; dropped when there is no connection. */
  async tellProbe(message: ProbeMessage): Promise<void> {
    await this.#session?.line.publish(this.#topic('probed'), JSON.stringify(message));
  }

  /** Syncs and sends new entries now, not at the journal's next interval. */
  ship(): void {
    if (this.#session) void this.#shipper.shipNewest(this.#session.line);
  }

  /** Soon, and once for several reasons: a loose probe changes its state at every reading. */
  refreshStatus(): void {
    if (this.#isStatusDue) return;
    this.#isStatusDue = true;
    const send = (): void => {
      this.#isStatusDue = false;
      this.#sendStatus();
    };
    this.#time.after(statusSoonMs, send, { keepsAlive: false });
  }

  entriesWaiting(): number {
    return this.#shipper.entriesWaiting();
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

  /** Whether the broker acknowledges a status now. */
  async reaches(): Promise<boolean> {
    if (!this.#session) return false;
    const { line } = this.#session;
    const acknowledged = this.#publishStatus(this.#session, true).then(() => true);
    const given = pause(reachMs, this.#stopping.signal, this.#time).then(() => false);
    return Promise.race([acknowledged, broken(line), given]).catch(() => false);
  }

  /** Sends synced entries within `graceMs`; then the status is offline, by the last will if the disk stalls. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    if (this.#session) {
      const { line } = this.#session;
      const lastStatus = this.#leave(this.#session, graceMs)
        .then(() => true)
        .catch((error: unknown) => {
          this.#log.debug({ reason: String(error) }, 'uplink: last status not delivered');
          return false;
        });
      const isDelivered = await Promise.race([lastStatus, pause(graceMs, undefined, this.#time).then(() => false)]);
      if (isDelivered) await line.end();
      else line.abort();
    }
    await this.#running;
  }

  #topic(kind: TopicKind): string {
    return topicOf(this.#parts.serialNumber, kind);
  }

  /** `since` stays while nothing changes; the newest reason counts. */
  #note(connected: boolean, reason?: string): void {
    const since = connected === this.#connection.connected ? this.#connection.since : this.#parts.clock.now().wall;
    this.#connection = { connected, since, reason };
  }

  /** Once a minute for each `key`. */
  #warn(event: string, details: object, key: string = event): void {
    const held = this.#gate(key);
    if (held !== undefined) this.#log.warn(held > 0 ? { ...details, held_back: held } : details, event);
  }

  #openInbox() {
    const parts = this.#parts;
    return createInbox({
      acknowledged: (ack) => {
        // A statement of what is stored says nothing about what is being stored.
        if (ack.through === undefined) this.#watch.acknowledged();
        this.#shipper.acknowledged(ack);
        // The status names sealed streams, and the one begun for another owner.
        if (ack.owner !== undefined) this.refreshStatus();
        this.#shipSynced();
      },
      configReceived: (config) => parts.configReceived(config),
      configRefused: (rev, issue) => parts.configRefused(rev, issue),
      plansReceived: (plans) => parts.plansReceived(plans),
      probeRequested: (request) => parts.probeRequested(request),
      unreadable: (from, issue) => this.#warn('uplink: message ignored', { topic: from, issue }),
    });
  }

  #statusText({ id, count }: Pick<OpenLine, 'id' | 'count'>, online: boolean, details?: StatusDetails): string {
    const connection = { run: this.#parts.run, count };
    return JSON.stringify({ v: 1, online, session: id, t: this.#parts.clock.now().wall, connection, ...details });
  }

  async #publishStatus(session: OpenLine, online: boolean): Promise<void> {
    const text = this.#statusText(session, online, await this.#parts.status());
    await session.line.publish(this.#topic('status'), text, { retain: true });
  }

  readonly #sendStatus = (): void => {
    // It could follow the offline status of a stop.
    if (!this.#session || this.#stopping.signal.aborted) return;
    this.#publishStatus(this.#session, true).catch((error: unknown) =>
      this.#log.debug({ reason: String(error) }, 'uplink: status not delivered'),
    );
  };

  readonly #shipSynced = (): void => {
    if (this.#session) void this.#shipper.ship(this.#session.line);
  };

  async #leave(session: OpenLine, graceMs: number): Promise<void> {
    const shipper = this.#shipper;
    await shipper.shipNewest(session.line);
    // The server merges the acknowledgements of a board that stays.
    await this.#publishStatus(session, false);
    const waiting = shipper.entriesWaiting();
    // Briefly, so that a board can be switched off without unsent entries.
    const until = this.#time.monotonic() + graceMs / 4;
    while (shipper.entriesWaiting() > 0 && this.#time.monotonic() < until) await pause(20, undefined, this.#time);
    if (shipper.entriesWaiting() < waiting) await this.#publishStatus(session, false);
  }

  /** One round: each broker once, until one of them serves this board. */
  async #connect(): Promise<FailedAttempt> {
    const known = await Promise.race([this.#parts.brokers(), this.#stopped]);
    if (known === undefined) {
      this.#note(false, 'the api has not sent the broker address yet');
      return { limits: retryLimits.network };
    }
    this.#known = known;
    let mildest: SessionFailure = 'refused';
    for (const url of this.#choice.round(known.urls)) {
      if (this.#stopping.signal.aborted) break;
      try {
        const { reason, lastedMs } = await this.#serve(url, known);
        this.#isFirstRound = true;
        if (!this.#stopping.signal.aborted)
          this.#warn('uplink: connection lost', { broker: hostAndPort(url), reason, lasted_ms: Math.round(lastedMs) });
        return { limits: lastedMs >= steadyMs ? retryLimits.network : retryLimits.unsteady, lastedMs };
      } catch (error) {
        const failure = this.#failed(url, error);
        if (failures.indexOf(failure) < failures.indexOf(mildest)) mildest = failure;
      }
    }
    this.#isFirstRound = false;
    return { limits: retryLimits[mildest] };
  }

  #failed(url: string, error: unknown): SessionFailure {
    this.#choice.failed(url);
    const failure = error instanceof SessionError ? error.stage : 'busy';
    const reason = error instanceof Error ? error.message : String(error);
    this.#note(false, `${explained[failure]} (${reason})`);
    this.#warn('uplink: connection failed', { broker: hostAndPort(url), failure, reason }, failure);
    return failure;
  }

  async #open(url: string, known: KnownBrokers): Promise<OpenLine> {
    const { serialNumber, token, ca } = this.#parts;
    this.#count += 1;
    const named = { id: randomUUID(), count: this.#count };
    const line = await openSession({
      url,
      clientId: clientIdOf(serialNumber),
      ...(known.login ?? { username: serialNumber, password: token }),
      ca,
      will: { topic: this.#topic('status'), payload: this.#statusText(named, false) },
      message: this.#receive,
      heard: () => this.#watch.heard(),
      signal: this.#stopping.signal,
      clock: this.#time,
      connackMs: this.#answerMs(known),
    });
    return { ...named, line };
  }

  /** One session from CONNACK to its end. */
  async #serve(url: string, known: KnownBrokers): Promise<Ended> {
    const session = await this.#open(url, known);
    const { line } = session;
    const openedAt = this.#time.monotonic();
    this.#shipper.connecting();
    try {
      await this.#begin(session, known);
    } catch (error) {
      line.abort();
      throw error;
    }
    if (this.#stopping.signal.aborted) {
      // Its status is online.
      await Promise.race([
        this.#publishStatus(session, false).catch(() => undefined),
        line.closed,
        pause(settleMs, undefined, this.#time),
      ]);
      await line.end();
      return { reason: 'stopped', lastedMs: 0 };
    }
    this.#session = session;
    this.#brokerAt = hostAndPort(url);
    this.#choice.works(url);
    this.#note(true);
    const reason = await this.#work(line, known.urls.length > 1);
    this.#choice.failed(url);
    this.#session = undefined;
    this.#note(false, reason);
    return { reason, lastedMs: this.#time.monotonic() - openedAt };
  }

  async #begin(session: OpenLine, known: KnownBrokers): Promise<void> {
    const { line } = session;
    const cancel = known.urls.length > 1 ? this.#time.after(this.#answerMs(known), line.abort) : undefined;
    try {
      const topics = (['ack', 'config', 'plan'] as const).map((kind) => this.#topic(kind));
      await Promise.race([line.subscribe(topics), broken(line)]);
      await Promise.race([this.#publishStatus(session, true), broken(line)]);
    } finally {
      cancel?.();
    }
  }

  /** How long a broker may take to accept this board. */
  #answerMs({ urls }: KnownBrokers): number {
    return this.#isFirstRound && urls.length > 1 ? hastyAnswerMs : usualConnackMs;
  }

  /** Returns why the session ended. */
  async #work(line: Session, hasOthers: boolean): Promise<string> {
    // A server that is older than this agent does not know this topic; that must not stop the board.
    line
      .subscribe([this.#topic('probe')])
      .catch((error: unknown) => this.#log.debug({ reason: String(error) }, 'uplink: probe topic refused'));
    await pause(settleMs, this.#stopping.signal, this.#time);
    this.#shipper.connected();
    this.#watch.connected();
    this.#log.info({ broker: this.#brokerAt, waiting: this.#shipper.entriesWaiting() }, 'uplink: connected');
    let left: string | undefined;
    const look = (): void => {
      const verdict = this.#watch.look(this.#shipper.isWaiting());
      if (verdict === 'ping') line.ping();
      if (verdict !== 'silent' && verdict !== 'mute') return;
      left = verdict === 'silent' ? 'the broker sends nothing' : 'nothing is acknowledged';
      line.abort();
    };
    const timers = [
      this.#time.every(shipEveryMs, this.#shipSynced),
      this.#time.every(statusEveryMs, this.#sendStatus),
      ...(hasOthers ? [this.#time.every(shipEveryMs, look)] : []),
    ];
    this.ship();
    const reason = await line.closed;
    for (const cancel of timers) cancel();
    return left ?? reason;
  }
}

export const startUplink = (parts: UplinkParts): Uplink => new Uplink(parts);

/** Rejects when the connection ends: promises that wait for it may never settle. */
const broken = async (line: Session): Promise<never> => {
  throw new SessionError('busy', await line.closed);
};
