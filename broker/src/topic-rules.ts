import {
  allMachines,
  clientIdOf,
  deviceMayPublish,
  deviceMaySubscribe,
  parseTopic,
  topicKinds,
  topicOf,
  type TopicKind,
} from '@roastery/contract/mqtt';

/** Who is on the other end of a connection, and what the contract allows it, decided without the api. */
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

/** The api's word on a client's topics, from its answer to the connect request. */
export type PermittedTopics = { readonly [Action in 'publish' | 'subscribe']: ReadonlySet<string> };

/**
 * A board's own topics, spelled out once a connection, so that a packet costs one lookup in a set. The api can take a
 * permission away, never give one.
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

/** The client id the contract binds to a user name; undefined for names that no topic can carry. */
export const boundClientId = (username: string): string | undefined => {
  try {
    return clientIdOf(username);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
};

/** The api reads exactly what boards publish, and publishes what boards read. */
const serviceReads = new Set<string>(deviceMayPublish.map((kind) => allMachines(kind)));

export const mayPublish = (principal: Principal, topic: string, payloadBytes: number): boolean => {
  if (principal.kind === 'device') return principal.publishes.has(topic);
  const kind = parseTopic(topic)?.kind;
  if (kind === undefined) return false;
  // An empty status clears the retained one: that is how a deleted machine is forgotten.
  return deviceMaySubscribe.includes(kind) || (kind === 'status' && payloadBytes === 0);
};

export const maySubscribe = (principal: Principal, filter: string): boolean => {
  if (principal.kind === 'device') return principal.subscribes.has(filter);
  if (serviceReads.has(filter)) return true;
  const kind = parseTopic(filter)?.kind;
  return kind !== undefined && deviceMayPublish.includes(kind);
};

/** Whether a message may be handed to this principal: a second lock behind the subscription's own. */
export const mayReceive = (principal: Principal, topic: string): boolean =>
  principal.kind === 'service' ? !topic.startsWith('$') : principal.subscribes.has(topic);

/** Only the status of a board outlives it on the broker. */
export const mayRetain = (principal: Principal, topic: string): boolean =>
  principal.kind === 'service' || topic === principal.statusTopic;

/** The kind a topic or an allowed filter ends with. */
export const kindOf = (topic: string): TopicKind | undefined => kinds.get(topic.slice(topic.lastIndexOf('/') + 1));
const kinds = new Map<string, TopicKind>(topicKinds.map((kind) => [kind, kind]));
