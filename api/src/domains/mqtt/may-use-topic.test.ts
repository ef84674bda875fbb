import { clientIdOf, serviceUserName, topicKinds, topicOf } from '@roastery/contract/mqtt';
import { describe, expect, it } from 'vitest';
import { mayUseTopic } from './may-use-topic.ts';

const serials = ['RM30-001', 'RM30-002', 'a/b', '+', '#', '$SYS', 'größe 7'];

describe('topics of boards', () => {
  it.each(serials)('topics: allows %s its own topics, each in its direction, and no others', (serial) => {
    const board = { clientid: clientIdOf(serial), username: serial };
    for (const kind of topicKinds) {
      const isSent = ['journal', 'live', 'status', 'probed'].includes(kind);
      const topic = topicOf(serial, kind);
      expect(mayUseTopic({ ...board, topic, action: 'publish' }), `publish ${topic}`).toBe(isSent);
      expect(mayUseTopic({ ...board, topic, action: 'subscribe' }), `subscribe ${topic}`).toBe(!isSent);
      for (const other of serials.filter((one) => one !== serial)) {
        for (const action of ['publish', 'subscribe'] as const) {
          expect(mayUseTopic({ ...board, topic: topicOf(other, kind), action })).toBe(false);
        }
      }
    }
  });
  it('are not for a client id that belongs to another board', () => {
    const topic = topicOf('RM30-001', 'journal');
    expect(mayUseTopic({ clientid: 'board-RM30-002', username: 'RM30-001', topic, action: 'publish' })).toBe(false);
  });
});

describe('topics of the api', () => {
  const api = { clientid: 'api-1', username: serviceUserName };
  it.each([
    ['roastery/v1/+/journal', 'subscribe', true],
    ['$share/ingest/roastery/v1/+/journal', 'subscribe', false],
    ['roastery/v1/RM30-001/live', 'subscribe', true],
    ['roastery/v1/RM30-001/ack', 'publish', true],
    ['roastery/v1/RM30-001/config', 'publish', true],
    ['roastery/v1/RM30-001/config', 'subscribe', false],
    ['roastery/v1/%24api/probe', 'publish', true],
    ['roastery/v1/%24api/probe', 'subscribe', true],
    ['roastery/v1/RM30-001/probe', 'publish', true],
    ['roastery/v1/RM30-001/probed', 'subscribe', true],
    ['roastery/v1/RM30-001/probed', 'publish', false],
    ['roastery/v1/+/probed', 'subscribe', false],
    ['roastery/v1/RM30-001/status', 'publish', true],
    ['roastery/v1/RM30-001/journal', 'publish', false],
    ['roastery/v1/+/ack', 'publish', false],
    ['#', 'subscribe', false],
    ['$SYS/#', 'subscribe', false],
  ] as const)('%s %s: %s', (topic, action, may) => expect(mayUseTopic({ ...api, topic, action })).toBe(may));
});
