import { isMeantForUs } from '@roastery/runtime/host-header';
import type { Context, Hono } from 'hono';
import { peerAddress, type Env } from './client-address.ts';
import type { ServerContext } from './server-context.ts';
import { isSameSecret } from './secrets.ts';

/** Longer than a busy database takes for one statement. */
const maxDatabaseAnswerMs = 2000;

const ingestState = ({ health }: ServerContext) => {
  const progress = health.ingest?.();
  return (
    progress && {
      stalled: progress.isStalled,
      oldest_waiting_seconds: Math.round(progress.oldestWaitingSeconds),
      last_commit_at: progress.lastCommitAt?.toISOString() ?? null,
      parked_machines: progress.parkedMachines,
    }
  );
};

/**
 * For operators of the server. `/healthz`: the process answers. `/readyz`: the database writes, a broker answers, the schema is up
 * to date, ingest commits messages, the process is not ending. `/metrics`: for loopback peers without a proxy, or with
 * METRICS_TOKEN. All three only under a name of this server, or with that token.
 */
export const mountOperations = (app: Hono<Env>, context: ServerContext): void => {
  const hasToken = (c: Context<Env>): boolean => {
    const given = /^Bearer (.+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    const token = context.config.metricsToken;
    return token !== undefined && given !== undefined && isSameSecret(given, token);
  };
  const ownName = new URL(context.config.publicUrl).hostname;
  app.on('GET', ['/healthz', '/readyz', '/metrics'], (c, next) =>
    isMeantForUs(c.req.header('host'), [ownName]) || hasToken(c)
      ? next()
      : Promise.resolve(c.text('Use an address or the name of this server.\n', 421)),
  );

  app.get('/healthz', (c) => c.json({ status: 'alive' }));

  app.get('/readyz', async (c) => {
    const state = {
      database: context.health.migrated && (await context.databaseWatch.writesWithin(maxDatabaseAnswerMs)),
      broker: context.mqtt.isConnected,
      brokers_missing: context.mqtt.missing,
      ingest: ingestState(context),
      started: context.health.started,
      stopping: context.health.stopping,
    };
    const isReady =
      state.database && state.broker && state.ingest?.stalled !== true && state.started && !state.stopping;
    return c.json({ status: isReady ? 'ready' : 'not_ready', ...state }, isReady ? 200 : 503, {
      'cache-control': 'no-store',
      ...(isReady ? {} : { 'retry-after': '2' }),
    });
  });

  app.get('/metrics', async (c, next) => {
    const isProxied = c.req.header('x-forwarded-for') !== undefined || c.req.header('forwarded') !== undefined;
    const isLocal = /^(127\.|::1$)/.test(peerAddress(c) ?? '') && !isProxied;
    if (!hasToken(c) && !isLocal) return next();
    return c.body(await context.metrics.metrics(), 200, {
      'content-type': context.metrics.contentType,
      'cache-control': 'no-store',
    });
  });

  app.get('/.well-known/security.txt', (c) => {
    const contact = context.config.supportEmail;
    const expires = new Date(Date.now() + 180 * 24 * 3600 * 1000).toISOString();
    const lines = [
      `Contact: ${contact === undefined ? `${context.config.publicUrl}/` : `mailto:${contact}`}`,
      `Expires: ${expires}`,
      'Preferred-Languages: en',
      `Canonical: ${context.config.publicUrl}/.well-known/security.txt`,
    ];
    return c.text(`${lines.join('\n')}\n`);
  });
};
