import {
  allMachines,
  clientIdOf,
  deviceMayPublish,
  deviceMaySubscribe,
  memoryTopic,
  parseTopic,
  topicKinds,
  topicOf,
  type TopicKind,
} from '@roastery/contract/mqtt';

/** The client of a connection and what the contract allows it; decided without the api. */
export type Principal =
  | {
      readonly kind: 'device';
      readonly serialNumber: string;
      readonly publishes: ReadonlySet<string>;
      readonly subscribes: ReadonlySet<string>;
      readonly statusTopic: string;
    }
  | { readonly kind: 'service' };

export const service: Principal = { kind: 'service' };

/** The topics that the api's answer to the connect request allows. */
export type PermittedTopics = { readonly [Action in 'publish' | 'subscribe']: ReadonlySet<string> };

/**
 * A board's own topics, built once per connection, so that a packet costs one lookup in a set. The api can only remove
 * permissions.
 */
export const devicePrincipal = (serialNumber: string, permitted?: PermittedTopics): Principal => {
  const own = (kinds: readonly TopicKind[], by?: ReadonlySet<string>): ReadonlySet<string> =>
    new Set(kinds.map((kind) => topicOf(serialNumber, kind)).filter((topic) => by?.has(topic) ?? true));
  return {
    kind: 'device',
    serialNumber,
    publishes: own(deviceMayPublish, permitted?.publish),
    subscribes: own(deviceMaySubscribe, permitted?.subscribe),
    statusTopic: topicOf(serialNumber, 'status'),
  };
};

/** The client id that the contract assigns to a user name; undefined for names that can't be part of a topic. */
export const boundClientId = (username: string): string | undefined => {
  try {
    return clientIdOf(username);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
};

/** The api subscribes to what boards publish, and publishes what boards subscribe to. */
const serviceReads = new Set<string>(deviceMayPublish.map((kind) => allMachines(kind)));

export const mayPublish = (principal: Principal, topic: string, payloadBytes: number): boolean => {
  if (principal.kind === 'device') return principal.publishes.has(topic);
  const kind = parseTopic(topic)?.kind;
  if (kind === undefined) return false;
  // An empty retained status clears the one of a deleted machine.
  return deviceMaySubscribe.includes(kind) || (kind === 'status' && payloadBytes === 0);
};

export const maySubscribe = (principal: Principal, filter: string): boolean => {
  if (principal.kind === 'device') return principal.subscribes.has(filter);
  if (serviceReads.has(filter) || filter === memoryTopic) return true;
  const kind = parseTopic(filter)?.kind;
  return kind !== undefined && deviceMayPublish.includes(kind);
};

/** Whether a message may be delivered to this client: a second check after that of the subscription. */
export const mayReceive = (principal: Principal, topic: string): boolean =>
  principal.kind === 'service' ? !topic.startsWith('$') : principal.subscribes.has(topic);

/** Only a board's status is retained. */
export const mayRetain = (principal: Principal, topic: string): boolean =>
  principal.kind === 'service' || topic === principal.statusTopic;

/** The last level of a topic or an allowed filter. */
export const kindOf = (topic: string): TopicKind | undefined => kinds.get(topic.slice(topic.lastIndexOf('/') + 1));
const kinds = new Map<string, TopicKind>(topicKinds.map((kind) => [kind, kind]));
