import { logRoast } from '@roastery/contract/imports';
import { listMachines, updateMachine } from '@roastery/contract/machines';
import { SCREEN } from '@roastery/testing/browser';
import { endpointUrl, type RoasteryClient } from '@roastery/testing/roastery-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, register, type TestRoastery } from '../roastery.ts';

// Sentences of the product document that need a browser's layout or the api.

let roastery: TestRoastery;
let ana: RoasteryClient;
let roastId = '';

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  await register(ana, 'PRB-P25-0042', 'Probat P25');
  const start_time = new Date().toISOString();
  const roast = await ana.call(logRoast, { body: { coffee_name: 'Huila', start_time, duration_seconds: 600 } });
  roastId = roast.id;
});
afterAll(() => roastery[Symbol.asyncDispose]());

describe('the card of a machine', () => {
  it('shows Edit and Delete under the pointer, on keyboard focus, and always on touch screens [P21 P26 P89]', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
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

describe('refusals', () => {
  it('are shown for the server’s errors too, field by field [P71 P72 P73]', async () => {
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

const roastFields =
  'id coffee_name coffee_origin coffee_process start_time profile_name machine_name owner_name batch_size_kg duration_seconds roast_number roast_level_target roast_level charge_temp drop_temp development_time_ratio development_time_seconds first_crack_time first_crack_temp';
const machineFields =
  'id serial_number display_name machine_type max_capacity_kg total_roasts total_kg_roasted created_at owner_name';

describe('responses of the api', () => {
  it.each([
    ['a user [P60]', '/auth/me', 'id full_name email is_active is_admin created_at'],
    ['a machine [P61]', '/machines', machineFields],
    ['a roast [P62]', '/roasts/{roast}', roastFields],
    [
      'the dashboard [P64]',
      '/dashboard/stats',
      'activeMachines totalMachines todayRoasts thisMonthRoasts totalRoasted',
    ],
  ])('have the fields of %s', async (_what, path, fields) => {
    const url = endpointUrl(roastery.stack.url, { path: path.replace('{roast}', roastId) });
    const answer = (await (await fetch(url, { headers: { cookie: ana.cookie } })).json()) as object | object[];
    const there = Object.keys(Array.isArray(answer) ? (answer[0] as object) : answer);
    expect(there).toEqual(expect.arrayContaining(fields.split(' ')));
    expect(there, 'shown once, on creation').not.toContain('auth_token');
    expect(there).not.toContain('pairing_code');
  });
});
