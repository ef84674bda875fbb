/** The values that a Python literal can hold here. Tuples are read as arrays; dictionary keys become strings. */
export type PythonValue = null | boolean | number | string | PythonValue[] | Map<string, PythonValue>;

export type LiteralErrorCode = 'too_large' | 'too_deep' | 'syntax';

/** The text is not a supported literal; `offset` is the position, in UTF-16 units. */
export class LiteralError extends Error {
  readonly code: LiteralErrorCode;
  readonly offset: number;
  constructor(code: LiteralErrorCode, offset: number, message: string) {
    super(`${message} at ${offset}`);
    this.name = 'LiteralError';
    this.code = code;
    this.offset = offset;
  }
}

/** A four-hour roast at 4 Hz with a dozen channels is about 12 MB of text. */
const defaultMaxLength = 32 * 1024 * 1024;
/** Artisan nests five deep; the limit protects the call stack from a hostile file. */
const maxDepth = 64;

const simpleEscapes: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\u0007',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
};
const hexLengths: Record<string, number> = { x: 2, u: 4, U: 8 };
const words: Record<string, PythonValue> = {
  None: null,
  True: true,
  False: false,
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
};

/** Whether a blank or a comment may begin with this code unit; beyond ASCII the pattern decides. */
const isSpaceOrComment = (unit: number): boolean => unit <= 0x20 || unit === 0x23 || unit > 0x7f;

const isQuote = (letter: string | undefined): boolean => letter === "'" || letter === '"';

export interface LiteralOptions {
  readonly maxLength?: number;
  /** Receives each entry of the outermost dictionary, with the text of its value. */
  readonly onEntry?: (key: string, valueText: string) => void;
}

interface Reader {
  readonly text: string;
  /** The place in the text. */
  at: number;
  readonly onEntry: LiteralOptions['onEntry'];
}

