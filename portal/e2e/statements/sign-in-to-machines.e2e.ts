import { createLot } from '@roastery/contract/inventory';
import { deleteMachine, listMachines, updateMachine } from '@roastery/contract/machines';
import { createProfile } from '@roastery/contract/profiles';
import { logRoast } from '@roastery/contract/imports';
import { SCREEN, type WatchedPage } from '@roastery/testing/browser';
import { endpointUrl, type RoasteryClient } from '@roastery/testing/roastery-client';
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, register, type TestRoastery } from '../roastery.ts';

// Sentences of the product document in order, on one running roastery, each as seen by its user. The portal's README
// names them.

let roastery: TestRoastery;
let ana: RoasteryClient;
const opened: Record<'admin' | 'ana' | 'signedOut', WatchedPage> = {} as never;
const ids: Record<string, string> = {};

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  await register(ana, 'PRB-P25-0042', 'Probat P25');
  const start_time = new Date().toISOString();
  const roast = await ana.call(logRoast, { body: { coffee_name: 'Huila', start_time, duration_seconds: 600 } });
  const lot = await ana.call(createLot, {
    body: { lot_number: 'COL-1', coffee_name: 'Huila', origin: 'Colombia', initial_weight: 60 },
  });
  const recipe = await ana.call(createProfile, {
    body: {
      name: 'Huila filter',
      control_profile: [
        { time: 0, burner: 100, exhaust: 30, drum: 60 },
        { time: 720, burner: 0, exhaust: 90, drum: 30 },
      ],
    },
  });
  Object.assign(ids, { roast: roast.id, lot: lot.id, recipe: recipe.id });
  for (const [name, who] of Object.entries({ admin: roastery.admin, ana, signedOut: null })) {
    opened[name as keyof typeof opened] = await roastery.openAs(who);
  }
});
afterAll(() => roastery[Symbol.asyncDispose]());
afterEach(() => Promise.all(Object.values(opened).map(({ page }) => page.unrouteAll({ behavior: 'ignoreErrors' }))));

const fill = (address: string) => address.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
const pathOf = (page: Page): string => new URL(page.url()).pathname;
const cut = (route: Route) => route.abort('connectionrefused');
const refuse = (detail: unknown) => (route: Route) =>
  route.fulfill({ status: 409, json: { detail, code: 'conflict', request_id: 'r-1' } });

const routes = [
  ['/dashboard', /^Welcome back/],
  ['/machines', 'All Machines'],
  ['/machines/register', 'Register New Machine'],
  ['/roasts', 'Roasts'],
  ['/roasts/{roast}', 'Huila'],
  ['/roasts/new', 'Add roast'],
  ['/inventory', 'Green Inventory'],
  ['/inventory/lots', 'Green Inventory'],
  ['/inventory/lots/new', /lot/i],
  ['/inventory/lots/{lot}/edit', /COL-1|Huila/],
  ['/recipes', 'Recipes'],
  ['/recipes/new', /recipe/i],
  ['/recipes/{recipe}', /Huila filter/],
  ['/admin/users', 'Users'],
  ['/admin/stats', 'Statistics'],
  ['/admin/settings', 'Settings'],
  ['/analytics', 'Analytics'],
] as const;

describe('the routes of the document', () => {
  it.each(routes)('%s opens its screen', async (address, name) => {
    const { page } = opened.admin;
    await page.goto(fill(address));
    await page.getByRole('heading', { level: 1, name }).waitFor();
    expect(pathOf(page)).toBe(fill(address));
  });

  it('lead to /login without a session', async () => {
    const { page } = opened.signedOut;
    for (const [address] of routes) {
      await page.goto(fill(address));
      await expect.poll(() => pathOf(page), { message: address }).toBe('/login');
    }
  });

  it('lead to /login when the session can’t be checked', async () => {
    await using watched = await roastery.openAs(ana);
    await watched.page.route('**/api/v1/auth/me', (route) => route.fulfill({ status: 500, body: '' }));
    await watched.page.goto('/machines');
    await expect.poll(() => pathOf(watched.page)).toBe('/login');
  });
});

