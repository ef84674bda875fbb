import { exampleCsv } from '@roastery/api/testing/example-data';
import { listRoasts } from '@roastery/contract/roasts';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  await register(ana, 'PRB-P25-0042', 'Probat P25');
});
afterAll(() => roastery[Symbol.asyncDispose]());

/** Changes at an address that are held until released, in the order of their requests. */
const holdChanges = async (page: Page, address: RegExp) => {
  const asked: Route[] = [];
  await page.route(address, (route) =>
    route.request().method() === 'PUT' ? void asked.push(route) : route.fallback(),
  );
  const isAsked = (count: number) => expect.poll(() => asked.length).toBe(count);
  return {
    isAsked,
    /** Releases the newest; no further one follows before it is answered. */
    async goOn(count: number): Promise<unknown> {
      await isAsked(count);
      const route = asked.at(-1);
      await route?.continue();
      return route?.request().postDataJSON() as unknown;
    },
  };
};

describe('quick changes', () => {
  it('of an import of many files are stored in order, and it does not begin before', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/roasts/new?way=upload');
    await page.getByLabel('Files to import').setInputFiles(
      ['one', 'two'].map((name, at) => ({
        name: `${name}.csv`,
        mimeType: 'text/csv',
        buffer: Buffer.from(exampleCsv(`${at + 1}000`)),
      })),
    );
    await page.getByText('0 of 2 files can be imported').waitFor();
    for (const name of ['one', 'two']) {
      const charge = page.getByLabel(`Charge of ${name}.csv`);
      await charge.fill(`2026-11-19T07:0${name.length}`);
      await charge.press('Enter');
    }
    const start = page.getByRole('button', { name: 'Import 2 roasts' });
    await expect.poll(() => start.isEnabled()).toBe(true);

    const changes = await holdChanges(page, /\/roast-imports\/.+$/);
    const takes = page.getByRole('checkbox', { name: /Deduct the green coffee/ });
    await takes.click();
    await changes.isAsked(1);
    // The second tap undoes the first one, although that is not stored yet.
    await takes.click();
    await expect.poll(() => takes.isChecked()).toBe(false);
    const coffee = page.getByLabel('Coffee of one.csv');
    await coffee.fill('Sidamo');
    await coffee.press('Enter');
    await coffee.fill('Guji');
    await expect.poll(() => start.isEnabled()).toBe(false);
    expect(await changes.goOn(1)).toEqual({ takes_green: true });
    expect(await changes.goOn(2)).toEqual({ takes_green: false });
    expect(await changes.goOn(3)).toEqual({ coffee_name: 'Sidamo' });
    await expect.poll(() => start.isEnabled()).toBe(true);
    // Input is not overwritten by an earlier stored value.
    await expect.poll(() => coffee.inputValue()).toBe('Guji');
    await coffee.press('Enter');
    await changes.isAsked(4);
    await expect.poll(() => start.isEnabled()).toBe(false);
    expect(await changes.goOn(4)).toEqual({ coffee_name: 'Guji' });
    await expect.poll(() => takes.isChecked()).toBe(false);
    await start.click();
    await page.getByText('2 roasts imported').waitFor();
    const { roasts } = await ana.call(listRoasts, { query: { q: 'Guji' } });
    expect(roasts).toHaveLength(1);
    expect(watched.complaints).toEqual([]);
  });

  it('of one file are both kept, and the roast is added after they are read', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/roasts/new?way=upload');
    // No units in its head, and times in milliseconds.
    const text = exampleCsv('3000')
      .replace(/^.*/, 'Time,BT,Event')
      .replaceAll(/^(\d+),/gm, '$1000,');
    await page
      .getByLabel('Files to import')
      .setInputFiles({ name: 'three.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    const unit = page.getByRole('radiogroup', { name: 'Unit of temperature' });
    const add = page.getByRole('button', { name: 'Add roast' });
    await expect.poll(() => add.isEnabled()).toBe(true);
    const changes = await holdChanges(page, /\/uploads\/[^/]+$/);
    await unit.getByRole('radio', { name: '°F' }).click();
    await changes.isAsked(1);
    await unit.getByRole('radio', { name: '°C' }).click();
    await expect.poll(() => unit.getByRole('radio', { name: '°C' }).getAttribute('aria-checked')).toBe('true');
    await expect.poll(() => add.isEnabled()).toBe(false);
    const seconds = page.getByRole('radiogroup', { name: 'Unit of time' });
    await seconds.getByRole('radio', { name: 'cs', exact: true }).click();
    expect(await changes.goOn(1)).toEqual({ temperature_unit: 'F' });
    expect(await changes.goOn(2)).toEqual({ temperature_unit: 'C' });
    await expect.poll(() => add.isEnabled()).toBe(false);
    expect(await changes.goOn(3)).toEqual({ temperature_unit: 'C', time_unit: 'cs' });
    await expect
      .poll(() => seconds.getByRole('radio', { name: 'cs', exact: true }).getAttribute('aria-checked'))
      .toBe('true');
    await expect.poll(() => unit.getByRole('radio', { name: '°C' }).getAttribute('aria-checked')).toBe('true');
  });
});
