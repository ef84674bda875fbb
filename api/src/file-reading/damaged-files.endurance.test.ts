import { readFileSync, readdirSync } from 'node:fs';
import { volume } from '@roastery/testing/endurance/volume';
import { sharedData } from '@roastery/testing/shared-data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArtisanSettings } from '../domains/machine-maps/artisan/read-artisan-settings.ts';
import { AppError } from '../http/app-error.ts';
import { writeWorkbook } from '../sheets/write-workbook.ts';
import { tcpSettings } from '../testing/artisan-settings.ts';
import { exampleCsv } from '../testing/example-data.ts';
import { formatFiles } from '../testing/format-files.ts';
import { hostileFiles, mutated, mutatedWorkbook, workbookOf } from '../testing/hostile-files.ts';
import { lotFiles } from '../testing/lot-files.ts';
import { lotsOutcome, openReaders, outcome } from '../testing/opened-readers.ts';
import { chanceFrom } from '../testing/seeded-random.ts';

const shared = sharedData();
/** Damaged copies of each kind of file. */
const damagedCopies = volume(300, 30);

describe('file readers: damaged files', () => {
  let opened: ReturnType<typeof openReaders>;
  beforeAll(() => {
    opened = openReaders();
  });
  afterAll(() => opened.readers.close());

  it.skipIf(!shared.present)(
    `survives damaged copies of real roasts, tables and workbooks${shared.title('')}`,
    { timeout: 300_000 },
    async () => {
      const before = opened.log().length;
      const chance = chanceFrom(Number(process.env['FUZZ_SEED'] ?? 9));
      const originals = [
        ...readdirSync(shared.path('alog'))
          .filter((name) => name.endsWith('.alog'))
          .map((name) => new Uint8Array(readFileSync(shared.path('alog', name)))),
        new TextEncoder().encode(exampleCsv()),
        workbookOf(
          '<row r="1"><c r="A1" t="inlineStr"><is><t>time</t></is></c><c r="B1" t="inlineStr"><is><t>bt</t></is></c></row>',
        ),
      ];
      for (let round = 0; round < damagedCopies; round += 1) {
        const answer = await outcome(opened.readers, mutated(chance.pick(originals), chance));
        expect(String(answer)).toMatch(/^(?:\d+$|validation: )/);
      }
      expect(opened.log().slice(before)).not.toContain('file reader');
    },
  );

  it.each(formatFiles)(
    'survives damaged and swollen copies of $name',
    { timeout: 300_000 },
    async ({ name, bytes }) => {
      const before = opened.log().length;
      const chance = chanceFrom(Number(process.env['FUZZ_SEED'] ?? 11));
      const rounds = Math.ceil(damagedCopies / 15);
      for (let round = 0; round < rounds; round += 1) {
        const answer = await outcome(opened.readers, mutated(bytes, chance));
        expect(String(answer)).toMatch(/^(?:\d+$|validation: )/);
      }
      // The same file repeated: more samples, sections and lists than a roast has.
      const times = name.endsWith('.xls') ? 3 : Math.ceil((9 * 1024 * 1024) / bytes.length);
      const swollen = Buffer.concat(Array.from({ length: times }, () => bytes));
      expect(String(await outcome(opened.readers, swollen))).toMatch(/^(?:\d+$|validation: )/);
      expect(opened.log().slice(before)).not.toContain('file reader failed');
    },
  );

  it('survives workbooks whose parts are damaged inside the archive', { timeout: 300_000 }, async () => {
    const before = opened.log().length;
    const chance = chanceFrom(Number(process.env['FUZZ_SEED'] ?? 10));
    const rows = exampleCsv()
      .split('\n')
      .map((line, row) =>
        line.split(',').map((cell) => (row > 0 && cell !== '' && !Number.isNaN(Number(cell)) ? Number(cell) : cell)),
      );
    const written: Uint8Array[] = [];
    const sheets = ['Samples', 'Marks'].map((name) => ({ name, headRows: 1, widths: [10, 10], rows }));
    for await (const piece of writeWorkbook(sheets)) written.push(piece);
    const shared = workbookOf(
      rows
        .map(
          (_, at) =>
            `<row r="${at + 1}"><c r="A${at + 1}" t="s"><v>${at % 3}</v></c><c r="B${at + 1}" s="1"><v>${at}</v></c></row>`,
        )
        .join(''),
      {
        'xl/sharedStrings.xml': new TextEncoder().encode(
          '<sst><si><t>time</t></si><si><r><t>B</t></r><r><t>T</t></r></si><si/></sst>',
        ),
        'xl/styles.xml': new TextEncoder().encode(
          '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy"/></numFmts><cellXfs><xf/><xf numFmtId="164"/></cellXfs></styleSheet>',
        ),
      },
    );
    const originals = [Buffer.concat(written), shared];
    expect(await outcome(opened.readers, Buffer.concat(written))).toBe(120);
    // A workbook takes longer to read than the other files.
    for (let round = 0; round < damagedCopies / 6; round += 1) {
      const answer = await outcome(opened.readers, mutatedWorkbook(chance.pick(originals), chance));
      expect(String(answer)).toMatch(/^(?:\d+$|validation: )/);
    }
    expect(opened.log().slice(before)).not.toContain('file reader');
  });

  it.each(hostileFiles)('handles a list of lots that is $name within its limits', async ({ bytes }) => {
    expect(await lotsOutcome(opened.readers, bytes)).toMatch(/^(?:\d+ texts|validation: )/);
    expect(opened.log()).not.toContain('file reader failed');
  });

  it.each(lotFiles)(
    'survives damaged and swollen copies of the list $name',
    { timeout: 300_000 },
    async ({ bytes }) => {
      const before = opened.log().length;
      const chance = chanceFrom(Number(process.env['FUZZ_SEED'] ?? 12));
      for (let round = 0; round < Math.ceil(damagedCopies / 10); round += 1) {
        expect(await lotsOutcome(opened.readers, mutated(bytes, chance))).toMatch(/^(?:\d+ texts|validation: )/);
      }
      const swollen = Buffer.concat(Array.from({ length: Math.ceil((9 * 1024 * 1024) / bytes.length) }, () => bytes));
      expect(await lotsOutcome(opened.readers, swollen)).toMatch(/^(?:\d+ texts|validation: )/);
      expect(opened.log().slice(before)).not.toContain('file reader failed');
    },
  );

  it('refuses hostile and damaged settings of Artisan with a reason', async () => {
    const chance = chanceFrom(Number(process.env['FUZZ_SEED'] ?? 13));
    const damaged = Array.from({ length: damagedCopies }, () => mutated(new TextEncoder().encode(tcpSettings), chance));
    for (const bytes of [...hostileFiles.map((file) => file.bytes), ...damaged]) {
      const answer = await opened.readers.run(readArtisanSettings, 'a person', bytes, { fileName: 'a.aset' }).then(
        ({ map }) => map.v,
        (error: unknown) => (error instanceof AppError ? error.code : error),
      );
      expect([1, 'validation']).toContain(answer);
    }
    expect(opened.log()).not.toContain('file reader failed');
  });
});
