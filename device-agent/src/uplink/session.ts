import { createConnection, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { pause } from '@roastery/runtime/backoff';
import { realClock, type Clock } from '@roastery/runtime/clock';
import { MqttClient } from 'mqtt';
import { writeToStream } from 'mqtt-packet';

// The library allocates a buffer for each of the 65,536 packet numbers in advance: 7 MB of a small board's memory to
// save an allocation per packet, of which we send a few per second.
Reflect.set(writeToStream, 'cacheNumbers', false);

export interface SessionOptions {
  /** `mqtt://host:port` or `mqtts://host:port`. */
  readonly url: string;
  readonly clientId: string;
  readonly username: string;
  readonly password: string;
  readonly will: { readonly topic: string; readonly payload: string };
  /** PEM of the authority to trust instead of the built-in ones. */
  readonly ca: string | undefined;
  readonly message: (topic: string, payload: Buffer) => void;
  /** Called for each packet of the broker. */
  readonly heard?: () => void;
  /** Aborts the attempt; an open session is not affected. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** How long the broker may take to accept or refuse the board. */
  readonly connackMs?: number;
}

/** `network`: no answer. `busy`: the broker can't serve this board now. `refused`: the broker rejects this board. */
export type SessionFailure = 'network' | 'busy' | 'refused';

/** Why there is no connection; the time of the next attempt depends on it. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
  readonly stage: SessionFailure;

  constructor(stage: SessionFailure, message: string) {
    super(message);
    this.stage = stage;
  }
}

/** One connection to the broker, from CONNACK to its end. It never reconnects: the next one is a new session. */
export interface Session {
  readonly closed: Promise<string>;
  readonly isOpen: () => boolean;
  /** Asks the broker for a sign of life. */
  readonly ping: () => void;
  readonly subscribe: (topics: readonly string[]) => Promise<void>;
  /** QoS 0, dropped when the connection is congested: the next reading is more recent. */
  readonly show: (topic: string, payload: string) => void;
  /**
   * QoS 0, never dropped here: the server acknowledges stored entries, so a PUBACK of the broker would add nothing.
   */
  readonly ship: (topic: string, payload: string | Buffer) => void;
  /** QoS 1, resolves on PUBACK, rejects when the connection ends first. */
  readonly publish: (topic: string, payload: string | Buffer, options?: { retain?: boolean }) => Promise<void>;
  /** A clean DISCONNECT: the broker drops the last will. */
  readonly end: () => Promise<void>;
  /** Closes at once: the broker publishes the last will. */
  readonly abort: () => void;
}

const tcpDeadlineMs = 3000;
export const usualConnackMs = 10_000;
/** Dead connections are noticed within one and a half of these. */
const keepaliveSeconds = 15;
/** Bytes that may wait in the socket before live readings are dropped. */
const congestedBytes = 65_536;

const openStream = ({ url, ca }: SessionOptions): Socket => {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol !== 'mqtts:') return createConnection({ host, port: Number(port || 1883), noDelay: true });
  return connectTls({
    host,
    port: Number(port || 8883),
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  });
};

/** CONNACK 3 means "server unavailable"; every other code concerns this board, and so does an untrusted certificate. */
const isRefusal = (code: unknown): boolean =>
  typeof code === 'number' ? code !== 3 : typeof code === 'string' && /CERT|SIGN|ISSUER/.test(code);

/** Opens a session. Throws `SessionError` when there is none within the deadlines. */
export const openSession = (options: SessionOptions): Promise<Session> =>
  new Promise((resolve, reject) => {
    const { clock = realClock, connackMs = usualConnackMs } = options;
    let reached = false;
    let reason = 'connection closed';
    const stream = openStream(options);
    stream.once('connect', () => (reached = true));
    // A new client each time, so that nothing of an earlier session is kept or sent again.
    const client = new MqttClient(() => stream, {
      protocolVersion: 4,
      clean: true,
      clientId: options.clientId,
      username: options.username,
      password: options.password,
      keepalive: keepaliveSeconds,
      reconnectPeriod: 0,
      connectTimeout: usualConnackMs,
      queueQoSZero: false,
      resubscribe: false,
      will: { topic: options.will.topic, payload: Buffer.from(options.will.payload), qos: 1, retain: true },
    });
    let open = false;
    const end = (because: string): void => {
      reason = because;
      stream.destroy();
    };
    const giveUp = (): void => end('given up');
    options.signal.addEventListener('abort', giveUp, { once: true });
    const deadlines = [
      clock.after(tcpDeadlineMs, () => {
        if (!reached) end(`no connection within ${tcpDeadlineMs} ms`);
      }),
      clock.after(connackMs, () => {
        if (!open) end(`no answer within ${connackMs} ms`);
      }),
    ];
    let refused = false;
    client.on('error', (error) => {
      reason = error.message || ('code' in error ? String(error.code) : error.name);
      refused ||= 'code' in error && isRefusal(error.code);
      stream.destroy();
    });
    const closed = new Promise<string>((settle) => {
      stream.once('close', () => {
        for (const cancel of deadlines) cancel();
        options.signal.removeEventListener('abort', giveUp);
        const wasOpen = open;
        open = false;
        client.end(true);
        settle(reason);
        if (!wasOpen) reject(new SessionError(refused ? 'refused' : reached ? 'busy' : 'network', reason));
      });
    });
    client.on('message', (topic, payload) => options.message(topic, payload));
    client.on('packetreceive', () => options.heard?.());
    client.once('connect', () => {
      open = true;
      options.signal.removeEventListener('abort', giveUp);
      resolve({
        closed,
        isOpen: () => open,
        ping() {
          if (open) client.sendPing();
        },
        async subscribe(topics) {
          const granted = await client.subscribeAsync([...topics], { qos: 1 });
          const denied = granted.filter(({ qos }) => qos > 2).map(({ topic }) => topic);
          if (denied.length > 0) throw new SessionError('refused', `subscription refused: ${denied.join(', ')}`);
        },
        show(topic, payload) {
          if (open && stream.writableLength < congestedBytes) client.publish(topic, payload, { qos: 0 });
        },
        ship(topic, payload) {
          if (open) client.publish(topic, payload, { qos: 0 });
        },
        async publish(topic, payload, { retain = false } = {}) {
          if (!open) throw new SessionError('network', 'not connected');
          await client.publishAsync(topic, payload, { qos: 1, retain });
        },
        async end() {
          reason = 'closed by us';
          client.end(false, {}, () => undefined);
          await Promise.race([closed, pause(1000, undefined, clock)]);
          stream.destroy();
          await closed;
        },
        abort: () => void stream.destroy(),
      });
    });
  });
