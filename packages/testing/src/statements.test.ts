import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot, sharedData } from './shared-data.ts';
import { readSourceFiles } from './source-files.ts';
import { findProofs, holdsText, quotedTexts, readStatements, statementTable } from './statements.ts';

const statements = readStatements(
  await readFile(path.join(repositoryRoot(), 'portal', 'docs', 'statements.md'), 'utf8'),
);
const files = await readSourceFiles();
const proofs = findProofs(files);
const source = files
  .filter(({ path: file }) => /^(?:portal|api|packages\/contract)\//.test(file))
  .map(({ text }) => text)
  .join('\n');

/** The product document is beside the repository; it is not part of the project. */
const shared = sharedData();
const documentFile = shared.path('..', 'spec', 'portal.md');
const isDocumentThere = existsSync(documentFile);
const whySkipped = isDocumentThere ? '' : ' (skipped: needs ../shared/spec/portal.md, which is absent)';

/** Names of placeholders differ; only the words around them are compared. */
const asWritten = (text: string) => text.replaceAll(/\{[^}]*\}|(?<=\()n(?=\))/g, '{}');

describe('statements of the product document', () => {
  it('have ids of their own', () => {
    expect(statements.length).toBeGreaterThan(200);
    const ids = statements.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('are each named by the title of a test', () => {
    const named = new Set(proofs.map(({ id }) => id));
    expect(statements.filter(({ id }) => !named.has(id)).map(({ id, text }) => `${id} ${text}`)).toEqual([]);
  });

  it('exist for each id in a title', () => {
    const known = new Set(statements.map(({ id }) => id));
    expect(proofs.filter(({ id }) => !known.has(id))).toEqual([]);
  });

  it('quote texts that the sources contain verbatim', () => {
    const lost = statements.flatMap(({ id, text }) =>
      quotedTexts(text)
        .filter((quoted) => !holdsText(source, quoted))
        .map((quoted) => `${id}: no source contains '${quoted}'`),
    );
    expect(lost).toEqual([]);
  });

  it.skipIf(!isDocumentThere)(`leave out no text of the document${whySkipped}`, async () => {
    const whole = await readFile(documentFile, 'utf8');
    const quoted = new Set(statements.flatMap(({ text }) => quotedTexts(text)).map(asWritten));
    const written = quotedTexts(whole);
    expect(written.length).toBeGreaterThan(90);
    expect(written.filter((text) => !quoted.has(asWritten(text)))).toEqual([]);
  });
});

describe('reading of statements', () => {
  const one = { id: 'P1', section: 'One', text: "The empty list says 'None yet'" };
  const two = { id: 'P2', section: 'One', text: 'Rows are counted' };

  it('finds ids, sections and texts', () => {
    const markdown = ['# All', '## One', `- **P1** ${one.text}`, 'a sentence', `- **P2** ${two.text}`].join('\n');
    expect(readStatements(markdown)).toEqual([one, two]);
  });

  it('finds ids in titles and in rows of tables, in test files only', () => {
    const text = [
      `it('don\\'t count [${one.id}]', () => {});`,
      `it.each([{ statement: "rows [${one.id} ${two.id}]" }, ['an array', \`[${one.id}.length]\`]])('says $statement', () => {});`,
      `const key = rows['P2'];`,
    ].join('\n');
    expect(findProofs([{ path: 'a.test.ts', text }])).toEqual([
      { id: 'P1', file: 'a.test.ts', title: "don't count" },
      { id: 'P1', file: 'a.test.ts', title: 'rows' },
      { id: 'P2', file: 'a.test.ts', title: 'rows' },
    ]);
    expect(findProofs([{ path: 'a.ts', text }])).toEqual([]);
  });

  it('prints a statement with its tests, and says where none is', () => {
    const proofOfOne = { id: 'P1', file: 'a.test.ts', title: 'is empty at first' };
    expect(statementTable([one, two], [proofOfOne]).split('\n')).toEqual([
      '',
      'One',
      `P1    ${one.text}`,
      '      a.test.ts › is empty at first',
      `P2    ${two.text}`,
      '      NO TEST',
    ]);
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
