import { readFile } from 'node:fs/promises';
import { logRoast } from '@roastery/contract/imports';
import type { RegisteredMachine } from '@roastery/contract/machines';
import type { Roast } from '@roastery/contract/roasts';
import { parseAlog } from '@roastery/roasting/artisan/alog';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let probat: RegisteredMachine;
let roast: Roast;
const dayMs = 86_400_000;
beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
  for (let n = 0; n < 28; n++) {
    const charged = new Date(Date.now() - n * dayMs - 3_600_000);
    const details = {
      coffee_name: n % 2 === 0 ? 'Yirgacheffe Konga' : 'Fazenda Rainha',
      coffee_origin: n % 2 === 0 ? 'Ethiopia' : 'Brazil',
      roast_level: n % 4 === 0 ? 'Medium-Light' : 'Dark',
    } as const;
    if (n === 0) roast = await bringPastRoast(roastery.stack, ana, probat, { charged, details });
    else {
      const start_time = charged.toISOString();
      await ana.call(logRoast, { body: { ...details, machine_id: probat.id, start_time, duration_seconds: 600 } });
    }
  }
});
afterAll(() => roastery[Symbol.asyncDispose]());

const downloaded = async (page: Page, act: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> => {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
};
const rows = (page: Page) => page.getByRole('table', { name: 'Roasts' }).locator('tbody').getByRole('row');

describe('the roast page', () => {
  it('exports the roast as workbook, report, Artisan file and CSV [P45]', async () => {
    await using watched = await roastery.openAs(ana);
    const { page, complaints } = watched;
    await page.goto(`/roasts/${roast.id}`);
    const take = (item: string) =>
      downloaded(page, async () => {
        await page.getByRole('button', { name: 'Export' }).click();
        await page.getByRole('menuitem', { name: item }).click();
      });
    const name = `${roast.said_number} Yirgacheffe Konga`;
    const xlsx = await take('Excel (XLSX)');
    expect([xlsx.name, xlsx.bytes.subarray(0, 2).toString()]).toEqual([`${name}.xlsx`, 'PK']);
    const pdf = await take('PDF report');
    expect([pdf.name, pdf.bytes.subarray(0, 5).toString()]).toEqual([`${name}.pdf`, '%PDF-']);
    const alog = await take('Artisan (.alog)');
    const artisan = parseAlog(alog.bytes.toString('utf8'));
    expect(artisan).toMatchObject({ title: 'Yirgacheffe Konga', machine: 'Probat P25', greenKg: roast.batch_size_kg });
    expect(artisan.marks.find(({ kind }) => kind === 'drop')?.tempC).toBeCloseTo(roast.drop_temp ?? 0, 0);
    const csv = await take('Curve as CSV');
    expect(csv.bytes.toString('utf8')).toMatch(/^\uFEFFTime \(s\),Since charge \(s\),Bean temp \(°C\)/);
    const png = await take('Chart PNG');
    expect(png.bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(complaints).toEqual([]);
  });
});

describe('the list', () => {
  it('filters by properties of roasts, keeps them in the address, and exports all matching roasts [P36]', async () => {
    await using watched = await roastery.openAs(ana);
    const { page, complaints } = watched;
    await page.goto('/roasts?rows=25');
    await page.getByText('1–25 of 28').waitFor();
    const all = await downloaded(page, async () => {
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name: 'CSV' }).click();
    });
    expect(all.bytes.toString('utf8').trim().split('\n')).toHaveLength(29);

    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('combobox', { name: 'Coffee', exact: true }).click();
    await page.getByRole('option', { name: 'Yirgacheffe Konga' }).click();
    await expect.poll(() => rows(page).count()).toBe(14);
    await page.getByRole('combobox', { name: 'Roast level' }).click();
    await page.getByRole('option', { name: 'Medium' }).click();
    await expect.poll(() => rows(page).count()).toBe(7);
    const from = new Date(Date.now() - 10 * dayMs).toISOString().slice(0, 10);
    await page.getByLabel('From').fill(from);
    await expect.poll(() => rows(page).count()).toBe(3);
    await expect
      .poll(() => Object.fromEntries(new URL(page.url()).searchParams))
      .toEqual({
        rows: '25',
        coffee_name: 'Yirgacheffe Konga',
        level: 'Medium',
        from,
      });
    await page.reload();
    await expect.poll(() => rows(page).count()).toBe(3);
    await page.getByRole('button', { name: 'Filters (3)', exact: true }).waitFor();
    const some = await downloaded(page, async () => {
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByText('3 roasts', { exact: true }).waitFor();
      await page.getByRole('menuitem', { name: 'CSV' }).click();
    });
    expect(some.bytes.toString('utf8').trim().split('\n')).toHaveLength(4);
    const xlsx = await downloaded(page, async () => {
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name: 'Excel (XLSX)' }).click();
    });
    expect(xlsx.name).toMatch(/^roasts-\d{4}-\d\d-\d\d\.xlsx$/);
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Aborted' }).click();
    await page.getByText('No roasts match your filters').waitFor();
    await page.getByRole('button', { name: 'Reset filters (4)' }).first().click();
    await page.getByText('1–25 of 28').waitFor();
    expect(complaints).toEqual([]);
  });
});
