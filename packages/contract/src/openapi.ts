import type { z } from 'zod';
import { endpoints } from './endpoints.ts';
import { apiBasePath, multipartType, type Access, type Endpoint } from './endpoint.ts';
import { errorStatus, type ErrorCode } from './errors.ts';
import { contractSchemas } from './openapi-schemas.ts';

type Schemas = ReturnType<typeof contractSchemas>;

/** Codes that every endpoint with the same access can answer, besides its own. */
const commonErrors: Record<Access, readonly ErrorCode[]> = {
  public: ['validation', 'too_many_requests', 'wrong_origin'],
  user: ['not_signed_in', 'validation', 'wrong_origin'],
  admin: ['not_signed_in', 'forbidden', 'validation', 'wrong_origin'],
  device: ['not_signed_in', 'validation'],
  broker: ['not_signed_in', 'validation'],
};

const security: Record<Access, object[]> = {
  public: [],
  user: [{ session: [] }],
  admin: [{ session: [] }],
  device: [{ machineToken: [], machineSerial: [] }],
  broker: [{ brokerSecret: [] }],
};

/** Path and query are objects of one level, without a name. */
const parametersOf = (schemas: Schemas, shape: z.ZodType | undefined, place: 'path' | 'query') => {
  const schema = shape === undefined ? false : schemas.of(shape, 'input');
  if (typeof schema === 'boolean') return [];
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }));
};

/** `not_signed_in`, of several codes `conflict.already_exists` */
const responseName = (codes: readonly ErrorCode[]): string => codes.join('.');

/** The codes of an endpoint, by status. */
const errorsOf = (endpoint: Endpoint): readonly (readonly [status: number, codes: readonly ErrorCode[]])[] => {
  const ofRight: readonly ErrorCode[] =
    endpoint.right === undefined || endpoint.right === 'see' ? [] : ['forbidden' as const];
  const codes = [
    ...new Set([...commonErrors[endpoint.access], ...ofRight, ...(endpoint.errors ?? []), 'internal' as const]),
  ];
  const statuses = [...new Set(codes.map((code) => errorStatus[code]))].sort((a, b) => a - b);
  return statuses.map((status) => [status, codes.filter((code) => errorStatus[code] === status)]);
};

const fileSchema = ({ type, maxBytes }: NonNullable<Endpoint['accepts']>) => {
  const file = { type: 'string', format: 'binary', maxLength: maxBytes };
  return type === multipartType ? { type: 'object', properties: { files: { type: 'array', items: file } } } : file;
};

const operationOf = (schemas: Schemas, endpoint: Endpoint) => ({
  operationId: endpoint.name,
  summary: endpoint.summary,
  tags: [endpoint.tag],
  security: security[endpoint.access],
  ...(endpoint.right && { 'x-machine-right': endpoint.right }),
  parameters: [...parametersOf(schemas, endpoint.params, 'path'), ...parametersOf(schemas, endpoint.query, 'query')],
  ...(endpoint.body && {
    requestBody: { required: true, content: { 'application/json': { schema: schemas.of(endpoint.body, 'input') } } },
  }),
  ...(endpoint.accepts && {
    requestBody: {
      required: true,
      content: {
        [endpoint.accepts.type]: { schema: fileSchema(endpoint.accepts) },
      },
    },
  }),
  responses: {
    [String(endpoint.status ?? 200)]: {
      description: 'Success',
      ...(endpoint.response && {
        content: { 'application/json': { schema: schemas.of(endpoint.response, 'output') } },
      }),
      ...(endpoint.produces && { content: { [endpoint.produces]: { schema: { type: 'string' } } } }),
    },
    ...Object.fromEntries(
      errorsOf(endpoint).map(([status, codes]) => [
        String(status),
        { $ref: `#/components/responses/${responseName(codes)}` },
      ]),
    ),
  },
});

/** Each set of codes that some endpoint answers with one status. */
const errorResponses = () => {
  const sets = endpoints.flatMap((endpoint) => errorsOf(endpoint).map(([, codes]) => codes));
  const named = new Map(sets.map((codes) => [responseName(codes), codes]));
  return Object.fromEntries(
    [...named]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, codes]) => [
        name,
        {
          description: codes.join(', '),
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      ]),
  );
};

/** The OpenAPI 3.1 description of every endpoint, derived from the same values that the api mounts. */
export const openApiDocument = () => {
  const schemas = contractSchemas();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    const path = (paths[endpoint.path] ??= {});
    path[endpoint.method.toLowerCase()] = operationOf(schemas, endpoint);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Roasting Management',
      version: '0.1.0',
      description:
        'Temperatures in °C, weights in kg, durations in seconds, times ISO 8601 in UTC. An id that the user may not see answers 404. `x-machine-right` says what the caller needs on the machine of the path: `see`, `roast` (roasters) or `manage` (owner, admins).',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: apiBasePath }],
    paths,
    components: {
      schemas: schemas.named,
      responses: errorResponses(),
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'session', description: '`__Host-session` behind TLS' },
        machineToken: { type: 'http', scheme: 'bearer' },
        machineSerial: { type: 'apiKey', in: 'header', name: 'X-Machine-Serial' },
        brokerSecret: { type: 'apiKey', in: 'header', name: 'X-Broker-Secret' },
      },
    },
  };
};
