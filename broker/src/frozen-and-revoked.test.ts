import { once } from 'node:events';
import { get } from 'node:http';
import type { Socket } from 'node:net';
import { heldBytes } from '@roastery/testing/held-memory';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { describe, expect, it } from 'vitest';
import type { Broker } from './broker.ts';
import {
  asApi,
  brokerSecret,
  closed,
  connect,
  connectPacket,
  deviceOne,
  deviceTwo,
  metric,
  otherTopic,
  ownTopic,
  rawConnect,
  startPair,
  subscribePacket,
  waitUntil,
} from './testing/peers.ts';

/** A client that connects, subscribes, and from then on neither reads nor answers. */
const freeze = async (
  port: number,
  clientId: string,
  username: string,
  password: string,
  filter: string,
  qos: 0 | 1,
): Promise<Socket> => {
  const socket = await rawConnect(port);
  socket.write(connectPacket(clientId, username, password));
  await once(socket, 'data');
  socket.write(subscribePacket(filter, qos));
  await once(socket, 'data');
  socket.pause();
  return socket;
};

const manage = (broker: Broker, method: string, clientId: string, secret = brokerSecret): Promise<Response> =>
  fetch(`http://127.0.0.1:${broker.ports.management}/api/v5/clients/${encodeURIComponent(clientId)}`, {
    method,
    headers: { 'x-broker-secret': secret },
  });

describe('a frozen subscriber', () => {
  it('that acknowledges no message is disconnected, however few there are', async () => {
    const clock = createVirtualClock();
    await using pair = await startPair({ clock });
    const port = pair.broker.ports.mqtt;
    const socket = await freeze(port, 'board-RM30-1', 'RM30-1', 'token-one', ownTopic('ack'), 1);
    const api = await connect(port, asApi());
    await clock.advance(40_000);
    expect(await metric(pair.broker, 'refused_total{reason="frozen"}'), 'a quiet client is not a frozen one').toBe(0);
    await api.publishAsync(ownTopic('ack'), 'hello', { qos: 1 });
    await clock.advance(30_000);
    expect(await metric(pair.broker, 'refused_total{reason="frozen"}')).toBe(1);
    await api.endAsync();
    socket.destroy();
  });

  it('that reads nothing is disconnected with bounded memory, and delays no other client', async () => {
    // Time stands still, so only the amount of waiting bytes can disconnect it.
    await using pair = await startPair({ clock: createVirtualClock(), limits: { packetBurst: 5_000 } });
    const port = pair.broker.ports.mqtt;
    const socket = await freeze(port, 'board-RM30-1', 'RM30-1', 'token-one', ownTopic('plan'), 0);
    const two = await connect(port, deviceTwo);
    let seen = 0;
    two.on('message', () => (seen += 1));
    await two.subscribeAsync(otherTopic('ack'), { qos: 1 });
    const api = await connect(port, asApi());
    const before = heldBytes();
    const payload = Buffer.alloc(100_000);
    for (let message = 0; message < 1000; message++) {
      await api.publishAsync(ownTopic('plan'), payload, { qos: 1 });
      await api.publishAsync(otherTopic('ack'), 'x', { qos: 1 });
    }
    await waitUntil(() => seen === 1000);
    expect(await metric(pair.broker, 'refused_total{reason="too_slow"}')).toBe(1);
    // Of 100 MB.
    expect((heldBytes() - before) / 1024 / 1024).toBeLessThan(60);
    await Promise.all([api.endAsync(), two.endAsync()]);
    socket.destroy();
  });

  it('as the api: boards wait, it is disconnected, and its successor receives the later messages', async () => {
    const clock = createVirtualClock();
    await using pair = await startPair({ clock, limits: { byteBurst: 100_000_000 } });
    const port = pair.broker.ports.mqtt;
    const socket = await freeze(port, 'api-1', '$api', brokerSecret, 'roastery/v1/+/journal', 1);
    const one = await connect(port, deviceOne);
    const payload = Buffer.alloc(200_000);
    const sent = Promise.all(
      Array.from({ length: 200 }, () => one.publishAsync(ownTopic('journal'), payload, { qos: 1 })),
    );
    await clock.advance(30_000);
    expect(await metric(pair.broker, 'refused_total{reason="frozen"}')).toBe(1);
    const api = await connect(port, asApi('api-2'));
    let seen = 0;
    api.on('message', () => (seen += 1));
    await api.subscribeAsync('roastery/v1/+/journal', { qos: 1 });
    await sent;
    await one.publishAsync(ownTopic('journal'), 'last', { qos: 1 });
    // In small steps: the keepalive of the board must not end while its messages are read.
    await waitUntil(async () => {
      await clock.advance(5);
      return seen > 0;
    });
    expect(one.connected).toBe(true);
    await Promise.all([api.endAsync(), one.endAsync()]);
    socket.destroy();
  });
});

