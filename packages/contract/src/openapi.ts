import { z } from 'zod';
import { endpoints } from './endpoints.ts';
import { apiBasePath, multipartType, type Access, type Endpoint } from './endpoint.ts';
import { errorBodyShape, errorStatus, type ErrorCode } from './errors.ts';
import { liveEventShape } from './live.ts';

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

const jsonSchema = (shape: z.ZodType, io: 'input' | 'output'): Record<string, unknown> => {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { target: 'draft-2020-12', io, unrepresentable: 'any' });
  return schema;
};

const parametersOf = (shape: z.ZodType | undefined, place: 'path' | 'query') => {
  if (!shape) return [];
  const schema = jsonSchema(shape, 'input') as { properties?: Record<string, unknown>; required?: string[] };
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (schema.required ?? []).includes(name),
    schema: property,
  }));
};

const errorsOf = (endpoint: Endpoint) => {
  const ofRight: readonly ErrorCode[] =
    endpoint.right === undefined || endpoint.right === 'see' ? [] : ['forbidden' as const];
  const codes = [
    ...new Set([...commonErrors[endpoint.access], ...ofRight, ...(endpoint.errors ?? []), 'internal' as const]),
  ];
  const statuses = [...new Set(codes.map((code) => errorStatus[code]))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      {
        description: codes.filter((code) => errorStatus[code] === status).join(', '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
};

const fileSchema = ({ type, maxBytes }: NonNullable<Endpoint['accepts']>) => {
  const file = { type: 'string', format: 'binary', maxLength: maxBytes };
  return type === multipartType ? { type: 'object', properties: { files: { type: 'array', items: file } } } : file;
};

const operationOf = (endpoint: Endpoint) => ({
  operationId: endpoint.name,
  summary: endpoint.summary,
  tags: [endpoint.tag],
  security: security[endpoint.access],
  ...(endpoint.right && { 'x-machine-right': endpoint.right }),
  parameters: [...parametersOf(endpoint.params, 'path'), ...parametersOf(endpoint.query, 'query')],
  ...(endpoint.body && {
    requestBody: { required: true, content: { 'application/json': { schema: jsonSchema(endpoint.body, 'input') } } },
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
        content: { 'application/json': { schema: jsonSchema(endpoint.response, 'output') } },
      }),
      ...(endpoint.produces && { content: { [endpoint.produces]: { schema: { type: 'string' } } } }),
    },
    ...errorsOf(endpoint),
  },
});

/** The OpenAPI 3.1 description of every endpoint, derived from the same values that the api mounts. */
export const openApiDocument = () => {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    const path = (paths[endpoint.path] ??= {});
    path[endpoint.method.toLowerCase()] = operationOf(endpoint);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Roasting Management',
      version: '1.0.0',
      description:
        'Temperatures in °C, weights in kg, durations in seconds, times ISO 8601 in UTC. An id that the user may not see answers 404. `x-machine-right` says what the caller needs on the machine of the path: `see`, `roast` (roasters) or `manage` (owner, admins).',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: apiBasePath }],
    paths,
    components: {
      schemas: { Error: jsonSchema(errorBodyShape, 'output'), LiveEvent: jsonSchema(liveEventShape, 'output') },
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'session', description: '`__Host-session` behind TLS' },
        machineToken: { type: 'http', scheme: 'bearer' },
        machineSerial: { type: 'apiKey', in: 'header', name: 'X-Machine-Serial' },
        brokerSecret: { type: 'apiKey', in: 'header', name: 'X-Broker-Secret' },
      },
    },
  };
};
