import { topicKinds, topicOf, type TopicKind } from '@roastery/contract/mqtt';
import type { MqttClient } from 'mqtt';
import { describe, expect, it } from 'vitest';
import {
  asApi,
  closed,
  connect,
  deviceOne,
  deviceTwo,
  metric,
  otherTopic,
  ownTopic,
  startPair,
  waitUntil,
} from './testing/peers.ts';
import { devicePrincipal, mayPublish, maySubscribe } from './topic-rules.ts';

/** Whether the broker grants a subscription. */
const grants = async (client: MqttClient, filter: string): Promise<boolean> => {
  try {
    const [granted] = await client.subscribeAsync(filter, { qos: 1 });
    return granted !== undefined && granted.qos < 128;
  } catch (error) {
    if (error instanceof Error && /unspecified error|not authorized/i.test(error.message)) return false;
    throw error;
  }
};

const received = (client: MqttClient): string[] => {
  const topics: string[] = [];
  client.on('message', (topic, payload, packet) =>
    topics.push(`${topic} ${payload.toString()}${packet.retain ? ' (retained)' : ''}`),
  );
  return topics;
};

const willOn = (topic: string) => ({
  ...deviceOne,
  will: { topic, payload: Buffer.from('gone'), qos: 1 as const, retain: true },
});

const serviceReads: TopicKind[] = ['journal', 'live', 'status', 'probed'];

