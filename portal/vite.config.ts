import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';
import { compressedFiles } from './build/compressed-files.ts';
import { endpointOutlines } from './build/endpoint-outlines.ts';
import { mergedChunks } from './build/merged-chunks.ts';
import { offlineShell } from './build/offline-shell.ts';
import { routePreloads } from './build/route-preloads.ts';
import { singleIcons } from './build/single-icons.ts';

export default defineConfig({
  plugins: [
    endpointOutlines(),
    singleIcons(),
    react(),
    tailwindcss(),
    mergedChunks(),
    routePreloads(),
    offlineShell(),
    compressedFiles(),
  ],
  // Workspace packages are read from their sources, so the portal needs no build of them.
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: {
    outDir: 'dist',
    target: 'es2023',
    // The api's content security policy allows no data: fonts or scripts, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Which chunk imports which: the test of the first page's size reads it.
    manifest: true,
    // It would compress every file again only to print its size.
    reportCompressedSize: false,
  },
  server: { host: '127.0.0.1', port: 5173, proxy: { '/api': 'http://127.0.0.1:3000' } },
  preview: { host: '127.0.0.1', port: 4173, proxy: { '/api': 'http://127.0.0.1:3000' } },
});
