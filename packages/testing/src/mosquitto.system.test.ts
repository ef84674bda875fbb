import { connect } from 'node:net';
import {
  clientIdOf,
  deviceMayPublish,
  deviceMaySubscribe,
  serviceUserName,
  topicKinds,
  topicOf,
} from '@roastery/contract/mqtt';
import { freePort } from '@roastery/stack/ports';
import { connectAsync } from 'mqtt';
import mqtt from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { hasMosquitto, needsMosquitto, startMosquitto } from './mosquitto.ts';
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

  it('closes the connection of a machine that is taken out of its password file, at the reload, and lets it in no more', async () => {
    await using place = await openBroker();
    const [one, two] = [await place.connectAs('RM30-1'), await place.connectAs('RM30-2')];
    place.broker.removeUser('RM30-1');
    await until('the end of its connection', () => !one.connected);
    expect(two.connected).toBe(true);
    await expect(place.connectAs('RM30-1')).rejects.toThrow(/not authorized/i);
    place.broker.addUser('RM30-1', users['RM30-1']);
    const again = await until('the next connection', () => place.connectAs('RM30-1'));
    await Promise.all([again, two].map((client) => client.endAsync(true)));
  });

  it('keeps what boards send while an api does not read', async () => {
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
    const subscriptions = [{ topic: '$share/ingest/roastery/v1/+/journal', qos: 0 as const }];
    socket.write(mqtt.generate({ cmd: 'subscribe', messageId: 1, subscriptions }));
    await until('the subscription', () => granted);
    socket.pause();
    const batch = Buffer.alloc(500, 'x');
    for (let n = 1; n < messages; n++) board.publish(topicOf('RM30-1', 'journal'), batch);
    // Mosquitto answers when it has taken all that came before.
    await board.publishAsync(topicOf('RM30-1', 'journal'), batch, { qos: 1 });
    socket.resume();
    await expect.poll(() => received).toBe(messages);
    socket.destroy();
    await board.endAsync(true);
  });
});
