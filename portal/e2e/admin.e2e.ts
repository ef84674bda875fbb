import { adminStats, createUser, listAudit } from '@roastery/contract/users';
import { createOption, getRoasterySettings, listOptions } from '@roastery/contract/settings';
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

  it('create a user, whose credentials are shown once and sign them in', async () => {
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    await page.goto('/admin/users');
    await page.getByText('2 users in total').waitFor();
    await expect
      .poll(async () => (await page.getByRole('columnheader').allInnerTexts()).slice(0, 5))
      .toEqual(['NAME', 'EMAIL', 'STATUS', 'ROLE', 'CREATED DATE']);
    await page.getByRole('button', { name: 'Create User' }).click();
    const form = page.getByRole('dialog', { name: 'Create User' });
    await form.getByText('At least 8 characters: uppercase, lowercase, number').waitFor();
    await expect.poll(() => form.getByRole('combobox').count(), { message: 'there is no choice of role' }).toBe(0);
    await form.getByRole('button', { name: 'Create User' }).click();
    await form.getByText('Full name is required').waitFor();
    await form.getByText('Enter an email address').waitFor();
    await form.getByLabel('Full Name').fill('K'.repeat(121));
    await form.getByRole('button', { name: 'Create User' }).click();
    await form.getByText('At most 120 characters', { exact: true }).waitFor();
    await form.getByLabel('Full Name').fill('Kofi Mensah');
    await form.getByLabel('Email').fill(anaRestrepo.email);
    await form.getByLabel('Password').fill('password1');
    await form.getByRole('button', { name: 'Create User' }).click();
    await form.getByText('This password is too common. Choose another one').waitFor();
    await form.getByRole('button', { name: 'Generate password' }).click();
    await form.getByRole('button', { name: 'Create User' }).click();
    await form.getByText('A user with this email already exists.').waitFor();
    await form.getByLabel('Email').fill('kofi@roastery.example');
    const password = await form.getByLabel('Password').inputValue();
    await form.getByRole('button', { name: 'Create User' }).click();

    const once = page.getByRole('dialog', { name: 'User created' });
    await once.getByText("Save these credentials - password won't be shown again!").waitFor();
    await once.getByText('kofi@roastery.example').waitFor();
    await once.getByText(password, { exact: true }).waitFor();
    await page.mouse.click(5, 5);
    await expect.poll(() => once.isVisible(), { message: 'a click beside it does not lose them' }).toBe(true);
    await page.keyboard.press('Escape');
    const question = page.getByRole('alertdialog', { name: 'Close the credentials of Kofi Mensah?' });
    await question.getByRole('button', { name: 'Back' }).click();
    await question.waitFor({ state: 'hidden' });
    await once.getByText(password, { exact: true }).waitFor();
    await once.getByRole('button', { name: 'Done' }).click();
    await page.getByText('3 users in total').waitFor();
    await expect.poll(() => page.getByText(password).count()).toBe(0);
    await expect
      .poll(() => rowOf(page, 'kofi@roastery.example').getByRole('cell').allInnerTexts())
      .toEqual(expect.arrayContaining(['Kofi Mensah', 'kofi@roastery.example', 'Active', 'User']));
    await signIn(roastery.stack.url, { email: 'kofi@roastery.example', password });
    expect(watched.complaints.filter((line) => !line.includes('40') && !line.includes('422'))).toEqual([]);
  });

  it('promote, demote, deactivate, activate and reset; the last active administrator stays', async () => {
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

  it('see the statistics in three cards', async () => {
    await register(ana, 'RM7-STATS', 'Little One', 'RM7');
    const stats = await roastery.admin.call(adminStats);
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    await page.goto('/admin/stats');
    const card = (label: string) => page.getByRole('link').filter({ hasText: label });
    await card('Total Users').getByText(String(stats.total_users)).first().waitFor();
    await expect
      .poll(() => card('Total Users').innerText())
      .toMatch(new RegExp(`${stats.total_users}\\s+${stats.active_users} active`));
    await expect.poll(() => card('Total Machines').innerText()).toMatch(/1\s+0 active/);
    await expect.poll(() => card('Total Roasts').innerText()).toMatch(/0\s+0 this month/);
    await card('Total Users').click();
    await page.waitForURL('**/admin/users');
    expect(watched.complaints).toEqual([]);
  });

  it('edit the roastery’s data and its time zone', async () => {
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    await page.goto('/admin/settings');
    const save = page.getByRole('button', { name: 'Save Settings' });
    await page.getByLabel('Roastery Name').fill('Drum & Bean');
    await page.getByLabel('City').fill('Auckland');
    // Switching to the other tab loses no input; leaving the page shows a confirmation.
    await page.getByRole('tab', { name: 'Dropdown Options' }).click();
    await page.getByRole('tab', { name: 'Roastery Info' }).click();
    await expect.poll(() => page.getByLabel('City').inputValue()).toBe('Auckland');
    await page.getByRole('link', { name: 'Statistics' }).click();
    await page.getByRole('button', { name: 'Stay' }).click();
    await page.getByRole('combobox', { name: 'Time Zone' }).fill('auck');
    await page.getByRole('option', { name: /Pacific\/Auckland/ }).click();
    await save.click();
    await page.getByText('Settings saved successfully!').waitFor();
    expect(await roastery.admin.call(getRoasterySettings)).toMatchObject({
      roastery_name: 'Drum & Bean',
      city: 'Auckland',
      address: null,
      time_zone: 'Pacific/Auckland',
    });
    await page.route('**/settings/roastery', (route) => route.abort());
    await page.getByLabel('City').fill('Wellington');
    await save.click();
    await page.getByRole('alert').getByText('Failed to save settings').waitFor();
  });

  it('edit the drop-down lists', async () => {
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    await page.goto('/admin/settings?tab=options');
    await page.getByText('No variety yet').waitFor();
    await page.getByRole('button', { name: 'Seed Defaults' }).click();
    await page.getByText('Defaults seeded: 35 added, 0 kept.').waitFor();
    const shown = (label: string) => page.getByRole('list', { name: `${label} options` }).getByRole('listitem');
    await shown('Variety').first().waitFor();
    await expect.poll(() => shown('Variety').count()).toBe(12);
    for (const [button, count] of [
      ['Origin', 12],
      ['Process', 7],
      ['Warehouse', 1],
      ['Machine Type', 3],
    ] as const) {
      await page.getByRole('button', { name: button, exact: true }).click();
      await shown(button).first().waitFor();
      await expect.poll(() => shown(button).count(), { message: button }).toBe(count);
    }
    await expect.poll(() => new URL(page.url()).searchParams.get('category')).toBe('machine_type');

    await page.getByRole('button', { name: 'Process', exact: true }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Please enter a value').waitFor();
    await page.getByLabel('New process').fill('Koji');
    await page.getByLabel('Description').fill('Fermented with Aspergillus oryzae');
    await page.keyboard.press('Enter');
    await shown('Process').filter({ hasText: 'Koji' }).waitFor();
    const options = await roastery.admin.call(listOptions, { params: { category: 'process' } });
    expect(options.at(-1)).toMatchObject({ value: 'Koji', sort_order: 8, is_active: true });
    await page.getByLabel('New process').fill('Koji');
    await page.keyboard.press('Enter');
    await page.getByText('“Koji” is already in the list').waitFor();

    await page.getByRole('button', { name: 'Delete Koji' }).click();
    await confirm(page, 'Delete');
    await shown('Process').filter({ hasText: 'Koji' }).waitFor({ state: 'detached' });
    await page.route('**/settings/**', (route) =>
      route.request().method() === 'GET' ? route.continue() : route.abort(),
    );
    await page.getByRole('button', { name: 'Seed Defaults' }).click();
    await page.getByText('Failed to seed defaults').waitFor();
    await page.getByLabel('New process').fill('Lactic');
    await page.keyboard.press('Enter');
    await page.getByText('Failed to add option').waitFor();
    await page.getByRole('button', { name: 'Delete Washed' }).click();
    await confirm(page, 'Delete');
    await page.getByText('Failed to delete option').waitFor();
  });

  it('read the audit log, filter it and change its page', async () => {
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
    await page.goto('/admin/audit?q=nobody-at-all');
    await page.getByText('No events found').waitFor();
    expect(watched.complaints).toEqual([]);
  });

  it('only they can open these pages: others are redirected to the dashboard', async () => {
    await using watched = await roastery.openAs(ana);
    for (const path of ['/admin/users', '/admin/stats', '/admin/settings', '/admin/audit']) {
      await watched.page.goto(path);
      await watched.page.waitForURL('**/dashboard');
    }
    await expect.poll(() => watched.page.getByRole('link', { name: 'Users' }).count()).toBe(0);
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

  it('see that a list could not be read, and can retry', async () => {
    await roastery.admin.call(createUser, {
      body: { full_name: 'Later', email: 'later@roastery.example', password: 'comes a little later 9' },
    });
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    await page.route('**/admin/users?*', (route) => route.fulfill({ status: 500, body: '{}' }));
    await page.goto('/admin/users');
    await page.getByText('No users found').waitFor();
    await page.getByRole('alert').getByText('Users could not be loaded').waitFor();
    await page.unroute('**/admin/users?*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('later@roastery.example').waitFor();
    await expect.poll(() => page.getByText('Users could not be loaded').count()).toBe(0);
  });
});
