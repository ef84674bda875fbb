import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const dist = new URL('../dist/', import.meta.url);

interface Piece {
  readonly file: string;
  readonly imports?: readonly string[];
}
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8')) as Record<string, Piece>;

/** Everything that a browser fetches for these, imports of imports included. */
const fetchedFor = (names: readonly string[], found = new Map<string, Piece>()): Map<string, Piece> => {
  for (const name of names) {
    const piece = manifest[name];
    if (piece === undefined) throw new Error(`the build has no ${name}`);
    if (found.has(name)) continue;
    found.set(name, piece);
    fetchedFor(piece.imports ?? [], found);
  }
  return found;
};

const pages = {
  'sign-in': ['index.html', 'src/features/login/LoginPage.tsx'],
  dashboard: ['index.html', 'src/app/Shell.tsx', 'src/features/dashboard/DashboardPage.tsx'],
};

describe('the first page', () => {
  it.each(Object.entries(pages))('%s fetches less than 150 KB of JavaScript, gzipped', (_, names) => {
    const pieces = [...fetchedFor(names).values()];
    const bytes = pieces.map(({ file }) => gzipSync(readFileSync(new URL(file, dist)), { level: 6 }).length);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150 * 1024);
  });

  it.each(Object.entries(pages))('%s brings neither charts nor schemas nor editors', (_, names) => {
    const scripts = [...fetchedFor(names).values()].map(({ file }) => readFileSync(new URL(file, dist), 'utf8'));
    // Words that are in the code of chart.js, zod and react-hook-form, whatever the minifier calls their functions.
    for (const word of ['beforeDatasetsDraw', 'invalid_union', 'shouldFocusError']) {
      expect(scripts.filter((script) => script.includes(word))).toEqual([]);
      const all = [...new Set(Object.values(manifest).map(({ file }) => file))].filter((file) => file.endsWith('.js'));
      expect(all.some((file) => readFileSync(new URL(file, dist), 'utf8').includes(word))).toBe(true);
    }
  });

  it('lies ready compressed', () => {
    for (const { file } of fetchedFor(pages.dashboard).values()) {
      if (readFileSync(new URL(file, dist)).length < 1024) continue;
      for (const ending of ['br', 'gz']) expect(existsSync(new URL(`${file}.${ending}`, dist)), file).toBe(true);
    }
  });
});
