import { listSessions, me } from '@roastery/contract/auth';
import { signIn, type RoasteryClient } from '@roastery/testing/roastery-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, type TestRoastery } from './roastery.ts';

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
    const question = page.getByRole('alertdialog');
    await question.getByRole('button', { name: 'End' }).click();
    await page.getByText('The session has ended').waitFor();
    await signIn(roastery.stack.url, anaRestrepo);
    await page.reload();
    await page.getByRole('button', { name: /^End all other sessions/ }).click();
    await question.getByRole('button', { name: 'End' }).click();
    await page.getByText(/sessions have ended$/).waitFor();
    expect((await ana.call(listSessions)).sessions).toHaveLength(1);
    await expect(stranger.call(me)).rejects.toThrow(/not_signed_in/);
    expect(watched.complaints).toEqual([]);
  });
});
