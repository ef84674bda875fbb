import type { PythonValue } from './python-literal.ts';

export type Dictionary = ReadonlyMap<string, PythonValue>;

/** A list under a key, or nothing when it is absent or something else. */
export function valuesOf(file: Dictionary, key: string): readonly PythonValue[] {
  const value = file.get(key);
  return Array.isArray(value) ? value : [];
}

/** A list of numbers under a key, in its full length: what is no number becomes NaN. */
export function numbersOf(file: Dictionary, key: string): number[] {
  return valuesOf(file, key).map((value) => (typeof value === 'number' ? value : Number.NaN));
}

/** A finite number under a key, or null. */
export function numberOf(file: Dictionary, key: string): number | null {
  const value = file.get(key);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A text under a key, trimmed; null when it is absent or empty. */
export function textOf(file: Dictionary, key: string): string | null {
  const value = file.get(key);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
