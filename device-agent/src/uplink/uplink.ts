import { topicOf, type DeviceConfig, type LiveReading } from '@roastery/contract/mqtt';
import type { RoastPlan } from '@roastery/contract/roast-plan';
import type { ProbeMessage, ProbeRequest } from '@roastery/contract/probe';
import { pause } from '@roastery/runtime/backoff';
import { realClock, type Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import type { KnownBrokers } from '../device-profile.ts';
import type { Journal } from '../journal/journal.ts';
import { BoardSession, type BoardSessionParts } from './board-session.ts';
import { BrokerRounds, createRareWarnings, type BrokerAttempt, type Connection } from './broker-rounds.ts';
import { createInbox } from './inbox.ts';
import { LineWatch } from './line-watch.ts';
import { createShipper, type Shipper } from './shipper.ts';

export interface UplinkParts extends Pick<
  BoardSessionParts,
  'serialNumber' | 'token' | 'ca' | 'clock' | 'run' | 'status'
> {
  readonly journal: Journal;
  readonly log: Logger;
  /** Undefined while they are unknown. */
  readonly brokers: () => Promise<KnownBrokers | undefined>;
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

/**
 * Keeps a session to one of the brokers: sends journal, live readings and status, receives acknowledgements and maps,
 * and leaves a broker that brings nothing.
 */
export class Uplink {
  readonly #parts: UplinkParts;
  readonly #log: Logger;
  readonly #time: Clock;
  readonly #shipper: Shipper;
  readonly #watch: LineWatch;
  readonly #sessionParts: BoardSessionParts;
  readonly #rounds: BrokerRounds;
  readonly #stopping = new AbortController();
  #session: BoardSession | undefined;
  #shippedAt = Number.NEGATIVE_INFINITY;
  #isStatusDue = false;

  constructor(parts: UplinkParts) {
    const { serialNumber, journal, clock, log, time = realClock } = parts;
    const { signal } = this.#stopping;
    this.#parts = parts;
    this.#log = log;
    this.#time = time;
    this.#shipper = createShipper({ journal, clock, topic: topicOf(serialNumber, 'journal'), log, time });
    this.#watch = new LineWatch(time);
    const heard = (): void => this.#watch.heard();
    this.#sessionParts = { ...parts, message: this.#openInbox(), heard, signal, time };
    journal.listen({
      durable: () => {
        if (time.monotonic() - this.#shippedAt < minShipMs) return;
        this.#shippedAt = time.monotonic();
        this.#shipSynced();
      },
      gone: () => undefined,
    });
    this.#rounds = new BrokerRounds({ ...parts, time, signal, serve: (attempt) => this.#serve(attempt) });
  }

  /** Publishes a live reading; does nothing when offline. */
  show(reading: LiveReading): void {
    this.#session?.show(reading);
  }

  /** Publishes an answer of the probe; dropped when there is no connection. */
  async tellProbe(message: ProbeMessage): Promise<void> {
    await this.#session?.tellProbe(message);
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
    return this.#rounds.connection();
  }

  /** `host:port` of the newest session; undefined before the first. */
  brokerAt(): string | undefined {
    return this.#rounds.brokerAt();
  }

  /** `host:port` of each broker that this board may use. */
  brokers(): readonly string[] {
    return this.#rounds.brokers();
  }

  /** Whether the broker acknowledges a status now. */
  async reaches(): Promise<boolean> {
    return (await this.#session?.reaches()) ?? false;
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
    await this.#rounds.ended;
  }

  #openInbox() {
    const parts = this.#parts;
    const warn = createRareWarnings(this.#log, this.#time);
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
      unreadable: (from, issue) => warn('uplink: message ignored', { topic: from, issue }),
    });
  }

  readonly #sendStatus = (): void => {
    // It could follow the offline status of a stop.
    if (!this.#session || this.#stopping.signal.aborted) return;
    this.#session
      .publishStatus(true)
      .catch((error: unknown) => this.#log.debug({ reason: String(error) }, 'uplink: status not delivered'));
  };

  readonly #shipSynced = (): void => {
    if (this.#session) void this.#shipper.ship(this.#session.line);
  };

  async #leave(session: BoardSession, graceMs: number): Promise<void> {
    const shipper = this.#shipper;
    await shipper.shipNewest(session.line);
    // The server merges the acknowledgements of a board that stays.
    await session.publishStatus(false);
    const waiting = shipper.entriesWaiting();
    // Briefly, so that a board can be switched off without unsent entries.
    const until = this.#time.monotonic() + graceMs / 4;
    while (shipper.entriesWaiting() > 0 && this.#time.monotonic() < until) await pause(20, undefined, this.#time);
    if (shipper.entriesWaiting() < waiting) await session.publishStatus(false);
  }

  async #serve(attempt: BrokerAttempt): Promise<string> {
    const session = await BoardSession.open(this.#sessionParts, attempt);
    const { line } = session;
    this.#shipper.connecting();
    await session.begin(attempt);
    if (this.#stopping.signal.aborted) {
      // Its status is online.
      await Promise.race([
        session.publishStatus(false).catch(() => undefined),
        line.closed,
        pause(settleMs, undefined, this.#time),
      ]);
      await line.end();
      return 'stopped';
    }
    this.#session = session;
    attempt.accepted();
    const reason = await this.#work(session, attempt.hasOthers);
    this.#session = undefined;
    return reason;
  }

  /** Returns why the session ended. */
  async #work(session: BoardSession, hasOthers: boolean): Promise<string> {
    const { line } = session;
    session
      .hearProbe()
      .catch((error: unknown) => this.#log.debug({ reason: String(error) }, 'uplink: probe topic refused'));
    await pause(settleMs, this.#stopping.signal, this.#time);
    this.#shipper.connected(hasOthers);
    this.#watch.connected();
    this.#log.info({ broker: this.brokerAt(), waiting: this.#shipper.entriesWaiting() }, 'uplink: connected');
    let left: string | undefined;
    const look = (): void => {
      const verdict = this.#watch.look(this.#shipper.oldestSentAt());
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
