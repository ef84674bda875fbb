import { listSessions, me } from '@roastery/contract/auth';
import { signIn, type RoasteryClient } from '@roastery/testing/roastery-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, tomoIto, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
});
afterAll(() => roastery[Symbol.asyncDispose]());

describe('the account', () => {
  it('stores units, theme and region with the account, for every device', async () => {
    await using watched = await roastery.openAs(ana, { colorScheme: 'light' });
    const { page } = watched;
    await page.goto('/account');
    await page.getByText('Example drop: 204.5 °C').waitFor();
    await page.getByRole('radio', { name: '°F', exact: true }).click();
    await page.getByText('Example drop: 400.1 °F').waitFor();
    await page.getByText('Example rate: 14.8 °F/min').waitFor();
    await page.getByRole('radio', { name: '°F/30 s' }).click();
    await page.getByText('Example rate: 7.4 °F/30 s').waitFor();
    await page.getByText('Example batch: 12.5 kg').waitFor();
    await page.getByRole('radio', { name: 'lb', exact: true }).click();
    await page.getByText('Example batch: 27.6 lb').waitFor();
    await page.getByRole('radio', { name: 'Dark' }).click();
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
    await page.getByRole('combobox', { name: 'Region' }).fill('braz');
    await page.getByRole('option', { name: /Brazil/ }).click();
    await page
      .getByText(
        /^Dates and numbers: \d\d [A-Z][a-z]{2} 20\d\d, \d\d\/\d\d\/20\d\d - \d\d:\d\d, 1\.234,5\. Weeks begin on Sunday\.$/,
      )
      .waitFor();
    await expect
      .poll(async () => (await ana.call(me)).preferences)
      .toEqual({
        temperature_unit: 'F',
        rate_unit: 'per_30_seconds',
        weight_unit: 'lb',
        theme: 'dark',
        date_language: 'pt-BR',
      });
    await using elsewhere = await roastery.openAs(ana, { colorScheme: 'light' });
    await elsewhere.page.goto('/account');
    await elsewhere.page.getByText('Example drop: 400,1 °F').waitFor();
    await elsewhere.page.getByText('Example batch: 27,6 lb').waitFor();
    await expect.poll(() => elsewhere.page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
    expect([...watched.complaints, ...elsewhere.complaints]).toEqual([]);
  });

  it('changes the password when the current one is known, and ends the other sessions', async () => {
    const tomo = await roastery.addPerson(tomoIto);
    await signIn(roastery.stack.url, tomoIto);
    await using watched = await roastery.openAs(tomo);
    const { page } = watched;
    await page.goto('/account');
    const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
    await sessions.nth(1).waitFor();
    const form = page.getByRole('region', { name: 'Password', exact: true });
    const change = form.getByRole('button', { name: 'Change password' });
    await change.click();
    await form.getByText('Current password is required').waitFor();
    await form.getByText('Use at least 8 characters').waitFor();
    await form.getByLabel('Current password').fill('not this one at all');
    await form.getByLabel(/^New password(?! again)/).fill('three drums and a cooler 8');
    await form.getByLabel('Repeat new password').fill('three drums and a cooler');
    await change.click();
    await form.getByText('The passwords don’t match').waitFor();
    // Leaving shows a confirmation first.
    await page.getByRole('link', { name: 'Machines', exact: true }).first().click();
    await page
      .getByRole('alertdialog', { name: 'Leave without saving?' })
      .getByRole('button', { name: 'Stay' })
      .click();
    await form.getByLabel('Repeat new password').fill('three drums and a cooler 8');
    await change.click();
    await form.getByText('The current password is wrong.').waitFor();
    await form.getByLabel('Current password').fill(tomoIto.password);
    await change.click();
    await page.getByText('Your password was changed. Other sessions have ended.').waitFor();
    await expect.poll(() => form.getByLabel('Current password').inputValue()).toBe('');
    await sessions.nth(1).waitFor({ state: 'detached' });
    await signIn(roastery.stack.url, { ...tomoIto, password: 'three drums and a cooler 8' });
  });

  it('ends an unknown session, and all others at once', async () => {
    const stranger = await signIn(roastery.stack.url, anaRestrepo);
    await signIn(roastery.stack.url, anaRestrepo);
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/account');
    const rows = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
    await rows.filter({ hasText: 'This device' }).waitFor();
    await expect.poll(() => rows.filter({ hasText: 'This device' }).getByRole('button').count()).toBe(0);
    const { sessions } = await ana.call(listSessions);
    await expect.poll(() => rows.count()).toBe(sessions.length);
    await rows
      .getByRole('button', { name: /^End session/ })
      .first()
      .click();
    await page.getByText('The session has ended').waitFor();
    await signIn(roastery.stack.url, anaRestrepo);
    await page.reload();
    await page.getByRole('button', { name: /^End all other sessions/ }).click();
    await page.getByText(/sessions have ended$/).waitFor();
    expect((await ana.call(listSessions)).sessions).toHaveLength(1);
    await expect(stranger.call(me)).rejects.toThrow(/not_signed_in/);
    expect(watched.complaints).toEqual([]);
  });

  it('pages: show the email where the server’s responses have no name', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    for (const name of [undefined, null, '']) {
      await page.route(/\/api\/v1\/(?:auth\/me|admin\/users)\b/, async (route) => {
        const response = await route.fetch();
        const text = await response.text();
        const absent = name === undefined ? '' : `"full_name":${JSON.stringify(name)},`;
        await route.fulfill({ response, body: text.replaceAll(/"full_name":"[^"]*",/g, absent) });
      });
      await page.goto('/');
      await page.getByRole('heading', { name: `Welcome back, ${anaRestrepo.email.split('@')[0]}` }).waitFor();
      await page.goto('/account');
      await page.getByRole('heading', { name: anaRestrepo.email }).waitFor();
      await page.goto('/roasts/new');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.unrouteAll({ behavior: 'wait' });
    }
    expect(watched.complaints).toEqual([]);
  });
});
