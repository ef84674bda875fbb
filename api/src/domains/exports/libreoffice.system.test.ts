import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Upload } from '@roastery/contract/imports';
import type { CurveColumns } from '@roastery/contract/roast-curves';
import type { Roast } from '@roastery/contract/roasts';
import { expect, it } from 'vitest';
import { parseCsv } from '../../sheets/csv.ts';
import { exampleCsv } from '../../testing/example-data.ts';
import { openMigratedDatabase } from '../../testing/ingest-fixture.ts';
import { startTestApi, testAdmin } from '../../testing/test-api.ts';

const office = ((): boolean => {
  try {
    execFileSync('soffice', ['--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
})();

/** Commas, quotes, UTF-8, raw numbers instead of formatted ones, every sheet in its own file. */
const everySheet = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1';

/** The cells of each sheet as read by LibreOffice. */
const openedByOffice = async (bytes: Uint8Array): Promise<Map<string, readonly (readonly string[])[]>> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'roastery-office-'));
  try {
    await writeFile(path.join(folder, 'book.xlsx'), bytes);
    const profile = `-env:UserInstallation=file://${path.join(folder, 'profile')}`;
    const args = [
      profile,
      '--headless',
      '--convert-to',
      everySheet,
      '--outdir',
      folder,
      path.join(folder, 'book.xlsx'),
    ];
    await promisify(execFile)('soffice', args, { timeout: 100_000 });
    const sheets = new Map<string, readonly (readonly string[])[]>();
    for (const file of await readdir(folder)) {
      const name = /^book-(.*)\.csv$/.exec(file)?.[1];
      if (name === undefined) continue;
      const { records } = parseCsv(await readFile(path.join(folder, file), 'utf8'));
      sheets.set(
        name,
        records.map(({ cells }) => cells),
      );
    }
    return sheets;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

it.skipIf(!office)(
  `workbooks are opened by LibreOffice with every cell unchanged${office ? '' : ' (skipped: no soffice here)'}`,
  async () => {
    await using database = await openMigratedDatabase();
    await using test = await startTestApi(database.url);
    const admin = await test.signedIn(testAdmin.email, testAdmin.password);
    await admin.send('PUT', '/settings/roastery', { time_zone: 'Europe/Berlin' });
    const upload = await admin.sendFile<Upload>('/roasts/uploads?file_name=a.csv', exampleCsv());
    const { body: roast } = await admin.send<Roast>('POST', `/roasts/uploads/${upload.body.id}/roast`, {
      start_time: '2026-11-21T07:40:00.000Z',
      coffee_name: '=1+1',
      coffee_origin: '+49 <Guji> & 烘焙',
      notes: 'two\nlines, "quoted"',
      batch_size_kg: 12.345,
    });
    const { body: curve } = await admin.send<CurveColumns>(
      'GET',
      `/roasts/${roast.id}/curve/columns?before=60&after=600`,
    );

    const sheets = await openedByOffice((await admin.download(`/roasts/${roast.id}/export/xlsx`)).bytes);
    expect([...sheets.keys()].sort()).toEqual(['Channels', 'Curve', 'Marks', 'Summary']);
    const said = new Map((sheets.get('Summary') ?? []).map(([label = '', value = '']) => [label, value]));
    expect(said.get('Coffee'), 'a text, not the 2 that it would add up to').toBe('=1+1');
    expect(said.get('Origin')).toBe('+49 <Guji> & 烘焙');
    expect(said.get('Notes')).toBe('two\nlines, "quoted"');
    expect(said.get('Batch (kg)')).toBe('12.345');
    expect(said.get('Roasted at (Europe/Berlin)')).toBe('2026-11-21 08:40:00');
    const [head = [], ...rows] = sheets.get('Curve') ?? [];
    expect(head.slice(0, 3)).toEqual(['Time (s)', 'Since charge', 'Bean temp (°C)']);
    expect(rows.map(([time]) => Number(time) - 25)).toEqual(curve.time_seconds);
    expect(rows.map((cells) => Number(cells[2]))).toEqual(curve.channels['bean_temp']);
    expect((sheets.get('Marks') ?? []).slice(1).map(([, , seconds]) => Number(seconds))).toEqual(
      roast.marks.map(({ time_seconds }) => time_seconds),
    );

    const [list] = (await openedByOffice((await admin.download('/roasts/export/xlsx')).bytes)).values();
    expect(list).toHaveLength(2);
    expect(list?.[1]).toEqual(expect.arrayContaining(['=1+1', '2026-11-21 08:40:00', '12.345']));
  },
);
