import {
  apiBasePath,
  type BodyOf,
  type Endpoint,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
} from '@roastery/contract/endpoint';
import { ApiError, isErrorCode } from './api-error.ts';
import { codeOfStatus, readErrorBody } from './error-body.ts';
import { isGatewayTrouble, reportSilence, reportStatus } from './reachability.ts';

type Params<E> = ParamsOf<E> extends undefined ? { params?: undefined } : { params: ParamsOf<E> };
type Query<E> = QueryOf<E> extends undefined ? { query?: undefined } : { query?: QueryOf<E> | undefined };
type Body<E> = BodyOf<E> extends undefined ? { body?: undefined } : { body: BodyOf<E> };

/** The input of a read: the parts that distinguish one answer from another. */
export type ReadInput<E> = Params<E> & Query<E>;
export type CallInput<E> = ReadInput<E> &
  Body<E> & {
    signal?: AbortSignal | undefined;
    /** For an endpoint that `accepts` a file instead of JSON, or several. */
    file?: Blob | FormData | undefined;
    /** The browser sends the request even if its page is closed; up to 64 KiB. */
    outlivesPage?: boolean | undefined;
  };

/** The part of an endpoint that a request needs: `method` and `path`. Its schemas stay in the type. */
export type AnyEndpoint = Pick<Endpoint, 'name' | 'method' | 'path'>;

type Scalar = string | number | boolean | null | undefined;

const timeoutMs = 30_000;
/** A file waits in line before it is made, and may be long. */
const fileTimeoutMs = 300_000;
/** The content type of every file that is uploaded alone. */
const fileType = 'application/octet-stream';
const signedOutListeners = new Set<() => void>();
/** Counts the sessions of this page. */
let session = 0;

/** A session has begun: responses to earlier requests do not affect it. */
export const beginSession = (): void => {
  session += 1;
};

/** The present session: the result of an earlier check says nothing about it. */
export const sessionNumber = (): number => session;

/** Calls the listener when any call finds that the session is over. */
export const onSignedOut = (listener: () => void): (() => void) => {
  signedOutListeners.add(listener);
  return () => {
    signedOutListeners.delete(listener);
  };
};

/** Who is signed in, for what works outside of the pages, such as a queue that outlives the one it was filled on. */
let personId: string | null = null;
const personListeners = new Set<() => void>();

export const currentPerson = (): string | null => personId;

export const setCurrentPerson = (next: string | null): void => {
  if (next === personId) return;
  personId = next;
  for (const listener of personListeners) listener();
};

export const subscribeCurrentPerson = (listener: () => void): (() => void) => {
  personListeners.add(listener);
  return () => {
    personListeners.delete(listener);
  };
};

/** Address of an endpoint with its parameters filled in, for links, downloads and event streams. */
export const addressOf = (endpoint: AnyEndpoint, params: object | undefined, query: object | undefined): string => {
  const given = new Map<string, Scalar>(Object.entries(params ?? {}));
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = given.get(name);
    if (value === undefined) throw new Error(`${endpoint.name} needs the parameter ${name}`);
    return encodeURIComponent(String(value));
  });
  const search = new URLSearchParams();
  const asked: [string, Scalar][] = Object.entries(query ?? {});
  for (const [name, value] of asked) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return `${apiBasePath}${path}${text === '' ? '' : `?${text}`}`;
};

interface Request {
  params?: object;
  query?: object;
  body?: unknown;
  file?: Blob | FormData;
  signal?: AbortSignal;
  outlivesPage?: boolean;
}

/** Epoch milliseconds of an answer that the offline worker serves from its cache; null for a fresh one. */
const keptAt = (response: Response): number | null => {
  const at = Number(response.headers.get('x-kept-at') ?? Number.NaN);
  return Number.isFinite(at) ? at : null;
};

/** No response, or only a part of it: its network went away, or a network's own sign-in page answered. */
const unreachable = (cause: unknown, signal: AbortSignal | undefined): unknown => {
  if (signal?.aborted) return cause;
  reportSilence();
  return new ApiError({ status: 0, code: 'unreachable', cause });
};

/** The body of a response. */
const read = async <T>(body: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  try {
    return await body;
  } catch (cause) {
    throw unreachable(cause, signal);
  }
};

const send = async (
  endpoint: AnyEndpoint,
  { params, query, body, file, signal, outlivesPage = false }: Request,
  withinMs = timeoutMs,
): Promise<Response> => {
  const timeout = AbortSignal.timeout(withinMs);
  const sentIn = session;
  let response: Response;
  try {
    response = await fetch(addressOf(endpoint, params, query), {
      method: endpoint.method,
      credentials: 'same-origin',
      keepalive: outlivesPage,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        // The browser names the type of a form, with the boundary of its parts.
        ...(file instanceof Blob ? { 'content-type': fileType } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(file === undefined ? {} : { body: file }),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
  } catch (cause) {
    throw unreachable(cause, signal);
  }
  if (keptAt(response) === null) reportStatus(response.status);
  else reportSilence();
  if (!response.ok) throw errorOf(endpoint, response, await read(response.text(), signal), sentIn);
  return response;
};

/**
 * Calls the api. Returns the endpoint's response; throws only ApiError, or the abort of the given signal. The server
 * parses requests and shapes answers with the same contract, so the answer is not parsed again.
 */
export const call = async <E extends AnyEndpoint>(endpoint: E, input: CallInput<E>): Promise<ResponseOf<E>> =>
  (await callWithTime(endpoint, input)).answer;

/** The same with the time of the answer, epoch milliseconds: offline it may be an old one. */
export const callWithTime = async <E extends AnyEndpoint>(
  endpoint: E,
  input: CallInput<E>,
): Promise<{ answer: ResponseOf<E>; answeredAt: number }> => {
  const response = await send(endpoint, input as Request);
  const answer = response.status === 204 ? undefined : await read(response.json(), input.signal);
  return { answer: answer as ResponseOf<E>, answeredAt: keptAt(response) ?? Date.now() };
};

/** Calls an endpoint that returns a file. Throws as `call` does. */
export const callForFile = async <E extends AnyEndpoint>(
  endpoint: E,
  input: CallInput<E>,
): Promise<{ name: string; content: Blob }> => {
  const response = await send(endpoint, input as Request, fileTimeoutMs);
  const [, encoded] = /filename\*=UTF-8''([^;]+)/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  return { name: decodeURIComponent(encoded ?? endpoint.name), content: await read(response.blob(), input.signal) };
};

const errorOf = (endpoint: AnyEndpoint, response: Response, text: string, sentIn: number): ApiError => {
  const { status, headers } = response;
  const body = readErrorBody(text, isErrorCode);
  if (body === undefined) return new ApiError({ status, code: isGatewayTrouble(status) ? 'unreachable' : 'internal' });
  const code =
    body.code ?? (isGatewayTrouble(status) ? 'unreachable' : codeOfStatus(status, endpoint.name === 'login'));
  if (code === 'not_signed_in' && sentIn === session) for (const listener of signedOutListeners) listener();
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new ApiError({
    ...body,
    status,
    code,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
};
