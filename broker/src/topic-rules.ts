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

/** Who is on the other end of a connection, and what the contract lets them do, without asking anybody. */
export type Party =
  | {
      readonly kind: 'device';
      readonly serialNumber: string;
      readonly publishes: ReadonlySet<string>;
      readonly subscribes: ReadonlySet<string>;
      readonly statusTopic: string;
    }
  | { readonly kind: 'service' };

export const service: Party = { kind: 'service' };

/** A board's own topics, spelled out once a connection, so that a packet costs one look into a set. */
export const deviceParty = (serialNumber: string): Party => ({
  kind: 'device',
  serialNumber,
  publishes: new Set(deviceMayPublish.map((kind) => topicOf(serialNumber, kind))),
  subscribes: new Set(deviceMaySubscribe.map((kind) => topicOf(serialNumber, kind))),
  statusTopic: topicOf(serialNumber, 'status'),
});

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

export const mayPublish = (party: Party, topic: string, payloadBytes: number): boolean => {
  if (party.kind === 'device') return party.publishes.has(topic);
  const kind = parseTopic(topic)?.kind;
  if (kind === undefined) return false;
  // An empty status clears the retained one: that is how a deleted machine is forgotten.
  return deviceMaySubscribe.includes(kind) || (kind === 'status' && payloadBytes === 0);
};

export const maySubscribe = (party: Party, filter: string): boolean => {
  if (party.kind === 'device') return party.subscribes.has(filter);
  if (serviceReads.has(filter)) return true;
  const kind = parseTopic(filter)?.kind;
  return kind !== undefined && deviceMayPublish.includes(kind);
};

/** Whether a message may be handed to this party: a second lock behind the subscription's own. */
export const mayReceive = (party: Party, topic: string): boolean =>
  party.kind === 'service' ? !topic.startsWith('$') : party.subscribes.has(topic);

/** Only the status of a board outlives it on the broker. */
export const mayRetain = (party: Party, topic: string): boolean =>
  party.kind === 'service' || topic === party.statusTopic;

const kinds = new Set<string>(topicKinds);
/** The kind a topic or an allowed filter ends with. */
export const kindOf = (topic: string): TopicKind | undefined => {
  const last = topic.slice(topic.lastIndexOf('/') + 1);
  return kinds.has(last) ? (last as TopicKind) : undefined;
};
