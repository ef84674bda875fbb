import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { maxPacketBytes } from '@roastery/contract/mqtt';
import { createFrameGuard, type Frame } from '@roastery/runtime/mqtt-frames';
import { PacketStream } from '@roastery/runtime/packet-stream';

/**
 * Messages of QoS 0, nearly all of the api's traffic with the broker, without mqtt.js: it parses, dispatches and writes
 * each message separately, which took most of the api's CPU with a fleet's journals and acknowledgements.
 */
export interface Message {
  readonly topic: string;
  readonly payload: string;
}

/** Brokers limit the size of what they send; ours has a lower limit. */
const limits = { maxBytesBeforeAuthentication: Infinity, maxPacketBytes: 2 ** 28 };

/** The connection to a broker as mqtt.js reads and writes it. */
export class BrokerStream extends PacketStream {
  #deliver: ((topic: string, payload: Buffer) => void) | undefined;
  readonly #guard = createFrameGuard(limits);

  /**
   * From now on `deliver` gets the complete messages of QoS 0, and mqtt.js everything else. Call it between two packets: a
   * broker sends none between its CONNACK and the first packet of the client after it.
   */
  deliverTo(deliver: (topic: string, payload: Buffer) => void): void {
    this.#guard.authenticated();
    this.#deliver = deliver;
  }

  protected override arrived(chunk: Buffer): void {
    if (this.#deliver === undefined) return this.pass(chunk);
    const frames: Frame[] = [];
    if (typeof this.#guard.inspect(chunk, frames) === 'string') {
      // Not MQTT: mqtt.js reports it.
      this.#deliver = undefined;
      return this.pass(chunk);
    }
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

/** Opens a connection to a broker. */
export const connectTo = (url: URL): BrokerStream => {
  const host = url.hostname.replaceAll(/[[\]]/g, '');
  if (url.protocol === 'mqtt:') return new BrokerStream(connectTcp({ host, port: Number(url.port || 1883) }));
  const servername = isIP(host) === 0 ? host : undefined;
  return new BrokerStream(connectTls({ host, port: Number(url.port || 8883), servername }));
};

const lengthBytes = (length: number): number =>
  length < 0x80 ? 1 : length < 0x40_00 ? 2 : length < 0x20_00_00 ? 3 : 4;

/** Messages of QoS 0 as consecutive PUBLISH packets. */
export const publishPackets = (messages: readonly Message[]): Buffer => {
  const sized = messages.map(({ topic, payload }) => {
    const topicBytes = Buffer.byteLength(topic);
    const length = 2 + topicBytes + Buffer.byteLength(payload);
    if (length > maxPacketBytes) throw new Error(`a message of ${length} bytes is too large for the broker: ${topic}`);
    return { topic, payload, topicBytes, length };
  });
  const bytes = Buffer.allocUnsafe(sized.reduce((sum, { length }) => sum + 1 + lengthBytes(length) + length, 0));
  let at = 0;
  for (const { topic, payload, topicBytes, length } of sized) {
    bytes[at++] = 0x30;
    let left = length;
    for (; left >= 0x80; left >>>= 7) bytes[at++] = (left & 0x7f) | 0x80;
    bytes[at++] = left;
    at = bytes.writeUInt16BE(topicBytes, at);
    at += bytes.write(topic, at);
    at += bytes.write(payload, at);
  }
  return bytes;
};
