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
  const numberPattern = /[+-]?(?:(?:\d[\d_]*)?\.\d+|\d[\d_]*\.?)(?:[eE][+-]?\d+)?/y;
  const wordPattern = /[+-]?[A-Za-z]+/y;
  const spacePattern = /\s+|#[^\n]*/y;
  const plainPattern = /[^'"\\\n]+/y;
  let at = 0;

  const fail = (message: string, code: LiteralErrorCode = 'syntax'): never => {
    throw new LiteralError(code, at, message);
  };
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) return null;
    at = pattern.lastIndex;
    return match[0];
  };
  /** In parts: one pattern over megabytes of blanks would overflow the stack. */
  const skipSpace = () => {
    // Most places have none: a million times in a large file.
    while (isSpaceOrComment(text.charCodeAt(at)) && take(spacePattern) !== null);
  };

  const atString = () => isQuote(text[at]) || ((text[at] === 'u' || text[at] === 'U') && isQuote(text[at + 1]));

  function readValue(depth: number): PythonValue {
    if (depth > maxDepth) fail('nested too deep', 'too_deep');
    skipSpace();
    const next = text[at];
    if (next === '{') return readDictionary(depth);
    if (next === '[') return readSequence(']', depth).items;
    if (next === '(') {
      const { items, comma } = readSequence(')', depth);
      return items.length === 1 && !comma ? (items[0] ?? null) : items;
    }
    return atString() ? readStrings() : readScalar();
  }

  function readScalar(): PythonValue {
    const number = take(numberPattern);
    if (number !== null) return Number(number.includes('_') ? number.replaceAll('_', '') : number);
    const start = at;
    const word = take(wordPattern);
    if (word !== null) {
      const bare = word.replace(/^[+-]/, '');
      const value = Object.hasOwn(words, bare) ? words[bare] : undefined;
      if (bare === word && value !== undefined) return value;
      if (typeof value === 'number') return word.startsWith('-') ? -value : value;
      at = start;
    }
    return fail(at >= text.length ? 'the text ends early' : 'not a literal');
  }

  function readSequence(close: string, depth: number): { items: PythonValue[]; comma: boolean } {
    at++;
    const items: PythonValue[] = [];
    let comma = false;
    for (;;) {
      skipSpace();
      if (text[at] === close) break;
      if (items.length > 0 && !comma) fail('a comma is missing');
      items.push(readValue(depth + 1));
      skipSpace();
      comma = text[at] === ',';
      if (comma) at++;
    }
    at++;
    return { items, comma };
  }

  function readDictionary(depth: number): Map<string, PythonValue> {
    at++;
    const entries = new Map<string, PythonValue>();
    let comma = true;
    for (;;) {
      skipSpace();
      if (text[at] === '}') break;
      if (!comma) fail('a comma is missing');
      const key = readValue(depth + 1);
      if (typeof key !== 'string' && typeof key !== 'number') return fail('a key must be a text or a number');
      skipSpace();
      if (text[at] !== ':') fail('a colon is missing');
      at++;
      skipSpace();
      const from = at;
      entries.set(String(key), readValue(depth + 1));
      if (depth === 0) onEntry?.(String(key), text.slice(from, at));
      skipSpace();
      comma = text[at] === ',';
      if (comma) at++;
    }
    at++;
    return entries;
  }

  /** One string, or several adjacent ones, which Python joins. */
  function readStrings(): string {
    let joined = '';
    while (atString()) {
      if (/[uU]/.test(text[at] ?? '')) at++;
      joined += readString();
      skipSpace();
    }
    return joined;
  }

  function readString(): string {
    const quote = text[at] ?? '';
    if (text.startsWith(quote.repeat(3), at)) fail('triple quotes are not read');
    at++;
    let value = '';
    for (;;) {
      value += take(plainPattern) ?? '';
      const next = text[at];
      if (next === undefined || next === '\n') return fail('a text does not end');
      at++;
      if (next === quote) return value;
      value += next === '\\' ? readEscape() : next;
    }
  }

  function readEscape(): string {
    const mark = text[at] ?? '';
    at++;
    const simple = simpleEscapes[mark];
    if (simple !== undefined) return simple;
    const hexLength = hexLengths[mark];
    if (hexLength !== undefined) {
      const digits = text.slice(at, at + hexLength);
      if (!/^[0-9a-fA-F]+$/.test(digits) || digits.length !== hexLength) fail('an escape is damaged');
      const point = Number.parseInt(digits, 16);
      if (point > 0x10ffff) fail('an escape is no character');
      at += hexLength;
      return String.fromCodePoint(point);
    }
    if (/[0-7]/.test(mark)) {
      const digits = /^[0-7]{1,3}/.exec(text.slice(at - 1, at + 2))?.[0] ?? mark;
      at += digits.length - 1;
      return String.fromCodePoint(Number.parseInt(digits, 8));
    }
    return `\\${mark}`;
  }

  if (text.startsWith('\uFEFF')) at = 1;
  const value = readValue(0);
  skipSpace();
  if (at < text.length) fail('more text after the literal');
  return value;
}
