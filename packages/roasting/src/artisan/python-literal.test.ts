import { describe, expect, it } from 'vitest';
import { LiteralError, parsePythonLiteral } from './python-literal.ts';

const entries = (text: string) => {
  const value = parsePythonLiteral(text);
  return value instanceof Map ? Object.fromEntries(value) : value;
};
const codeOf = (text: string): string => {
  try {
    parsePythonLiteral(text);
  } catch (error) {
    if (error instanceof LiteralError) return error.code;
    throw error;
  }
  return 'read';
};

describe('a Python literal', () => {
  it('reads the output of repr', () => {
    expect(
      entries(
        `{'a': [1, -2.5, 1e-05, 1_000, +3], "b": (True, None, False), 'c': (7,), 'd': (), 'e': nan, 'f': -inf, 3: 'x',}`,
      ),
    ).toEqual({
      a: [1, -2.5, 0.00001, 1000, 3],
      b: [true, null, false],
      c: [7],
      d: [],
      e: Number.NaN,
      f: Number.NEGATIVE_INFINITY,
      3: 'x',
    });
  });

  it('reads strings with their escapes', () => {
    expect(parsePythonLiteral(String.raw`'it\'s \n \t \\ \x41 \u00e9 \U0001F600 \101 \q' "joined"`)).toBe(
      "it's \n \t \\ A é 😀 A \\qjoined",
    );
  });

  it('reads the strings of Python 2', () => {
    expect(parsePythonLiteral(String.raw`[u'G\u00fcji', U"b" u'c', 'd']`)).toEqual(['Güji', 'bc', 'd']);
  });

  it('keeps keys away from prototypes', () => {
    const value = parsePythonLiteral(`{'__proto__': {'polluted': 1}, 'constructor': 2}`);
    expect(value instanceof Map && value.has('__proto__')).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([
    '',
    '{',
    "{'a' 1}",
    '[1 2]',
    "'open",
    "b'bytes'",
    "f'{x}'",
    '__import__("os").system("true")',
    '1 + 1',
    'open',
    "{'a': 1} {'b': 2}",
    '{[1]: 2}',
    String.raw`'\xZZ'`,
    String.raw`'\UFFFFFFFF'`,
    "'''long'''",
    '[1,,2]',
    '-None',
    'constructor',
  ])('refuses %s', (text) => {
    expect(codeOf(text)).toBe('syntax');
  });

  it('is limited in depth and size', () => {
    expect(codeOf('['.repeat(100_000))).toBe('too_deep');
    expect(() => parsePythonLiteral('[1, 2, 3]', { maxLength: 5 })).toThrow(
      expect.objectContaining({ code: 'too_large' }),
    );
  });
});
