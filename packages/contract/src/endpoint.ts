import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

export const apiBasePath = '/api/v1';

/** For a request with several files, each as a part with a file name. */
export const multipartType = 'multipart/form-data';

/**
 * Who may call an endpoint. Its handler decides what the caller can see. `device`: a board's credential
 * (`Authorization: Bearer <machine token>` with `X-Machine-Serial`); `broker`: the MQTT broker's shared secret in
 * `X-Broker-Secret`.
 */
export type Access = 'public' | 'user' | 'admin' | 'device' | 'broker';

/**
 * The right that a caller needs on the machine in the path, or on the machine of the roast or plan in the path. `see`:
 * any of its people; `roast`: plan, mark and edit, for its roasters; `manage`: its owner and admins. Without `see` the
 * answer is 404, with `see` alone 403.
 */
export type MachineRight = 'see' | 'roast' | 'manage';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface EndpointParts<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  /** Unique, camelCase verb and noun: becomes `operationId`. */
  readonly name: string;
  readonly method: Method;
  /** Below `apiBasePath`, parameters in braces: `/machines/{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly right?: MachineRight;
  /** The cookie of a wall link also opens it; no other endpoint accepts that cookie. */
  readonly isForWallLinks?: true;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** The request carries a file instead of JSON, or several as `multipartType`. */
  readonly accepts?: { readonly type: string; readonly maxBytes: number };
  /** One of thousands of requests that a program sends: its work pauses while people's requests are open. */
  readonly isBulk?: true;
  /** Shape of a success; absent for an event stream or a file. */
  readonly response?: Response;
  /** Content type of a success when it is not JSON. */
  readonly produces?: string;
  /** Status of a success, 200 by default. */
  readonly status?: 200 | 201 | 202 | 204;
  /** Codes in addition to those of every endpoint with the same access. */
  readonly errors?: readonly ErrorCode[];
}

/** What the endpoints of a file share, unless one of them states its own. */
interface SharedParts {
  readonly tag: string;
  readonly access: Access;
}

export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
>
  extends EndpointParts<Params, Query, Body, Response>, SharedParts {}

/**
 * The endpoints of one tag, most of them for signed-in people. Bundlers leave out those that a program does not use.
 * @__NO_SIDE_EFFECTS__
 */
export const endpointsOf =
  (tag: string, access: Access = 'user') =>
  /* @__NO_SIDE_EFFECTS__ */
  <
    Params extends z.ZodType = z.ZodNever,
    Query extends z.ZodType = z.ZodNever,
    Body extends z.ZodType = z.ZodNever,
    Response extends z.ZodType = z.ZodNever,
  >(
    value: EndpointParts<Params, Query, Body, Response> & Partial<SharedParts>,
  ): Endpoint<Params, Query, Body, Response> => ({ tag, access, ...value });

type Part<E, K extends 'params' | 'query' | 'body' | 'response'> = E extends { readonly [P in K]?: infer S }
  ? NonNullable<S> extends z.ZodNever
    ? undefined
    : NonNullable<S>
  : undefined;

type Given<S> = S extends z.ZodType ? z.input<S> : undefined;
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** The input of a caller. */
export type ParamsOf<E> = Given<Part<E, 'params'>>;
export type QueryOf<E> = Given<Part<E, 'query'>>;
export type BodyOf<E> = Given<Part<E, 'body'>>;
/** The input of the api's handler after parsing. */
export type ParsedParams<E> = Parsed<Part<E, 'params'>>;
export type ParsedQuery<E> = Parsed<Part<E, 'query'>>;
export type ParsedBody<E> = Parsed<Part<E, 'body'>>;
/** The body of the answer. */
export type ResponseOf<E> = Parsed<Part<E, 'response'>>;
