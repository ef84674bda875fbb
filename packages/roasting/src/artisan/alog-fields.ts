import type { PythonValue } from './python-literal.ts';

export type Dictionary = ReadonlyMap<string, PythonValue>;

/** The list under a key, or nothing when it is absent or not a list. */
export function valuesOf(file: Dictionary, key: string): readonly PythonValue[] {
  const value = file.get(key);
  return Array.isArray(value) ? value : [];
}

/** The list of numbers under a key, in its full length: anything that is not a number becomes NaN. */
export function numbersOf(file: Dictionary, key: string): number[] {
  return valuesOf(file, key).map((value) => (typeof value === 'number' ? value : Number.NaN));
}

/** A finite number under a key, or null. */
export function numberOf(file: Dictionary, key: string): number | null {
  const value = file.get(key);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** The text under a key, trimmed; null when it is absent or empty. */
export function textOf(file: Dictionary, key: string): string | null {
  const value = file.get(key);
  if (typeof value !== 'string') return null;
  return withoutEscapes(value).trim() || null;
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', '\\': '\\', "'": "'", '"': '"' };

/**
 * Artisan escapes its texts before it writes their `repr()`, so the literal still contains `\\u70d8`, `\\xed` and
 * `\\n`. Text that is not an escape stays as it is.
 */
export function withoutEscapes(text: string): string {
  return text.replaceAll(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([nrt\\'"]))/g,
    (whole, x?: string, u?: string, long?: string, simple?: string) => {
      if (simple !== undefined) return escapes[simple] ?? whole;
      const point = Number.parseInt(x ?? u ?? long ?? '', 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
}

/** The text as Artisan stores it: the reverse of {@link withoutEscapes}. */
export function withEscapes(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the pattern finds the control characters to escape
  return text.replaceAll(/[\\\u0000-\u001f\u007f-\u{10ffff}]/gu, (character) => {
    const simple = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' }[character];
    if (simple !== undefined) return simple;
    const point = character.codePointAt(0) ?? 0;
    const hex = (length: number) => point.toString(16).padStart(length, '0');
    return point <= 0xff ? `\\x${hex(2)}` : point <= 0xffff ? `\\u${hex(4)}` : `\\U${hex(8)}`;
  });
}
