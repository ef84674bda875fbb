import {
  apiBasePath,
  type Endpoint,
  type ParsedBody,
  type ParsedParams,
  type ParsedQuery,
  type ResponseOf,
} from '@roastery/contract/endpoint';
import { endpoints } from '@roastery/contract/endpoints';
import { errorBodyShape, errorStatus, type ErrorBody, type ErrorCode } from '@roastery/contract/errors';
import { describeRefusal, parseOrThrow, parseShape } from '@roastery/contract/parse-shape';

/** A request of the portal, parsed by the endpoint's own shapes. */
export interface Asked<E> {
  readonly params: ParsedParams<E>;
  readonly query: ParsedQuery<E>;
  readonly body: ParsedBody<E>;
}
/** An answer that is not a success. Without `body` it is one of a broken proxy or server. */
class Refusal {
  readonly status: number;
  readonly body: ErrorBody | undefined;
  constructor(status: number, body?: ErrorBody) {
    this.status = status;
    this.body = body;
  }
}
type Given<E> = ResponseOf<E> | Refusal | typeof noNetwork | typeof noAnswer;

export interface Answer {
  readonly endpoint: Endpoint;
  readonly give: (asked: Asked<unknown>) => unknown;
}

/** A refusal of the api: a sentence, or one line for each field. */
export const refused = (detail: ErrorBody['detail'], code: ErrorCode = 'conflict'): Refusal =>
  new Refusal(errorStatus[code], parseOrThrow(errorBodyShape, { detail, code, request_id: 'request-7' }));
/** A failure without a body of the api. */
export const broken = (): Refusal => new Refusal(500);
/** The connection fails. */
export const noNetwork = Symbol('no network');
/** The answer does not arrive during the test. */
export const noAnswer = Symbol('no answer');

/** The answer of the api, checked by the shape of the endpoint: a value that the api could not send fails the test. */
export const answer = <E extends Endpoint>(
  endpoint: E,
  given: Given<E> | ((asked: Asked<E>) => Given<E> | Promise<Given<E>>),
): Answer => {
  if (typeof given !== 'function') checked(endpoint, given);
  return { endpoint, give: typeof given === 'function' ? (given as Answer['give']) : () => given };
};

const checked = (endpoint: Endpoint, given: unknown): unknown => {
  if (given instanceof Refusal || given === noNetwork || given === noAnswer || endpoint.response === undefined)
    return given;
  const parsed = parseShape(endpoint.response, given);
  if (!parsed.success) throw new Error(`${endpoint.name} cannot answer this: ${describeRefusal(parsed, 3)}`);
  return parsed.data;
};

/** Fixed paths before those with parameters, as the api mounts them. */
const routes = endpoints
  .map((endpoint) => ({
    endpoint,
    pattern: new RegExp(`^${apiBasePath}${endpoint.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
    parameters: endpoint.path.split('{').length - 1,
  }))
  .sort((a, b) => a.parameters - b.parameters);

export interface Request {
  readonly endpoint: string;
  readonly params: unknown;
  readonly query: unknown;
  /** As it was sent. */
  readonly body: unknown;
}

/** Answers `fetch` from a table, as the api would, and records the requests. */
export class TableServer {
  readonly requests: Request[] = [];
  /** What a request or an answer had that the contract does not allow. */
  readonly faults: string[] = [];
  #answers = new Map<string, Answer['give']>();
  #open = 0;
  readonly #held = new Set<(reason: Error) => void>();

  constructor(answers: readonly Answer[]) {
    this.answer(...answers);
  }

  /** Later answers replace earlier ones. */
  answer(...answers: readonly Answer[]): void {
    for (const { endpoint, give } of answers) this.#answers.set(endpoint.name, give);
  }

  /** It was asked, and every answer has been sent. */
  get isIdle(): boolean {
    return this.requests.length > 0 && this.#open === 0;
  }

  /** An answer that does not arrive was asked for. */
  get isHolding(): boolean {
    return this.#held.size > 0;
  }

  /** Ends the requests without an answer: a page of a later test would wait for them, too. */
  close(): void {
    for (const end of this.#held) end(new TypeError('Failed to fetch'));
    this.#held.clear();
  }

  readonly fetch = async (address: string, { method = 'GET', body }: RequestInit = {}): Promise<Response> => {
    const url = new URL(address, location.href);
    const route = routes.find(({ endpoint, pattern }) => endpoint.method === method && pattern.test(url.pathname));
    const asked = route && this.#parsed(route.endpoint, route.pattern.exec(url.pathname)?.groups, url, body);
    const give = route && this.#answers.get(route.endpoint.name);
    if (route === undefined || asked === undefined || give === undefined) {
      this.faults.push(`no answer to ${method} ${url.pathname}`);
      return new Response('{}', { status: 500 });
    }
    this.#open += 1;
    try {
      const given = await give(asked);
      if (given !== noAnswer) return this.#response(route.endpoint, given);
    } finally {
      this.#open -= 1;
    }
    return new Promise((_, end) => this.#held.add(end));
  };

  #parsed(endpoint: Endpoint, params: unknown, url: URL, body: unknown): Asked<unknown> | undefined {
    const query = Object.fromEntries(url.searchParams);
    const sent: unknown = typeof body === 'string' ? JSON.parse(body) : body;
    this.requests.push({ endpoint: endpoint.name, params: { ...(params as object) }, query, body: sent });
    const parse = (part: 'params' | 'query' | 'body', value: unknown): unknown => {
      const shape = endpoint[part];
      if (shape === undefined) return value;
      const parsed = parseShape(shape, value);
      // An address may name anything; what the portal itself writes must be right.
      if (!parsed.success && part !== 'params')
        this.faults.push(`${endpoint.name} refuses this ${part}: ${describeRefusal(parsed, 3)}`);
      return parsed.data;
    };
    return {
      params: parse('params', params) as undefined,
      query: parse('query', query) as undefined,
      body: parse('body', sent) as undefined,
    };
  }

  #response(endpoint: Endpoint, given: unknown): Response {
    if (given === noNetwork) throw new TypeError('Failed to fetch');
    if (given instanceof Refusal) {
      return new Response(given.body === undefined ? '' : JSON.stringify(given.body), { status: given.status });
    }
    try {
      const { status = 200 } = endpoint;
      return new Response(status === 204 ? null : JSON.stringify(checked(endpoint, given)), { status });
    } catch (error) {
      this.faults.push(String(error));
      throw error;
    }
  }
}
