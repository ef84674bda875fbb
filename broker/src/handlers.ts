import { serviceUserName } from '@roastery/contract/mqtt';
import type { AedesOptions, AuthenticateError, Client } from 'aedes';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';
import type { DeviceAccess } from './device-access.ts';
import type { Metrics } from './metrics.ts';
import type { RefusalReason } from './refusals.ts';
import {
  boundClientId,
  devicePrincipal,
  kindOf,
  mayPublish,
  mayReceive,
  mayRetain,
  maySubscribe,
  service,
} from './topic-rules.ts';

export interface HandlerOptions {
  readonly connections: Connections;
  readonly deviceAccess: DeviceAccess;
  readonly metrics: Metrics;
  readonly onRefused: (connection: Connection, reason: RefusalReason, detail: string) => void;
  /** A handler threw. Its client is closed; the others stay connected. */
  readonly onFault: (error: unknown) => void;
}

type HandlerName = 'preConnect' | 'authenticate' | 'authorizePublish' | 'authorizeSubscribe' | 'authorizeForward';
type Handlers = { readonly [Name in HandlerName]: NonNullable<AedesOptions[Name]> };

/** CONNACK return codes of MQTT 3.1.1, 3.2.2.3. */
const returnCodes = { identifier: 2, api_away: 3, credentials: 4, too_many_failures: 4, will_forbidden: 5 } as const;
type ConnectRefusal = keyof typeof returnCodes;

const connectError = (reason: ConnectRefusal): AuthenticateError =>
  // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- aedes types it as an ambient const enum, which isolated modules can't read
  Object.assign(new Error(reason), { returnCode: returnCodes[reason] });

/** Checks of a CONNECT that need no api. */
const faultOf = (connection: Connection): ConnectRefusal | undefined => {
  const { clientId, username, willTopic } = connection;
  if (connection.emptyClientId || username === '' || username.length > 512) return 'identifier';
  if (username === serviceUserName) {
    if (clientId.startsWith('board-')) return 'identifier';
    return willTopic === undefined ? undefined : 'will_forbidden';
  }
  if (clientId !== boundClientId(username)) return 'identifier';
  if (willTopic === undefined) return undefined;
  const principal = devicePrincipal(username);
  return principal.kind === 'device' && willTopic === principal.statusTopic ? undefined : 'will_forbidden';
};

const throwing = (options: HandlerOptions, fault: (client: Client, error: unknown) => void): Handlers => {
  const { connections, deviceAccess, metrics, onRefused } = options;
  const connectionOf = (client: Client): Connection => {
    const connection = connections.of(client.conn);
    if (!connection) throw new Error('a client without a connection');
    return connection;
  };

  const admit = async (connection: Connection, password: string): Promise<ConnectRefusal | undefined> => {
    const { clientId: clientid, username, address } = connection;
    const isOpen = (): boolean => connections.open.has(connection) && connection.refused === undefined;
    const admission = await deviceAccess.admit({ clientid, username, password, address, isOpen });
    if (!admission.allow) {
      metrics.denied(admission.by);
      return admission.reason;
    }
    // A machine may have the service's user name, so the name alone proves nothing.
    if ((username === serviceUserName) !== admission.superuser) return 'credentials';
    metrics.admitted(admission.by);
    connections.admit(connection, admission.superuser ? service : devicePrincipal(username, admission.topics));
    return undefined;
  };

  return {
    preConnect(client, packet, done) {
      const connection = connectionOf(client);
      connection.clientId = packet.clientId;
      connection.username = packet.username ?? '';
      connection.emptyClientId = packet.clientId === '';
      connection.willTopic = packet.will?.topic;
      connection.keepaliveSeconds = packet.keepalive ?? 0;
      connection.connectPacket = packet;
      // No session outlives its connection: boards synchronise on connect, and the queue of a board that never returns
      // would grow without limit. The CONNACK reports this with "session present: 0".
      packet.clean = true;
      connections.awaitAnswer(connection);
      done(null, true);
    },

    authenticate(client, _username, password, done) {
      const connection = connectionOf(client);
      const answer = (reason: ConnectRefusal | undefined): void => {
        if (reason === undefined) return done(null, true);
        onRefused(connection, reason, 'CONNECT');
        return done(connectError(reason), null);
      };
      const refusal = faultOf(connection) ?? (password?.length ? undefined : 'credentials');
      if (refusal) return answer(refusal);
      admit(connection, String(password))
        .then(answer)
        .catch((error: unknown) => fault(client, error));
    },

    authorizePublish(client, packet, done) {
      // Without a client it is a last will, which was checked at its CONNECT.
      if (!client) return done(null);
      const connection = connectionOf(client);
      const { principal } = connection;
      if (!principal || !mayPublish(principal, packet.topic, packet.payload.length)) {
        onRefused(connection, 'publish_forbidden', packet.topic.slice(0, 200));
        // This error closes the client. It is used only for foreign topics: after an error about bad data the client
        // would reconnect and send the same data forever.
        return done(new Error('publish_forbidden'));
      }
      if (packet.retain && !mayRetain(principal, packet.topic)) {
        packet.retain = false;
        metrics.retainCleared.inc();
      }
      metrics.messageIn(kindOf(packet.topic));
      return done(null);
    },

    authorizeSubscribe(client, subscription, done) {
      const connection = connectionOf(client);
      const { principal } = connection;
      if (!principal || !maySubscribe(principal, subscription.topic)) {
        onRefused(connection, 'subscribe_forbidden', subscription.topic.slice(0, 200));
        return done(null, null);
      }
      const kind = kindOf(subscription.topic);
      if (kind) connection.grantedQos.set(kind, subscription.qos);
      return done(null, subscription);
    },

    authorizeForward(client, packet) {
      const connection = connectionOf(client);
      const { principal } = connection;
      if (!principal || !mayReceive(principal, packet.topic) || !connections.checkWaiting(connection)) return null;
      const kind = kindOf(packet.topic);
      metrics.messageOut(kind);
      if (packet.qos > 0 && kind && (connection.grantedQos.get(kind) ?? 0) > 0)
        connections.awaitAcknowledgement(connection);
      return packet;
    },
  };
};

/**
 * The handlers that aedes calls to authorise a connection and its packets; contract and api decide. None of them
 * throws into aedes, which would end the process: an error is reported and closes its client.
 */
export const handlers = (options: HandlerOptions): Handlers => {
  const fault = (client: Client | null, error: unknown): void => {
    options.onFault(error);
    client?.conn.destroy();
  };
  const inner = throwing(options, fault);
  const guard = (client: Client | null, work: () => void): void => {
    try {
      work();
    } catch (error) {
      fault(client, error);
    }
  };
  return {
    preConnect: (client, packet, done) => guard(client, () => inner.preConnect(client, packet, done)),
    authenticate: (client, username, password, done) =>
      guard(client, () => inner.authenticate(client, username, password, done)),
    authorizePublish: (client, packet, done) => guard(client, () => inner.authorizePublish(client, packet, done)),
    authorizeSubscribe: (client, subscription, done) =>
      guard(client, () => inner.authorizeSubscribe(client, subscription, done)),
    authorizeForward: (client, packet) => {
      try {
        return inner.authorizeForward(client, packet);
      } catch (error) {
        fault(client, error);
        return null;
      }
    },
  };
};
