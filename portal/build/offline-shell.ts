import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/** Alphabets that few people need are loaded when a text has them. */
const rareAlphabets = /-(?:cyrillic|cyrillic-ext|vietnamese|symbols2|latin-ext)-/;

/**
 * Writes `sw.js` beside the build: the worker of `offline-worker.js` with the list of the files that it caches. The
 * cache's name changes with any file, so a browser takes a new build whole or not at all.
 */
export const offlineShell = (): Plugin => ({
  name: 'offline-shell',
  apply: 'build',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      // The build's own notes (`.vite/`) and source maps are for people, not for browsers.
      const built = Object.keys(bundle).filter((name) => !rareAlphabets.test(name) && !/^\.|\.map$/.test(name));
      const beside = readdirSync(new URL('../public/', import.meta.url));
      const files = [...built, 'index.html', ...beside].map((name) => `/${name}`);
      const listed = [...new Set(files)].sort();
      const worker = readFileSync(fileURLToPath(new URL('offline-worker.js', import.meta.url)), 'utf8');
      const html = bundle['index.html'];
      const content = html?.type === 'asset' ? String(html.source) : '';
      const mark = createHash('sha256').update(listed.join('\n')).update(content).update(worker).digest('hex');
      this.emitFile({
        type: 'asset',
        fileName: 'sw.js',
        source: `const shellName = 'shell-${mark.slice(0, 16)}';\nconst shellFiles = ${JSON.stringify(listed)};\n${worker}`,
      });
    },
  },
});
