import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot, sharedData } from './shared-data.ts';
import { hasTest, holdsText, quotedTexts, readStatements, testTitles, type Statement } from './statements.ts';

const below = (file: string) => path.join(repositoryRoot(), file);
const statements = readStatements(await readFile(below('portal/README.md'), 'utf8'));
const sources = new Map<string, string>();
for (const file of new Set(statements.flatMap(({ places, tests }) => [...places, ...tests.map((test) => test.file)]))) {
  // A place may be a folder.
  const source = await readFile(below(file), 'utf8').catch(() => undefined);
  if (source !== undefined) sources.set(file, source);
}

/** The problems of a row, as sentences; none when the row is valid. */
const problemsOf = ({ text, places, tests }: Statement): string[] => [
  ...(text === '' ? ['says nothing'] : []),
  ...(places.length === 0 ? ['names no place'] : []),
  ...(tests.length === 0 ? ['names no test'] : []),
  ...places.filter((place) => !existsSync(below(place))).map((place) => `${place} is not there`),
  ...tests.flatMap(({ file, title }) => {
    const source = sources.get(file);
    if (source === undefined) return [file === '' ? 'names a test without a file' : `${file} is not there`];
    return hasTest(source, title) ? [] : [`${file} has no test “${title}”`];
  }),
];

/** The product document is beside the repository; it is not part of the project. */
const shared = sharedData();
const documentFile = shared.path('..', 'spec', 'portal.md');
const isDocumentThere = existsSync(documentFile);
const whySkipped = isDocumentThere ? '' : ' (skipped: needs ../shared/spec/portal.md, which is absent)';

const filesOf = ({ places, tests }: Statement) => [...places, ...tests.map(({ file }) => file)];
/** Names of placeholders differ; only the words around them are compared. */
const asWritten = (text: string) => text.replaceAll(/\{[^}]*\}|(?<=\()n(?=\))/g, '{}');
const unheld = (statement: Statement): string[] =>
  quotedTexts(statement.text).filter(
    (text) => !filesOf(statement).some((file) => holdsText(sources.get(file) ?? '', text)),
  );

describe('table of the product document', () => {
  it('has rows, each with a statement, its place and a test that exists', () => {
    expect(statements.length).toBeGreaterThan(0);
    const broken = statements.flatMap((statement) =>
      problemsOf(statement).map((problem) => `${statement.section}: ${statement.text}: ${problem}`),
    );
    expect(broken).toEqual([]);
  });

  it('quotes texts that its places or tests contain verbatim', () => {
    const lost = statements.flatMap((statement) =>
      unheld(statement).map((text) => `${statement.section}: ${statement.text}: nothing holds '${text}'`),
    );
    expect(lost).toEqual([]);
  });

  it.skipIf(!isDocumentThere)(`leaves out no text of the document${whySkipped}`, async () => {
    const whole = await readFile(documentFile, 'utf8');
    const quoted = new Set(statements.flatMap(({ text }) => quotedTexts(text)).map(asWritten));
    const written = quotedTexts(whole);
    expect(written.length).toBeGreaterThan(90);
    expect(written.filter((text) => !quoted.has(asWritten(text)))).toEqual([]);
  });
});

describe('reading of the table', () => {
  const table = [
    '## The product document, statement by statement',
    '### One',
    '| statement | where it lives | test |',
    '| --- | --- | --- |',
    "| The empty list says 'None yet' | `a.tsx`, `b/` | `a.e2e.ts` › begins › empty<br>`b.test.ts` › counts |",
    '| a \\| b |  | |',
    '## Next',
    '| not | a | row |',
  ].join('\n');
  it('finds rows, places and tests, and detects missing ones', () => {
    const [first, second, ...rest] = readStatements(table);
    expect(rest).toEqual([]);
    expect(first).toMatchObject({
      section: 'One',
      places: ['a.tsx', 'b/'],
      tests: [
        { file: 'a.e2e.ts', title: 'begins › empty' },
        { file: 'b.test.ts', title: 'counts' },
      ],
    });
    expect(quotedTexts(first?.text ?? '')).toEqual(['None yet']);
    expect(second).toMatchObject({ text: 'a | b', places: [], tests: [] });
    expect(problemsOf(second as Statement)).toEqual(['names no place', 'names no test']);
  });

  it('finds titles however they are written', () => {
    const source = [
      `it('plain', () => {});`,
      `  it.each([\n  { statement: 'a (b)', page: open('x') },\n])('says $statement', () => {});`,
      `it.skipIf(no)(\n  data.title('don\\'t'), () => {});`,
      '// only says it (`here`)',
    ].join('\n');
    expect(testTitles(source)).toEqual(['plain', 'says $statement', "don't"]);
    expect(hasTest(source, 'says a (b)')).toBe(true);
    expect(hasTest(source, 'says c')).toBe(false);
    expect(hasTest(source, 'plai')).toBe(false);
  });

  it('finds texts in code', () => {
    expect(quotedTexts("'Won't be shown' and the owner's 'Delete ({n})'")).toEqual(["Won't be shown", 'Delete ({n})']);
    expect(holdsText('`Delete (${selected.length})`', 'Delete ({n})')).toBe(true);
    expect(holdsText("'Name (A-Z)'", 'Name (A-Z)')).toBe(true);
    expect(holdsText('>Won’t be\n  shown<', "Won't be shown")).toBe(true);
    expect(holdsText('/^Reset filters \\(2\\)$/', 'Reset filters (n)')).toBe(false);
    expect(holdsText('Loading', 'Loading...')).toBe(false);
  });
});