describe('the frame around every page', () => {
  it('has the links of the document, and for admins its three more', async () => {
    for (const [who, wanted] of [
      [opened.ana.page, ['/dashboard', '/machines', '/roasts', '/recipes', '/inventory']],
      [opened.admin.page, ['/admin/users', '/admin/stats', '/admin/settings']],
    ] as const) {
      await who.goto('/dashboard');
      const links = who.getByRole('navigation', { name: 'Main' }).getByRole('link');
      await links.first().waitFor();
      const there = await links.evaluateAll((found) => found.map((link) => link.getAttribute('href')));
      expect(there.filter((href) => wanted.some((one) => one === href))).toEqual(wanted);
    }
  });

  it('shows the email of a user without a full name, and greets them by the part before the at-sign', async () => {
    const { page } = opened.ana;
    await page.route('**/api/v1/auth/me', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), full_name: '' } });
    });
    await page.goto('/dashboard');
    await page.getByRole('heading', { name: 'Welcome back, ana', exact: true }).waitFor();
    const named = page.getByText('ana@roastery.example', { exact: true }).first();
    await expect.poll(() => named.isVisible()).toBe(true);
  });

  it('signs out with Logout even if the server can’t be reached', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/dashboard');
    await page.route('**/api/v1/auth/logout', cut);
    await page.getByRole('button', { name: 'Logout' }).click();
    await page.waitForURL('**/login');
    await expect.poll(() => page.getByRole('button', { name: 'Login' }).isVisible()).toBe(true);
  });
});

describe('the card of a machine', () => {
  it('shows Edit and Delete under the pointer, on keyboard focus, and always on touch screens', async () => {
    const { page } = opened.ana;
    await page.goto('/machines');
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('listitem');
    await expect.poll(() => crumbs.allInnerTexts()).toEqual(['Home', 'Machines']);
    const buttons = page.getByRole('button', { name: /^(?:Edit|Delete) Probat P25$/ });
    await buttons.first().waitFor();
    const opacity = () =>
      buttons.first().evaluate((button) => getComputedStyle(button.parentElement ?? button).opacity);
    await page.mouse.move(0, 0);
    await expect.poll(opacity).toBe('0');
    await page.getByRole('heading', { name: 'Probat P25' }).hover();
    await expect.poll(opacity).toBe('1');
    await page.mouse.move(0, 0);
    await expect.poll(opacity).toBe('0');
    await buttons.first().focus();
    await expect.poll(opacity).toBe('1');
    await expect.poll(() => buttons.count()).toBe(2);

    await using phone = await roastery.openAs(ana, { viewport: SCREEN.phone, hasTouch: true, isMobile: true });
    await phone.page.goto('/machines');
    await phone.page.getByRole('button', { name: 'Delete Probat P25' }).tap();
    await phone.page
      .getByText('Delete Probat P25? This action cannot be undone if the machine has no roasts.')
      .waitFor();
  });
});

