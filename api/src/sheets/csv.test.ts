import { describe, expect, it } from 'vitest';
import { parseCsv, writeCsv } from './csv.ts';

const cellsOf = (text: string) => parseCsv(text).records.map((record) => record.cells);

describe('reading CSV', () => {
  it('reads quotes, doubled quotes and line breaks in a cell, and counts lines through them', () => {
    const { records } = parseCsv('lot,notes\r\n"A ""one""","two\nlines"\r\nB,\r\n');
    expect(records).toEqual([
      { line: 1, cells: ['lot', 'notes'] },
      { line: 2, cells: ['A "one"', 'two\nlines'] },
      { line: 4, cells: ['B', ''] },
    ]);
  });

  it('detects the separator of the cells', () => {
    expect(parseCsv('"a,b";c;d\n1,5;2;3').separator).toBe(';');
    expect(parseCsv('a\tb\n1\t2').separator).toBe('\t');
    expect(parseCsv('one column\nx').separator).toBe(',');
    // A title is above the heads, and a comma beside semicolons is a decimal sign.
    expect(parseCsv('Stock, 3 April 2025\n\nLot;Coffee;kg\nA;Konga;1,5\n').separator).toBe(';');
    expect(parseCsv('1,5;2,5;3,5;4,5').separator).toBe(';');
    expect(parseCsv('name,note\nA,"a;b;c;d;e;f"\n').separator).toBe(',');
  });

  it('accepts a byte order mark, any line end, blank lines and a missing last line end', () => {
    expect(cellsOf('\uFEFFa,b\r1,2\n\n , \n3,4')).toEqual([
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
    ]);
    expect(cellsOf('')).toEqual([]);
    expect(cellsOf('a,b,')).toEqual([['a', 'b', '']]);
  });

  it('ends with the file when a quote is never closed', () => {
    expect(cellsOf('a,"b\nc')).toEqual([['a', 'b\nc']]);
  });
});

describe('writing CSV', () => {
  it('keeps a cell that begins like a formula text, and a negative number a number', () => {
    expect(writeCsv([['=1+1', '@SUM(A1)', '-2+3', -2.5, '-']])).toBe("\uFEFF'=1+1,'@SUM(A1),'-2+3,-2.5,'-\r\n");
  });

  it.each(['\n', '\r', '\t', '=', '+', '-', '@', '＝', '＋', '－', '＠', ' =', '  -', '\u00A0@'])(
    'guards text that begins with %j, and removes the guard when reading',
    (sign) => {
      const rows = [[`${sign}cmd`, `'${sign}cmd`, `a${sign}cmd`]];
      const written = writeCsv(rows);
      expect(written.slice(1).replace(/^"/, '').startsWith(`'${sign}`)).toBe(true);
      expect(cellsOf(written)).toEqual(rows);
    },
  );

  it('round-trips unchanged', () => {
    const rows = [
      ['=HYPERLINK("x")', "'=quoted", 'a "b", c', 'two\r\nlines', '', ' blanks '],
      ['Café', '+1', "it's", ';', '\tTab', 'end'],
    ];
    expect(cellsOf(writeCsv(rows))).toEqual(rows);
  });
});
