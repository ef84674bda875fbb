import { setImmediate as nextIteration } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readWorkbook } from './read-workbook.ts';
import { writeWorkbook, type WrittenSheet } from './write-workbook.ts';

const bytesOf = async (sheets: readonly WrittenSheet[]): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = [];
  for await (const piece of writeWorkbook(sheets)) pieces.push(piece);
  return Buffer.concat(pieces);
};
const sheet = (rows: WrittenSheet['rows'], more: Partial<WrittenSheet> = {}): WrittenSheet => ({
  name: 'Roasts',
  headRows: 1,
  widths: [12, 20],
  rows,
  ...more,
});

describe('a workbook', () => {
  it('contains the written cells', async () => {
    const read = await readWorkbook(
      await bytesOf([
        sheet([
          ['Coffee', 'kg', 'Organic', 'When'],
          ['Guji', 12.5, true, { days: 46_347.25 }],
          [null, -0.1, false, undefined],
        ]),
        sheet([['x']], { name: 'Marks: [a/b]', headRows: 0 }),
      ]),
    );
    expect(read.map(({ name }) => name)).toEqual(['Roasts', 'Marks   a b ']);
    expect(read[0]?.rows).toEqual([
      ['Coffee', 'kg', 'Organic', 'When'],
      ['Guji', 12.5, true, new Date('2026-11-21T06:00:00.000Z')],
      [null, -0.1, false, null],
    ]);
  });

  it.each([
    '=1+1',
    '+49 30',
    '@SUM(A1)',
    '-x',
    '_x0041_',
    '<b> & "q"',
    ' two  spaces ',
    'a\nb',
    '烘焙 😀',
    'bell \u0007 end',
  ])('keeps the text %j as text', async (text) => {
    const [read] = await readWorkbook(await bytesOf([sheet([['head'], [text]])]));
    expect(read?.rows[1]).toEqual([text]);
  });

  it('yields to the event loop after every 50 rows, one workbook at a time', async () => {
    let iterations = 0;
    const over = new AbortController();
    const counting = (async () => {
      for (; !over.signal.aborted; iterations++) await nextIteration();
    })();
    const rows = Array.from({ length: 1000 }, (_, row) => [row]);
    await Promise.all([bytesOf([sheet(rows)]), bytesOf([sheet(rows)]), bytesOf([sheet(rows)])]);
    over.abort();
    await counting;
    expect(iterations).toBeGreaterThanOrEqual((3 * 1000) / 50);
  });

  it('requests rows only as they are read', async () => {
    let asked = 0;
    async function* rows() {
      for (let row = 0; row < 100_000; row++) {
        asked += 1;
        yield [row, `roast ${row}`];
      }
    }
    const pieces = writeWorkbook([sheet(rows())]);
    for (let piece = 0; piece < 20; piece++) await pieces.next();
    expect(asked).toBeLessThan(20_000);
    await pieces.return(undefined);
    expect(asked).toBeLessThan(20_000);
  });
});
