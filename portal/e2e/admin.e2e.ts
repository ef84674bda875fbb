import { listAudit } from '@roastery/contract/users';
import { createOption } from '@roastery/contract/settings';
import { signIn, type RoasteryClient } from '@roastery/testing/roastery-client';
import { SCREEN } from '@roastery/testing/browser';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, register, tomoIto, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
});
afterAll(() => roastery[Symbol.asyncDispose]());

const rowOf = (page: Page, email: string): Locator => page.getByRole('row').filter({ hasText: email });
const choose = async (page: Page, name: string, action: string): Promise<void> => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
};
const confirm = (page: Page, label: string): Promise<void> =>
  page.getByRole('alertdialog').getByRole('button', { name: label }).click();

describe('administrators', () => {
  it('open the menu of a row by keyboard, at its first choice, and return to its button with Escape', async () => {
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    await page.goto('/admin/users');
    const button = page.getByRole('button', { name: `Actions for ${anaRestrepo.full_name}` });
    // The second time the menu is already loaded.
    for (const key of ['Enter', 'ArrowDown', 'Enter']) {
      await button.focus();
      await page.keyboard.press(key);
      await page.getByRole('menu').waitFor();
      await expect.poll(() => page.locator('[role=menuitem]:focus').count()).toBe(1);
      await expect
        .poll(() =>
          page
            .getByRole('menuitem')
            .first()
            .evaluate((item) => item === document.activeElement),
        )
        .toBe(true);
      await page.keyboard.press('Escape');
      await expect.poll(() => button.evaluate((element) => element === document.activeElement)).toBe(true);
    }
  });

  it('promote, demote, deactivate, activate and reset; the last active administrator stays [P126]', async () => {
    await roastery.addPerson(tomoIto);
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    await page.goto('/admin/users?q=tomo');
    await page.getByText('1 user found').waitFor();
    const tomo = rowOf(page, tomoIto.email);

    await choose(page, tomoIto.full_name, 'Make admin');
    await page.getByText(`${tomoIto.full_name} will see all machines and roasts`).waitFor();
    await confirm(page, 'Make admin');
    await tomo.getByText('Admin', { exact: true }).waitFor();
    await choose(page, tomoIto.full_name, 'Make user');
    await confirm(page, 'Make user');
    await tomo.getByText('User', { exact: true }).waitFor();

    await choose(page, tomoIto.full_name, 'Deactivate');
    await confirm(page, 'Deactivate');
    await tomo.getByText('Inactive').waitFor();
    await expect(signIn(roastery.stack.url, tomoIto)).rejects.toThrow(/account_inactive/);
    await page.goto('/admin/users?status=inactive');
    await choose(page, tomoIto.full_name, 'Activate');
    await confirm(page, 'Activate');
    await page.getByText('No users found').waitFor();
    await page.getByRole('button', { name: 'Reset filters' }).click();

    await choose(page, tomoIto.full_name, 'Reset password');
    await confirm(page, 'Reset password');
    const once = page.getByRole('dialog', { name: 'Password reset' });
    await once.getByText("Save these credentials - password won't be shown again!").waitFor();
    const password = (await once.getByRole('definition').nth(1).innerText()).trim();
    await once.getByRole('button', { name: 'Done' }).click();
    await signIn(roastery.stack.url, { ...tomoIto, password });
    await expect(signIn(roastery.stack.url, tomoIto)).rejects.toThrow(/wrong_credentials/);

    await choose(page, 'Administrator', 'Make user');
    await confirm(page, 'Make user');
    await page.getByRole('alert').getByText('This is the last active administrator.').waitFor();
    await choose(page, 'Administrator', 'Rename');
    await page.getByRole('dialog').getByLabel('Full Name').fill('Head Roaster');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByText('Renamed to Head Roaster').waitFor();
    expect(watched.complaints.filter((line) => !line.includes('409'))).toEqual([]);
  });

  it('read the audit log, filter it and change its page', async () => {
    await register(ana, 'RM7-STATS', 'Little One', 'RM7');
    for (let index = 0; index < 30; index += 1) {
      await roastery.admin.call(createOption, { body: { category: 'warehouse', value: `Shelf ${index}` } });
    }
    const { total } = await roastery.admin.call(listAudit, { query: { action: 'option.created' } });
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    await page.goto('/admin/audit?rows=25');
    await page.getByRole('combobox', { name: 'Event' }).click();
    await page.getByRole('option', { name: 'Added an option' }).click();
    await page.getByText(`1–25 of ${total}`).waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText(`26–${total} of ${total}`).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('?rows=25&action=option.created&page=2');
    await page.goto(`/admin/audit?q=${encodeURIComponent(anaRestrepo.email)}`);
    await page.getByRole('button', { name: /^Details: Registered a machine/ }).click();
    const entry = page.getByRole('dialog', { name: 'Registered a machine' });
    await entry.getByText('RM7-STATS').waitFor();
    await page.keyboard.press('Escape');
    await page.goto('/admin/audit?q=no-such-person');
    await page.getByText('No events found').waitFor();
    expect(watched.complaints).toEqual([]);
  });

  it('see the selected tab on a phone, where all tabs do not fit', async () => {
    await using watched = await roastery.openAs(roastery.admin, { viewport: SCREEN.phone });
    const { page } = watched;
    await page.goto('/admin/devices?tab=wall');
    const tab = page.getByRole('tab', { selected: true });
    const right = async (): Promise<number> => {
      const box = await tab.boundingBox();
      return (box?.x ?? Number.NaN) + (box?.width ?? Number.NaN);
    };
    await expect.poll(right).toBeLessThanOrEqual(SCREEN.phone.width);
  });
});
