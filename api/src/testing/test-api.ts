import { Writable } from 'node:stream';
import { addImportFiles } from '@roastery/contract/roast-imports';
import { realClock, type Clock } from '@roastery/runtime/clock';
import { createTestDatabase } from '@roastery/testing/test-database';
import { pino } from 'pino';
import type { Domain } from '../app.ts';
import { readConfig, type ApiConfig } from '../config.ts';
import { domains } from '../domains/domains.ts';
import { prepareFirstStart } from '../domains/users/first-start.ts';
import { hashCheaply } from '../identity/passwords.ts';
import { quarantineRoutes } from '../ingest/quarantine.ts';
import { createLive } from '../live/live.ts';
import { exchangeFollower } from '../domains/channel-exchanges/follower.ts';
import { lotImporter } from '../domains/imports/lots/lot-importer.ts';
import { addFiles } from '../domains/imports/many/add-files.ts';
import { importer } from '../domains/imports/many/importer.ts';
import type { createImportThread } from '../import-thread.ts';
import { mailer } from '../domains/alerts/mailer.ts';
import { startApi } from '../start-api.ts';
import { migratedTemplate } from './ingest-fixture.ts';
import { readersOfWorker } from './shared-readers.ts';
import { createVisitor, type Visitor } from './visitor.ts';

export const testAdmin = { email: 'admin@example.com', password: 'a long phrase for the first admin' };
export const testBrokerSecret = 'broker-secret-of-the-tests';

/** The endpoint of the import thread, served here: then imports use the clock and the log of the test. */
export const importsHere: Domain = ({ forUser }) =>
  forUser(addImportFiles, (context, { params, files }) => addFiles(context.sql, context, params.id, files));

export interface TestApi {
  readonly api: Awaited<ReturnType<typeof startApi>>;
  readonly url: string;
  /** Every log line so far, at level debug. */
  readonly log: () => string;
  /** A client with its own cookie. */
  visitor(): Visitor;
  signedIn(email: string, password: string): Promise<Visitor>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * The whole api on a database, with every response checked against the contract. No broker unless `config` names one.
 */
export const startTestApi = async (
  databaseUrl: string,
  config: Partial<ApiConfig> = {},
  imports?: ReturnType<typeof createImportThread>,
  clock: Clock = realClock,
): Promise<TestApi> => {
  hashCheaply();
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const log = pino({ name: 'api', level: 'debug' }, sink);
  const settings = readConfig({
    DATABASE_URL: databaseUrl,
    PORT: '0',
    DRAIN_SECONDS: '0',
    DATABASE_CONNECTIONS: '4',
    // Nothing listens on the discard port: the link stays down unless a test provides a broker.
    MQTT_URL: 'mqtt://127.0.0.1:9',
    BROKER_MANAGEMENT_URL: 'http://127.0.0.1:9',
    BROKER_SECRET: testBrokerSecret,
    SECRET_KEY: 'secret key of the tests, 32 letters and more',
    ADMIN_EMAIL: testAdmin.email,
    ADMIN_PASSWORD: testAdmin.password,
  });
  const live = createLive();
  const api = await startApi({ ...settings, checkAnswers: true, ...config }, log, {
    domains: [...domains, imports?.routes ?? importsHere, live.routes, quarantineRoutes],
    services: [
      mailer,
      ...(imports === undefined ? [importer, lotImporter, exchangeFollower] : [imports.service]),
      live.service,
    ],
    prepare: async (context) => void (await prepareFirstStart(context)),
    clock,
    files: readersOfWorker(),
  });
  await api.ready;
  const url = `http://127.0.0.1:${api.port}`;
  const visitor = (): Visitor => createVisitor(url);
  return {
    api,
    url,
    log: () => lines.join(''),
    visitor,
    async signedIn(email, password) {
      const person = visitor();
      const answer = await person.send('POST', '/auth/login', { email, password });
      if (answer.status !== 200)
        throw new Error(`could not sign in ${email}: ${JSON.stringify(answer.body)}\n${lines.slice(-4).join('')}`);
      return person;
    },
    close: api.close,
    [Symbol.asyncDispose]: api.close,
  };
};

export interface OpenedTestApi {
  readonly databaseUrl: string;
  readonly test: TestApi;
  /** The first administrator, signed in. */
  readonly admin: Visitor;
  /** Ends the api and drops its database. */
  close(): Promise<void>;
}

/** The whole api on a database of its own, as most tests of a domain begin. */
export const openTestApi = async (config?: Partial<ApiConfig>): Promise<OpenedTestApi> => {
  const database = await createTestDatabase(migratedTemplate);
  const test = await startTestApi(database.url, config);
  return {
    databaseUrl: database.url,
    test,
    admin: await test.signedIn(testAdmin.email, testAdmin.password),
    async close() {
      await test.close();
      await database.drop();
    },
  };
};