const numberPattern = /[+-]?(?:(?:\d[\d_]*)?\.\d+|\d[\d_]*\.?)(?:[eE][+-]?\d+)?/y;
const wordPattern = /[+-]?[A-Za-z]+/y;
const spacePattern = /\s+|#[^\n]*/y;
const plainPattern = /[^'"\\\n]+/y;

/**
 * Reads one Python literal, as `repr()` writes it: dictionaries, lists, tuples, strings with escapes, numbers, None,
 * True, False, nan and inf. `u'…'` of Python 2 is a string too. It never evaluates anything: names, calls, operators,
 * bytes and f-strings are errors. Dictionaries become Maps, so no key can reach a prototype.
 */
export function parsePythonLiteral(
  text: string,
  { maxLength = defaultMaxLength, onEntry }: LiteralOptions = {},
): PythonValue {
  if (text.length > maxLength) throw new LiteralError('too_large', maxLength, 'more text than is read');
  const reader: Reader = { text, at: text.startsWith('\uFEFF') ? 1 : 0, onEntry };
  const value = readValue(reader, 0);
  skipSpace(reader);
  if (reader.at < text.length) fail(reader, 'more text after the literal');
  return value;
}

function fail(reader: Reader, message: string, code: LiteralErrorCode = 'syntax'): never {
  throw new LiteralError(code, reader.at, message);
}

function letter({ text, at }: Reader): string | undefined {
  return text[at];
}

function take(reader: Reader, pattern: RegExp): string | null {
  pattern.lastIndex = reader.at;
  const match = pattern.exec(reader.text);
  if (!match) return null;
  reader.at = pattern.lastIndex;
  return match[0];
}

/** In parts: one pattern over megabytes of blanks would overflow the stack. */
function skipSpace(reader: Reader): void {
  // Most places have none: a million times in a large file.
  while (isSpaceOrComment(reader.text.charCodeAt(reader.at)) && take(reader, spacePattern) !== null);
}

function atString({ text, at }: Reader): boolean {
  return isQuote(text[at]) || ((text[at] === 'u' || text[at] === 'U') && isQuote(text[at + 1]));
}

function readValue(reader: Reader, depth: number): PythonValue {
  if (depth > maxDepth) fail(reader, 'nested too deep', 'too_deep');
  skipSpace(reader);
  const next = letter(reader);
  if (next === '{') return readDictionary(reader, depth);
  if (next === '[') return readSequence(reader, ']', depth).items;
  if (next === '(') {
    const { items, comma } = readSequence(reader, ')', depth);
    return items.length === 1 && !comma ? (items[0] ?? null) : items;
  }
  return atString(reader) ? readStrings(reader) : readScalar(reader);
}

function readScalar(reader: Reader): PythonValue {
  const number = take(reader, numberPattern);
  if (number !== null) return Number(number.includes('_') ? number.replaceAll('_', '') : number);
  const start = reader.at;
  const word = take(reader, wordPattern);
  if (word !== null) {
    const bare = word.replace(/^[+-]/, '');
    const value = Object.hasOwn(words, bare) ? words[bare] : undefined;
    if (bare === word && value !== undefined) return value;
    if (typeof value === 'number') return word.startsWith('-') ? -value : value;
    reader.at = start;
  }
  return fail(reader, reader.at >= reader.text.length ? 'the text ends early' : 'not a literal');
}

function readSequence(reader: Reader, close: string, depth: number): { items: PythonValue[]; comma: boolean } {
  reader.at++;
  const items: PythonValue[] = [];
  let comma = false;
  for (;;) {
    skipSpace(reader);
    if (letter(reader) === close) break;
    if (items.length > 0 && !comma) fail(reader, 'a comma is missing');
    items.push(readValue(reader, depth + 1));
    skipSpace(reader);
    comma = letter(reader) === ',';
    if (comma) reader.at++;
  }
  reader.at++;
  return { items, comma };
}

function readDictionary(reader: Reader, depth: number): Map<string, PythonValue> {
  reader.at++;
  const entries = new Map<string, PythonValue>();
  let comma = true;
  for (;;) {
    skipSpace(reader);
    if (letter(reader) === '}') break;
    if (!comma) fail(reader, 'a comma is missing');
    const key = readValue(reader, depth + 1);
    if (typeof key !== 'string' && typeof key !== 'number') return fail(reader, 'a key must be a text or a number');
    skipSpace(reader);
    if (letter(reader) !== ':') fail(reader, 'a colon is missing');
    reader.at++;
    skipSpace(reader);
    const from = reader.at;
    entries.set(String(key), readValue(reader, depth + 1));
    if (depth === 0) reader.onEntry?.(String(key), reader.text.slice(from, reader.at));
    skipSpace(reader);
    comma = letter(reader) === ',';
    if (comma) reader.at++;
  }
  reader.at++;
  return entries;
}

/** One string, or several adjacent ones, which Python joins. */
function readStrings(reader: Reader): string {
  let joined = '';
  while (atString(reader)) {
    if (/[uU]/.test(letter(reader) ?? '')) reader.at++;
    joined += readString(reader);
    skipSpace(reader);
  }
  return joined;
}

function readString(reader: Reader): string {
  const quote = letter(reader) ?? '';
  if (reader.text.startsWith(quote.repeat(3), reader.at)) fail(reader, 'triple quotes are not read');
  reader.at++;
  let value = '';
  for (;;) {
    value += take(reader, plainPattern) ?? '';
    const next = letter(reader);
    if (next === undefined || next === '\n') return fail(reader, 'a text does not end');
    reader.at++;
    if (next === quote) return value;
    value += next === '\\' ? readEscape(reader) : next;
  }
}

function readEscape(reader: Reader): string {
  const mark = letter(reader) ?? '';
  reader.at++;
  const simple = simpleEscapes[mark];
  if (simple !== undefined) return simple;
  const hexLength = hexLengths[mark];
  if (hexLength !== undefined) {
    const digits = reader.text.slice(reader.at, reader.at + hexLength);
    if (!/^[0-9a-fA-F]+$/.test(digits) || digits.length !== hexLength) fail(reader, 'an escape is damaged');
    const point = Number.parseInt(digits, 16);
    if (point > 0x10ffff) fail(reader, 'an escape is no character');
    reader.at += hexLength;
    return String.fromCodePoint(point);
  }
  if (/[0-7]/.test(mark)) {
    const digits = /^[0-7]{1,3}/.exec(reader.text.slice(reader.at - 1, reader.at + 2))?.[0] ?? mark;
    reader.at += digits.length - 1;
    return String.fromCodePoint(Number.parseInt(digits, 8));
  }
  return `\\${mark}`;
}