describe('topic permissions', () => {
  it('two machines × all topics: each can subscribe to its own topics only', async () => {
    await using pair = await startPair();
    const one = await connect(pair.broker.ports.mqtt, deviceOne);
    for (const kind of topicKinds) {
      expect(await grants(one, ownTopic(kind)), `own ${kind}`).toBe(['ack', 'config', 'plan', 'probe'].includes(kind));
      expect(await grants(one, otherTopic(kind)), `other's ${kind}`).toBe(false);
    }
    const tricks = [
      '#',
      '+/#',
      '+',
      'roastery/#',
      'roastery/v1/#',
      'roastery/v1/+/ack',
      'roastery/v1/RM30-1/#',
      'roastery/v1/RM30-1/+',
      'roastery/v1/RM30-1/ack/#',
      'roastery/+/RM30-1/ack',
      '$SYS/#',
      '$SYS/+/new/clients',
      '$share/x/roastery/v1/+/journal',
      '$share/x/roastery/v1/RM30-1/ack',
      'roastery/v1/%52M30-1/ack',
      'roastery/v1/RM30-1/ack\u0000',
      '__proto__',
      'constructor',
    ];
    for (const filter of tricks) expect(await grants(one, filter), filter).toBe(false);
    expect(one.connected).toBe(true);
    await one.endAsync();
  });

  it('two machines × all topics: each publishes on its own; a foreign topic closes the connection undelivered', async () => {
    await using pair = await startPair();
    const port = pair.broker.ports.mqtt;
    const api = await connect(port, asApi());
    for (const kind of serviceReads) await api.subscribeAsync(`roastery/v1/+/${kind}`, { qos: 1 });
    const seen = received(api);
    const two = await connect(port, deviceTwo);
    for (const kind of ['ack', 'config', 'plan', 'probe'] as const)
      await two.subscribeAsync(otherTopic(kind), { qos: 1 });
    const seenByTwo = received(two);

    for (const kind of serviceReads) {
      const one = await connect(port, deviceOne);
      await one.publishAsync(ownTopic(kind), kind, { qos: 1 });
      expect(one.connected).toBe(true);
      await one.endAsync();
    }
    await waitUntil(() => seen.length === 4);
    expect(seen).toEqual(serviceReads.map((kind) => `${ownTopic(kind)} ${kind}`));

    const forbidden = [
      ...topicKinds.map((kind) => otherTopic(kind)),
      ...(['ack', 'config', 'plan', 'probe'] as const).map((kind) => ownTopic(kind)),
      '$SYS/x',
      'roastery/v1/RM30-1/journal/more',
      'roastery/v1//journal',
      'anything',
      '__proto__',
    ];
    for (const topic of forbidden) {
      const one = await connect(port, deviceOne);
      const gone = closed(one);
      one.publish(topic, 'forged', { qos: 1 });
      expect(await gone, topic).toBe(true);
      one.end(true);
    }
    const last = await connect(port, deviceOne);
    await last.publishAsync(ownTopic('journal'), 'last', { qos: 1 });
    await waitUntil(() => seen.at(-1) === `${ownTopic('journal')} last`);
    expect(seen).toHaveLength(5);
    await last.endAsync();
    expect(seenByTwo).toEqual([]);
    expect(await metric(pair.broker, 'refused_total{reason="publish_forbidden"}')).toBe(forbidden.length);
    await Promise.all([api.endAsync(), two.endAsync()]);
  });

  it('the api reads all journals, readings and states, and writes to every machine', async () => {
    await using pair = await startPair();
    const port = pair.broker.ports.mqtt;
    const api = await connect(port, asApi());
    for (const kind of topicKinds) {
      expect(await grants(api, `roastery/v1/+/${kind}`), kind).toBe(serviceReads.includes(kind));
      expect(await grants(api, ownTopic(kind)), kind).toBe(serviceReads.includes(kind));
    }
    for (const filter of ['#', '$SYS/#', 'roastery/v1/#', '$share/ingest/roastery/v1/+/journal']) {
      expect(await grants(api, filter), filter).toBe(false);
    }
    const one = await connect(port, deviceOne);
    const seen = received(one);
    for (const kind of ['ack', 'config', 'plan', 'probe'] as const) {
      await one.subscribeAsync(ownTopic(kind), { qos: 1 });
      await api.publishAsync(ownTopic(kind), kind, { qos: 1 });
      await api.publishAsync(otherTopic(kind), kind, { qos: 1 });
    }
    await waitUntil(() => seen.length === 4);
    expect(seen).toEqual(
      ['ack', 'config', 'plan', 'probe'].map((kind) => `${topicOf('RM30-1', kind as TopicKind)} ${kind}`),
    );
    const gone = closed(api);
    api.publish(ownTopic('journal'), 'forged', { qos: 1 });
    expect(await gone).toBe(true);
    await one.endAsync();
  });

  it('only the status of a machine is retained; its other messages lose the retain flag', async () => {
    await using pair = await startPair();
    const port = pair.broker.ports.mqtt;
    const one = await connect(port, deviceOne);
    for (const kind of serviceReads) await one.publishAsync(ownTopic(kind), kind, { qos: 1, retain: true });
    const api = await connect(port, asApi());
    const seen = received(api);
    for (const kind of serviceReads) await api.subscribeAsync(`roastery/v1/+/${kind}`, { qos: 1 });
    await one.publishAsync(ownTopic('journal'), 'last', { qos: 1 });
    await waitUntil(() => seen.at(-1) === `${ownTopic('journal')} last`);
    expect(seen).toEqual([`${ownTopic('status')} status (retained)`, `${ownTopic('journal')} last`]);
    expect(one.connected).toBe(true);

    // The api removes the retained status of a deleted machine with an empty one.
    await api.publishAsync(ownTopic('status'), '', { qos: 1, retain: true });
    const later = await connect(port, asApi('api-2'));
    const seenLater = received(later);
    await later.subscribeAsync('roastery/v1/+/status', { qos: 1 });
    await one.publishAsync(ownTopic('status'), 'last', { qos: 1 });
    await waitUntil(() => seenLater.length > 0);
    expect(seenLater).toEqual([`${ownTopic('status')} last`]);
    await Promise.all([one.endAsync(), api.endAsync(), later.endAsync()]);
  });

  it('a retained config reaches its machine only', async () => {
    await using pair = await startPair();
    const port = pair.broker.ports.mqtt;
    const api = await connect(port, asApi());
    await api.publishAsync(ownTopic('config'), 'map', { qos: 1, retain: true });
    const [one, two] = [await connect(port, deviceOne), await connect(port, deviceTwo)];
    const [seenByOne, seenByTwo] = [received(one), received(two)];
    await one.subscribeAsync(ownTopic('config'), { qos: 1 });
    await two.subscribeAsync(otherTopic('config'), { qos: 1 });
    expect(await grants(two, ownTopic('config'))).toBe(false);
    await waitUntil(() => seenByOne.length === 1);
    expect(seenByOne).toEqual([`${ownTopic('config')} map (retained)`]);
    expect(seenByTwo).toEqual([]);
    await Promise.all([api.endAsync(), one.endAsync(), two.endAsync()]);
  });

  it('a last will is accepted on the own status topic only', async () => {
    await using pair = await startPair();
    const port = pair.broker.ports.mqtt;
    const api = await connect(port, asApi());
    const seen = received(api);
    for (const kind of serviceReads) await api.subscribeAsync(`roastery/v1/+/${kind}`, { qos: 1 });
    for (const topic of [otherTopic('status'), ownTopic('journal'), ownTopic('config'), '$SYS/x', 'anything']) {
      await expect(connect(port, willOn(topic)), topic).rejects.toMatchObject({ code: 5 });
    }
    const one = await connect(port, willOn(ownTopic('status')));
    one.stream.destroy();
    await waitUntil(() => seen.length > 0);
    expect(seen).toEqual([`${ownTopic('status')} gone`]);
    await api.endAsync();
    one.end(true);
  });

  it('malformed payloads pass: the api checks them', async () => {
    await using pair = await startPair();
    const port = pair.broker.ports.mqtt;
    const api = await connect(port, asApi());
    const seen: Buffer[] = [];
    api.on('message', (_topic, payload) => seen.push(payload));
    await api.subscribeAsync('roastery/v1/+/journal', { qos: 1 });
    const one = await connect(port, deviceOne);
    const bad = [Buffer.alloc(0), Buffer.from('{'), Buffer.from([0xff, 0xfe, 0x00]), Buffer.alloc(200_000, 0x61)];
    for (const payload of bad) await one.publishAsync(ownTopic('journal'), payload, { qos: 1 });
    await waitUntil(() => seen.length === bad.length);
    expect(seen.map((payload) => payload.length)).toEqual(bad.map((payload) => payload.length));
    expect(one.connected).toBe(true);
    await Promise.all([api.endAsync(), one.endAsync()]);
  });

  it('a client that requests a persistent session gets a clean one', async () => {
    await using pair = await startPair();
    const port = pair.broker.ports.mqtt;
    const api = await connect(port, asApi());
    const once = await connect(port, { ...deviceOne, clean: false });
    await once.subscribeAsync(ownTopic('ack'), { qos: 1 });
    await once.endAsync();
    await api.publishAsync(ownTopic('ack'), 'while away', { qos: 1 });
    const again = await connect(port, { ...deviceOne, clean: false });
    const seen = received(again);
    await again.subscribeAsync(ownTopic('ack'), { qos: 1 });
    await api.publishAsync(ownTopic('ack'), 'last', { qos: 1 });
    await waitUntil(() => seen.length > 0);
    expect(seen).toEqual([`${ownTopic('ack')} last`]);
    await Promise.all([api.endAsync(), again.endAsync()]);
  });
});

