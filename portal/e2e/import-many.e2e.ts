import { formatFiles } from '@roastery/api/testing/format-files';
import { notations, tableIn } from '@roastery/api/testing/table-styles';
import { createLot } from '@roastery/contract/inventory';
import { listImportFiles } from '@roastery/contract/roast-imports';
import { listRoasts } from '@roastery/contract/roasts';
import { seriousAccessibilityFindings } from '@roastery/testing/accessibility';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { zipSync } from 'fflate';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  await register(ana, 'PRB-P25-0042', 'Probat P25');
  await ana.call(createLot, {
    body: { lot_number: 'L-0042', coffee_name: 'Guji', origin: 'Ethiopia', initial_weight: 60 },
  });
});
afterAll(() => roastery[Symbol.asyncDispose]());

const archive = (): Buffer =>
  Buffer.from(
    zipSync({
      ...Object.fromEntries(formatFiles.map(({ name, bytes }) => [`2025/${name}`, bytes])),
      '2025/.DS_Store': new Uint8Array([1]),
      'broken.alog': new TextEncoder().encode("{'timex': [1, 2"),
    }),
  );
const send = (page: Page) =>
  page
    .getByLabel('Files to import')
    .setInputFiles({ name: 'years.zip', mimeType: 'application/zip', buffer: archive() });
const unfinished = (time: number) => new TextEncoder().encode(`{'timex': [${time}`);
/** For tests of sending, not of reading. */
const smallArchive = (): Buffer => Buffer.from(zipSync({ '2025/a.alog': unfinished(8), '2025/b.alog': unfinished(9) }));
const roastCount = async () => (await ana.call(listRoasts, { query: {} })).total;

/**
 * Begins an import of a multiple of twenty files; the requests after the first twenty wait until `resume`. Two are sent at the
 * same time, and either may be the first.
 */
const sendSlowly = async (page: Page, count: number): Promise<{ id: string; resume: () => void }> => {
  let taken = 0;
  let isHeld = true;
  const held: (() => void)[] = [];
  const resume = () => {
    isHeld = false;
    for (const release of held) release();
  };
  await page.route(/\/roast-imports\/[^/]+\/files(?:\?|$)/, async (route) => {
    const isSent = route.request().method() === 'POST';
    if (isSent) taken += 1;
    if (isSent && taken > 1 && isHeld) await new Promise<void>((resolve) => held.push(resolve));
    // The page of this request may have been reloaded.
    await route.continue().catch(() => undefined);
  });
  await page.goto('/roasts/new?way=upload');
  await page.getByLabel('Files to import').setInputFiles(
    Array.from({ length: count }, (_, index) => ({
      name: `roast ${index}.alog`,
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(`{'timex': [${index}`),
    })),
  );
  await page.getByText(`Sending 20 of ${count} files`).waitFor();
  await page.waitForURL(/[?&]import=/);
  return { id: new URL(page.url()).searchParams.get('import') ?? '', resume };
};
const keptFiles = (page: Page): Promise<boolean> =>
  page.evaluate(async () => (await indexedDB.databases()).some(({ name }) => name === 'roastery-files'));

