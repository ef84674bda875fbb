import { connect as connectTcp, isIP, type OnReadOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { realClock, type Cancel, type Clock } from '@roastery/runtime/clock';
import { createFrameGuard, type Frame } from '@roastery/runtime/mqtt-frames';
import { PacketStream } from '@roastery/runtime/packet-stream';

/** Brokers limit the size of what they send; ours has a lower limit. */
const limits = { maxBytesBeforeAuthentication: Infinity, maxPacketBytes: 2 ** 28 };
const readBytes = 64 * 1024;
/**
 * While so many messages arrive the connection is read at these intervals: a broker such as Mosquitto writes each of
 * them by itself, and a read costs this process and the broker more than several messages.
 */
const restMs = 20;
const busyPerMs = 1;

/** The connection to a broker as mqtt.js reads and writes it. */
export class BrokerStream extends PacketStream {
  #deliver: ((topic: string, payload: Buffer) => void) | undefined;
  readonly #guard = createFrameGuard(limits);
  readonly #clock: Clock;
  /** The messages since a moment some `restMs` ago. */
  #counted = { since: 0, messages: 0 };
  #isBusy = false;
  #endRest: Cancel | undefined;

  /** @param open opens the connection, which reads as it is given: `pause` stops reads at once only then */
  constructor(open: (onread: OnReadOpts) => Duplex, clock: Clock = realClock) {
    const buffer = Buffer.allocUnsafe(readBytes);
    const read: { into?: (chunk: Buffer) => boolean } = {};
    super(open({ buffer, callback: (length) => read.into?.(buffer.subarray(0, length)) ?? true }));
    this.#clock = clock;
    read.into = (chunk) => this.#read(chunk);
  }

  /**
   * From now on `deliver` gets the complete messages of QoS 0, valid until it returns, and mqtt.js everything else. Call it
   * between two packets: a broker sends none between its CONNACK and the first packet of the client after it.
   */
  deliverTo(deliver: (topic: string, payload: Buffer) => void): void {
    this.#guard.authenticated();
    this.#deliver = deliver;
  }

  override _read(): void {
    if (this.#endRest === undefined) super._read();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#endRest?.();
    super._destroy(error, done);
  }

  /** Returns whether to read on. */
  #read(chunk: Buffer): boolean {
    this.#judgeLoad();
    this.arrived(chunk);
    // A full buffer: more is waiting.
    if (!this.#isBusy || chunk.length === readBytes) return !this.carrier.isPaused();
    this.#endRest ??= this.#clock.after(restMs, () => {
      this.#endRest = undefined;
      if (this.readableLength < this.readableHighWaterMark) super._read();
    });
    return false;
  }

  #judgeLoad(): void {
    const now = this.#clock.monotonic();
    const elapsedMs = now - this.#counted.since;
    if (elapsedMs < restMs) return;
    this.#isBusy = this.#counted.messages >= elapsedMs * busyPerMs;
    this.#counted = { since: now, messages: 0 };
  }

  /** mqtt.js keeps what it reads. */
  protected override pass(chunk: Buffer): void {
    super.pass(Buffer.from(chunk));
  }

  protected override arrived(chunk: Buffer): void {
    if (this.#deliver === undefined) return this.pass(chunk);
    const frames: Frame[] = [];
    if (typeof this.#guard.inspect(chunk, frames) === 'string') {
      // Not MQTT: mqtt.js reports it.
      this.#deliver = undefined;
      return this.pass(chunk);
    }
    this.#counted.messages += frames.length;
    let passed = 0;
    const passUntil = (end: number): void => {
      if (end > passed) this.pass(chunk.subarray(passed, end));
    };
    for (const { start, body, end } of frames) {
      const payloadAt = body + 2 > end ? end + 1 : body + 2 + chunk.readUInt16BE(body);
      if (payloadAt > end) continue;
      passUntil(start);
      passed = end;
      this.#deliver(chunk.toString('utf8', body + 2, payloadAt), chunk.subarray(payloadAt, end));
    }
    passUntil(chunk.length);
  }
}

const portOf = ({ protocol, port }: URL): number => Number(port || (protocol === 'mqtt:' ? 1883 : 8883));

/** `host:port` of a broker. */
export const brokerAt = (url: URL): string => `${url.hostname}:${portOf(url)}`;

/** Opens a connection to a broker. */
export const connectTo = (url: URL, { ca, clock }: { ca?: string | undefined; clock?: Clock } = {}): BrokerStream => {
  const host = url.hostname.replaceAll(/[[\]]/g, '');
  const port = portOf(url);
  if (url.protocol === 'mqtt:') return new BrokerStream((onread) => connectTcp({ host, port, onread }), clock);
  const servername = isIP(host) === 0 ? host : undefined;
  return new BrokerStream((onread) => {
    // Node's types leave out that it reads like a socket.
    const options: ConnectionOptions & { onread: OnReadOpts } = { host, port, servername, ca, onread };
    return connectTls(options);
  }, clock);
};
