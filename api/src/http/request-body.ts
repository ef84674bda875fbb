import type { IncomingMessage } from 'node:http';
import { multipartType } from '@roastery/contract/endpoint';
import type { Context } from 'hono';
import { AppError, invalid } from './app-error.ts';
import type { HeldBody } from './body-budget.ts';
import type { Env } from './client-address.ts';
import { filesOfForm, type SentFile } from './multipart.ts';

/** The largest JSON of a caller who has signed in, and of one who has not: a sign-in is a few hundred bytes. */
export const maxBodyBytes = 1024 * 1024;
export const maxPublicBodyBytes = 4 * 1024;
/** A body that does not continue for so long is cut off. */
const stalledMs = 30_000;
const maxDepth = 32;

/** Fills one buffer of the announced length as the pieces arrive, so that a large file is never copied at once. */
const readAnnounced = async (incoming: IncomingMessage, length: number): Promise<Uint8Array<ArrayBuffer>> => {
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  // Node's parser enforces the announced length.
  for await (const piece of incoming as AsyncIterable<Buffer>) at += piece.copy(bytes, at);
  return bytes.subarray(0, at);
};

/** Reads a body, and cuts off one that does not continue. */
const whileItContinues = async <T>(incoming: IncomingMessage | undefined, read: () => Promise<T>): Promise<T> => {
  if (incoming === undefined) return read();
  const { socket } = incoming;
  const cut = (): void => void incoming.destroy();
  socket.setTimeout(stalledMs).once('timeout', cut);
  try {
    return await read();
  } finally {
    // The connection serves later requests.
    socket.setTimeout(0).off('timeout', cut);
  }
};

const sizeText = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${Math.round(bytes / 1024 / 1024)} MB`;

/** Reads at most `maxBytes`, however the length was announced. */
const readAll = async (
  c: Context<Env>,
  held: HeldBody,
  maxBytes: number,
  what: string,
): Promise<Uint8Array<ArrayBuffer>> => {
  const tooLarge = () => new AppError('too_large', `The ${what} is larger than ${sizeText(maxBytes)}.`);
  const announced = c.req.header('content-length');
  const incoming = c.env?.incoming;
  if (announced !== undefined) {
    if (Number(announced) > maxBytes) throw tooLarge();
    held.add(Number(announced));
    if (incoming !== undefined) return readAnnounced(incoming, Number(announced));
    return new Uint8Array(await c.req.arrayBuffer());
  }
  const request = c.req.raw;
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.byteLength;
    try {
      if (length > maxBytes) throw tooLarge();
      held.add(next.value.byteLength);
    } catch (error) {
      await reader.cancel();
      throw error;
    }
    chunks.push(next.value);
  }
  return Buffer.concat(chunks, length);
};
const readBytes = (...[c, held, maxBytes, what]: Parameters<typeof readAll>): ReturnType<typeof readAll> =>
  whileItContinues(c.env?.incoming, () => readAll(c, held, maxBytes, what));

/** Half of a surrogate pair is not valid text: Postgres and UTF-8 cannot store it. */
const isText = (value: string): boolean => !/\p{Surrogate}/u.test(value);

/**
 * Refuses values that no valid client sends: unlimited nesting and broken text. Iterative, so that depth does no harm.
 */
const checkValue = (root: unknown): void => {
  const waiting: { value: unknown; path: string; depth: number }[] = [{ value: root, path: '', depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'string' && !isText(value)) throw invalid(path || 'body', 'must be well-formed text');
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= maxDepth) throw invalid('body', `must not be nested deeper than ${maxDepth}`);
    for (const [key, child] of Object.entries(value)) {
      if (!isText(key)) throw invalid('body', 'must be well-formed text');
      waiting.push({ value: child, path: path ? `${path}.${key}` : key, depth: depth + 1 });
    }
  }
};

/**
 * The client disconnected, or was disconnected for being slow: the answer is not read, and it is not a fault of ours.
 */
const refuseBrokenOff = (error: unknown): never => {
  throw error instanceof AppError ? error : invalid('body', 'is incomplete');
};

/** The JSON value of a request's body. Throws `wrong_type`, `too_large` or `validation`. */
export const readJsonBody = async (c: Context<Env>, held: HeldBody, maxBytes: number): Promise<unknown> => {
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new AppError('wrong_type', 'Send the body as application/json.');
  }
  const bytes = await readBytes(c, held, maxBytes, 'request').catch(refuseBrokenOff);
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    checkValue(value);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) throw invalid('body', 'must be JSON in UTF-8');
    throw error;
  }
};

/** The files that a request carries, in their order. Throws `wrong_type`, `too_large` or `validation`. */
export const readFilesBody = async (c: Context<Env>, held: HeldBody, maxBytes: number): Promise<SentFile[]> => {
  const type = c.req.header('content-type') ?? '';
  if (!/^multipart\/form-data\s*;/i.test(type)) throw new AppError('wrong_type', `Send the files as ${multipartType}.`);
  const files = filesOfForm(await readBytes(c, held, maxBytes, 'request').catch(refuseBrokenOff), type);
  if (files === undefined) throw invalid('body', `must be ${multipartType}`);
  return files;
};

/** The file of a request that has no JSON. Throws `wrong_type`, `too_large` or `validation`. */
export const readFileBody = async (
  c: Context<Env>,
  held: HeldBody,
  { type, maxBytes }: { type: string; maxBytes: number },
) => {
  const sent = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (sent !== type) throw new AppError('wrong_type', `Send the file as ${type}.`);
  return readBytes(c, held, maxBytes, 'file').catch(refuseBrokenOff);
};
