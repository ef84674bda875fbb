/** One row of the portal's table: a statement of the product document, its place, and the tests that show it. */
export interface Statement {
  /** Its subsection. */
  section: string;
  /** The statement, with the document's texts word for word between single quotes. */
  text: string;
  /** Files or folders, from the repository's top folder. */
  places: string[];
  tests: { file: string; title: string }[];
  /** The row as it is written, for messages. */
  row: string;
}

const HEADING = '## The product document, statement by statement';
/** A bar that belongs to the text of a cell is written `\|`. */
const BETWEEN_CELLS = /(?<!\\)\|/;

/** The rows of all tables below the heading, in order. Incomplete rows have empty lists. */
export function readStatements(markdown: string): Statement[] {
  const from = markdown.indexOf(`${HEADING}\n`);
  if (from === -1) return [];
  const body = markdown.slice(from + HEADING.length).split(/^## /m)[0] ?? '';
  let section = '';
  const statements: Statement[] = [];
  for (const line of body.split('\n')) {
    if (line.startsWith('### ')) section = line.slice(4).trim();
    if (!line.startsWith('|') || /^\|[\s|:-]+$/.test(line)) continue;
    const cells = line.split(BETWEEN_CELLS).slice(1, -1);
    const [text = '', places = '', tests = ''] = cells.map((cell) => cell.replaceAll('\\|', '|').trim());
    if (text === 'statement') continue;
    statements.push({ section, text, places: pathsIn(places), tests: parts(tests).map(testOf), row: line });
  }
  return statements;
}

const parts = (cell: string): string[] =>
  cell
    .split('<br>')
    .map((part) => part.trim())
    .filter((part) => part !== '');
const pathsIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
const testOf = (part: string): Statement['tests'][number] => {
  const [file = '', ...title] = part.split('›');
  return { file: pathsIn(file)[0] ?? '', title: title.join('›').trim() };
};

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
  const pattern = text.split(/(\{[^}]*\}|\s+)/).map((piece) => {
    if (piece.startsWith('{')) return String.raw`[^\n]{0,60}?`;
    return piece.trim() === '' ? String.raw`\s*` : piece.replaceAll(/./gsu, signPattern);
  });
  return new RegExp(pattern.join(''), 'u').test(source);
}

const TITLE = String.raw`\(\s*(?:data\.title\(\s*)?(['"\`])((?:\\.|(?!\1)[^\\])*)\1`;
const PLAIN_TITLE = new RegExp(TITLE);
const EACH_TITLE = new RegExp(String.raw`\)${TITLE}`);

/** The titles of the tests in a file as written: `$statement`, `%s` and `${…}` stay unchanged. */
export function testTitles(source: string): string[] {
  return source.split(/^[ \t]*(?=(?:it|test)\b)/m).flatMap((from) => {
    const call = /^(?:it|test)((?:\.\w+(?:\([^)\n]*\))?)*)/.exec(from);
    if (!call) return [];
    const title = (/\.each\b/.test(call[0]) ? EACH_TITLE : PLAIN_TITLE).exec(from)?.[2];
    return title === undefined ? [] : [title.replaceAll(/\\(['"`])/g, '$1')];
  });
}

/**
 * Whether a file has a test of that title. The title may be one of the rows of an `it.each`: the value for `$statement`
 * or `%s` must then be a string of that file.
 */
export function hasTest(source: string, title: string): boolean {
  return testTitles(source).some((written) => {
    if (written === title) return true;
    const pieces = written.split(/(\$\{[^}]*\}|\$[\w.]+|%[sdifjo])/);
    if (pieces.length === 1) return false;
    const pattern = pieces.map((piece, index) => (index % 2 === 1 ? '(.+)' : escaped(piece))).join('');
    const filled = new RegExp(`^${pattern}$`).exec(title)?.slice(1);
    return filled !== undefined && filled.every((value) => holdsString(source, value));
  });
}

const holdsString = (source: string, value: string): boolean =>
  ["'", '"', '`'].some((quote) => source.includes(`${quote}${value.replaceAll(quote, `\\${quote}`)}${quote}`));
