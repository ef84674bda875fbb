import { constants, brotliCompressSync, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Files that become smaller; pictures and fonts are compressed already. */
const isText = (name: string): boolean => /\.(?:js|css|html|svg|json|webmanifest)$/.test(name);
/** A smaller file is one network packet either way. */
const leastBytes = 1024;

/**
 * Writes a `.br` and a `.gz` beside every text file of the build: the api serves them as they are, so that the best
 * compression costs time only at the build, not per visit.
 */
export const compressedFiles = (): Plugin => ({
  name: 'compressed-files',
  apply: 'build',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      for (const [fileName, file] of Object.entries(bundle)) {
        const content = Buffer.from(file.type === 'chunk' ? file.code : file.source);
        if (!isText(fileName) || content.length < leastBytes) continue;
        const brotli = brotliCompressSync(content, {
          params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
        });
        this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source: brotli });
        this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source: gzipSync(content, { level: 9 }) });
      }
    },
  },
});
