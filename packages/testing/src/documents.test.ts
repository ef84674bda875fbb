import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from './shared-data.ts';
import { readDocuments, readSourceFiles } from './source-files.ts';

const documents = await readDocuments();
const textOf = new Map(documents.map((document) => [document.path, document.text]));

const LINK = /\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g;
/** As GitHub makes them: lower case, words joined, other signs left out. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\d _-]/gu, '')
    .replaceAll(' ', '-');
const anchorsOf = (text: string) => [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

const brokenLinks = documents.flatMap(({ path: from, text }) =>
  [...text.matchAll(LINK)].flatMap(([, target = '', anchor]) => {
    const to = target === '' ? from : path.posix.join(path.posix.dirname(from), target);
    if (!existsSync(path.join(repositoryRoot(), to))) return [`${from} → ${to}`];
    return anchor === undefined || anchorsOf(textOf.get(to) ?? '').includes(anchor)
      ? []
      : [`${from} → ${to}#${anchor}`];
  }),
);
const isDecision = (file: string) => file.includes('/docs/decisions/');

describe('documents', () => {
  it('have a README of at most 120 lines in each place', () => {
    const readmes = documents.filter(({ path: file }) => path.basename(file) === 'README.md');
    expect(readmes.length).toBeGreaterThan(10);
    expect(readmes.filter(({ lines }) => lines > 120).map(({ path: file, lines }) => `${file} (${lines})`)).toEqual([]);
  });

  it('link to pages and headings that exist', () => expect(brokenLinks).toEqual([]));

  it('date decisions by their month and keep them at half a page', () => {
    const decisions = documents.filter(({ path: file }) => isDecision(file));
    expect(decisions.length).toBeGreaterThan(5);
    const wrong = decisions.filter(
      ({ path: file, lines }) => !/^\d{4}-\d{2}-[a-z-]+\.md$/.test(path.basename(file)) || lines > 40,
    );
    expect(wrong.map(({ path: file, lines }) => `${file} (${lines})`)).toEqual([]);
  });

  it('are reached by a link from the README of their place', () => {
    const linked = new Set(
      documents.flatMap(({ path: from, text }) =>
        [...text.matchAll(LINK)].map(([, target = '']) => path.posix.join(path.posix.dirname(from), target)),
      ),
    );
    const pages = documents.filter(({ path: file }) => file.includes('/docs/')).map(({ path: file }) => file);
    expect(pages.filter((page) => !linked.has(page))).toEqual([]);
  });
});

describe('three trips of ARCHITECTURE', () => {
  /** Longer files are more than a reader takes in at once. */
  const maxLines = 250;
  const section = /^## Three trips\n([\s\S]*?)^## /m.exec(textOf.get('ARCHITECTURE.md') ?? '')?.[1] ?? '';
  const stations = [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file);

  it('go through files that exist and have at most 250 lines', async () => {
    expect(stations.length).toBeGreaterThan(40);
    const lines = new Map((await readSourceFiles()).map((file) => [file.path, file.lines]));
    expect(stations.filter((file) => !lines.has(file))).toEqual([]);
    const long = stations.filter((file) => (lines.get(file) ?? 0) > maxLines);
    expect(long.map((file) => `${file} (${lines.get(file)})`)).toEqual([]);
  });

  it('bring a reading from register to pixel through at most 30 files', () => {
    const [first = ''] = section.split('**A batch');
    expect([...first.matchAll(/^\d+\. /gm)].length).toBeLessThanOrEqual(30);
  });
});