describe("the api's answer about topics", () => {
  it('arrives with the connect response: messages and subscriptions cause no request', async () => {
    await using pair = await startPair();
    const one = await connect(pair.broker.ports.mqtt, deviceOne);
    for (let message = 0; message < 50; message++) await one.publishAsync(ownTopic('journal'), 'x', { qos: 1 });
    await one.subscribeAsync(ownTopic('ack'), { qos: 1 });
    await one.endAsync();
    expect(pair.api.asked.map(({ path }) => path)).toEqual(['auth']);
  });

  it('can remove a permission that the contract grants', async () => {
    await using pair = await startPair();
    pair.api.deniedTopics.add(ownTopic('journal')).add(ownTopic('ack'));
    const one = await connect(pair.broker.ports.mqtt, deviceOne);
    expect(await grants(one, ownTopic('ack'))).toBe(false);
    expect(await grants(one, ownTopic('config'))).toBe(true);
    const gone = closed(one);
    one.publish(ownTopic('journal'), 'x', { qos: 1 });
    expect(await gone).toBe(true);
  });

  it('grants no topic that the contract does not', async () => {
    const stated = new Set([otherTopic('ack'), ownTopic('ack')]);
    const principal = devicePrincipal('RM30-1', { publish: stated, subscribe: stated });
    expect(maySubscribe(principal, otherTopic('ack'))).toBe(false);
    expect(mayPublish(principal, otherTopic('ack'), 1)).toBe(false);
  });

  it('stays valid for the connection while the api is away', async () => {
    await using pair = await startPair();
    const one = await connect(pair.broker.ports.mqtt, deviceOne);
    await pair.api.close();
    await one.publishAsync(ownTopic('journal'), 'x', { qos: 1 });
    expect(await grants(one, ownTopic('ack'))).toBe(true);
    expect(await grants(one, otherTopic('ack'))).toBe(false);
    await one.endAsync();
    await pair.api.reopen();
  });
});
