import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect as connectTcp, type AddressInfo, type Socket } from 'node:net';
import { clientIdOf, deviceMayPublish, deviceMaySubscribe, serviceUserName, topicOf } from '@roastery/contract/mqtt';
import { createLogger, type Logger } from '@roastery/runtime/logger';
import { until } from '@roastery/testing/until';
import type { VirtualClock } from '@roastery/testing/virtual-clock';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { pino } from 'pino';
import { startBroker, type Broker, type BrokerConfig } from '../broker.ts';

export const brokerSecret = 'a-secret-for-tests-only';

interface Asked {
  readonly path: string;
  readonly body: Record<string, string>;
}

/** Replaces the api: a real HTTP server that answers the broker's requests and records them. */
export interface ApiPeer {
  readonly url: string;
  readonly asked: Asked[];
  /** Serial number → token. */
  readonly tokens: Map<string, string>;
  /** Topics the api denies although the contract allows them. */
  readonly deniedTopics: Set<string>;
  /** How it behaves from now on. */
  mode: 'answering' | 'failing' | 'hanging' | 'garbage';
  close(): Promise<void>;
  /** Listens again on the same port. */
  reopen(): Promise<void>;
}

export const startApiPeer = async (): Promise<ApiPeer> => {
  let server: Server;
  const open = async (port: number): Promise<number> => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (peer.mode === 'hanging') return;
        const [status, text] = respond(request, Buffer.concat(chunks).toString());
        response.writeHead(status, { 'content-type': 'application/json' }).end(text);
      });
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const respond = (request: IncomingMessage, given: string): [status: number, text: string] => {
    if (peer.mode === 'failing') return [503, '{}'];
    if (peer.mode === 'garbage') return [200, '<html>'];
    if (request.headers['x-broker-secret'] !== brokerSecret) return [401, '{}'];
    const body = JSON.parse(given) as Record<string, string>;
    const path = (request.url ?? '').replace('/api/v1/mqtt/', '');
    peer.asked.push({ path, body });
    return [200, JSON.stringify(answerTo(body))];
  };
  const answerTo = (body: Record<string, string>): object => {
    if (body['username'] === serviceUserName) {
      const right = body['password'] === brokerSecret;
      return { result: right ? 'allow' : 'deny', is_superuser: right };
    }
    const serialNumber = body['username'] ?? '';
    const right = peer.tokens.get(serialNumber) === body['password'];
    if (!right) return { result: 'deny', is_superuser: false };
    return {
      result: 'allow',
      is_superuser: false,
      ...(peer.deniedTopics.size === 0 ? {} : { acl: rulesOf(serialNumber) }),
    };
  };
  /** The contract's topics without the denied ones, as the api states them. */
  const rulesOf = (serialNumber: string): object[] =>
    [...deviceMayPublish, ...deviceMaySubscribe]
      .map((kind) => topicOf(serialNumber, kind))
      .filter((topic) => !peer.deniedTopics.has(topic))
      .map((topic) => ({ permission: 'allow', action: 'all', topic }));
  const closeServer = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  };
  const peer: ApiPeer = {
    url: '',
    asked: [],
    tokens: new Map([
      ['RM30-1', 'token-one'],
      ['RM15/2 #+', 'token-two'],
    ]),
    deniedTopics: new Set(),
    mode: 'answering',
    close: closeServer,
    reopen: async () => {
      await open(port);
    },
  };
  const port = await open(0);
  Object.assign(peer, { url: `http://127.0.0.1:${port}/api/v1` });
  return peer;
};

export const quiet = createLogger('broker', 'silent');

