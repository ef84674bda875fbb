import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { heldBytes } from '@roastery/testing/held-memory';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { describe, expect, it } from 'vitest';
import {
  asApi,
  asDevice,
  closed,
  connect,
  connectPacket,
  deviceOne,
  deviceTwo,
  fixedHeader,
  metric,
  otherTopic,
  ownTopic,
  rawConnect,
  startPair,
  waitUntil,
} from './testing/peers.ts';

const megabytes = (bytes: number): number => bytes / 1024 / 1024;
/** Sends chunks as fast as the peer takes them until it closes; returns the number of bytes sent. */
const pour = async (socket: Socket, chunk: Buffer, upTo: number): Promise<number> => {
  let sent = 0;
  while (sent < upTo && !socket.destroyed) {
    sent += chunk.length;
    if (!socket.write(chunk)) await Promise.race([once(socket, 'drain').catch(() => undefined), closed(socket)]);
  }
  return sent;
};

describe('before authentication', () => {
  it('a CONNECT of 200 MB costs no memory, sent at once or byte by byte', async () => {
    await using pair = await startPair();
    const before = heldBytes();
    for (const drip of [false, true]) {
      const socket = await rawConnect(pair.broker.ports.mqtt);
      const header = fixedHeader(0x10, 200_000_000);
      if (drip) {
        for (const byte of header) {
          socket.write(Buffer.from([byte]));
          await nextTurn();
        }
      } else socket.write(header);
      const sent = await pour(socket, Buffer.alloc(64 * 1024), 200_000_000);
      expect(megabytes(sent)).toBeLessThan(16);
      expect(socket.destroyed || (await closed(socket))).toBe(true);
    }
    expect(megabytes(heldBytes() - before)).toBeLessThan(10);
    expect(await metric(pair.broker, 'refused_total{reason="too_large"}')).toBe(2);
  });

  it('three hundred half-sent CONNECTs cost little and are disconnected in time', async () => {
    const clock = createVirtualClock();
    await using pair = await startPair({ clock });
    const before = heldBytes();
    const sockets = await Promise.all(Array.from({ length: 300 }, () => rawConnect(pair.broker.ports.mqtt)));
    for (const socket of sockets) socket.write(Buffer.concat([fixedHeader(0x10, 8_000), Buffer.alloc(7_000)]));
    await waitUntil(async () => (await metric(pair.broker, 'sockets')) === 300);
    expect(megabytes(heldBytes() - before)).toBeLessThan(40);
    await clock.advance(10_000);
    await waitUntil(async () => (await metric(pair.broker, 'sockets')) === 0);
    expect(await metric(pair.broker, 'refused_total{reason="connect_timeout"}')).toBe(300);
  });

  it('a CONNECT that arrives byte by byte is disconnected after its time limit', async () => {
    const clock = createVirtualClock();
    await using pair = await startPair({ clock });
    const socket = await rawConnect(pair.broker.ports.mqtt);
    for (const byte of connectPacket('board-RM30-1', 'RM30-1', 'token-one')) {
      if (socket.destroyed) break;
      socket.write(Buffer.from([byte]));
      await clock.advance(500);
    }
    expect(socket.destroyed || (await closed(socket))).toBe(true);
    expect(pair.api.asked, 'cut before the last byte').toEqual([]);
  });

  it('a client whose credentials take too long to check is disconnected', async () => {
    const clock = createVirtualClock();
    await using pair = await startPair({ clock, limits: { maxAnswerWaitMs: 500 } });
    pair.api.mode = 'hanging';
    await expect(clock.run(connect(pair.broker.ports.mqtt, deviceOne))).rejects.toThrow(/closed|reset/i);
    expect(await metric(pair.broker, 'refused_total{reason="connect_timeout"}')).toBe(1);
  });

  it('a connection that is not MQTT is closed immediately', async () => {
    await using pair = await startPair();
    for (const text of ['GET / HTTP/1.1\r\n\r\n', '\u0016\u0003\u0001\u0002\u0000', '\u0000\u0000\u0000\u0000']) {
      const socket = await rawConnect(pair.broker.ports.mqtt);
      const gone = closed(socket);
      socket.write(text);
      expect(await gone).toBe(true);
    }
    expect(await metric(pair.broker, 'refused_total{reason="not_mqtt"}')).toBe(3);
  });

  it('keepalive 0 and a keepalive of hours are refused', async () => {
    await using pair = await startPair();
    await expect(connect(pair.broker.ports.mqtt, { ...deviceOne, keepalive: 0 })).rejects.toMatchObject({ code: 6 });
    await expect(connect(pair.broker.ports.mqtt, { ...deviceOne, keepalive: 7_200 })).rejects.toMatchObject({
      code: 6,
    });
    await (await connect(pair.broker.ports.mqtt, { ...deviceOne, keepalive: 300 })).endAsync();
  });

  it('connections: at the total or per-address limit the oldest socket without credentials is closed', async () => {
    await using total = await startPair({ limits: { maxConnections: 3 } });
    await using address = await startPair({ limits: { maxConnectionsPerAddress: 3 } });
    for (const [{ broker }, reason] of [
      [total, 'too_many_connections'],
      [address, 'too_many_from_address'],
    ] as const) {
      const sockets: Socket[] = [];
      for (const n of [1, 2, 3]) {
        sockets.push(await rawConnect(broker.ports.mqtt));
        await waitUntil(async () => (await metric(broker, 'sockets')) === n);
      }
      const oldestIsCut = closed(sockets[0] as Socket);
      const board = await connect(broker.ports.mqtt, deviceOne);
      expect(await oldestIsCut).toBe(true);
      expect(sockets.slice(1).map(({ destroyed }) => destroyed)).toEqual([false, false]);
      expect(await metric(broker, `refused_total{reason="${reason}"}`)).toBe(1);
      expect(await metric(broker, 'sockets')).toBe(3);
      await board.endAsync();
      for (const socket of sockets) socket.destroy();
      await waitUntil(async () => (await metric(broker, 'sockets')) === 0);
    }
  });

  it('connections: a client with credentials keeps its slot, and one more is refused', async () => {
    await using pair = await startPair({ limits: { maxConnectionsPerAddress: 2 } });
    const port = pair.broker.ports.mqtt;
    const clients = [await connect(port, deviceOne), await connect(port, deviceTwo)];
    expect(await closed(await rawConnect(port))).toBe(true);
    await expect(connect(port, asApi())).rejects.toThrow(/closed|reset/i);
    expect(clients.map(({ connected }) => connected)).toEqual([true, true]);
    await clients[0]?.endAsync();
    await (await connect(port, asApi())).endAsync();
    await clients[1]?.endAsync();
  });

  it('connections: 1,000 idle sockets of one address lock out neither that roastery’s boards nor the api', async () => {
    await using pair = await startPair();
    const port = pair.broker.ports.mqtt;
    const idle = await Promise.all(Array.from({ length: 1_000 }, () => rawConnect(port)));
    await waitUntil(async () => (await metric(pair.broker, 'sockets')) === 1_000);
    const opened: Socket[] = [];
    // The client that holds the sockets keeps opening new ones.
    const over = new AbortController();
    const flood = async (): Promise<void> => {
      while (!over.signal.aborted) opened.push(await rawConnect(port));
    };
    const flooding = flood();
    try {
      const clients = await Promise.all([deviceOne, deviceTwo, asApi()].map((options) => connect(port, options)));
      const before = opened.length;
      await waitUntil(() => opened.length >= before + 100);
      expect(clients.map(({ connected }) => connected)).toEqual([true, true, true]);
      await Promise.all(clients.map((client) => client.endAsync()));
    } finally {
      over.abort();
      await flooding;
      for (const socket of [...idle, ...opened]) socket.destroy();
    }
  });
});

