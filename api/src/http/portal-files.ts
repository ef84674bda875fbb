import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Hono } from 'hono';
import { parseJson } from '@roastery/contract/parse-shape';
import { z } from 'zod';
import type { Env } from './client-address.ts';
import { heldFiles } from './hold-answer.ts';
import type { ServerContext } from './server-context.ts';

/** The build writes a hash into the name of every file under `assets/`: those never change. */
const cacheFor = (path: string): string =>
  path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';

/** Addresses of pages have no extension; the api's and missing assets are not pages. */
const isPage = (path: string): boolean =>
  !/^\/(api|assets|packages|\.well-known)(\/|$)/.test(path) && !/\.\w{2,5}$/.test(path);

/** @throws {Error} without one: PORTAL_DIR is wrong, or the portal is not built */
const pageFile = (folder: string): string => {
  const file = join(folder, 'index.html');
  if (!existsSync(file)) throw new Error(`PORTAL_DIR ${folder} holds no index.html`);
  return file;
};

const preloadsShape = z.record(z.string(), z.array(z.string()));

/** `Link` header of a page's address: the files of its route, by the `preloads.json` of the build. */
const readPreloads = (folder: string): ((path: string) => string | undefined) => {
  const file = join(folder, 'preloads.json');
  const parsed = existsSync(file) ? parseJson(preloadsShape, readFileSync(file, 'utf8')) : undefined;
  const routes = Object.entries(parsed?.success === true ? parsed.data : {}).map(([pattern, files]) => ({
    matches: new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}/?$`),
    link: files.map((name) => `<${name}>; rel=modulepreload`).join(', '),
  }));
  return (path) => routes.find(({ matches }) => matches.test(path))?.link;
};

/** Texts of the inline scripts in the built page: the content security policy allows these and no others. */
export const readInlineScripts = (folder: string): string[] => {
  const page = readFileSync(pageFile(folder), 'utf8');
  return [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text = '']) => text);
};

/**
 * Serves the built portal: files as they are (a `.br` or `.gz` beside one is used when the browser accepts it), and the
 * page itself for every other address that is not the api's, since the portal routes in the browser.
 */
export const mountPortal = (app: Hono<Env>, folder: string, context: ServerContext): void => {
  const file = serveStatic<Env>({
    root: folder,
    precompressed: true,
    onFound: (_, c) => c.header('cache-control', cacheFor(c.req.path)),
  });
  const linkOf = readPreloads(folder);
  const page = serveStatic<Env>({
    root: folder,
    path: 'index.html',
    precompressed: true,
    onFound: (_, c) => {
      c.header('cache-control', 'no-cache');
      const link = linkOf(c.req.path);
      if (link) c.header('link', link);
    },
  });
  app.use('*', heldFiles(context));
  app.use('*', (c, next) => (/^\/(api|packages)\//.test(c.req.path) ? next() : file(c, next)));
  app.get('*', (c, next) => (isPage(c.req.path) ? page(c, next) : next()));
};
