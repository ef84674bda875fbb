import { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { Context, MiddlewareHandler } from 'hono';
import { COMPRESSIBLE_CONTENT_TYPE_REGEX } from 'hono/compress';
import type { Env } from './client-address.ts';
import { bodyOf } from './file-answer.ts';

const compress = promisify(gzip);

/** One network packet holds less than this uncompressed. */
const minBytes = 1024;
/** From this size on compressing takes longer than a smaller answer saves: curves of hours, at several megabytes. */
const largeFromBytes = 256 * 1024;

/**
 * Fast compression for large answers: for a curve of 57,600 points level 4 takes a quarter of the time of level 6 and a
 * hundredth more bytes. An answer in pieces, without a length, counts as large.
 */
const levelFor = (bytes = Infinity): { level: number } => ({ level: bytes >= largeFromBytes ? 4 : 6 });

const acceptsGzip = (header: string | undefined): boolean => {
  const coding = header?.split(',').find((part) => /^\s*(?:gzip|\*)\s*(?:;|$)/i.test(part));
  return coding !== undefined && !/;\s*q=0(?:\.0*)?\s*$/i.test(coding);
};

/**
 * Compresses a complete JSON answer if that saves bytes. It never becomes a stream: Node tracks each stream of an
 * answer until the next full garbage collection, and copies thousands of them repeatedly until then, while requests
 * wait.
 */
export const wholeJsonAnswer = async (c: Context<Env>, json: string, status: number): Promise<Response> => {
  const body = Buffer.from(json);
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  const isLong = body.length >= minBytes;
  if (isLong) headers['vary'] = 'Accept-Encoding';
  const isCompressed = isLong && c.req.method !== 'HEAD' && acceptsGzip(c.req.header('accept-encoding'));
  if (isCompressed) headers['content-encoding'] = 'gzip';
  const sent = isCompressed ? await compress(body, levelFor(body.length)) : body;
  return new Response(bodyOf(new Uint8Array(sent.buffer, sent.byteOffset, sent.length)), {
    status,
    headers: { ...headers, 'content-length': String(sent.length) },
  });
};

/**
 * Compresses all other answers that become smaller. The portal's files are already compressed by the build and are sent
 * as they are.
 */
export const compressAnswers = (): MiddlewareHandler => async (c, next) => {
  await next();
  const { headers, status } = c.res;
  const length = headers.get('content-length');
  if (status === 206 || c.req.method === 'HEAD') return;
  if (headers.has('content-encoding') || (length !== null && Number(length) < minBytes)) return;
  if (!COMPRESSIBLE_CONTENT_TYPE_REGEX.test(headers.get('content-type') ?? '')) return;
  if (/no-transform/i.test(headers.get('cache-control') ?? '') || /accept-encoding/i.test(headers.get('vary') ?? ''))
    return;
  if (c.res.body === null) return;
  c.header('vary', 'Accept-Encoding', { append: true });
  if (!acceptsGzip(c.req.header('accept-encoding'))) return;
  const zipped = Duplex.toWeb(createGzip(levelFor(length === null ? undefined : Number(length))));
  c.res = new Response(c.res.body.pipeThrough(zipped as ReadableWritablePair<Uint8Array, Uint8Array>), c.res);
  c.res.headers.delete('content-length');
  c.res.headers.set('content-encoding', 'gzip');
  const etag = c.res.headers.get('etag');
  if (etag !== null && !etag.startsWith('W/')) c.res.headers.set('etag', `W/${etag}`);
};

interface ReadableWritablePair<R, W> {
  readonly readable: ReadableStream<R>;
  readonly writable: WritableStream<W>;
}
