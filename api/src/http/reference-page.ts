import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { apiBasePath } from '@roastery/contract/endpoint';
import { openApiDocument } from '@roastery/contract/openapi';
import type { Hono } from 'hono';
import type { Env } from './client-address.ts';
import { bodyOf } from './file-answer.ts';
import { heldFiles } from './hold-answer.ts';
import type { ServerContext } from './server-context.ts';

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Roasting Management API</title>
    <link rel="stylesheet" href="${apiBasePath}/docs/swagger-ui.css" />
  </head>
  <body>
    <div id="reference"></div>
    <script src="${apiBasePath}/docs/swagger-ui-bundle.js"></script>
    <script src="${apiBasePath}/docs/start.js"></script>
  </body>
</html>
`;
// Tags are closed at first: from 150 open rows on, Swagger UI draws only the visible ones, and the browser's search
// misses the rest.
const start = `window.ui = SwaggerUIBundle({ url: '${apiBasePath}/openapi.json', dom_id: '#reference', deepLinking: true, docExpansion: 'none', validatorUrl: null });
`;
const files: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/** Made at the start, since it blocks the event loop for a sixth of a second, and once for all apis of a process. */
let written: Uint8Array<ArrayBuffer> | undefined;

/**
 * The description of the api, and a page to read it; its parts come from this server, so the strict policy applies.
 */
export const mountReference = (app: Hono<Env>, context: ServerContext): void => {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const document = (written ??= new TextEncoder().encode(JSON.stringify(openApiDocument())));
  app.use(`${apiBasePath}/openapi.json`, heldFiles(context));
  app.use(`${apiBasePath}/docs/*`, heldFiles(context));
  app.get(`${apiBasePath}/openapi.json`, (c) =>
    c.body(bodyOf(document), 200, { 'content-type': 'application/json', 'cache-control': 'no-cache' }),
  );
  app.get(`${apiBasePath}/docs`, (c) => c.html(page, 200, { 'cache-control': 'no-cache' }));
  app.get(`${apiBasePath}/docs/start.js`, (c) =>
    c.body(start, 200, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' }),
  );
  for (const [name, type] of Object.entries(files)) {
    // All readers share its bytes.
    let file: Promise<Uint8Array<ArrayBuffer>> | undefined;
    const read = async () => new Uint8Array(await readFile(join(folder, name)));
    app.get(`${apiBasePath}/docs/${name}`, async (c) =>
      c.body(bodyOf(await (file ??= read())), 200, { 'content-type': type, 'cache-control': 'public, max-age=86400' }),
    );
  }
};