const openRegister = async (page: Page): Promise<void> => {
  await page.goto('/machines');
  await page.getByRole('button', { name: /^(?:Add Machine|Register First Machine)$/ }).click();
  await page.getByLabel('Serial Number').fill('GIE-W6-0007');
  await page.getByLabel('Display Name').fill('Giesen W6');
};
const submitRegister = async (page: Page): Promise<void> => {
  await openRegister(page);
  await page.getByRole('button', { name: 'Register Machine' }).click();
};
const submitEdit = async (page: Page): Promise<void> => {
  await page.goto('/machines');
  await page.getByRole('button', { name: 'Edit Probat P25' }).click();
  await page.getByRole('button', { name: 'Save Changes' }).click();
};
const confirmDelete = async (page: Page): Promise<void> => {
  await page.goto('/machines');
  await page.getByRole('button', { name: 'Delete Probat P25' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
};

describe('refusals', () => {
  const list = [{ field: 'x', message: 'no' }];
  it.each([
    ['registering, without an answer', 'POST', cut, submitRegister, 'Failed to register machine'],
    ['registering, with a sentence', 'POST', refuse('That plate is taken.'), submitRegister, 'That plate is taken.'],
    ['registering, with a list', 'POST', refuse(list), submitRegister, 'Failed to register machine'],
    ['editing, without an answer', 'PUT', cut, submitEdit, 'Failed to update machine'],
    ['editing, with a sentence', 'PUT', refuse('It is being paired.'), submitEdit, 'It is being paired.'],
    ['deleting, without an answer', 'DELETE', cut, confirmDelete, 'Failed to delete machine'],
    ['deleting, with a sentence', 'DELETE', refuse('It is roasting.'), confirmDelete, 'It is roasting.'],
  ] as const)('are shown: %s', async (_what, method, answer, act, says) => {
    const { page } = opened.ana;
    await page.route(/\/api\/v1\/machines(?:\/[^/]+)?$/, (route) =>
      route.request().method() === method ? answer(route) : route.fallback(),
    );
    await act(page);
    await expect.poll(() => page.getByText(says, { exact: true }).isVisible()).toBe(true);
  });

  it('include a machine’s missing fields, and a capacity below 0.1 kg or not in steps of 0.1', async () => {
    const { page } = opened.ana;
    await openRegister(page);
    const form = page.getByRole('dialog');
    for (const name of ['Serial Number', 'Display Name', 'Max Capacity']) {
      await expect.poll(() => form.getByLabel(name).getAttribute('aria-required'), { message: name }).toBe('true');
    }
    const capacity = form.getByLabel('Max Capacity');
    await capacity.fill('0.2');
    for (const [key, text] of [
      ['ArrowDown', '0.1'],
      ['ArrowDown', '0.1'],
      ['ArrowUp', '0.2'],
    ] as const) {
      await capacity.press(key);
      await expect.poll(() => capacity.inputValue()).toBe(text);
    }
    await capacity.fill('');
    await form.getByRole('button', { name: 'Register Machine' }).click();
    await form.getByText('Enter the capacity in kg').waitFor();

    await page.goto('/machines');
    await page.getByRole('button', { name: 'Edit Probat P25' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit Machine' });
    await expect.poll(() => edit.getByLabel('Serial Number').getAttribute('readonly')).not.toBeNull();
    await edit.getByLabel('Display Name').fill(' ');
    await edit.getByLabel('Max Capacity').fill('0.05');
    await edit.getByRole('button', { name: 'Save Changes' }).click();
    await edit.getByText('Display name is required').waitFor();
    await edit.getByText('Capacity must be at least 0.1 kg').waitFor();
  });

  it('are shown for the server’s errors too, field by field', async () => {
    const post = (body: object) =>
      fetch(`${roastery.stack.url}/api/v1/machines`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie: ana.cookie },
        body: JSON.stringify(body),
      });
    const answer = await post({ serial_number: '', display_name: '', machine_type: '', max_capacity_kg: 0 });
    expect(answer.status).toBe(422);
    const { detail } = (await answer.json()) as { detail: { field: string; message: string }[] };
    expect(detail.map(({ message }) => message)).toEqual([
      'Serial number is required',
      'Display name is required',
      'Machine type is required',
      'Capacity must be at least 0.1 kg',
    ]);
    const [machine] = await ana.call(listMachines, {});
    await ana.call(updateMachine, {
      params: { id: machine?.id ?? '' },
      body: { display_name: 'Probat P25', machine_type: 'RM30', max_capacity_kg: 30, serial_number: 'OTHER' } as never,
    });
    expect((await ana.call(listMachines, {}))[0]?.serial_number, 'cannot change').toBe('PRB-P25-0042');
  });
});

describe('failed reads', () => {
  it.each([
    ['Machines could not be loaded', '/machines', 'machines?', 'No machines registered'],
    ['Roasts could not be loaded', '/roasts', 'roasts?', 'No roasts yet'],
    ['The latest roasts could not be loaded', '/dashboard', 'roasts?', 'No roasts yet'],
    ['The figures could not be loaded', '/dashboard', 'dashboard/stats', '--'],
  ])('are logged, shown as empty, and reported: %s', async (error, address, call, empty) => {
    const { page, complaints } = opened.ana;
    const before = complaints.length;
    const isAsked = (url: URL) => url.href.includes(`/api/v1/${call}`);
    await page.route(isAsked, refuse('Not today.'));
    await page.goto(address);
    await page.getByText(empty, { exact: true }).first().waitFor();
    await page.getByText(error).waitFor();
    expect(complaints.slice(before).join('\n')).toContain('Could not read');
    await page.unroute(isAsked);
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText(error).waitFor({ state: 'detached' });
  });

  it('leave RM15, RM30 and RM7 as choices, else the product’s types, with RM30 chosen', async () => {
    const { page } = opened.ana;
    const type = page.getByRole('combobox', { name: /^Machine Type/ });
    await page.goto('/machines/register');
    await expect.poll(() => type.innerText()).toBe('RM30 (30kg)');
    await type.click();
    await expect
      .poll(() => page.getByRole('option').allInnerTexts())
      .toEqual(['RM30 (30kg)', 'RM15 (15kg)', 'RM7 (7kg)']);
    await page.route('**/api/v1/settings/options/**', refuse('Not today.'));
    await page.goto('/machines/register');
    await expect.poll(() => type.innerText()).toBe('RM30 (30kg)');
    await type.click();
    await expect
      .poll(() => page.getByRole('option').allInnerTexts())
      .toEqual(['RM15 (15kg)', 'RM30 (30kg)', 'RM7 (7kg)']);
  });

  it('include the clipboard: Failed to copy to clipboard', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    // As on a page without TLS, where browsers offer no clipboard.
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.goto('/machines/register');
    await page.getByLabel('Serial Number').fill('LOR-S15-0003');
    await page.getByLabel('Display Name').fill('Loring S15');
    await page.getByRole('button', { name: 'Register Machine' }).click();
    await page.getByRole('button', { name: 'Copy pairing code' }).click();
    await expect.poll(() => page.getByText('Failed to copy to clipboard').isVisible()).toBe(true);
    const [loring] = await ana.call(listMachines, {});
    await ana.call(deleteMachine, { params: { id: loring?.id ?? '' } });
  });
});

const roastFields =
  'id coffee_name coffee_origin coffee_process start_time profile_name machine_name owner_name batch_size_kg duration_seconds roast_number roast_level_target roast_level charge_temp drop_temp development_time_ratio development_time_seconds first_crack_time first_crack_temp';
const machineFields =
  'id serial_number display_name machine_type max_capacity_kg total_roasts total_kg_roasted created_at owner_name';

describe('responses of the api', () => {
  it.each([
    ['a user', '/auth/me', 'id full_name email is_active is_admin created_at'],
    ['a machine', '/machines', machineFields],
    ['a roast', '/roasts/{roast}', roastFields],
    ['the dashboard', '/dashboard/stats', 'activeMachines totalMachines todayRoasts thisMonthRoasts totalRoasted'],
  ])('have the fields of %s', async (_what, path, fields) => {
    const url = endpointUrl(roastery.stack.url, { path: fill(path) });
    const answer = (await (await fetch(url, { headers: { cookie: ana.cookie } })).json()) as object | object[];
    const there = Object.keys(Array.isArray(answer) ? (answer[0] as object) : answer);
    expect(there).toEqual(expect.arrayContaining(fields.split(' ')));
    expect(there, 'shown once, on creation').not.toContain('auth_token');
    expect(there).not.toContain('pairing_code');
  });
});
