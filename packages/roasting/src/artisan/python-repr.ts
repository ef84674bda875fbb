import type { PythonValue } from './python-literal.ts';

/** A value that can be written: one that can be read, with plain objects as dictionaries. */
export type WritableValue =
  | Exclude<PythonValue, PythonValue[] | Map<string, PythonValue>>
  | readonly WritableValue[]
  | { readonly [key: string]: WritableValue };

/** A value as Python's `repr()` writes it, in ASCII: `parsePythonLiteral` and Python's `ast.literal_eval` read it back. */
export function pythonRepr(value: WritableValue): string {
  if (typeof value === 'number') return numberRepr(value);
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'string') return stringRepr(value);
  if (isList(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, part]) => `${stringRepr(key)}: ${pythonRepr(part)}`)
    .join(', ')}}`;
}

const isList = (value: WritableValue): value is readonly WritableValue[] => Array.isArray(value);

/** Python has no literal for `nan` and `inf`, so numbers must be finite. */
function numberRepr(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} can't be written as a literal`);
  return String(value);
}

const simple: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\', "'": "\\'" };

function stringRepr(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the pattern finds the control characters to escape
  const escaped = text.replaceAll(/[\\'\u0000-\u001f\u007f-\u{10ffff}]/gu, (character) => {
    const point = character.codePointAt(0) ?? 0;
    const hex = (length: number) => point.toString(16).padStart(length, '0');
    return simple[character] ?? (point <= 0xff ? `\\x${hex(2)}` : point <= 0xffff ? `\\u${hex(4)}` : `\\U${hex(8)}`);
  });
  return `'${escaped}'`;
}