/** A log whose lines can be read. */
export const keptLog = (): { log: Logger; lines: Record<string, unknown>[] } => {
  const lines: Record<string, unknown>[] = [];
  const log = pino(
    { level: 'debug' },
    { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  return { log, lines };
};

/** Broker and api peer together, with everything closed at the end of the block. */
export const startPair = async (
  config: Partial<BrokerConfig> & { readonly clock?: VirtualClock } = {},
): Promise<{ broker: Broker; api: ApiPeer; [Symbol.asyncDispose](): Promise<void> }> => {
  const api = await startApiPeer();
  const broker = await startBroker({
    log: quiet,
    mqtt: { host: '127.0.0.1', port: 0 },
    management: { host: '127.0.0.1', port: 0 },
    apiUrl: api.url,
    brokerSecret,
    ...config,
  });
  return {
    broker,
    api,
    async [Symbol.asyncDispose]() {
      const closing = broker.close();
      await (config.clock?.run(closing) ?? closing);
      await api.close();
    },
  };
};

/** Connects once, without retries; rejects with the broker's refusal. */
export const connect = async (port: number, options: IClientOptions): Promise<MqttClient> => {
  const client = mqtt.connect({ host: '127.0.0.1', port, reconnectPeriod: 0, connectTimeout: 120_000, ...options });
  client.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    client.once('connect', () => resolve(client));
    client.once('error', (error) => {
      client.end(true);
      reject(error);
    });
    client.once('close', () => reject(new Error('closed')));
  });
};

export const asDevice = (serialNumber: string, token: string, more: IClientOptions = {}): IClientOptions => ({
  clientId: clientIdOf(serialNumber),
  username: serialNumber,
  password: token,
  ...more,
});

export const asApi = (clientId = 'api-1'): IClientOptions => ({
  clientId,
  username: serviceUserName,
  password: brokerSecret,
});

export const deviceOne = asDevice('RM30-1', 'token-one');
export const deviceTwo = asDevice('RM15/2 #+', 'token-two');
export const ownTopic = (kind: Parameters<typeof topicOf>[1]): string => topicOf('RM30-1', kind);
export const otherTopic = (kind: Parameters<typeof topicOf>[1]): string => topicOf('RM15/2 #+', kind);

export const waitUntil = async (test: () => boolean | Promise<boolean>): Promise<void> => {
  await until('the condition', test, { timeoutMs: 200_000, everyMs: 10 });
};

/** A bare TCP connection, for bytes that no proper client would send. */
export const rawConnect = async (port: number): Promise<Socket> => {
  const socket = connectTcp(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
};

/** Resolves when it closes; errors before that do not count. */
export const closed = (emitter: { once(event: 'close', listener: () => void): unknown }): Promise<true> =>
  new Promise((resolve) => {
    emitter.once('close', () => resolve(true));
  });

/** The value of one line of the metrics page, e.g. `refused_total{reason="tls"}`. */
export const metric = async (broker: Broker, name: string): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${broker.ports.management}/metrics`);
  const line = (await response.text())
    .split('\n')
    .find((candidate) => candidate.startsWith(`roastery_broker_${name} `));
  return Number(line?.split(' ').at(-1) ?? NaN);
};

const field = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
};

/** A fixed header that announces `length` bytes, as MQTT 3.1.1 writes it. */
export const fixedHeader = (type: number, length: number): Buffer => {
  const bytes = [type];
  let left = length;
  do {
    bytes.push((left % 128) + (left >= 128 ? 128 : 0));
    left = Math.floor(left / 128);
  } while (left > 0);
  return Buffer.from(bytes);
};

/** CONNECT by hand, for clients that then behave unlike any library. */
export const connectPacket = (clientId: string, username: string, password: string, keepaliveSeconds = 60): Buffer => {
  const body = Buffer.concat([
    field('MQTT'),
    Buffer.from([4, 0b1100_0010, 0, keepaliveSeconds]),
    field(clientId),
    field(username),
    field(password),
  ]);
  return Buffer.concat([fixedHeader(0x10, body.length), body]);
};

export const subscribePacket = (filter: string, qos: 0 | 1): Buffer => {
  const body = Buffer.concat([Buffer.from([0, 1]), field(filter), Buffer.from([qos])]);
  return Buffer.concat([fixedHeader(0x82, body.length), body]);
};
