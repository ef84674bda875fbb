import { createServer, type AddressInfo, type Socket } from 'node:net';
import { topicOf } from '@roastery/contract/mqtt';
import { createLogger } from '@roastery/runtime/logger';
import { until } from '@roastery/testing/until';
import { generate, parser } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { startPlainBroker } from '../testing/whole-api.ts';
import { openMqttLinks } from './links.ts';

const log = createLogger('test', 'silent');

/** Accepts connections, and answers nothing else: a frozen computer. */
const startFrozenBroker = async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const packets = parser();
    packets.on('packet', ({ cmd }) => {
      if (cmd === 'connect') socket.write(generate({ cmd: 'connack', returnCode: 0, sessionPresent: false }));
    });
    socket.on('data', (bytes: Buffer) => packets.parse(bytes));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose](): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

describe('openMqttLinks', () => {
  it('publishes to each broker, receives from each, names those that are away, and fails only without any', async () => {
    const [one, two] = [await startPlainBroker(), await startPlainBroker()];
    const mqtt = openMqttLinks({ urls: [one.url, two.url], secret: 'none', log });
    const from: string[] = [];
    const topic = topicOf('1', 'probed');
    mqtt.subscribe(topic, 0, (_topic, payload, { link }) => from.push(`${link.broker} ${payload.toString()}`));
    await until('both', () => mqtt.links.every(({ isSubscribed }) => isSubscribed));
    expect(mqtt.missing).toEqual([]);
    await mqtt.publish(topic, 'x');
    await until('both messages', () => from.length === 2);
    const hosts = [one, two].map(({ url }) => new URL(url).host);
    expect(from.toSorted()).toEqual(hosts.map((host) => `${host} x`).toSorted());

    await one.close();
    await until('the loss', () => mqtt.missing.length === 1);
    expect([mqtt.isConnected, mqtt.missing]).toEqual([true, [hosts[0]]]);
    await mqtt.publish(topic, 'y');
    await until('the other message', () => from.length === 3);
    await two.close();
    await until('the loss', () => !mqtt.isConnected);
    await expect(mqtt.publish(topic, 'z')).rejects.toThrow('not connected');
    await mqtt.close();
  });

  it('does not wait for a broker that hangs, neither to publish nor to close', async () => {
    const one = await startPlainBroker();
    await using frozen = await startFrozenBroker();
    const mqtt = openMqttLinks({ urls: [frozen.url, one.url], secret: 'none', log });
    await until('both', () => mqtt.missing.length === 0);
    await mqtt.publish(topicOf('1', 'config'), 'x', { retain: true });
    expect(mqtt.missing).toEqual([]);
    await mqtt.close();
    await one.close();
  });
});
