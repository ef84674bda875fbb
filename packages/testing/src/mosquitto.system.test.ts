import { connect } from 'node:net';
import path from 'node:path';
import { listDevices, revokeCredential } from '@roastery/contract/fleet';
import {
  clientIdOf,
  deviceMayPublish,
  deviceMaySubscribe,
  serviceUserName,
  topicKinds,
  topicOf,
} from '@roastery/contract/mqtt';
import { freePort } from '@roastery/stack/ports';
import type { ServersEnvironment } from '@roastery/stack/stack';
import { connectAsync } from 'mqtt';
import mqtt from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { hasMosquitto, needsMosquitto, startMosquitto } from './mosquitto.ts';
import { registerTestMachine, signIn } from './roastery-client.ts';
import { startProgram } from './start-program.ts';
import { startTestStack } from './test-stack.ts';
import { until } from './until.ts';

const users = { [serviceUserName]: 'a secret of the broker', 'RM30-1': 'first token', 'RM30-2': 'second token' };
type User = keyof typeof users;

const openBroker = async () => {
  const port = await freePort();
  const broker = await startMosquitto(port, users);
  const connectAs = (username: User) =>
    connectAsync(`mqtt://127.0.0.1:${port}`, {
      clientId: username === serviceUserName ? 'api-1' : clientIdOf(username),
      username,
      password: users[username],
      reconnectPeriod: 0,
    });
  return { port, broker, connectAs, [Symbol.asyncDispose]: () => broker.close() };
};

const readBy = (serial: string) => deviceMaySubscribe.map((kind) => topicOf(serial, kind)).toSorted();

describe.skipIf(!hasMosquitto)(`Mosquitto with the files of deploy/brokers${needsMosquitto}`, () => {
  it('gives each machine its own topics, each in its direction, and the api those of all', async () => {
    await using place = await openBroker();
    const [api, one, two] = [
      await place.connectAs(serviceUserName),
      await place.connectAs('RM30-1'),
      await place.connectAs('RM30-2'),
    ];
    const received = { api: new Set<string>(), one: new Set<string>(), two: new Set<string>() };
    api.on('message', (topic) => received.api.add(topic));
    one.on('message', (topic) => received.one.add(topic));
    two.on('message', (topic) => received.two.add(topic));
    for (const client of [api, one, two]) await client.subscribeAsync('#', { qos: 1 });
    const topics = (['RM30-1', 'RM30-2'] as const).flatMap((serial) => topicKinds.map((kind) => topicOf(serial, kind)));
    for (const topic of topics) await one.publishAsync(topic, 'from one', { qos: 1 });
    const own = deviceMayPublish.map((kind) => topicOf('RM30-1', kind));
    await until('what the machine may publish', () => own.every((topic) => received.api.has(topic)));
    expect([...received.api].toSorted()).toEqual(own.toSorted());
    expect([...received.one, ...received.two]).toEqual([]);
    received.api.clear();

    for (const topic of topics) await api.publishAsync(topic, 'from the api', { qos: 1 });
    await until('what the second machine may read', () => received.two.size === deviceMaySubscribe.length);
    await until('what the first machine may read', () => received.one.size === deviceMaySubscribe.length);
    expect([...received.one].toSorted()).toEqual(readBy('RM30-1'));
    expect([...received.two].toSorted()).toEqual(readBy('RM30-2'));
    await Promise.all([api, one, two].map((client) => client.endAsync(true)));
  });

  it('accepts an agent with the login from the api, until its machine is revoked', async () => {
    const servers = {
      async start({ api, broker }: ServersEnvironment) {
        const mosquitto = await startMosquitto(Number(broker['MQTT_PORT']), {
          [serviceUserName]: api['BROKER_SECRET'] ?? '',
        });
        const program = startProgram('api', { ...api, MOSQUITTO_DYNAMIC_SECURITY: 'true' });
        return {
          close: async (): Promise<void> => {
            await program.stop(3000);
            await mosquitto.close();
          },
        };
      },
    };
    await using stack = await startTestStack({ servers });
    const admin = await signIn(stack.url, stack.admin);
    const machine = await registerTestMachine(admin, 'größe 7/1');
    const env = {
      API_URL: stack.apiUrl,
      MACHINE_SERIAL: machine.serial_number,
      MACHINE_TOKEN: machine.auth_token,
      FIRMWARE_VERSION: '1.0.0',
      DATA_DIR: path.join(stack.folder, 'board'),
      STATUS_PORT: 'off',
    };
    const lines: string[] = [];
    const agent = startProgram('device-agent', env, { args: ['run'], onLine: (line) => lines.push(line) });
    try {
      const has = (event: string): boolean => lines.some((line) => line.includes(event));
      await until('its connection', () => has('uplink: connected'));
      await until('its status', async () => {
        const { devices } = await admin.call(listDevices, { query: {} });
        return devices[0]?.connection === 'online';
      });
      await admin.call(revokeCredential, { params: { id: machine.id } });
      await until('the refusal', () => has('uplink: connection failed') && has('"failure":"refused"'));
      expect(lines.join('\n')).not.toContain(machine.auth_token);
    } finally {
      await agent.stop(3000);
    }
  });

  it('queues messages of boards while an api does not read', async () => {
    const messages = 60_000;
    await using place = await openBroker();
    const board = await place.connectAs('RM30-1');
    const socket = connect(place.port, '127.0.0.1');
    const parser = mqtt.parser();
    let granted = false;
    let received = 0;
    parser.on('packet', ({ cmd }) => {
      if (cmd === 'suback') granted = true;
      if (cmd === 'publish') received += 1;
    });
    socket.on('data', (bytes: Buffer) => parser.parse(bytes));
    const login = { username: serviceUserName, password: Buffer.from(users[serviceUserName]) };
    socket.write(
      mqtt.generate({ cmd: 'connect', protocolId: 'MQTT', clientId: 'api-2', clean: true, keepalive: 60, ...login }),
    );
    const subscriptions = [{ topic: 'roastery/v1/+/journal', qos: 0 as const }];
    socket.write(mqtt.generate({ cmd: 'subscribe', messageId: 1, subscriptions }));
    await until('the subscription', () => granted);
    socket.pause();
    const batch = Buffer.alloc(500, 'x');
    for (let n = 1; n < messages; n++) board.publish(topicOf('RM30-1', 'journal'), batch);
    // Mosquitto answers when it has handled everything before.
    await board.publishAsync(topicOf('RM30-1', 'journal'), batch, { qos: 1 });
    socket.resume();
    await expect.poll(() => received).toBe(messages);
    socket.destroy();
    await board.endAsync(true);
  });
});
