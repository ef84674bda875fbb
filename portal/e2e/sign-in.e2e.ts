import { updateUser, listUsers } from '@roastery/contract/users';
import { until } from '@roastery/testing/until';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdRequests } from './hold-requests.ts';
import { anaRestrepo, openRoastery, tomoIto, type TestRoastery } from './roastery.ts';

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
const pathOf = (page: Page): string => new URL(page.url()).pathname;

describe('signing in', () => {
  it('shows the product’s texts, and Loading until the session is checked', async () => {
    await using watched = await roastery.openAs(null);
    const { page } = watched;
    const releasePlan = await holdRequests(page, '**/api/v1/auth/me');
    await page.goto('/dashboard');
    await page.getByText('Loading', { exact: true }).waitFor();
    releasePlan();
    await page.waitForURL('**/login');
    await expect.poll(() => page.getByRole('main').innerText()).toContain('COFFEE ROAST MANAGEMENT');
    await expect.poll(() => page.getByRole('contentinfo').innerText()).toBe('Intelligent Roasting Management System');
    await expect.poll(() => page.getByLabel('Email').getAttribute('type')).toBe('email');
    await expect.poll(() => page.getByRole('textbox', { name: 'Password' }).getAttribute('type')).toBe('password');
  });

  it('reports missing fields one by one before it calls the server', async () => {
    await using watched = await roastery.openAs(null);
    const { page } = watched;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.goto('/login');
    await page.getByRole('button', { name: 'Login' }).click();
    await page.getByText('Email is required').waitFor();
    await page.getByText('Password is required').waitFor();
    await page.getByLabel('Email').fill('ana at roastery');
    await expect.poll(() => page.getByText('Email is required').count()).toBe(0);
    await page.getByRole('button', { name: 'Login' }).click();
    await page.getByText('Enter an email address').waitFor();
    expect(asked).not.toContain('POST /api/v1/auth/login');
  });

  it('refuses a wrong password with a message, and signs in with the right one', async () => {
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

  it('continues to the requested page, and never back to the form', async () => {
    await using watched = await roastery.openAs(null);
    const { page } = watched;
    await page.goto('/machines?sort=name');
    await page.waitForURL('**/login?**');
    await signInAs(page, roastery.stack.admin);
    await page.waitForURL('**/machines?sort=name');
    await page.goto('/login');
    await page.waitForURL('**/dashboard');
    await page.goto('/');
    await page.waitForURL('**/dashboard');
    expect(pathOf(page)).toBe('/dashboard');
  });

  it('reports an unreachable server', async () => {
    await using watched = await roastery.openAs(null);
    const { page } = watched;
    await page.goto('/login');
    await page.route('**/api/v1/auth/login', (route) => route.abort('connectionrefused'));
    await signInAs(page, roastery.stack.admin);
    await page.getByRole('alert').waitFor();
    await expect.poll(() => page.getByRole('alert').innerText()).toBe('Login failed');
    await banner(page).waitFor();
  });
});

describe('access of a user', () => {
  it('includes the administration for admins only, by link and by address', async () => {
    const ana = await roastery.addPerson(anaRestrepo);
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/dashboard');
    const main = page.getByRole('navigation', { name: 'Main' });
    await main.waitFor();
    const links = main.getByRole('link');
    await expect
      .poll(async () => (await links.allInnerTexts()).slice(0, 5))
      .toEqual(['Dashboard', 'Machines', 'Roasts', 'Recipes', 'Inventory']);
    await expect.poll(() => main.getByText('Admin', { exact: true }).count()).toBe(0);
    await expect.poll(() => main.locator('a[href^="/admin"]').count()).toBe(0);
    await expect.poll(() => page.getByText('Roasting Management', { exact: true }).isVisible()).toBe(true);
    await expect.poll(() => page.getByText('Ana Restrepo', { exact: true }).isVisible()).toBe(true);
    await expect.poll(() => page.getByText('User', { exact: true }).isVisible()).toBe(true);
    for (const address of ['/admin/users', '/admin/stats', '/admin/settings', '/admin/devices']) {
      await page.goto(address);
      await page.waitForURL('**/dashboard');
    }

    await using administrator = await roastery.openAs(roastery.admin);
    await administrator.page.goto('/dashboard');
    const section = administrator.page.getByRole('heading', { name: 'Admin', exact: true }).locator('..');
    await section.waitFor();
    // The document's three; later ones are among them.
    const named = ['Users', 'Statistics', 'Settings'];
    const theirs = await section.getByRole('link').allInnerTexts();
    expect(theirs.filter((label) => named.includes(label))).toEqual(named);
    await expect
      .poll(() => administrator.page.getByText('Administrator', { exact: true }).last().isVisible())
      .toBe(true);
  });

  it('ends with Logout, here and on the server', async () => {
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

const fillIn = async (dialog: Locator, { email, password }: { email: string; password: string }) => {
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByRole('textbox', { name: 'Password' }).fill(password);
  await dialog.getByRole('button', { name: 'Login' }).click();
};

describe('a session that ends over a form', () => {
  const typed = 'Washed station lot';
  /** A lot form with input, whose next save finds that the session is over. */
  const typeAndLoseSession = async (page: Page) => {
    await page.goto('/inventory/lots/new');
    await page.getByLabel('Lot number').fill('KEPT-1');
    await page.getByLabel('Coffee name').fill(typed);
    await page.getByRole('combobox', { name: 'Origin' }).fill('Peru');
    await page.getByLabel('Initial weight').fill('60');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save Lot' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.waitFor();
    return dialog;
  };
  it('keeps the input while the same user signs in over it', async () => {
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    const dialog = await typeAndLoseSession(page);
    await fillIn(dialog, { ...roastery.stack.admin, password: 'not this one' });
    await dialog.getByRole('alert').waitFor();
    await fillIn(dialog, roastery.stack.admin);
    await dialog.waitFor({ state: 'detached' });
    expect(pathOf(page)).toBe('/inventory/lots/new');
    await expect.poll(() => page.getByLabel('Coffee name').inputValue()).toBe(typed);
    await page.getByRole('button', { name: 'Save Lot' }).click();
    await page.waitForURL((url) => url.pathname !== '/inventory/lots/new');
  });

  it('reloads the page for another user', async () => {
    const other = { full_name: 'Noor Haddad', email: 'noor@example.com', password: 'a long phrase of Noor' };
    await roastery.addPerson(other);
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    const dialog = await typeAndLoseSession(page);
    await fillIn(dialog, other);
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByLabel('Coffee name').inputValue()).toBe('');
    await expect.poll(() => page.getByText('Noor Haddad').first().isVisible()).toBe(true);
  });

  it('leads to the sign-in when the user discards the form', async () => {
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    const dialog = await typeAndLoseSession(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page
      .getByRole('alertdialog', { name: 'Leave without saving?' })
      .getByRole('button', { name: 'Close' })
      .click();
    await expect.poll(() => pathOf(page)).toBe('/login');
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
    await page.getByRole('button', { name: 'Reload Page' }).click();
    await page.getByText('Welcome back').waitFor();
  });
});
