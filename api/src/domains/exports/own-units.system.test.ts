import type { Upload } from '@roastery/contract/imports';
import type { Lot, LotImportRow } from '@roastery/contract/inventory';
import type { Roast } from '@roastery/contract/roasts';
import { getDocumentProxy } from 'unpdf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCsv } from '../../sheets/csv.ts';
import { readWorkbook } from '../../sheets/read-workbook.ts';
import { exampleCsv } from '../../testing/example-data.ts';
import { type OpenedTestApi, openTestApi } from '../../testing/test-api.ts';

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
const table = (bytes: Uint8Array): Record<string, string>[] => {
  const [head, ...rows] = parseCsv(textOf(bytes)).records;
  return rows.map(({ cells }) => Object.fromEntries((head?.cells ?? []).map((name, at) => [name, cells[at] ?? ''])));
};

describe('files for a person who reads pounds in Germany', () => {
  let opened: OpenedTestApi;
  let roast: Roast;
  beforeAll(async () => {
    opened = await openTestApi();
    const { admin } = opened;
    await admin.send('PUT', '/settings/roastery', { time_zone: 'UTC', currency: 'EUR' });
    await admin.send('PATCH', '/account/preferences', { weight_unit: 'lb', date_language: 'de' });
    const upload = await admin.sendFile<Upload>('/roasts/uploads?file_name=a.csv', exampleCsv());
    // 25.3 lb green and 21.75 lb roasted.
    const facts = { batch_size_kg: 11.475_887, end_weight_kg: 9.865_634, start_time: '2026-11-21T07:40:00.000Z' };
    const taken = await admin.send<Roast>('POST', `/roasts/uploads/${upload.body.id}/roast`, facts);
    if (taken.status !== 201) throw new Error(JSON.stringify(taken.body));
    roast = taken.body;
  });
  afterAll(() => opened.close());
  const download = async (path: string) => (await opened.admin.download(path)).bytes;

  it('list roasts in pounds as CSV and as a workbook', async () => {
    const [row] = table(await download('/roasts/export/csv'));
    expect([row?.['Batch (lb)'], row?.['Roasted weight (lb)']]).toEqual(['25.3', '21.75']);
    const [sheet] = await readWorkbook(await download('/roasts/export/xlsx'));
    const [head = [], cells = []] = sheet?.rows ?? [];
    const at = (name: string) => cells[head.findIndex((cell) => String(cell) === name)];
    expect([at('Batch (lb)'), at('Roasted weight (lb)')]).toEqual([25.3, 21.75]);
  });

  it('have a workbook of a roast that is read back to the same kilograms', async () => {
    const bytes = await download(`/roasts/${roast.id}/export/xlsx`);
    const again = await opened.admin.sendFile<Upload>('/roasts/uploads?file_name=a.xlsx', bytes);
    expect(again.body).toMatchObject({ batch_size_kg: 11.475_887, end_weight_kg: 9.865_634 });
  });

  it('have a report with the figures and the date of the region', async () => {
    const document = await getDocumentProxy(new Uint8Array(await download(`/roasts/${roast.id}/export/pdf`)));
    const { items } = await (await document.getPage(1)).getTextContent();
    const text = items.map((item) => ('str' in item ? item.str : '')).join(' ');
    for (const figure of ['25,3 lb', '21,75 lb', '14,0 %', '21 November 2026 at 07:40']) {
      expect(text.replaceAll(/ +/g, ' ')).toContain(figure);
    }
    expect(text).not.toMatch(/\bkg\b/);
  });

  it('have CSV and .alog of a roast in °F, which are read back to the same temperatures', async () => {
    const { admin } = opened;
    const wasRead = (
      await admin.sendFile<Upload>('/roasts/uploads?file_name=c.csv', await download(`/roasts/${roast.id}/export/csv`))
    ).body;
    await admin.send('PATCH', '/account/preferences', { temperature_unit: 'F' });
    try {
      for (const format of ['csv', 'alog']) {
        const bytes = await download(`/roasts/${roast.id}/export/${format}`);
        expect(textOf(bytes)).toContain(format === 'csv' ? ',Bean temp (°F),' : "'mode': 'F'");
        // The roast's own number, as it stands on the bags.
        expect(textOf(bytes)).toContain(format === 'csv' ? 'Event' : `'roastbatchnr': ${roast.batch_number}`);
        const read = (await admin.sendFile<Upload>(`/roasts/uploads?file_name=f.${format}`, bytes)).body;
        expect([format, read.temperature_unit]).toEqual([format, { value: 'F', source: 'file' }]);
        expect(read.samples).toBe(wasRead.samples);
        const [before, after] = [wasRead.curve.bean_temp, read.curve.bean_temp];
        expect(after[5]).toBeCloseTo(before[5] ?? Number.NaN, 2);
      }
    } finally {
      await admin.send('PATCH', '/account/preferences', { temperature_unit: 'C' });
    }
  });

  it('list lots in pounds, and are imported to the same kilograms', async () => {
    const { admin } = opened;
    const lot = {
      lot_number: 'LB-1',
      coffee_name: 'Guji',
      origin: 'Ethiopia',
      initial_weight: 68.946_04,
      cost_per_kg: 6.834_33,
    };
    expect((await admin.send<Lot>('POST', '/inventory/lots', lot)).status).toBe(201);
    const csv = await download('/inventory/lots/export');
    const [row] = table(csv);
    expect([row?.['initial_weight (lb)'], row?.['current_weight (lb)'], row?.['cost_per_kg']]).toEqual([
      '152',
      '152',
      '6.83433',
    ]);
    const renamed = textOf(csv).replace('LB-1', 'LB-2');
    const { body } = await admin.send<{ rows: LotImportRow[] }>('POST', '/inventory/lots/import', { csv: renamed });
    expect(body.rows.map(({ initial_weight: kg, errors }) => ({ kg, errors }))).toEqual([
      { kg: 68.946_04, errors: [] },
    ]);
  });
});
