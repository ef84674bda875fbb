import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { ackShape, topicOf, type Ack, type JournalBatch } from '@roastery/contract/mqtt';
import { realClock, type Clock } from '@roastery/runtime/clock';
import { Aedes } from 'aedes';
import { connectAsync, type MqttClient } from 'mqtt';
import { createAlarms } from '../alarms/alarms.ts';
import { pusher } from '../alarms/pusher.ts';
import { readConfig } from '../config.ts';
import { domains } from '../domains/domains.ts';
import { prepareFirstStart } from '../domains/users/first-start.ts';
import { hashCheaply } from '../identity/passwords.ts';
import type { StoredBatch } from '../recordings/recordings.ts';
import { startIngest, type IngestOptions } from '../ingest/ingest.ts';
import { quarantineRoutes } from '../ingest/quarantine.ts';
import { createLive } from '../live/live.ts';
import { startApi } from '../start-api.ts';
import { silentLog } from './ingest-fixture.ts';
import { readersOfWorker } from './shared-readers.ts';
import { importsHere, testAdmin, testBrokerSecret } from './test-api.ts';
import { createVisitor, type Visitor } from './visitor.ts';

export interface PlainBroker {
  readonly url: string;
  /** Number of subscriptions to exactly this filter so far: messages published before the first have no receiver. */
  subscriptionsTo(filter: string): number;
  close(): Promise<void>;
}

/** A real broker without permissions: the broker's own tests cover those. */
export const startPlainBroker = async (): Promise<PlainBroker> => {
  const aedes = await Aedes.createBroker();
  const subscribed: string[] = [];
  aedes.on('subscribe', (subscriptions) => subscribed.push(...subscriptions.map(({ topic }) => topic)));
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    aedes.handle(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    subscriptionsTo: (filter) => subscribed.filter((topic) => topic === filter).length,
    async close() {
      await new Promise<void>((resolve) => {
        aedes.close(resolve);
      });
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
};

interface WholeApiParts {
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** Of the stored entries the alarms only get these: another instance has the rest. */
  readonly ownPart?: (stored: readonly StoredBatch[]) => readonly StoredBatch[];
}

/** Api with ingest and live on a database and a broker, each answer checked against the contract. */
export const startWholeApi = async (
  databaseUrl: string,
  mqttUrl: string,
  ingest: IngestOptions = {},
  { env = {}, clock = realClock, ownPart = (stored) => stored }: WholeApiParts = {},
) => {
  hashCheaply();
  const settings = readConfig({
    DATABASE_URL: databaseUrl,
    PORT: '0',
    DRAIN_SECONDS: '0',
    DATABASE_CONNECTIONS: '4',
    MQTT_URL: mqttUrl,
    BROKER_MANAGEMENT_URL: 'http://127.0.0.1:9',
    BROKER_SECRET: testBrokerSecret,
    SECRET_KEY: 'secret key of the tests, 32 letters and more',
    ADMIN_EMAIL: testAdmin.email,
    ADMIN_PASSWORD: testAdmin.password,
    ...env,
  });
  const live = createLive();
  const alarms = createAlarms();
  const api = await startApi({ ...settings, checkAnswers: true }, silentLog, {
    domains: [...domains, importsHere, live.routes, quarantineRoutes],
    services: [
      alarms.service,
      pusher,
      async (context) =>
        startIngest(context, {
          onStored: (stored) => alarms.onStored(ownPart(stored)),
          acknowledgeWithinMs: 0,
          ...ingest,
        }),
      live.service,
    ],
    prepare: async (context) => void (await prepareFirstStart(context)),
    clock,
    files: readersOfWorker(),
  });
  await api.ready;
  const url = `http://127.0.0.1:${api.port}`;
  return {
    api,
    alarms,
    url,
    visitor: (): Visitor => createVisitor(url),
    async signedIn(email: string = testAdmin.email, password: string = testAdmin.password): Promise<Visitor> {
      const person = createVisitor(url);
      const answer = await person.send('POST', '/auth/login', { email, password });
      if (answer.status !== 200) throw new Error(`could not sign in ${email}: ${JSON.stringify(answer.body)}`);
      return person;
    },
    close: api.close,
    [Symbol.asyncDispose]: api.close,
  };
};
export type WholeApi = Awaited<ReturnType<typeof startWholeApi>>;

/** A board's connection: publishes to its own topics and collects its acknowledgements. */
export const connectBoard = async (mqttUrl: string, serialNumber: string) => {
  const client: MqttClient = await connectAsync(mqttUrl, { reconnectPeriod: 200 });
  const acks: Ack[] = [];
  client.on('message', (_topic, payload) => acks.push(ackShape.parse(JSON.parse(payload.toString()))));
  await client.subscribeAsync(topicOf(serialNumber, 'ack'), { qos: 1 });
  const ackCount = (epoch: string, seq: number): number =>
    acks.filter((ack) => ack.epoch === epoch && ack.ranges.some(([from, to]) => from <= seq && seq <= to)).length;
  return {
    client,
    acks,
    publish: (batch: JournalBatch) =>
      client.publishAsync(topicOf(serialNumber, 'journal'), JSON.stringify(batch), { qos: 1 }),
    publishRaw: (payload: Buffer) => client.publishAsync(topicOf(serialNumber, 'journal'), payload, { qos: 1 }),
    /** Whether an entry of a stream was acknowledged. */
    hasAck: (epoch: string, seq: number) => ackCount(epoch, seq) > 0,
    ackCount,
    [Symbol.asyncDispose]: () => client.endAsync(),
  };
};
