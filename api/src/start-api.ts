import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '@roastery/runtime/env';
import { createBackoff, pause } from '@roastery/runtime/backoff';
import { realClock, type Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { createApp, type Domain } from './app.ts';
import { openMqttLinks } from './broker/links.ts';
import { allBrokers, createBrokerManagement } from './broker/management.ts';
import { keepMosquittoUsers } from './broker/mosquitto-users.ts';
import type { ApiConfig } from './config.ts';
import type { AppContext } from './context.ts';
import { migrateAt } from './db/migrate.ts';
import { isDatabaseUnavailable, loggable } from './db/postgres-errors.ts';
import { followServers } from './db/database-servers.ts';
import { openDatabase } from './db/sql.ts';
import { createFileReaders, type FileReaders } from './file-reading/file-readers.ts';
import { createDatabaseWatch } from './http/database-watch.ts';
import { createHealth } from './http/server-context.ts';
import { listen } from './http/listen.ts';
import { createBodyBudget } from './http/body-budget.ts';
import { createOpenRequests } from './http/open-requests.ts';
import { createUnreadAnswers } from './http/unread-answers.ts';
import { openBoardPackages } from './http/package-files.ts';
import { createOpenStreams } from './http/open-streams.ts';
import { followEndedSessions } from './http/session-streams.ts';
import { createSmtp } from './mail/smtp.ts';

/** Work besides HTTP, started when the schema is up to date. */
export type Service = (context: AppContext) => Promise<{ close(): Promise<void> }>;

export interface ApiParts {
  readonly domains: readonly Domain[];
  readonly services: readonly Service[];
  /** Runs after each successful migration, before anything is served. */
  readonly prepare: (context: AppContext) => Promise<void>;
  /** Default: the computer's. */
  readonly clock?: Clock;
  /** Default: processes of its own. */
  readonly files?: FileReaders;
}

/** In-flight work gets this long when the process ends; streams end at once. */
const graceMs = 5000;
const slowStartMs = 30_000;

const createContext = (
  config: ApiConfig,
  log: Logger,
  { clock = realClock, files = createFileReaders(log) }: ApiParts,
) => {
  const metrics = new Registry();
  // Its own default wakes an idle process a hundred times a second.
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: 100 });
  const url = config.databaseUrl;
  const servers = followServers(url, log);
  const sql = openDatabase({ url, servers, log, connections: config.databaseConnections });
  const mqtt = openMqttLinks({
    urls: config.mqttUrls,
    boardUrls: config.mqttPublicUrls,
    secret: config.brokerSecret,
    log,
  });
  const context: AppContext = {
    config,
    log,
    clock,
    sql,
    databaseWatch: createDatabaseWatch(sql, () => openDatabase({ url, servers, log, connections: 1 }), log, clock),
    openRequests: createOpenRequests(),
    bodies: createBodyBudget(config.bodyLimits),
    answers: createUnreadAnswers(clock, config.answerLimits),
    mqtt,
    broker: allBrokers(
      config.mosquittoUsers
        ? mqtt.links.map((link) => keepMosquittoUsers({ sql, mqtt: link, secretKey: config.secretKey, log }))
        : config.brokerManagementUrls.map((address) => createBrokerManagement(address, config.brokerSecret, log)),
    ),
    streams: createOpenStreams(),
    health: createHealth(),
    files,
    packages: openBoardPackages(config.packagesDir, log),
    metrics,
    sendMail:
      config.smtpUrl === undefined || config.mailFrom === undefined
        ? undefined
        : createSmtp(config.smtpUrl, config.mailFrom),
  };
  return { context, servers };
};

/**
 * Migrates and prepares until it succeeds: Postgres may start after the api. A `ConfigError` needs an operator and
 * ends the attempts.
 */
const untilPrepared = async (
  context: AppContext,
  parts: ApiParts,
  stop: AbortSignal,
  onStep: (step: string) => void,
): Promise<void> => {
  const backoff = createBackoff(250, 5000);
  while (!stop.aborted) {
    try {
      onStep('migrate');
      await migrateAt(context.config.databaseUrl, context.log);
      onStep('prepare');
      await parts.prepare(context);
      onStep('follow sessions');
      await followEndedSessions(context, stop);
      return;
    } catch (error) {
      if (error instanceof ConfigError || stop.aborted) throw error;
      if (isDatabaseUnavailable(error)) context.log.warn({ reason: String(error) }, 'database unreachable, retrying');
      else context.log.error(loggable(error), 'database preparation failed, retrying');
      await pause(backoff.nextMs(), stop);
    }
  }
};

/**
 * Listens immediately and answers 503 until the database is available and migrated. Then `ready` resolves; it rejects
 * with a `ConfigError` when the database does not fit this version.
 */
export const startApi = async (config: ApiConfig, log: Logger, parts: ApiParts) => {
  const { context, servers } = createContext(config, log, parts);
  const { app, mounted } = createApp(context, parts.domains);
  const listening = await listen(app, config.host, config.port);
  log.info({ port: listening.port, url: config.publicUrl }, 'listening');

  const stop = new AbortController();
  const services: { close(): Promise<void> }[] = [];
  const begin = async (): Promise<void> => {
    let step = '';
    // It may wait indefinitely; then the log names the step.
    const slow = setInterval(() => log.error({ step }, 'start slow'), slowStartMs);
    try {
      await untilPrepared(context, parts, stop.signal, (next) => (step = next));
      if (stop.signal.aborted) return;
      context.health.migrated = true;
      for (const [place, start] of parts.services.entries()) {
        step = `service ${place + 1} of ${parts.services.length}`;
        services.push(await start(context));
      }
      context.health.started = true;
      log.info('ready');
    } finally {
      clearInterval(slow);
    }
  };
  const ready = begin();
  // The caller of `ready` gets the error, but need not await it.
  ready.catch((error: unknown) => log.debug({ err: error }, 'not prepared'));

  const closeAll = async (): Promise<void> => {
    context.health.stopping = true;
    stop.abort();
    context.streams.endAll();
    // Load balancers see it in `/readyz` and send no more requests; requests already sent are still served.
    await sleep(config.drainMs);
    await listening.close(graceMs);
    context.answers.close();
    await context.files.close();
    for (const service of services) await service.close();
    context.broker.close();
    await context.mqtt.close();
    await context.databaseWatch.close();
    await context.sql.end({ timeout: 2 });
    await servers?.close();
  };
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeAll());
  return { context, mounted, port: listening.port, ready, close, [Symbol.asyncDispose]: close };
};
export type Api = Awaited<ReturnType<typeof startApi>>;
