import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { generate, parser } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { BrokerStream } from './broker-stream.ts';
import { publishPackets } from './plain-messages.ts';

const messages = [
  { topic: 'roastery/v1/A/ack', payload: '{"v":1}' },
  { topic: 'roastery/v1/B/ack', payload: 'ö'.repeat(100) },
  { topic: 'roastery/v1/C/ack', payload: 'x'.repeat(20_000) },
];

/** A connection on which these pieces arrive: the delivered messages, and the bytes that the reader of the stream gets. */
const arriving = async (pieces: readonly Buffer[]) => {
  const carrier = new PassThrough();
  const stream = new BrokerStream(() => carrier);
  const delivered: string[] = [];
  stream.deliverTo((topic, payload) => delivered.push(`${topic} ${payload.length}`));
  for (const piece of pieces) carrier.write(piece);
  carrier.end();
  return { delivered, read: await buffer(stream) };
};

describe('plain messages', () => {
  it('are written as packets that an MQTT parser reads', () => {
    const parsed: unknown[] = [];
    parser()
      .on('packet', (packet) => parsed.push(packet))
      .parse(publishPackets(messages));
    expect(parsed).toMatchObject(
      messages.map(({ topic, payload }) => ({
        cmd: 'publish',
        qos: 0,
        retain: false,
        topic,
        payload: Buffer.from(payload),
      })),
    );
  });

  it('are refused when a broker would close the connection because of them', () => {
    expect(() => publishPackets([{ topic: 'roastery/v1/A/ack', payload: 'x'.repeat(300_000) }])).toThrow('too large');
  });

  it('are delivered, and the reader of the stream gets all other bytes, however they are split', async () => {
    const plain = publishPackets(messages);
    const others = [
      generate({ cmd: 'pingresp' }),
      generate({ cmd: 'publish', topic: 'a', payload: 'b', qos: 1, messageId: 7, dup: false, retain: false }),
      generate({ cmd: 'publish', topic: 'a', payload: 'b', qos: 0, dup: false, retain: true }),
    ];
    const bytes = Buffer.concat(others.flatMap((other) => [plain, other]));
    const whole = await arriving([bytes]);
    expect(whole.delivered).toHaveLength(others.length * messages.length);
    expect(whole.delivered.slice(0, 2)).toEqual(['roastery/v1/A/ack 7', 'roastery/v1/B/ack 200']);
    expect(whole.read).toEqual(Buffer.concat(others));
    for (const size of [1, 3, 50, 1_000]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      );
      const cut = await arriving(pieces);
      const parsed: string[] = [];
      parser()
        .on('packet', (packet) => parsed.push(packet.cmd))
        .parse(cut.read);
      // Whole messages are delivered, split ones are left to the reader.
      expect(cut.delivered.length + parsed.length, `cut every ${size} bytes`).toBe(
        others.length * (messages.length + 1),
      );
    }
  });
});
