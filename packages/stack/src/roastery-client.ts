import {
  apiBasePath,
  type BodyOf,
  type Endpoint,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
} from '@roastery/contract/endpoint';
import { login } from '@roastery/contract/auth';

interface Given<E> {
  params?: ParamsOf<E>;
  query?: QueryOf<E>;
  body?: BodyOf<E>;
}

/** A client of the api that is signed in as a user, with the contract's own endpoints. */
export interface RoasteryClient {
  /** The session cookie, `name=value`, for browsers and event streams. */
  readonly cookie: string;
  /** @throws with status and body when the answer is not a success */
  call<E extends Endpoint>(endpoint: E, given?: Given<E>): Promise<ResponseOf<E>>;
}

/** Address of an endpoint at a server, e.g. `http://127.0.0.1:3000`. */
export const endpointUrl = (
  origin: string,
  endpoint: Pick<Endpoint, 'path'>,
  params?: object,
  query?: object,
): string => {
  const values = new Map(Object.entries(params ?? {}));
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(values.get(name))),
  );
  const search = new URLSearchParams(
    Object.fromEntries(Object.entries(query ?? {}).map(([name, value]) => [name, String(value)])),
  );
  return `${origin}${apiBasePath}${path}${search.size > 0 ? `?${search.toString()}` : ''}`;
};

const send = async (url: string, method: string, cookie: string, body: unknown): Promise<Response> => {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...(cookie === '' ? {} : { cookie }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return response;
};

/** Signs in at a server and returns a client. */
export const signIn = async (
  origin: string,
  { email, password }: { email: string; password: string },
): Promise<RoasteryClient> => {
  const response = await send(endpointUrl(origin, login), 'POST', '', { email, password });
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0];
  if (cookie === undefined) throw new Error('signing in set no cookie');
  return {
    cookie,
    async call<E extends Endpoint>(endpoint: E, given: Given<E> = {}): Promise<ResponseOf<E>> {
      const url = endpointUrl(origin, endpoint, given.params ?? {}, given.query ?? {});
      const answer = await send(url, endpoint.method, cookie, given.body);
      return (await answer.json()) as ResponseOf<E>;
    },
  };
};
