import type { Lot } from '@roastery/contract/inventory';
import { uuidV7 } from '@roastery/runtime/uuid';
import { extractText } from 'unpdf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readWorkbook } from '../../sheets/read-workbook.ts';
import { type OpenedTestApi, openTestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';

let opened: OpenedTestApi;
let admin: Visitor;
let ownerId: string;
let lot: Lot;
beforeAll(async () => {
  opened = await openTestApi();
  admin = opened.admin;
  ownerId = (await admin.send<{ id: string }>('GET', '/auth/me')).body.id;
  await admin.send('PUT', '/settings/roastery', { roastery_name: 'Müller & Søn', time_zone: 'UTC', currency: 'EUR' });
  lot = (
    await admin.send<Lot>('POST', '/inventory/lots', {
      lot_number: 'ET-1',
      coffee_name: 'Guji',
      origin: 'Ethiopia',
      initial_weight: 100,
      cost_per_kg: 8,
    })
  ).body;
  for (const [day, coffee, kg, roastedKg] of [
    ['2026-03-01', 'Guji', 10, 8.5],
    ['2026-03-31', 'Guji', 20, 16.9],
    ['2026-03-15', 'Huila', 10, null],
    ['2026-02-28', 'Guji', 10, 8],
    ['2026-01-31', 'Huila', 50, 40],
  ] as const) {
    await admin.send('POST', '/roasts', {
      coffee_name: coffee,
      start_time: `${day}T12:00:00.000Z`,
      duration_seconds: 600,
      batch_size_kg: kg,
      end_weight_kg: roastedKg,
      lot_id: coffee === 'Guji' ? lot.id : null,
    });
  }
});
afterAll(() => opened.close());

const download = (format: string, query: string) => admin.download(`/analytics/export/${format}?${query}`);
const march = 'from=2026-03-01&to=2026-03-31';

describe('the summary of a month', () => {
  it('is one page with the figures of the month and of the one before', async () => {
    const { bytes, headers } = await download('pdf', march);
    expect(headers.get('content-type')).toBe('application/pdf');
    expect(headers.get('content-disposition')).toContain('summary-2026-03-01-2026-03-31.pdf');
    const { totalPages, text } = await extractText(new Uint8Array(bytes), { mergePages: true });
    expect(totalPages).toBe(1);
    const words = text.replaceAll(/\s+/g, ' ');
    expect(words).toContain('Müller & Søn');
    expect(words).toContain('March 2026 Roastery summary · compared with February 2026');
    expect(words).toContain('Roasted 40.0 kg 10.0 kg +300.0%');
    expect(words).toContain('Roasts 3 1 +200.0%');
    expect(words).toContain('Cost of green coffee €240.00 €80.00 +200.0%');
    expect(words).toContain('Weight loss 15.3% 20.0% -4.7 pts');
    expect(words).toContain('Guji 2 30.0 kg 10.0 kg +200.0% Huila 1 10.0 kg 0.0 kg --');
  });

  it('is a workbook with numbers to calculate with', async () => {
    const sheets = await readWorkbook((await download('xlsx', march)).bytes);
    expect(sheets.map(({ name }) => name)).toEqual(['Overview', 'Coffees', 'Consistency', 'Runs out']);
    expect(sheets[0]?.rows.slice(0, 5)).toEqual([
      [null, 'March 2026', 'February 2026'],
      ['Roasted (kg)', 40, 10],
      ['Roasts', 3, 1],
      ['Green coffee used (kg)', 30, 10],
      ['Cost of green coffee (EUR)', 240, 80],
    ]);
  });

  it('names what runs out, and what the cost lacks', async () => {
    const { sql } = opened.test.api.context;
    await sql`UPDATE lots SET price_minor = NULL WHERE id = ${lot.id}`;
    await admin.send('POST', '/roasts', {
      coffee_name: 'Guji',
      start_time: new Date().toISOString(),
      duration_seconds: 600,
      batch_size_kg: 30,
      lot_id: lot.id,
    });
    const { text } = await extractText(new Uint8Array((await download('pdf', march)).bytes), { mergePages: true });
    const words = text.replaceAll(/\s+/g, ' ');
    expect(words).toContain('Without the cost of 30.0 kg from lots that have no price.');
    expect(words).toMatch(/Guji ET-1 30\.0 kg \d+/);
  });

  it('stays on one page with long names and many rows', async () => {
    const { sql } = opened.test.api.context;
    for (let n = 0; n < 30; n++) {
      await sql`
        INSERT INTO roasts ${sql({
          id: uuidV7(),
          owner_id: ownerId,
          status: 'completed',
          start_time: '2026-04-10T12:00:00Z',
          coffee_name: `A very long name of a coffee from a distant mountain, washed and dried on raised beds, no. ${n}`,
          batch_size_kg: 10 + n,
          duration_seconds: 600,
        })}`;
    }
    const { bytes } = await download('pdf', 'from=2026-04-01');
    expect((await extractText(new Uint8Array(bytes), { mergePages: true })).totalPages).toBe(1);
  });

  it('shows a person the roasts of their machines only', async () => {
    const account = { full_name: 'Bo', email: 'bo@example.com', password: 'drum and bean and flame' };
    await admin.send('POST', '/admin/users', account);
    const bo = await opened.test.signedIn(account.email, account.password);
    const [overview] = await readWorkbook((await bo.download(`/analytics/export/xlsx?${march}`)).bytes);
    expect(overview?.rows[2]).toEqual(['Roasts', 0, 0]);
  });
});
