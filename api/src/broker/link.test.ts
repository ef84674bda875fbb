import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { allMachines, topicOf } from '@roastery/contract/mqtt';
import { createLogger } from '@roastery/runtime/logger';
import { portOf } from '@roastery/runtime/system-errors';
import { until } from '@roastery/testing/until';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { generate, parser } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { startPlainBroker } from '../testing/whole-api.ts';
import { connectTo } from './broker-stream.ts';
import { openMqttLink } from './link.ts';
import { publishPackets } from './plain-messages.ts';

const makeCertificate = () => {
  const folder = mkdtempSync(join(tmpdir(), 'roastery-certificate-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  execFileSync('openssl', [...made, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const read = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  rmSync(folder, { recursive: true });
  return read;
};

describe('openMqttLink', () => {
  it('delivers the next message after a handler threw, and calls the other handlers of the same message', async () => {
    const broker = await startPlainBroker();
    const link = openMqttLink({ url: broker.url, secret: 'none', log: createLogger('test', 'silent') });
    const received: string[] = [];
    const statuses = allMachines('status');
    link.onConnect(() => {
      throw new Error('a connect handler that throws');
    });
    link.subscribe(statuses, 1, () => {
      throw new Error('a handler that throws');
    });
    link.subscribe(statuses, 1, (topic) => received.push(topic));
    await until('the subscription', () => broker.subscriptionsTo(statuses) > 0);
    await link.publish(topicOf('1', 'status'), 'x');
    await link.publish(topicOf('2', 'status'), 'x');
    await until('both messages', () => received.length === 2);
    expect(received).toEqual([topicOf('1', 'status'), topicOf('2', 'status')]);
    await link.close();
    await broker.close();
  });
});

it('refuses a broker whose certificate it does not trust, and sends it no secret', async () => {
  const seen: Buffer[] = [];
  const server = createTlsServer(makeCertificate(), (socket) => socket.on('data', (bytes) => seen.push(bytes)));
  const refusals: string[] = [];
  server.on('tlsClientError', () => refusals.push('refused'));
  await new Promise<void>((resolve) => {
    server.listen(0, 'localhost', resolve);
  });
  const warnings: unknown[] = [];
  const log = createLogger('test', 'silent');
  log.warn = (about: unknown) => void warnings.push(about);
  const link = openMqttLink({ url: `mqtts://localhost:${portOf(server)}`, secret: 'none', log });
  await until('the refusal', () => warnings.length > 0 && refusals.length > 0);
  expect(warnings[0]).toMatchObject({ reason: 'self-signed certificate' });
  expect(seen).toEqual([]);
  expect(link.isConnected).toBe(false);
  await link.close();
  server.close();
});

describe('topics that come and go', () => {
  it('reach their handler in many packets, and stay subscribed while another handler reads them', async () => {
    const broker = await startPlainBroker();
    const link = openMqttLink({ url: broker.url, secret: 'none', log: createLogger('test', 'silent') });
    const topics = Array.from({ length: 1000 }, (_, n) => topicOf(`${n}`, 'journal'));
    const [received, beside]: [string[], string[]] = [[], []];
    const set = link.subscribeSet(0, (topic) => received.push(topic));
    set.add(topics.slice(0, 600));
    await until('the connection', () => link.isConnected);
    set.add(topics);
    const [first = '', last = ''] = [topics[0], topics[999]];
    link.subscribe(first, 0, (topic) => beside.push(topic));
    await until('the subscriptions', () => link.isSubscribed && broker.subscriptionsTo(last) > 0);
    expect(topics.map((topic) => broker.subscriptionsTo(topic))).toEqual(topics.map(() => 1));

    await link.publish(first, 'x', { qos: 0 });
    await link.publish(last, 'x', { qos: 0 });
    await until('both', () => received.length === 2);
    set.remove([first]);
    await link.publish(first, 'x', { qos: 0 });
    await link.publish(last, 'x', { qos: 0 });
    await until('the last one', () => received.length === 3);
    expect(received).toEqual([first, last, last]);
    expect(beside).toEqual([first, first]);
    await link.close();
    await broker.close();
  });
});

describe('a broker that is too busy to answer pings', () => {
  it('keeps the connection while messages arrive, and keeps sending pings to it', async () => {
    const counts = { connects: 0, pings: 0 };
    const topic = topicOf('1', 'journal');
    const message = generate({ cmd: 'publish', topic, payload: 'x', qos: 0, dup: false, retain: false });
    const server = createServer((socket) => {
      const timer = setInterval(() => socket.write(message), 50);
      socket.on('close', () => clearInterval(timer));
      const packets = parser();
      packets.on('packet', ({ cmd }) => {
        if (cmd === 'connect') socket.write(generate({ cmd: 'connack', returnCode: 0, sessionPresent: false }));
        if (cmd === 'connect') counts.connects += 1;
        if (cmd === 'pingreq') counts.pings += 1;
      });
      socket.on('data', (bytes: Buffer) => packets.parse(bytes));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const log = createLogger('test', 'silent');
    const link = openMqttLink({ url, secret: 'none', log, keepaliveSeconds: 1 });
    // Three times as long as it waits for an answer.
    await until('its pings', () => counts.pings >= 14);
    expect(counts.connects).toBe(1);
    expect(link.isConnected).toBe(true);
    await link.close();
    await new Promise((resolve) => server.close(resolve));
  });
});

it.each(['mqtt', 'mqtts'] as const)('reads many messages together, and few at once, over %s', async (protocol) => {
  const tls = protocol === 'mqtts' ? makeCertificate() : undefined;
  const server = tls === undefined ? createServer() : createTlsServer(tls);
  const connected = once(server, tls === undefined ? 'connection' : 'secureConnection');
  await once(server.listen(0, 'localhost'), 'listening');
  // Answers on another connection: what was sent before would have arrived.
  const echo = createServer((socket) => socket.pipe(socket));
  await once(echo.listen(0, 'localhost'), 'listening');
  const other = connect(portOf(echo), 'localhost');
  const clock = createVirtualClock();
  const stream = connectTo(new URL(`${protocol}://localhost:${portOf(server)}`), { ca: tls?.cert, clock });
  const received: string[] = [];
  stream.deliverTo((_topic, payload) => received.push(payload.toString()));
  stream.resume();
  const [broker] = (await connected) as [Socket];
  const send = (...payloads: string[]): Promise<void> =>
    new Promise((resolve) => {
      const messages = payloads.map((payload) => ({ topic: 'roastery/v1/A/journal', payload }));
      broker.write(publishPackets(messages), () => resolve());
    });

  await send('first');
  await until('the first', () => received.length === 1);
  await send(...Array.from({ length: 40 }, () => 'one of many'));
  await until('many', () => received.length === 41);
  clock.pass(20);
  await send('last of many');
  await until('the last of many', () => received.length === 42);
  await send('3');
  await send('4');
  for (let round = 0; round < 10; round++) {
    other.write('x');
    await once(other, 'data');
  }
  expect(received.slice(41)).toEqual(['last of many']);
  clock.pass(20);
  await until('the others', () => received.length === 44);

  // Few messages are each read at once.
  clock.pass(1000);
  for (let n = 45; n < 50; n++) {
    await send('one of few');
    await until('each', () => received.length === n);
  }
  stream.destroy();
  other.destroy();
  server.close();
  echo.close();
});