describe('after authentication', () => {
  it('a packet over 256 KB closes the client', async () => {
    await using pair = await startPair();
    const one = await connect(pair.broker.ports.mqtt, deviceOne);
    const gone = closed(one);
    one.publish(ownTopic('journal'), Buffer.alloc(300_000), { qos: 1 });
    expect(await gone).toBe(true);
    expect(await metric(pair.broker, 'refused_total{reason="too_large"}')).toBe(1);
  });

  it('a machine that floods is read more slowly, loses nothing and delays no other client', async () => {
    const clock = createVirtualClock();
    await using pair = await startPair({ clock, limits: { packetsPerSecond: 400, packetBurst: 100 } });
    const port = pair.broker.ports.mqtt;
    const api = await connect(port, asApi());
    const seen: string[] = [];
    api.on('message', (topic, payload) => seen.push(`${topic} ${payload.toString()}`));
    await api.subscribeAsync('roastery/v1/+/journal', { qos: 1 });
    const [one, two] = [await connect(port, deviceOne), await connect(port, deviceTwo)];
    const start = clock.monotonic();
    const flood = Promise.all(
      Array.from({ length: 900 }, (_, index) =>
        one.publishAsync(ownTopic('journal'), `${index}`.padEnd(1_000), { qos: 1 }),
      ),
    );
    await waitUntil(async () => (await metric(pair.broker, 'throttled_total')) > 0);
    await two.publishAsync(otherTopic('journal'), 'in between', { qos: 1 });
    await clock.until('the message in between', () => seen.some((line) => line.endsWith('in between')), 200);
    expect(seen.length, 'how many were there when it came').toBeLessThan(600);
    await clock.run(flood);
    expect(clock.monotonic() - start).toBeGreaterThan(1_500);
    await clock.until('all messages', () => seen.length === 901, 1_000);
    expect(new Set(seen).size).toBe(901);
    await clock.run(Promise.all([one.endAsync(), two.endAsync(), api.endAsync()]));
  });

  it('500 boards that reconnect at once are all admitted', async () => {
    await using pair = await startPair();
    for (let board = 0; board < 500; board++) pair.api.tokens.set(`M-${board}`, `token-${board}`);
    const clients = await Promise.all(
      Array.from({ length: 500 }, (_, board) =>
        connect(pair.broker.ports.mqtt, asDevice(`M-${board}`, `token-${board}`)),
      ),
    );
    expect(await metric(pair.broker, 'connections{listener="tcp",state="device"}')).toBe(500);
    await Promise.all(clients.map((client) => client.endAsync(true)));
    await waitUntil(async () => (await metric(pair.broker, 'connections{listener="tcp",state="device"}')) === 0);
  });
});
