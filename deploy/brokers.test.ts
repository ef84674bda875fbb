import {
  deviceMayPublish,
  deviceMaySubscribe,
  maxPacketBytes,
  memoryTopic,
  serviceUserName,
} from '@roastery/contract/mqtt';
import { describe, expect, it } from 'vitest';
import { read } from './program-files.ts';

describe('mosquitto.acl and mosquitto.conf', () => {
  it('allow boards and the api the topics of the contract, each in its direction, and no others', () => {
    const rights: Record<string, Set<string>> = {};
    let user = '';
    for (const line of read('brokers', 'mosquitto.acl').split('\n')) {
      const [word = '', ...rest] = line.split(' ');
      if (word === 'user') user = rest.join(' ');
      if (word !== 'topic' && word !== 'pattern') continue;
      const [access = '', topic = ''] = rest;
      const who = word === 'pattern' ? 'board' : user;
      const kind = topic.replace(word === 'pattern' ? 'roastery/v1/%u/' : 'roastery/v1/+/', '');
      for (const right of access === 'readwrite' ? ['read', 'write'] : [access])
        (rights[`${who} ${right}`] ??= new Set()).add(kind);
    }
    expect(rights).toEqual({
      'board write': new Set(deviceMayPublish),
      'board read': new Set(deviceMaySubscribe),
      // The api manages the machines' users.
      [`${serviceUserName} read`]: new Set([...deviceMayPublish, memoryTopic, '$CONTROL/dynamic-security/v1/response']),
      // A board leaves its retained status on the broker; the api clears it when the machine is deleted.
      [`${serviceUserName} write`]: new Set([...deviceMaySubscribe, 'status', '$CONTROL/dynamic-security/v1']),
    });
  });

  it('accept the largest packet of a board', () => {
    expect(read('brokers', 'mosquitto.conf')).toMatch(new RegExp(`^max_packet_size ${maxPacketBytes}$`, 'm'));
  });
});
