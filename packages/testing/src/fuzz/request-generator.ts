import { apiBasePath } from '@roastery/contract/endpoint';
import { openApiDocument } from '@roastery/contract/openapi';
import { hostileText, ownNames } from './hostile-values.ts';
import { mutate, writeTree } from './json-tree.ts';
import { valueFor, type JsonSchema, type KnownRecords } from './schema-values.ts';
import type { SeededRandom } from './seeded-random.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: JsonSchema;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
}

interface FuzzOperation extends Operation {
  readonly method: string;
  readonly path: string;
}

/** Parts of a run's requests that are shown. */
export interface FuzzCaller {
  readonly cookie: string;
  readonly brokerSecret: string;
  readonly board: { readonly serial: string; readonly token: string };
}

export interface FuzzRequest {
  readonly operation: string;
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** They hash a password, which takes the processor a fraction of a second. */
const hashesPassword = new Set(['login', 'changePassword', 'createUser', 'resetPassword']);
/** They end the session that all other requests use. */
const leftOut = new Set(['logout', 'endSession']);

/** A part of the document with the named schemas in place of the references to them. */
const resolved = <Part>(part: Part, named: Readonly<Record<string, unknown>>): Part => {
  if (Array.isArray(part)) return part.map((one: unknown) => resolved(one, named)) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const name = '$ref' in part && /^#\/components\/schemas\/(.+)$/.exec(String(part.$ref))?.[1];
  if (name) return resolved(named[name], named) as Part;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, resolved(value, named)])) as Part;
};

/** Every operation of the OpenAPI document. */
const fuzzOperations = (): FuzzOperation[] => {
  const { paths, components } = openApiDocument();
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>)
      .filter(([, { operationId }]) => !leftOut.has(operationId))
      .map(([method, { parameters, requestBody, ...operation }]) => ({
        ...operation,
        parameters: resolved(parameters, components.schemas),
        ...(requestBody && { requestBody: resolved(requestBody, components.schemas) }),
        method: method.toUpperCase(),
        path,
      })),
  );
};

