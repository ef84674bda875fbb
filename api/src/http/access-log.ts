import type { MiddlewareHandler } from 'hono';
import { Counter, Histogram } from 'prom-client';
import { clientAddress, type Env } from './client-address.ts';
import type { ServerContext } from './server-context.ts';

/** Requested every few seconds by machines: successes are not logged. */
const quiet = new Set(['/healthz', '/readyz', '/metrics', '/api/v1/mqtt/auth', '/api/v1/mqtt/acl']);

/** One line and one measurement per request. Path without its query: searches and addresses are private. */
export const accessLog = (context: ServerContext): MiddlewareHandler<Env> => {
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to the first byte of an answer, by endpoint',
    labelNames: ['endpoint', 'method', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [context.metrics],
  });
  const failures = new Counter({
    name: 'http_server_errors_total',
    help: 'Answers with status 500',
    registers: [context.metrics],
  });
  return async (c, next) => {
    const started = performance.now();
    await next();
    const ms = performance.now() - started;
    const { status } = c.res;
    const endpoint = c.get('endpointName') ?? 'other';
    duration.observe({ endpoint, method: c.req.method, status }, ms / 1000);
    if (status === 500) failures.inc();
    const level = status === 500 ? 'error' : quiet.has(c.req.path) ? 'debug' : 'info';
    context.log[level](
      {
        requestId: c.get('requestId'),
        method: c.req.method,
        path: c.req.path.slice(0, 300),
        status,
        ms: Math.round(ms * 10) / 10,
        address: clientAddress(c, context.config.trustedProxies),
      },
      'request',
    );
  };
};
