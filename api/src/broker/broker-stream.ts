import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createFrameGuard, type Frame } from '@roastery/runtime/mqtt-frames';
import { PacketStream } from '@roastery/runtime/packet-stream';

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

const portOf = ({ protocol, port }: URL): number => Number(port || (protocol === 'mqtt:' ? 1883 : 8883));

/** `host:port` of a broker. */
export const brokerAt = (url: URL): string => `${url.hostname}:${portOf(url)}`;

/** Opens a connection to a broker. */
export const connectTo = (url: URL): BrokerStream => {
  const host = url.hostname.replaceAll(/[[\]]/g, '');
  const port = portOf(url);
  if (url.protocol === 'mqtt:') return new BrokerStream(connectTcp({ host, port }));
  const servername = isIP(host) === 0 ? host : undefined;
  return new BrokerStream(connectTls({ host, port, servername }));
};
