import { ServerResponse } from 'node:http';
import { apiBasePath } from '@roastery/contract/endpoint';
import { uuidV7 } from '@roastery/runtime/uuid';
import { Hono } from 'hono';
import type { AppContext } from './context.ts';
import { accessLog } from './http/access-log.ts';
import { answerError } from './http/answer-error.ts';
import { AppError } from './http/app-error.ts';
import type { Env } from './http/client-address.ts';
import { compressAnswers } from './http/compress-answers.ts';
import { createRoutes, methodsAt } from './http/mount.ts';
import { mountOperations } from './http/operations.ts';
import { mountPackages } from './http/package-files.ts';
import { mountPortal, readInlineScripts } from './http/portal-files.ts';
import { mountReference } from './http/reference-page.ts';
import { securityHeaders } from './http/security-headers.ts';

export type Routes = ReturnType<typeof createRoutes<AppContext>>;
/** Mounts one domain's endpoints. */
export type Domain = (routes: Routes) => void;

/** The whole HTTP interface. It does not listen and has no side effects except the context's metrics. */
export const createApp = (context: AppContext, domains: readonly Domain[]) => {
  const { isHttps, portalDir } = context.config;
  const app = new Hono<Env>();
  app.use('*', async (c, next) => {
    c.set('requestId', uuidV7());
    if (c.env?.outgoing instanceof ServerResponse) context.answers.watch(c.env.outgoing);
    await next();
    c.res.headers.set('x-request-id', c.get('requestId'));
    if (context.health.stopping) c.res.headers.set('connection', 'close');
    // The body of a response to HEAD is never read, so its producer must stop.
    if (c.req.method === 'HEAD') await c.res.body?.cancel();
  });
  const inlineScripts = portalDir === undefined ? [] : readInlineScripts(portalDir);
  app.use('*', securityHeaders({ isHttps, inlineScripts }));
  app.use('*', accessLog(context));
  app.use('*', compressAnswers());

  const routes = createRoutes(app, context);
  for (const domain of domains) domain(routes);
  mountReference(app, context);
  mountOperations(app, context);
  mountPackages(app, context.packages, context);
  if (portalDir !== undefined) mountPortal(app, portalDir, context);

  app.notFound((c) => {
    const requestId = c.get('requestId');
    const allowed = c.req.path.startsWith(apiBasePath) ? methodsAt(routes.mounted, c.req.path) : [];
    if (allowed.length === 0 || allowed.includes(c.req.method)) {
      return answerError(new AppError('not_found', 'There is nothing at this address.'), requestId, context.log);
    }
    const answer = answerError(
      new AppError('method_not_allowed', `Use ${allowed.join(' or ')} here.`),
      requestId,
      context.log,
    );
    answer.headers.set('allow', allowed.join(', '));
    return answer;
  });
  app.onError((error, c) => {
    const requestId = c.get('requestId');
    const answer = answerError(error, requestId, context.log.child({ requestId }));
    // The rest of a refused body is not waited for.
    if (c.env?.incoming?.complete === false) answer.headers.set('connection', 'close');
    return answer;
  });
  return { app, mounted: routes.mounted };
};
