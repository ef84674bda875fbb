import { once } from 'node:events';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { describe, expect, it } from 'vitest';
import { createFrameGuard, type Frame } from '@roastery/runtime/mqtt-frames';
import {
  asApi,
  brokerSecret,
  closed,
  connect,
  connectPacket,
  deviceOne,
  fixedHeader,
  metric,
  otherTopic,
  ownTopic,
  rawConnect,
  startPair,
  subscribePacket,
  waitUntil,
} from './testing/peers.ts';

const topicBytes = (topic: string): Buffer => {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(topic));
  return Buffer.concat([length, Buffer.from(topic)]);
};
const plain = (topic: string, payload: string, header = 0x30): Buffer => {
  const body = Buffer.concat([topicBytes(topic), Buffer.from(payload)]);
  return Buffer.concat([fixedHeader(header, body.length), body]);
};
const atQos1 = (topic: string, payload: string): Buffer => {
  const body = Buffer.concat([topicBytes(topic), Buffer.from([0, 7]), Buffer.from(payload)]);
  return Buffer.concat([fixedHeader(0x32, body.length), body]);
};
const ping = Buffer.from([0xc0, 0]);

/** A board on a bare socket, connected. */
const bareBoard = async (port: number, keepaliveSeconds = 60) => {
  const socket = await rawConnect(port);
  socket.write(connectPacket('board-RM30-1', 'RM30-1', 'token-one', keepaliveSeconds));
  await once(socket, 'data');
  socket.resume();
  return socket;
};

/** Payloads of the messages to the api, in order. */
const startApi = async (port: number, ...filters: string[]) => {
  const api = await connect(port, asApi());
  for (const filter of filters) await api.subscribeAsync(filter, { qos: 1 });
  const seen: string[] = [];
  api.on('message', (_, payload) => seen.push(payload.toString()));
  return { api, seen };
};

describe('frame guard', () => {
  it('reports the plain messages that are complete in a chunk, wherever the bytes are split', () => {
    const live = ownTopic('live');
    const packets = [plain(live, 'a'), ping, plain(live, 'b'.repeat(200)), atQos1(live, 'c'), plain(live, 'd', 0x31)];
    const bytes = Buffer.concat(packets);
    const borders = packets.map((_, index) => Buffer.concat(packets.slice(0, index)).length);
    for (let cut = 1; cut < bytes.length; cut++) {
      const guard = createFrameGuard({ maxBytesBeforeAuthentication: 1_000, maxPacketBytes: 1_000 });
      guard.inspect(connectPacket('board-RM30-1', 'RM30-1', 'token-one'));
      const found: number[] = [];
      for (const [from, to] of [[0, cut] as const, [cut, bytes.length] as const]) {
        const frames: Frame[] = [];
        guard.inspect(bytes.subarray(from, to), frames);
        for (const { start, end } of frames) {
          expect(packets.some((packet) => packet.equals(bytes.subarray(from + start, from + end)))).toBe(true);
          found.push(from + start);
        }
      }
      const whole = [0, 2].filter((n) => {
        const [start, end] = [borders[n] ?? 0, borders[n + 1] ?? 0];
        return cut <= start || cut >= end;
      });
      expect(found, `cut at ${cut}`).toEqual(whole.map((n) => borders[n]));
    }
  });
});

/** Before virtual time goes on: a message that arrives later belongs to a later time. */
const received = (broker: Parameters<typeof metric>[0], messages: number): Promise<void> =>
  waitUntil(async () => (await metric(broker, 'messages_in_total{kind="live"}')) === messages);

