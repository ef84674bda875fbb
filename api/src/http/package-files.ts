import { existsSync, fstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { open, readFile, type FileHandle } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { packageRepositoryShape, packagesPath, type PackageRepository } from '@roastery/contract/board-packages';
import { describeRefusal, parseJson } from '@roastery/contract/parse-shape';
import type { Logger } from '@roastery/runtime/logger';
import type { Context, Hono } from 'hono';
import { AppError } from './app-error.ts';
import { clientAddress, type Env } from './client-address.ts';
import { fileBufferBytes, openAnswer } from './hold-answer.ts';
import type { ServerContext } from './server-context.ts';
import { bodyOfReadable } from './streamed-answer.ts';

interface PackageFile {
  readonly path: string;
  readonly bytes: number;
  readonly modified: Date;
  readonly etag: string;
}

/** The board software of this server: an apt repository as built by `npm run release`. */
export interface BoardPackages {
  readonly about: PackageRepository;
  /** Path below `/packages/` → file. Other files are not served. */
  readonly files: ReadonlyMap<string, PackageFile>;
}

/** The placeholder for this server's address in the script. */
const script = 'install.sh';
const placeOfPortal = '@PORTAL@';

const listFiles = (folder: string): ReadonlyMap<string, PackageFile> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        const { size, mtime } = statSync(path);
        const file = {
          path,
          bytes: size,
          modified: mtime,
          etag: `"${size.toString(36)}-${mtime.getTime().toString(36)}"`,
        };
        return [relative(folder, path).split(sep).join('/'), file];
      }),
  );

/** Reads the repository once, at the start. A folder without one means that this server has no packages. */
export const openBoardPackages = (folder: string | undefined, log: Logger): BoardPackages | undefined => {
  const description = folder === undefined ? undefined : join(folder, 'repository.json');
  if (folder === undefined || description === undefined || !existsSync(description)) return undefined;
  const parsed = parseJson(packageRepositoryShape, readFileSync(description, 'utf8'));
  if (!parsed.success) {
    log.warn({ folder, reason: describeRefusal(parsed) }, 'board packages unreadable');
    return undefined;
  }
  return { about: parsed.data, files: listFiles(folder) };
};

const types: Readonly<Record<string, string>> = {
  '.deb': 'application/vnd.debian.binary-package',
  '.gz': 'application/gzip',
  '.tgz': 'application/gzip',
  '.json': 'application/json',
  '.asc': 'application/pgp-keys',
};

/** First and last byte of a request for a part; `unsatisfiable` when the file has no such part. */
const partOf = (
  header: string | undefined,
  bytes: number,
): { from: number; to: number } | 'whole' | 'unsatisfiable' => {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'whole';
  const from = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const to = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  return from > to || from >= bytes ? 'unsatisfiable' : { from, to };
};

const isUnchanged = (c: Context, { etag, modified }: PackageFile): boolean => {
  const tags = c.req.header('if-none-match');
  if (tags !== undefined) return tags.split(',').some((tag) => tag.trim() === etag);
  const since = Date.parse(c.req.header('if-modified-since') ?? '');
  return Math.floor(modified.getTime() / 1000) * 1000 <= since;
};

const isReplaced = ({ fd }: FileHandle, { bytes, modified }: PackageFile): boolean => {
  const { size, mtime } = fstatSync(fd);
  return size !== bytes || mtime.getTime() !== modified.getTime();
};

const replaced = (): AppError =>
  new AppError('not_ready', 'The packages of this server were replaced. They are served when it was restarted.', 60);

/** @throws AppError `not_ready` when the file is not the one that was listed: its length and its indexes are others. */
const openListed = async (file: PackageFile): Promise<FileHandle> => {
  const handle = await open(file.path).catch((error: unknown) => {
    throw error instanceof Error && 'code' in error && error.code === 'ENOENT' ? replaced() : error;
  });
  if (!isReplaced(handle, file)) return handle;
  await handle.close();
  throw replaced();
};

/**
 * Part of an open file; an error where the file was overwritten while it was sent: its reader would wait for the rest, or get a
 * mixture of both.
 */
const partOfFile = (handle: FileHandle, file: PackageFile, from: number, to: number, log: Logger): Readable => {
  let left = to - from + 1;
  const overwritten = new Error('overwritten while it was sent');
  const checked = new Transform({
    transform(piece: Buffer, _, done) {
      left -= piece.length;
      done(null, piece);
    },
    flush(done) {
      done(left > 0 || isReplaced(handle, file) ? overwritten : null);
    },
  });
  const send = async (): Promise<void> => {
    try {
      await pipeline(handle.createReadStream({ start: from, end: to, autoClose: false }), checked);
    } catch (error) {
      // All others are of clients that have disconnected.
      if (error === overwritten) log.warn({ file: file.path }, 'package overwritten while it was sent');
    }
    await handle.close();
  };
  send().catch((error: unknown) => log.warn({ err: error, file: file.path }, 'package not closed'));
  return checked;
};

const answerWith = async (c: Context, name: string, file: PackageFile, log: Logger): Promise<Response> => {
  const headers = new Headers({
    'content-type': types[extname(name)] ?? 'text/plain; charset=utf-8',
    // An index under its own hash never changes; no proxy may compress what apt compares with its hash.
    'cache-control': `public, no-transform, ${name.includes('/by-hash/') ? 'max-age=31536000, immutable' : 'no-cache'}`,
    'last-modified': file.modified.toUTCString(),
    etag: file.etag,
    'accept-ranges': 'bytes',
  });
  if (isUnchanged(c, file)) return new Response(null, { status: 304, headers });
  const condition = c.req.header('if-range');
  const isSame = condition === undefined || condition === file.etag || condition === headers.get('last-modified');
  const part = isSame ? partOf(c.req.header('range'), file.bytes) : 'whole';
  if (part === 'unsatisfiable') {
    headers.set('content-range', `bytes */${file.bytes}`);
    return new Response(null, { status: 416, headers });
  }
  const { from, to } = part === 'whole' ? { from: 0, to: file.bytes - 1 } : part;
  headers.set('content-length', String(to - from + 1));
  if (part !== 'whole') headers.set('content-range', `bytes ${from}-${to}/${file.bytes}`);
  const status = part === 'whole' ? 200 : 206;
  if (c.req.method === 'HEAD' || file.bytes === 0) return new Response(null, { status, headers });
  const body = bodyOfReadable(partOfFile(await openListed(file), file, from, to, log));
  return new Response(body, { status, headers });
};

const decoded = (path: string): string | undefined => {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
};

/** Serves the packages publicly: their signature protects them. */
export const mountPackages = (app: Hono<Env>, packages: BoardPackages | undefined, context: ServerContext): void => {
  const { answers, config, log } = context;
  app.get(`${packagesPath}/*`, async (c) => {
    const name = decoded(c.req.path.slice(packagesPath.length + 1));
    const file = name === undefined ? undefined : packages?.files.get(name);
    if (name === undefined || file === undefined) return c.notFound();
    const reader = { address: clientAddress(c, config.trustedProxies), id: undefined };
    openAnswer(c, answers, 'package', reader)?.hold(Math.min(file.bytes, fileBufferBytes));
    if (name !== script) return answerWith(c, name, file, log);
    const text = (await readFile(file.path, 'utf8')).replaceAll(placeOfPortal, config.publicUrl);
    return c.text(text, 200, { 'cache-control': 'no-cache' });
  });
};
