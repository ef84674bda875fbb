import { updateUser, listUsers } from '@roastery/contract/users';
import { until } from '@roastery/testing/until';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdRequests } from './hold-requests.ts';
import { openRoastery, tomoIto, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
beforeAll(async () => {
  roastery = await openRoastery();
});
afterAll(() => roastery[Symbol.asyncDispose]());

const signInAs = async (page: Page, { email, password }: { email: string; password: string }): Promise<void> => {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Login' }).click();
};
const banner = (page: Page) => page.getByTestId('offline');

describe('signing in', () => {
  it('refuses a wrong password with a message, and signs in with the right one [P2 P10 P65 P76 P87 P166 P167]', async () => {
    await using watched = await roastery.openAs(null);
    const { page } = watched;
    await page.goto('/login');
    await signInAs(page, { ...roastery.stack.admin, password: 'not this one' });
    const alert = page.getByRole('alert');
    await alert.waitFor();
    await expect.poll(() => alert.innerText()).toMatch(/^Email or password is wrong\.?$/);
    const [box, button] = await Promise.all([
      alert.boundingBox(),
      page.getByRole('button', { name: 'Login' }).boundingBox(),
    ]);
    expect(box?.y, 'above the button').toBeLessThan(button?.y ?? 0);

    const releasePlan = await holdRequests(page, '**/api/v1/auth/login');
    await signInAs(page, roastery.stack.admin);
    const busy = page.getByRole('button', { name: 'Logging in...' });
    await busy.waitFor();
    await expect.poll(() => alert.count(), { message: 'the old refusal is gone' }).toBe(0);
    releasePlan();
    await page.waitForURL('**/dashboard');
    await page.getByText('Welcome back').waitFor();
  });
});

describe('access of a user', () => {
  it('ends with Logout, here and on the server [P14]', async () => {
    await using watched = await roastery.openAs(null);
    const { page } = watched;
    await page.goto('/login');
    await signInAs(page, roastery.stack.admin);
    await page.waitForURL('**/dashboard');
    await page.getByRole('button', { name: 'Logout' }).click();
    await page.waitForURL('**/login');
    await page.goto('/roasts');
    await page.waitForURL('**/login?**');
    await expect.poll(() => page.getByRole('button', { name: 'Login' }).isVisible()).toBe(true);
  });

  it('ends when the account is deactivated: the next action leads to the sign-in, which shows the reason', async () => {
    const tomo = await roastery.addPerson(tomoIto);
    await using watched = await roastery.openAs(tomo);
    const { page } = watched;
    await page.goto('/dashboard');
    await page.getByText('Welcome back, Tomo Ito').waitFor();
    const { users } = await roastery.admin.call(listUsers, { query: { q: tomoIto.email } });
    const id = users.find((user) => user.email === tomoIto.email)?.id ?? '';
    await roastery.admin.call(updateUser, { params: { id }, body: { is_active: false } });
    // The open page may detect it earlier by its own requests: then the link is gone, and the address names no page.
    await Promise.race([
      page.waitForURL('**/login**'),
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Machines' }).click(),
    ]);
    await page.waitForURL('**/login**');
    await expect.poll(() => page.getByRole('alert').innerText()).toBe('Your session has ended. Sign in again.');
    await signInAs(page, tomoIto);
    await until('the refusal', async () => (await page.getByRole('alert').innerText()).includes('not active'));
  });
});

describe('an unreachable server', () => {
  it('is reported with the age of the data on screen, and recovers automatically', async () => {
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    await page.goto('/machines');
    await page.getByText('No machines registered').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('searchbox', { name: 'Search machines' }).fill('probat');
    await banner(page).waitFor();
    await expect
      .poll(() => banner(page).innerText())
      .toMatch(/^Offline\. Showing data from \d\d:\d\d [AP]M, (?:just now|\d+ s ago)\.$/);
    await page.getByText('Machines could not be loaded').waitFor();
    await page.context().setOffline(false);
    await banner(page).waitFor({ state: 'detached' });
    await page.getByText('No machines match your filters').waitFor();
    await page.getByText('Machines could not be loaded').waitFor({ state: 'detached' });
  });

  it('keeps the frame when the code of a page can’t be loaded, and loads it on request', async () => {
    await using watched = await roastery.openAs(roastery.admin, { withoutCache: true });
    const { page } = watched;
    await page.goto('/machines');
    await page.getByText('No machines registered').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
    await expect.poll(() => banner(page).isVisible()).toBe(true);
    await expect.poll(() => page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(true);
    await page.context().setOffline(false);
    // The end of the banner moves the button.
    await banner(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Reload Page' }).click();
    await page.getByText('Welcome back').waitFor();
  });
});