describe('messages of QoS 0', () => {
  it('arrive unchanged and once, also where two subscriptions of a client match them', async () => {
    await using pair = await startPair();
    const port = pair.broker.ports.mqtt;
    const { api, seen } = await startApi(port, 'roastery/v1/+/live', ownTopic('live'));
    const board = await connect(port, deviceOne);
    const payloads = ['', 'Röstung 🔥', '\u0000', 'x'.repeat(200_000)];
    for (const payload of payloads) await board.publishAsync(ownTopic('live'), payload);
    await waitUntil(() => seen.length >= payloads.length);
    expect(seen).toEqual(payloads);

    await board.subscribeAsync(ownTopic('ack'), { qos: 1 });
    const acknowledged: string[] = [];
    board.on('message', (topic, payload) => acknowledged.push(`${topic} ${payload.toString()}`));
    await api.publishAsync(otherTopic('ack'), 'not mine');
    await api.publishAsync(ownTopic('ack'), 'mine');
    await waitUntil(() => acknowledged.length > 0);
    expect(acknowledged).toEqual([`${ownTopic('ack')} mine`]);
    await board.endAsync();
    await api.endAsync();
  });

  it('keep their order among other packets of the same chunk', async () => {
    await using pair = await startPair();
    const port = pair.broker.ports.mqtt;
    const { api, seen } = await startApi(port, 'roastery/v1/+/live');
    const board = await bareBoard(port);
    const live = ownTopic('live');
    const packets = [
      plain(live, '1'),
      ping,
      plain(live, '2'),
      atQos1(live, 'other'),
      plain(live, '3'),
      ping,
      plain(live, '4'),
    ];
    board.write(Buffer.concat(packets));
    await waitUntil(() => seen.length === 5);
    expect(seen.filter((payload) => payload !== 'other')).toEqual(['1', '2', '3', '4']);
    board.destroy();
    await api.endAsync();
  });

  it('arrive before a forbidden one, which closes the connection and is not delivered', async () => {
    await using pair = await startPair();
    const port = pair.broker.ports.mqtt;
    const { api, seen } = await startApi(port, 'roastery/v1/+/live', 'roastery/v1/+/journal');
    const board = await bareBoard(port);
    const end = closed(board);
    const forbidden = [otherTopic('live'), ownTopic('ack'), 'other/topic'];
    board.write(
      Buffer.concat([plain(ownTopic('live'), 'mine'), ...forbidden.map((topic) => plain(topic, 'not mine'))]),
    );
    await end;
    await waitUntil(() => seen.length > 0);
    const again = await connect(port, deviceOne);
    await again.publishAsync(ownTopic('journal'), 'last');
    await waitUntil(() => seen.includes('last'));
    expect(seen).toEqual(['mine', 'last']);
    await again.endAsync();
    await api.endAsync();
  });

  it('reach the api several in one write, while each is sent by itself', async () => {
    const clock = createVirtualClock();
    await using pair = await startPair({ clock });
    const port = pair.broker.ports.mqtt;
    const api = await rawConnect(port);
    api.write(connectPacket('api-1', '$api', brokerSecret));
    await once(api, 'data');
    api.write(subscribePacket('roastery/v1/+/live', 0));
    await once(api, 'data');
    const board = await bareBoard(port);
    const message = plain(ownTopic('live'), '205.1');
    const messages = 20;
    let [bytes, reads] = [0, 0];
    api.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      reads += 1;
    });
    board.setNoDelay(true);
    for (let sent = 1; sent <= messages; sent++) {
      board.write(message);
      await received(pair.broker, sent);
    }
    expect(bytes).toBe(0);
    await clock.advance(5);
    await waitUntil(() => bytes === messages * message.length);
    expect(reads).toBe(1);
    board.destroy();
    api.destroy();
  });

  it('count for the keepalive of a board that sends nothing else', async () => {
    const clock = createVirtualClock();
    await using pair = await startPair({ clock });
    const port = pair.broker.ports.mqtt;
    const { api, seen } = await startApi(port, 'roastery/v1/+/live');
    const board = await bareBoard(port, 1);
    const messages = 20;
    for (let sent = 1; sent <= messages; sent++) {
      board.write(plain(ownTopic('live'), `${sent}`));
      await received(pair.broker, sent);
      await clock.advance(200);
    }
    await waitUntil(() => seen.length === messages);
    expect(board.destroyed).toBe(false);
    board.destroy();
    await api.endAsync();
  });

  it('end with the connection of a board that sends nothing for one and a half times its keepalive', async () => {
    const clock = createVirtualClock();
    await using pair = await startPair({ clock, limits: { frozenAfterMs: 1_000 } });
    const port = pair.broker.ports.mqtt;
    const { api, seen } = await startApi(port, 'roastery/v1/+/live');
    const board = await bareBoard(port, 1);
    board.write(plain(ownTopic('live'), 'last'));
    await received(pair.broker, 1);
    await clock.advance(1_400);
    expect(board.destroyed).toBe(false);
    await clock.advance(300);
    await waitUntil(() => board.destroyed);
    expect(seen).toEqual(['last']);
    expect(await metric(pair.broker, 'refused_total{reason="keepalive"}')).toBe(1);
    await api.endAsync();
  });

  it('no longer arrive once their subscriber has unsubscribed', async () => {
    await using pair = await startPair();
    const port = pair.broker.ports.mqtt;
    const { api, seen } = await startApi(port, 'roastery/v1/+/live', 'roastery/v1/+/journal');
    const board = await connect(port, deviceOne);
    await board.publishAsync(ownTopic('live'), 'before');
    await waitUntil(() => seen.length === 1);
    await api.unsubscribeAsync('roastery/v1/+/live');
    await board.publishAsync(ownTopic('live'), 'after');
    await board.publishAsync(ownTopic('journal'), 'last');
    await waitUntil(() => seen.includes('last'));
    expect(seen).toEqual(['before', 'last']);
    await board.endAsync();
    await api.endAsync();
  });
});
