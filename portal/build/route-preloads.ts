import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin, Rolldown } from 'vite';

const routesFile = new URL('../src/app/routes.tsx', import.meta.url);

/** Pattern of a route → its page's source, as `routes.tsx` has them. */
const pagesOf = (routes: string): [pattern: string, file: string][] =>
  [...routes.matchAll(/path: '([^']+)',\s+\.\.\.page\(\(\) => import\('([^']+)'\)/g)].map(
    ([, pattern = '', file = '']) => [pattern, fileURLToPath(new URL(file, routesFile))],
  );

type Bundle = Rolldown.OutputBundle;

const chunkOf = (bundle: Bundle, module: string): Rolldown.OutputChunk => {
  for (const chunk of Object.values(bundle)) {
    if (chunk.type === 'chunk' && chunk.moduleIds.includes(module)) return chunk;
  }
  throw new Error(`the build has no ${module}`);
};

/** The chunk and all its static imports, imports of imports included. */
const filesFor = (bundle: Bundle, first: string): Set<string> => {
  const files = new Set([first]);
  for (const file of files) {
    const chunk = bundle[file];
    if (chunk?.type === 'chunk') for (const imported of chunk.imports) files.add(imported);
  }
  return files;
};

/**
 * Writes `preloads.json`: pattern of a route → files of its page that `index.html` does not name. The api sends them as
 * `Link` headers with the HTML, so that a browser requests the page's code at once, not after the first file has run.
 */
export const routePreloads = (): Plugin => ({
  name: 'route-preloads',
  apply: 'build',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const entry = Object.values(bundle).find((chunk) => chunk.type === 'chunk' && chunk.isEntry);
      if (entry === undefined) throw new Error('the build has no entry');
      const named = filesFor(bundle, entry.fileName);
      const pages = pagesOf(readFileSync(routesFile, 'utf8'));
      const preloads = pages.map(([pattern, file]): [string, string[]] => {
        const files = [...filesFor(bundle, chunkOf(bundle, file).fileName)];
        return [pattern, files.filter((name) => !named.has(name)).map((name) => `/${name}`)];
      });
      const source = JSON.stringify(Object.fromEntries(preloads));
      this.emitFile({ type: 'asset', fileName: 'preloads.json', source });
    },
  },
});
