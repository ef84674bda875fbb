import {
  type Access,
  apiBasePath,
  multipartType,
  type Endpoint,
  type ParsedBody,
  type ParsedParams,
  type ParsedQuery,
  type ResponseOf,
} from '@roastery/contract/endpoint';
import { describeRefusal, parseShape } from '@roastery/contract/parse-shape';
import type { Context, Hono } from 'hono';
import type { Database } from '../db/sql.ts';
import { yieldingDatabase } from '../db/conditions.ts';
import { AppError } from './app-error.ts';
import {
  authenticateBroker,
  authenticateDevice,
  authenticatePublic,
  authenticateUser,
  checkOrigin,
} from './authenticate.ts';
import type { HeldBody } from './body-budget.ts';
import { clientAddress, networkOf, type Env } from './client-address.ts';
import { wholeJsonAnswer } from './compress-answers.ts';
import { holdAnswer, openAnswer } from './hold-answer.ts';
import type { SentFile } from './multipart.ts';
import { maxYieldMs } from './open-requests.ts';
import { maxBodyBytes, maxPublicBodyBytes, readFileBody, readFilesBody, readJsonBody } from './request-body.ts';
import { parsePart, readQuery } from './request-shape.ts';
import type {
  DeviceCaller,
  PublicCaller,
  RequestDetails,
  ServerContext,
  UserCaller,
  WallCaller,
} from './server-context.ts';
import { authenticateWall } from './wall-screens.ts';
import { JsonPieces, streamOf } from './streamed-answer.ts';
import type { HeldAnswer } from './unread-answers.ts';

export interface Input<E> {
  readonly params: ParsedParams<E>;
  readonly query: ParsedQuery<E>;
  readonly body: ParsedBody<E>;
  /** For an endpoint that `accepts` one; empty for all others. */
  readonly file: Uint8Array;
  /** Of an endpoint that `accepts` several; empty for all others. */
  readonly files: readonly SentFile[];
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}
/** JSON of the contract's shape, or a whole `Response` for endpoints with another type. */
export type Answer<E> = [ResponseOf<E>] extends [undefined] ? Response : ResponseOf<E> | JsonPieces;
/** Adds headers to a success. */
export interface Reply {
  header(name: string, value: string): void;
}
export type Handler<C, E> = (context: C, input: Input<E>, reply: Reply) => Answer<E> | Promise<Answer<E>>;

export interface Mounted {
  readonly endpoint: Endpoint;
  /** Segments of the full path; a parameter is undefined. */
  readonly segments: readonly (string | undefined)[];
}

const segmentsOf = (path: string) =>
  `${apiBasePath}${path}`.split('/').map((part) => (part.startsWith('{') ? undefined : part));

const streamedJson = ({ pieces }: JsonPieces, status: number): Response =>
  new Response(streamOf(pieces), { status, headers: { 'content-type': 'application/json' } });

/** The shape of all pieces together. */
const wholeJson = async ({ pieces }: JsonPieces): Promise<unknown> => {
  let text = '';
  for await (const piece of pieces) text += piece;
  return JSON.parse(text) as unknown;
};

const checkAnswer = (endpoint: Endpoint, answer: unknown): void => {
  const parsed = endpoint.response && parseShape(endpoint.response, answer);
  if (parsed && !parsed.success) {
    throw new Error(`${endpoint.name} answered off its contract: ${describeRefusal(parsed, 10)}`);
  }
};

const respond = (c: Context<Env>, answer: unknown, status: number): Response | Promise<Response> => {
  if (answer instanceof Response) return answer;
  if (answer instanceof JsonPieces) return streamedJson(answer, status);
  return wholeJsonAnswer(c, JSON.stringify(answer), status);
};

type Caller = Partial<
  Pick<PublicCaller, 'session'> & Pick<WallCaller, 'user' | 'linkId'> & Pick<DeviceCaller, 'machine'>
>;
/** Whose memory a request's body and its answer count as; undefined for one who has not signed in. */
const holderOf = ({ user, session, linkId, machine }: Caller): string | undefined =>
  user?.id ?? session?.user.id ?? linkId ?? machine?.credential_id;

const parseInput = async <E extends Endpoint>(c: Context<Env>, endpoint: E, held: HeldBody): Promise<Input<E>> => {
  const { params, query, body, accepts } = endpoint;
  const isMultipart = accepts?.type === multipartType;
  const maxBytes = endpoint.access === 'public' ? maxPublicBodyBytes : maxBodyBytes;
  // A path that cannot be an id is not found.
  const parsedParams = params && parseShape(params, c.req.param());
  if (parsedParams && !parsedParams.success) throw new AppError('not_found', 'There is nothing at this address.');
  const input: Record<keyof Input<E>, unknown> = {
    params: parsedParams?.data,
    query: query && parsePart(query, readQuery(c.req.url)),
    body: body && parsePart(body, await readJsonBody(c, held, maxBytes)),
    file: accepts && !isMultipart ? await readFileBody(c, held, accepts) : new Uint8Array(),
    files: accepts && isMultipart ? await readFilesBody(c, held, accepts.maxBytes) : [],
    signal: c.req.raw.signal,
  };
  // The endpoint's own shapes have just created it.
  return input as Input<E>;
};

