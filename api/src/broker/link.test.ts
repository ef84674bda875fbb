import { allMachines, topicOf } from '@roastery/contract/mqtt';
import { createLogger } from '@roastery/runtime/logger';
import { until } from '@roastery/testing/until';
import { describe, expect, it } from 'vitest';
import { startPlainBroker } from '../testing/whole-api.ts';
import { matcherOf, openMqttLink } from './link.ts';

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

describe('matcherOf', () => {
  it.each([
    ['roastery/v1/+/journal', 'roastery/v1/A/journal', true],
    ['roastery/v1/+/journal', 'roastery/v1/A/live', false],
    ['roastery/v1/+/journal', 'roastery/v1/A/B/journal', false],
    ['roastery/v1/A/journal', 'roastery/v1/A/journal', true],
    ['roastery/v1/B/journal', 'roastery/v1/A/journal', false],
    ['roastery/v1/A', 'roastery/v1/A/journal', false],
  ])('%s and %s: %s', (filter, topic, matches) => expect(matcherOf(topic)(filter)).toBe(matches));
});