describe('import of many files', () => {
  it('accepts a ZIP, shows problems in one table, corrects in place, imports after a reload, and is undone', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/roasts/new?way=upload');
    await send(page);
    await page.getByText(/\d+ of 18 files can be imported/).waitFor();
    const table = page.getByRole('table', { name: 'Files' });
    for (const name of ['Cropster', 'Kaffelogic', 'Roest']) {
      await expect.poll(() => table.innerText()).toContain(name);
    }
    await expect.poll(() => table.innerText()).not.toContain('Reading…');
    await expect.poll(() => table.innerText()).not.toContain('DS_Store');

    // Filtered by problem, then corrected in its row.
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: /No date/ }).click();
    await expect.poll(() => page.url()).toContain('problem=no_date');
    const charge = page.getByLabel('Charge of 2025/stronghold.xlsx');
    await charge.fill('2025-01-02T08:04');
    await charge.press('Enter');
    await charge.waitFor({ state: 'detached' });

    // All sample files have the same curve: the first is imported, and a duplicate only by the user's choice.
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: /Duplicate/ }).click();
    const anyway = table.getByRole('button', { name: 'Import anyway' });
    await anyway.first().waitFor();
    const duplicates = await anyway.count();
    expect(duplicates).toBeGreaterThan(1);
    await anyway.first().click();
    await expect.poll(() => anyway.count()).toBe(duplicates - 1);

    await page.reload();
    const start = page.getByRole('button', { name: /^Import \d+ roasts$/ });
    const ready = Number(/\d+/.exec((await start.textContent()) ?? '')?.[0]);
    expect(ready).toBeGreaterThan(1);
    const before = await roastCount();
    await start.click();
    await page.getByText(`${ready} roasts imported`).waitFor({ timeout: 60_000 });
    expect(await roastCount()).toBe(before + ready);

    await page.getByRole('button', { name: 'Undo import' }).click();
    await page.getByRole('button', { name: 'Delete roasts' }).click();
    await page.getByText(`Undone: ${ready} roasts deleted`).waitFor({ timeout: 60_000 });
    expect(await roastCount()).toBe(before);
  });

  it('asks for the columns of a table in one file, and reads all files with these columns with them', async () => {
    const style = { name: 'own logger', columns: ['x|s', 'p|bean', 'q|air'] } as const;
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/roasts/new?way=upload');
    await page.getByLabel('Files to import').setInputFiles(
      notations.slice(0, 3).map((notation, place) => ({
        name: `logger ${place + 1}.csv`,
        mimeType: 'text/csv',
        buffer: Buffer.from(tableIn(style, notation)),
      })),
    );
    await page.getByText('0 of 3 files can be imported').waitFor();
    const table = page.getByRole('table', { name: 'Files' });
    await expect.poll(async () => (await table.innerText()).match(/Columns to choose/g)?.length).toBe(3);
    await table.getByRole('link', { name: 'Open' }).first().click();
    const choose = async (label: string, option: string) => {
      await page.getByRole('combobox', { name: label }).click();
      await page.getByRole('option', { name: option, exact: true }).click();
      await page.getByRole('listbox').waitFor({ state: 'detached' });
    };
    await page.getByRole('region', { name: 'Columns of the file' }).waitFor();
    expect(await seriousAccessibilityFindings(page)).toEqual([]);
    await choose('Use of x', 'Time');
    await choose('Use of p', 'Bean temperature');
    await page.getByText('Columns of the file, as assigned').waitFor();
    await page.getByRole('button', { name: 'Back to the import' }).click();
    // Of all three only the date is missing now.
    await expect.poll(async () => (await table.innerText()).match(/No date/g)?.length).toBe(3);
    await page.getByRole('button', { name: 'Delete import' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText(/Drop roast files/).waitFor();
  });

  it('accepts a folder that is chosen or dropped, with its subfolders', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'years-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await mkdir(path.join(folder, 'years', '2024', 'june'), { recursive: true });
    await mkdir(path.join(folder, 'years', '2025'));
    for (const [place, name] of ['2024/june/a.alog', '2024/b.alog', '2025/.DS_Store', '2025/c.alog'].entries())
      await writeFile(path.join(folder, 'years', name), `{'timex': [${place}`);
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    const names = ['years/2024/b.alog', 'years/2024/june/a.alog', 'years/2025/c.alog'];
    const arrive = async () => {
      await page.getByText(/0 of 3 files can be imported/).waitFor();
      await expect.poll(() => page.url()).toContain('import=');
      const id = new URL(page.url()).searchParams.get('import') ?? '';
      const { files } = await ana.call(listImportFiles, { params: { id }, query: { limit: 100 } });
      expect(files.map(({ file_name: name }) => name).toSorted()).toEqual(names);
      await page.getByRole('button', { name: 'Delete import' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText(/Drop roast files/).waitFor();
      await expect.poll(() => page.url()).not.toContain('import=');
    };
    await page.goto('/roasts/new?way=upload');
    await page.getByLabel('Folder to import').setInputFiles(path.join(folder, 'years'));
    await arrive();

    // As in manual use: the browser gets the path of the folder.
    const area = page.getByRole('region', { name: 'Roast files', exact: true });
    await area.scrollIntoViewIfNeeded();
    const box = await area.boundingBox();
    const [x, y] = [(box?.x ?? 0) + 20, (box?.y ?? 0) + 20];
    const browser = await page.context().newCDPSession(page);
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      const data = { items: [], files: [path.join(folder, 'years')], dragOperationsMask: 1 };
      await browser.send('Input.dispatchDragEvent', { type, x, y, data });
    }
    await arrive();
  });

  it('continues an import from the page of uploads', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/roasts/new?way=upload');
    await page
      .getByLabel('Files to import')
      .setInputFiles({ name: 'years.zip', mimeType: 'application/zip', buffer: smallArchive() });
    await page.getByText('0 of 2 files can be imported').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Continue' }).first().click();
    await page.getByText('0 of 2 files can be imported').waitFor();
    await page.getByRole('button', { name: 'Delete import' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText(/Drop roast files/).waitFor();
    await expect.poll(() => page.url()).not.toContain('import=');
  });

  it('continues sending after a reload in the middle, each file once', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    const { id, resume } = await sendSlowly(page, 40);
    await page.reload();
    await page.getByText(/Sending \d+ of 2\d files/).waitFor();
    resume();
    const arrived = async () => {
      const { files } = await ana.call(listImportFiles, { params: { id }, query: { limit: 100 } });
      return files.map(({ file_name: name }) => name).toSorted();
    };
    const names = Array.from({ length: 40 }, (_, index) => `roast ${index}.alog`).toSorted();
    await expect.poll(arrived, { timeout: 60_000 }).toEqual(names);
    // Nothing is left to send.
    await expect.poll(() => page.getByText(/^Sending/).count()).toBe(0);
    await page.reload();
    await page.getByText(/Reading: |0 of 40 files can be imported/).waitFor();
    expect(await arrived()).toEqual(names);
    await page.getByRole('button', { name: 'Delete import' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText(/Drop roast files/).waitFor();
  });

  it('continues with a ZIP archive after a reload before it was unpacked, beside a damaged one', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    // Unpacking waits for its code, which does not arrive before the reload.
    const unzipper = /\/assets\/browser-[^/]*\.js$/;
    const asked = page.waitForRequest(unzipper);
    await page.route(unzipper, () => undefined);
    await page.goto('/roasts/new?way=upload');
    const zip = { mimeType: 'application/zip' };
    await page.getByLabel('Files to import').setInputFiles([
      { ...zip, name: 'damaged.zip', buffer: smallArchive().subarray(0, 100) },
      { ...zip, name: 'years.zip', buffer: smallArchive() },
      { name: 'one.alog', mimeType: 'text/plain', buffer: Buffer.from("{'timex': [7") },
    ]);
    await asked;
    await page.getByText('Unpacking the files').waitFor();
    await page.waitForURL(/[?&]import=/);
    const address = page.url();
    const id = new URL(address).searchParams.get('import') ?? '';
    // Removed before its code can still arrive.
    await page.goto('about:blank');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.goto(address);
    await page.getByText('damaged.zip could not be unpacked.').waitFor();
    await page.getByText('0 of 3 files can be imported').waitFor();
    const { total } = await ana.call(listImportFiles, { params: { id }, query: { limit: 1 } });
    expect(total).toBe(3);
    await expect.poll(() => page.getByText(/^(?:Sending|Unpacking)/).count()).toBe(0);
    await page.getByRole('button', { name: 'Delete import' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText(/Drop roast files/).waitFor();
  });

  it('deletes unsent files when the user signs out', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await sendSlowly(page, 40);
    expect(await keptFiles(page)).toBe(true);
    await page.getByRole('button', { name: 'Logout' }).click();
    await page.waitForURL(/login/);
    await expect.poll(() => keptFiles(page)).toBe(false);
  });
});
