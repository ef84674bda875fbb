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
import { realClock, type Cancel, type Clock } from '@roastery/runtime/clock';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import type { WallClock } from '../core/wall-clock.ts';
import type { KnownBroker } from '../device-profile.ts';
import type { Journal } from '../journal/journal.ts';
import { createInbox } from './inbox.ts';
import { openSession, SessionError, type Session, type SessionFailure } from './session.ts';
import { createShipper } from './shipper.ts';

export type StatusDetails = Omit<DeviceStatus, 'v' | 'online' | 'session' | 't'>;

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
  /** Undefined while it is unknown. */
  readonly broker: () => Promise<KnownBroker | undefined>;
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

/** Keeps a session to the broker: sends journal, live readings and status, receives acknowledgements and maps. */
export const startUplink = (parts: UplinkParts) => {
  const { serialNumber, journal, log, time = realClock } = parts;
  const topic = (kind: TopicKind): string => topicOf(serialNumber, kind);
  const shipper = createShipper({ journal, clock: parts.clock, topic: topic('journal'), log, time });
  const gate = createLogGate(sameLineEveryMs, time.monotonic);
  const stopping = new AbortController();
  const stopped = new Promise<undefined>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve(undefined));
  });
  let session: { readonly id: string; readonly line: Session } | undefined;
  let brokerAt: string | undefined;
  let connection: Connection = { connected: false, since: parts.clock.now().wall, reason: undefined };
  /** `since` stays while nothing changes; the newest reason counts. */
  const note = (connected: boolean, reason?: string): void => {
    const since = connected === connection.connected ? connection.since : parts.clock.now().wall;
    connection = { connected, since, reason };
  };

  /** Once a minute for each `key`. */
  const warn = (event: string, details: object, key: string = event): void => {
    const held = gate(key);
    if (held !== undefined) log.warn(held > 0 ? { ...details, held_back: held } : details, event);
  };

  const statusText = (id: string, online: boolean, details: Partial<StatusDetails> = {}): string =>
    JSON.stringify({ v: 1, online, session: id, t: parts.clock.now().wall, ...details });
  const publishStatus = async (line: Session, id: string, online: boolean): Promise<void> =>
    line.publish(topic('status'), statusText(id, online, await parts.status()), { retain: true });

  const shipNewest = (): void => {
    if (session) void shipper.shipNewest(session.line);
  };
  const shipSynced = (): void => {
    if (session) void shipper.ship(session.line);
  };
  let shippedAt = Number.NEGATIVE_INFINITY;
  journal.listen({
    durable() {
      if (time.monotonic() - shippedAt < minShipMs) return;
      shippedAt = time.monotonic();
      shipSynced();
    },
    gone: () => undefined,
  });
  let cancelStatus: Cancel | undefined;
  /** Soon, and once for several reasons: a loose probe changes its state at every reading. */
  const refreshStatus = (): void => {
    const sendSoon = (): void => {
      cancelStatus = undefined;
      sendStatus();
    };
    cancelStatus ??= time.after(statusSoonMs, sendSoon, { keepsAlive: false });
  };
  const sendStatus = (): void => {
    // It could follow the offline status of a stop.
    if (!session || stopping.signal.aborted) return;
    publishStatus(session.line, session.id, true).catch((error: unknown) =>
      log.debug({ reason: String(error) }, 'uplink: status not delivered'),
    );
  };

  const receive = createInbox({
    acknowledged(ack) {
      shipper.acknowledged(ack);
      // The status names sealed streams, and the one begun for another owner.
      if (ack.owner !== undefined) refreshStatus();
      if (session) void shipper.ship(session.line);
    },
    configReceived: (config) => parts.configReceived(config),
    configRefused: (rev, issue) => parts.configRefused(rev, issue),
    plansReceived: (plans) => parts.plansReceived(plans),
    probeRequested: (request) => parts.probeRequested(request),
    unreadable: (from, issue) => warn('uplink: message ignored', { topic: from, issue }),
  });

  /** One session from CONNACK to its end; returns why it ended, and how long it lasted. */
  const serve = async ({ url, login }: KnownBroker): Promise<{ reason: string; lastedMs: number }> => {
    const id = randomUUID();
    const line = await openSession({
      url,
      clientId: clientIdOf(serialNumber),
      ...(login ?? { username: serialNumber, password: parts.token }),
      ca: parts.ca,
      will: { topic: topic('status'), payload: statusText(id, false) },
      message: receive,
      signal: stopping.signal,
      clock: time,
    });
    const openedAt = time.monotonic();
    shipper.connecting();
    try {
      await Promise.race([line.subscribe([topic('ack'), topic('config'), topic('plan')]), broken(line)]);
      await Promise.race([publishStatus(line, id, true), broken(line)]);
    } catch (error) {
      line.abort();
      throw error;
    }
    if (stopping.signal.aborted) {
      // Its status is online.
      await Promise.race([
        publishStatus(line, id, false).catch(() => undefined),
        line.closed,
        pause(settleMs, undefined, time),
      ]);
      await line.end();
      return { reason: 'stopped', lastedMs: 0 };
    }
    session = { id, line };
    brokerAt = hostAndPort(url);
    note(true);
    // A server that is older than this agent does not know this topic; that must not stop the board.
    line
      .subscribe([topic('probe')])
      .catch((error: unknown) => log.debug({ reason: String(error) }, 'uplink: probe topic refused'));
    await pause(settleMs, stopping.signal, time);
    shipper.connected();
    log.info({ waiting: shipper.entriesWaiting() }, 'uplink: connected');
    const timers = [time.every(shipEveryMs, shipSynced), time.every(statusEveryMs, sendStatus)];
    shipNewest();
    const reason = await line.closed;
    for (const cancel of timers) cancel();
    session = undefined;
    note(false, reason);
    return { reason, lastedMs: time.monotonic() - openedAt };
  };

  const connect = async (): Promise<FailedAttempt> => {
    try {
      const broker = await Promise.race([parts.broker(), stopped]);
      if (broker === undefined) {
        note(false, 'the api has not sent the broker address yet');
        return { limits: retryLimits.network };
      }
      const { reason, lastedMs } = await serve(broker);
      if (!stopping.signal.aborted) warn('uplink: connection lost', { reason, lasted_ms: Math.round(lastedMs) });
      return { limits: lastedMs >= steadyMs ? retryLimits.network : retryLimits.unsteady, lastedMs };
    } catch (error) {
      const failure = error instanceof SessionError ? error.stage : 'busy';
      const reason = error instanceof Error ? error.message : String(error);
      note(false, `${explained[failure]} (${reason})`);
      warn('uplink: connection failed', { failure, reason }, failure);
      return { limits: retryLimits[failure] };
    }
  };
  const running = withBackoff(connect, { limits: retryLimits.network, signal: stopping.signal, clock: time });

  /** Waits briefly for the last acknowledgements, so that a board can be switched off without unsent entries. */
  const allAcknowledged = async (graceMs: number): Promise<void> => {
    const until = time.monotonic() + graceMs;
    while (shipper.entriesWaiting() > 0 && time.monotonic() < until) await pause(20, undefined, time);
  };

  return {
    /** Publishes a live reading; does nothing when offline. */
    show: (reading: LiveReading): void => session?.line.show(topic('live'), JSON.stringify(reading)),
    /** Publishes an answer of the probe; dropped when there is no connection. */
    async tellProbe(message: ProbeMessage): Promise<void> {
      await session?.line.publish(topic('probed'), JSON.stringify(message));
    },
    /** Syncs and sends new entries now, not at the journal's next interval. */
    ship: shipNewest,
    refreshStatus,
    entriesWaiting: (): number => shipper.entriesWaiting(),
    connection: (): Connection => connection,
    /** Whether the broker acknowledges a status now. */
    async reaches(): Promise<boolean> {
      if (!session) return false;
      const { id, line } = session;
      const acknowledged = publishStatus(line, id, true).then(() => true);
      const given = pause(reachMs, stopping.signal, time).then(() => false);
      return Promise.race([acknowledged, broken(line), given]).catch(() => false);
    },
    /** `host:port` of the newest session; undefined before the first. */
    brokerAt: (): string | undefined => brokerAt,
    /** Sends synced entries within `graceMs`; then the status is offline, by the last will if the disk stalls. */
    async stop(graceMs: number): Promise<void> {
      stopping.abort();
      if (session) {
        const { id, line } = session;
        const leave = async (): Promise<void> => {
          await shipper.shipNewest(line);
          // The server merges the acknowledgements of a board that stays.
          await publishStatus(line, id, false);
          const waiting = shipper.entriesWaiting();
          await allAcknowledged(graceMs / 4);
          if (shipper.entriesWaiting() < waiting) await publishStatus(line, id, false);
        };
        const lastStatus = leave()
          .then(() => true)
          .catch((error: unknown) => {
            log.debug({ reason: String(error) }, 'uplink: last status not delivered');
            return false;
          });
        const isDelivered = await Promise.race([lastStatus, pause(graceMs, undefined, time).then(() => false)]);
        if (isDelivered) await line.end();
        else line.abort();
      }
      await running;
    },
  };
};
export type Uplink = ReturnType<typeof startUplink>;

/** `mqtts://broker` → `broker:8883`, an IPv6 address without its brackets. */
const hostAndPort = (url: string): string => {
  const { protocol, hostname, port } = new URL(url);
  return `${hostname.replace(/^\[|\]$/g, '')}:${port || (protocol === 'mqtts:' ? 8883 : 1883)}`;
};

/** Rejects when the connection ends: promises that wait for it may never settle. */
const broken = async (line: Session): Promise<never> => {
  throw new SessionError('busy', await line.closed);
};
