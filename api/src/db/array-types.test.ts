import { describe, expect, it } from 'vitest';
import { readArray, writeArray } from './array-types.ts';

describe('array types', () => {
  it('keep texts with quotes, commas and braces', () => {
    const texts = ['plain', 'a,b', '{c}', 'say "d"', 'back\\slash', '', 'NULL', 'line\nbreak', 'ü'];
    expect(readArray(writeArray(texts), (text) => text)).toEqual(texts);
  });
  it('distinguish null from the word NULL', () => {
    expect(readArray('{NULL,"NULL",x}', (text) => text)).toEqual([null, 'NULL', 'x']);
    expect(writeArray([null, 'NULL', 1.5, true])).toBe('{NULL,"NULL",1.5,t}');
  });
  it('can be empty', () => {
    expect(readArray('{}', Number)).toEqual([]);
    expect(writeArray([])).toBe('{}');
  });
});
