import { createLogger } from '@roastery/runtime/logger';
import { until } from '@roastery/testing/until';
import { describe, expect, it } from 'vitest';
import { startPlainBroker } from '../testing/whole-api.ts';
import { matchesFilter, openMqttLink } from './link.ts';

describe('openMqttLink', () => {
  it('delivers the next message after a handler threw, and calls the other handlers of the same message', async () => {
    const broker = await startPlainBroker();
    const link = openMqttLink({ url: broker.url, secret: 'none', log: createLogger('test', 'silent') });
    const received: string[] = [];
    link.onConnect(() => {
      throw new Error('a connect handler that throws');
    });
    link.subscribe('a/+', 1, () => {
      throw new Error('a handler that throws');
    });
    link.subscribe('a/+', 1, (topic) => received.push(topic));
    await until('the subscription', () => broker.subscriptionsTo('a/+') > 0);
    await link.publish('a/1', 'x');
    await link.publish('a/2', 'x');
    await until('both messages', () => received.length === 2);
    expect(received).toEqual(['a/1', 'a/2']);
    await link.close();
    await broker.close();
  });
});

describe('matchesFilter', () => {
  it.each([
    ['roastery/v1/+/journal', 'roastery/v1/A/journal', true],
    ['roastery/v1/+/journal', 'roastery/v1/A/live', false],
    ['roastery/v1/+/journal', 'roastery/v1/A/B/journal', false],
    ['$share/ingest/roastery/v1/+/journal', 'roastery/v1/A/journal', true],
    ['roastery/#', 'roastery/v1/A/journal', true],
    ['roastery/v1/#', 'roastery/v1', true],
    ['roastery/v1/A', 'roastery/v1/A/journal', false],
    ['roastery/+', 'roastery', false],
  ])('%s and %s: %s', (filter, topic, matches) => expect(matchesFilter(filter, topic)).toBe(matches));
});