describe('management', () => {
  it('disconnects a revoked machine immediately and accepts it again only when the api does', async () => {
    // Time stands still.
    await using pair = await startPair({ clock: createVirtualClock() });
    const one = await connect(pair.broker.ports.mqtt, deviceOne);
    const state = await manage(pair.broker, 'GET', 'board-RM30-1');
    expect(await state.json()).toMatchObject({
      clientid: 'board-RM30-1',
      username: 'RM30-1',
      connected: true,
      ip_address: '127.0.0.1',
    });
    const gone = closed(one);
    expect((await manage(pair.broker, 'DELETE', 'board-RM30-1')).status).toBe(204);
    expect(await gone).toBe(true);
    expect((await manage(pair.broker, 'GET', 'board-RM30-1')).status).toBe(404);
    pair.api.tokens.delete('RM30-1');
    await expect(connect(pair.broker.ports.mqtt, deviceOne)).rejects.toMatchObject({ code: 4 });
  });

  it('finds a client id with percent signs in it, and removes offline machines from the cache', async () => {
    await using pair = await startPair();
    const two = await connect(pair.broker.ports.mqtt, deviceTwo);
    const gone = closed(two);
    expect((await manage(pair.broker, 'DELETE', 'board-RM15%2F2%20%23%2B')).status).toBe(204);
    expect(await gone).toBe(true);
    expect((await manage(pair.broker, 'DELETE', 'board-RM15%2F2%20%23%2B')).status).toBe(404);
    await pair.api.close();
    await expect(connect(pair.broker.ports.mqtt, deviceTwo)).rejects.toMatchObject({ code: 3 });
    await pair.api.reopen();
  });

  it('disconnects a client that is revoked while its credentials are checked', async () => {
    await using pair = await startPair();
    pair.api.mode = 'hanging';
    const connecting = connect(pair.broker.ports.mqtt, deviceOne);
    connecting.catch(() => undefined);
    await waitUntil(async () => (await metric(pair.broker, 'connections{listener="tcp",state="opening"}')) === 1);
    await waitUntil(async () => (await manage(pair.broker, 'DELETE', 'board-RM30-1')).status === 204);
    await expect(connecting).rejects.toThrow(/closed|reset/i);
  });

  it('refuses to list clients without the secret', async () => {
    await using pair = await startPair();
    const one = await connect(pair.broker.ports.mqtt, deviceOne);
    for (const secret of ['', 'wrong', `${brokerSecret}x`, brokerSecret.slice(1)]) {
      expect((await manage(pair.broker, 'GET', 'board-RM30-1', secret)).status).toBe(401);
      expect((await manage(pair.broker, 'DELETE', 'board-RM30-1', secret)).status).toBe(401);
    }
    expect(one.connected).toBe(true);
    const base = `http://127.0.0.1:${pair.broker.ports.management}`;
    expect(
      (await fetch(`${base}/api/v5/clients/%E0%A4%A`, { headers: { 'x-broker-secret': brokerSecret } })).status,
    ).toBe(400);
    expect((await fetch(`${base}/nothing`)).status).toBe(404);
    expect((await fetch(`${base}/healthz`, { method: 'POST' })).status).toBe(405);
    await one.endAsync();
  });

  it('answers 421 under a foreign host name (DNS rebinding)', async () => {
    await using pair = await startPair();
    const port = pair.broker.ports.management;
    const statusUnder = (path: string, headers: Record<string, string>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        get({ host: '127.0.0.1', port, path, headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        }).once('error', reject);
      });
    for (const path of ['/healthz', '/metrics']) {
      for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example']) {
        expect(await statusUnder(path, { host }), `${path} ${host}`).toBe(421);
      }
      for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'broker:18083']) {
        expect(await statusUnder(path, { host }), `${path} ${host}`).toBe(200);
      }
      expect(await statusUnder(path, { host: 'broker.svc.local', 'x-broker-secret': brokerSecret })).toBe(200);
    }
  });

  it('reports its health and metrics', async () => {
    await using pair = await startPair();
    const one = await connect(pair.broker.ports.mqtt, deviceOne);
    await one.publishAsync(ownTopic('journal'), 'x', { qos: 1 });
    const base = `http://127.0.0.1:${pair.broker.ports.management}`;
    expect(await (await fetch(`${base}/healthz`)).json()).toEqual({ status: 'ok', connections: 1, api: 'answered' });
    expect(await metric(pair.broker, 'messages_in_total{kind="journal"}')).toBe(1);
    expect(await metric(pair.broker, 'bytes{direction="in"}')).toBeGreaterThan(50);
    const page = await (await fetch(`${base}/metrics`)).text();
    for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_seconds']) expect(page).toContain(name);
    await one.endAsync();
  });
});

describe('a clean stop', () => {
  it('closes every client, also half-open and frozen ones, within seconds', async () => {
    const clock = createVirtualClock();
    await using pair = await startPair({ clock });
    const port = pair.broker.ports.mqtt;
    const one = await connect(port, deviceOne);
    const halfOpen = await rawConnect(port);
    const frozen = await freeze(port, 'api-1', '$api', brokerSecret, 'roastery/v1/+/journal', 1);
    void one.publishAsync(ownTopic('journal'), Buffer.alloc(200_000), { qos: 1 });
    const gone = Promise.all([closed(one), closed(halfOpen)]);
    const start = clock.monotonic();
    await clock.run(pair.broker.close());
    expect(clock.monotonic() - start).toBeLessThan(1_000);
    expect(await gone).toEqual([true, true]);
    await expect(connect(port, deviceOne)).rejects.toThrow(/refused/i);
    frozen.destroy();
  });

  it('reports a port in use in one line', async () => {
    await using pair = await startPair();
    await expect(startPair({ mqtt: { host: '127.0.0.1', port: pair.broker.ports.mqtt } })).rejects.toThrow(
      `MQTT: port ${pair.broker.ports.mqtt} on 127.0.0.1 is already in use`,
    );
  });
});
