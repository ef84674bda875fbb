import {
  allMachines,
  clientIdOf,
  deviceMayPublish,
  deviceMaySubscribe,
  memoryTopic,
  parseTopic,
  serviceUserName,
  topicOf,
} from '@roastery/contract/mqtt';
import type { MqttAclRule } from '@roastery/contract/devices';

export interface TopicRequest {
  readonly clientid: string;
  readonly username: string;
  readonly topic: string;
  readonly action: 'publish' | 'subscribe';
}

const serviceFilters = new Set((['journal', 'live', 'status'] as const).map(allMachines));

/** The api reads the topics that boards write, of all or of one, and writes those that boards read. */
const mayService = ({ topic, action }: TopicRequest): boolean => {
  if (action === 'subscribe' && (serviceFilters.has(topic) || topic === memoryTopic)) return true;
  const parsed = parseTopic(topic);
  if (!parsed) return false;
  // The status of a board is retained on the broker: the api clears it when the machine is deleted.
  if (action === 'publish') return deviceMaySubscribe.includes(parsed.kind) || parsed.kind === 'status';
  return deviceMayPublish.includes(parsed.kind);
};

/** A board uses exactly its own topics: `parseTopic` accepts no wildcard, and the user name is its serial number. */
const mayBoard = ({ clientid, username, topic, action }: TopicRequest): boolean => {
  if (clientid !== clientIdOf(username)) return false;
  const parsed = parseTopic(topic);
  if (!parsed || parsed.serialNumber !== username) return false;
  return (action === 'publish' ? deviceMayPublish : deviceMaySubscribe).includes(parsed.kind);
};

/** The topics of a board as EMQX's rules: the same answer as `mayUseTopic`, for all of them at once. */
export const topicsOfBoard = (serialNumber: string): MqttAclRule[] => [
  ...deviceMayPublish.map((kind) => rule('publish', topicOf(serialNumber, kind))),
  ...deviceMaySubscribe.map((kind) => rule('subscribe', topicOf(serialNumber, kind))),
];
const rule = (action: 'publish' | 'subscribe', topic: string): MqttAclRule => ({ permission: 'allow', action, topic });

/** Whether this authenticated client may publish to this topic or subscribe to this filter. Pure: no look-up. */
export const mayUseTopic = (wish: TopicRequest): boolean =>
  wish.username === serviceUserName ? mayService(wish) : mayBoard(wish);
