import type { SourceFile } from './source-files.ts';

/** One statement of the product document, as `portal/docs/statements.md` lists it. */
export interface Statement {
  /** `P12`: fixed, and never used for another statement. */
  id: string;
  section: string;
  /** The statement, with the document's texts verbatim between single quotes. */
  text: string;
}

/** A title of a test, or the part of one that a row of its table supplies. */
export interface Proof {
  id: string;
  file: string;
  title: string;
}

/** The statements of the document below their sections, in order. */
export function readStatements(markdown: string): Statement[] {
  let section = '';
  return markdown.split('\n').flatMap((line) => {
    if (line.startsWith('## ')) section = line.slice(3).trim();
    const [, id, text] = /^- \*\*(P\d+)\*\* ?(.*)$/.exec(line) ?? [];
    return id === undefined || text === undefined ? [] : [{ id, section, text }];
  });
}

/** Titles may come from the rows of a table, and such a table may be a file of its own below `testing/`. */
const HOLDS_TITLES = /\.test\.tsx?$|\.e2e\.ts$|\/testing\//;
const TITLE_WITH_IDS = /(['"`])((?:\\.|(?!\1)[^\\\n])*?) \[(P\d+(?: P\d+)*)\]\1/g;

/** Which tests name which statements. */
export function findProofs(files: readonly Pick<SourceFile, 'path' | 'text'>[]): Proof[] {
  return files
    .filter(({ path }) => HOLDS_TITLES.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(TITLE_WITH_IDS)].flatMap(([, , title = '', ids = '']) =>
        ids.split(' ').map((id) => ({ id, file: path, title: title.replaceAll(/\\(['"`])/g, '$1') })),
      ),
    );
}

/** The table that `npm run statements` prints: each statement, the tests below it. */
export function statementTable(statements: readonly Statement[], proofs: readonly Proof[]): string {
  const lines = statements.flatMap(({ id, section, text }, index) => {
    const tests = proofs.filter((proof) => proof.id === id).map(({ file, title }) => `      ${file} › ${title}`);
    return [
      ...(section === statements[index - 1]?.section ? [] : ['', section]),
      `${id.padEnd(5)} ${text}`,
      ...(tests.length === 0 ? ['      NO TEST'] : tests),
    ];
  });
  return lines.join('\n');
}

/** Texts of the document in a statement: `'Loading'`, `'{n}+ weeks'`, also those that contain an apostrophe. */
export function quotedTexts(text: string): string[] {
  return [...text.matchAll(/(?<![\p{L}\d])'((?:[^'\n]|(?<=\p{L})'(?=\p{L}))+)'(?![\p{L}\d])/gu)].map(
    ([, quoted = '']) => quoted,
  );
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
// Source code may escape a character or, in a pattern, any of them; the portal uses ’ for '.
const signPattern = (sign: string): string => (sign === "'" ? String.raw`\\?['’]` : String.raw`\\?${escaped(sign)}`);

/** Whether source code contains a text of the document; `{name}` in it stands for any value. */
export function holdsText(source: string, text: string): boolean {
  if (source.includes(text)) return true;
  const pattern = text.split(/(\{[^}]*\}|\s+)/).map((piece) => {
    if (piece.startsWith('{')) return String.raw`[^\n]{0,60}?`;
    return piece.trim() === '' ? String.raw`\s*` : piece.replaceAll(/./gsu, signPattern);
  });
  return new RegExp(pattern.join(''), 'u').test(source);
}