/**
 * Mounts endpoint values of the contract. The same steps for all: origin, caller, permission, shape of the request,
 * handler, shape of the answer. Which of the four functions is used decides the handler's context and must fit
 * `endpoint.access`.
 */
export const createRoutes = <App extends ServerContext>(app: Hono<Env>, context: App) => {
  type Request = App & RequestDetails;
  const mounted: Mounted[] = [];

  const mount = <C extends Caller, E extends Endpoint>(
    endpoint: E,
    accesses: readonly Access[],
    authenticate: (c: Context<Env>, request: Request) => Promise<C>,
    handler: Handler<Request & C, E>,
  ): void => {
    if (!accesses.includes(endpoint.access)) throw new Error(`${endpoint.name} is for ${endpoint.access}`);
    mounted.push({ endpoint, segments: segmentsOf(endpoint.path) });
    const path = `${apiBasePath}${endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
    /** Bulk work waits for people's requests, and does not count as one. */
    const isBulk = endpoint.isBulk === true;
    const kind = endpoint.produces === undefined ? 'page' : 'file';
    /** Event streams count by themselves what waits in them; the broker is not a stranger. */
    const isHeld = endpoint.produces !== 'text/event-stream' && endpoint.access !== 'broker';
    const databaseOf = (sql: Database): Database =>
      isBulk ? yieldingDatabase(sql, context.openRequests.turns(maxYieldMs)) : sql;
    const serve = async (c: Context<Env>): Promise<Response> => {
      c.set('endpointName', endpoint.name);
      // A stream never ends by itself, so it has no length and no HEAD.
      if (c.req.method === 'HEAD' && endpoint.produces === 'text/event-stream') return c.notFound();
      if (!context.health.migrated) throw new AppError('not_ready', 'The server is starting.', 2);
      const requestId = c.get('requestId');
      const requestOn = (sql: Database): Request => ({
        ...context,
        sql: databaseOf(sql),
        requestId,
        log: context.log.child({ requestId }),
        address: clientAddress(c, context.config.trustedProxies),
        userAgent: c.req.header('user-agent') ?? null,
      });
      if (endpoint.access !== 'device' && endpoint.access !== 'broker') checkOrigin(c, context.config.publicUrl);
      const headers = new Headers();
      let unread: HeldAnswer | undefined;
      const handled = await context.databaseWatch.during(async (sql) => {
        const request = requestOn(sql);
        const caller = await authenticate(c, request);
        const id = holderOf(caller);
        if (isHeld) unread = openAnswer(c, context.answers, kind, { address: request.address, id });
        const held = context.bodies.open(id ?? networkOf(request.address));
        try {
          const input = await parseInput(c, endpoint, held);
          return await handler({ ...request, ...caller }, input, {
            header: (name, value) => headers.append(name, value),
          });
        } finally {
          held.release();
        }
      });
      // Only a complete answer can be checked.
      const answer = context.config.checkAnswers && handled instanceof JsonPieces ? await wholeJson(handled) : handled;
      if (context.config.checkAnswers && !(answer instanceof Response)) checkAnswer(endpoint, answer);
      const response = await respond(c, answer, endpoint.status ?? 200);
      if (unread !== undefined) await holdAnswer(unread, endpoint.method, response);
      for (const [name, value] of headers) response.headers.append(name, value);
      if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store');
      return response;
    };
    app.on(endpoint.method, path, async (c) => (isBulk ? serve(c) : context.openRequests.during(() => serve(c))));
  };

  return {
    mounted: mounted as readonly Mounted[],
    /** `access: 'public'`: with the session if there is one. */
    forPublic: <E extends Endpoint>(endpoint: E, handler: Handler<Request & PublicCaller, E>): void =>
      mount(endpoint, ['public'], authenticatePublic, handler),
    /** `access: 'user'` or `'admin'`. */
    forUser: <E extends Endpoint>(endpoint: E, handler: Handler<Request & UserCaller, E>): void =>
      mount(
        endpoint,
        ['user', 'admin'],
        (c, request) => authenticateUser(c, request, endpoint.access === 'admin'),
        handler,
      ),
    /** `access: 'user'`, also for wall links: the only endpoints that accept their cookie. */
    forWall: <E extends Endpoint>(endpoint: E, handler: Handler<Request & WallCaller, E>): void => {
      if (endpoint.isForWallLinks !== true) throw new Error(`${endpoint.name} is not for wall links`);
      mount(endpoint, ['user'], authenticateWall, handler);
    },
    /** `access: 'device'`: a board with its machine's credential. */
    forDevice: <E extends Endpoint>(endpoint: E, handler: Handler<Request & DeviceCaller, E>): void =>
      mount(endpoint, ['device'], authenticateDevice, handler),
    /** `access: 'broker'`. */
    forBroker: <E extends Endpoint>(endpoint: E, handler: Handler<Request, E>): void =>
      mount(
        endpoint,
        ['broker'],
        async (c, request) => {
          authenticateBroker(c, request);
          return {};
        },
        handler,
      ),
  };
};
/** Methods that this path supports, for 405. */
export const methodsAt = (mounted: readonly Mounted[], path: string): string[] => {
  const parts = path.split('/');
  return mounted
    .filter(
      ({ segments }) =>
        segments.length === parts.length && segments.every((part, i) => part === undefined || part === parts[i]),
    )
    .map(({ endpoint }) => endpoint.method);
};