/** Characters allowed in a request line; the rest is percent-encoded. */
const inRequestLine = (text: string): string => text.replaceAll(/[^\u0021-\u007e]|[#]/gu, encodeURIComponentSafe);
/** Half of a surrogate pair has no encoding. */
const encodeURIComponentSafe = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

const encoded = (text: string, random: SeededRandom): string =>
  random.once(3) ? inRequestLine(text.replaceAll(/[&=?]/g, '')) : encodeURIComponentSafe(text);

const asText = (schema: JsonSchema, name: string, random: SeededRandom, known: KnownRecords): string => {
  const value: unknown = JSON.parse(writeTree(valueFor(schema, name, random, known)));
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const pathOf = (operation: FuzzOperation, random: SeededRandom, known: KnownRecords): string => {
  const segments = operation.path.split('/');
  return segments
    .map((segment, at) => {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name === undefined) return segment;
      if (random.once(12)) return encoded(random.pick(hostileText), random) || 'x';
      const schema = operation.parameters.find((one) => one.in === 'path' && one.name === name)?.schema ?? {};
      const record = name === 'id' ? known.idFor(segments[at - 1] ?? '', random) : undefined;
      return encodeURIComponent(record ?? asText(schema, name, random, known));
    })
    .join('/');
};

const queryOf = (operation: FuzzOperation, random: SeededRandom, known: KnownRecords): string => {
  const parts: string[] = [];
  for (const { name, in: place, required, schema } of operation.parameters) {
    if (place !== 'query' || (!required && !random.once(3))) continue;
    const value = random.once(4) ? random.pick(hostileText) : asText(schema, name, random, known);
    parts.push(`${name}=${encoded(value, random)}`);
  }
  if (random.once(20)) parts.push(`${random.pick(ownNames)}=${encoded(random.pick(hostileText), random)}`);
  if (random.once(40) && parts[0] !== undefined) parts.push(parts[0]);
  if (random.once(60)) parts.push(inRequestLine(random.pick(hostileText)));
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
};

const bodyOf = (schema: JsonSchema, random: SeededRandom, known: KnownRecords): string => {
  if (random.once(60)) return random.pick(['', '{', '{"a":', 'undefined', '\ufeff{}', '"', 'nul']);
  let tree = valueFor(schema, 'body', random, known);
  for (let changes = random.below(4); changes > 0; changes -= 1) tree = mutate(tree, random);
  return writeTree(tree);
};

const fileOf = (random: SeededRandom): string => {
  const rows = Array.from({ length: random.below(60) }, (_, n) => `${n * 5},${(180 + n / 3).toFixed(2)},`);
  const text = [random.pick(['time (s),BT (°C),event', 'time;BT', '{"mode":"C"', "{'timex': [", 'PK']), ...rows].join(
    '\n',
  );
  const at = random.below(text.length + 1);
  return `${text.slice(0, at)}${random.pick(hostileText)}${text.slice(at)}`;
};

const headersOf = (operation: FuzzOperation, random: SeededRandom, caller: FuzzCaller): Record<string, string> => {
  const headers: Record<string, string> = {
    'accept-encoding': random.pick(['gzip', 'br', 'zstd', 'identity', '*', 'gzip;q=0', 'x'.repeat(200)]),
  };
  const [type] = Object.keys(operation.requestBody?.content ?? {});
  if (type !== undefined) {
    headers['content-type'] = random.once(40)
      ? random.pick(['text/plain', 'application/json; charset=utf-16', 'application/jsonx', 'multipart/form-data'])
      : type;
  }
  const [security = {}] = operation.security;
  if ('machineToken' in security) {
    const isRight = random.once(2);
    headers['authorization'] = `Bearer ${isRight ? caller.board.token : random.pick(['x', 'a'.repeat(43), ''])}`;
    const serial = isRight ? caller.board.serial : random.pick(hostileText).slice(0, 500);
    headers['x-machine-serial'] = encodeURIComponentSafe(serial);
  } else if ('brokerSecret' in security) headers['x-broker-secret'] = caller.brokerSecret;
  else if (!random.once(50)) headers['cookie'] = caller.cookie;
  if (random.once(50)) headers['range'] = random.pick(['bytes=0-', 'bytes=-1', 'bytes=9-1', 'bytes=0-0,2-3']);
  if (random.once(50)) headers['if-none-match'] = random.pick(['*', '"x"', '"'.repeat(500)]);
  return headers;
};

/** A request of an operation: mostly close to a valid one, with hostile values in one to three positions. */
const generateRequest = (
  operation: FuzzOperation,
  random: SeededRandom,
  known: KnownRecords,
  caller: FuzzCaller,
): FuzzRequest => {
  const content = Object.entries(operation.requestBody?.content ?? {})[0];
  const isJson = content?.[0] === 'application/json';
  return {
    operation: operation.operationId,
    method: operation.method === 'GET' && random.once(40) ? 'HEAD' : operation.method,
    target: `${apiBasePath}${pathOf(operation, random, known)}${queryOf(operation, random, known)}`,
    headers: headersOf(operation, random, caller),
    body: content && (isJson ? bodyOf(content[1].schema, random, known) : fileOf(random)),
  };
};

/** The weight of an operation: reading more often than deleting, and rarely those that hash a password. */
const weightOf = ({ operationId, method }: FuzzOperation): number => {
  if (hashesPassword.has(operationId)) return 1;
  return method === 'DELETE' ? 4 : 20;
};

/** Endless requests, of all operations by their weight; the caller may change in between. */
export const createRequestGenerator = (
  random: SeededRandom,
  known: KnownRecords,
): ((caller: FuzzCaller) => FuzzRequest) => {
  const operations = fuzzOperations().flatMap((operation) =>
    Array.from({ length: weightOf(operation) }, () => operation),
  );
  return (caller) => generateRequest(random.pick(operations) as FuzzOperation, random, known, caller);
};
