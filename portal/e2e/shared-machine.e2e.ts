import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { getMachine, type RegisteredMachine } from '@roastery/contract/machines';
import { listMachineMembers, putMachineMember } from '@roastery/contract/members';
import { listPlannedRoasts } from '@roastery/contract/planned';
import { createProfile } from '@roastery/contract/profiles';
import { removePin, setPin } from '@roastery/contract/roasters';
import { getRoast } from '@roastery/contract/roasts';
import { listUsers } from '@roastery/contract/users';
import { seriousAccessibilityFindings } from '@roastery/testing/accessibility';
import { SCREEN } from '@roastery/testing/browser';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { type RoasteryClient, signIn } from '@roastery/testing/roastery-client';
import { shipJournal } from '@roastery/testing/ship-journal';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLiveBoard, usualCurve } from './live-board.ts';
import { anaRestrepo, openRoastery, type Person, register, type TestRoastery, tomoIto, visit } from './roastery.ts';

const veraLind: Person = { full_name: 'Vera Lind', email: 'vera@roastery.example', password: 'a cup on the wall 9' };
const picturesIn = process.env['SCREENS_DIR'];

let roastery: TestRoastery;
let ana: RoasteryClient;
let tomo: RoasteryClient;
let vera: RoasteryClient;
let probat: RegisteredMachine;
let giesen: RegisteredMachine;
/** Probat's board, which roasts from the third test on. */
let onBoard: Awaited<ReturnType<typeof startLiveBoard>> | undefined;

beforeAll(async () => {
  if (picturesIn !== undefined) await mkdir(picturesIn, { recursive: true });
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  tomo = await roastery.addPerson(tomoIto);
  probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
  giesen = await register(ana, 'GIE-W6-0007', 'Giesen W6', 'RM7');
  await ana.call(createProfile, {
    body: {
      name: 'House filter',
      min_batch_size: 8,
      max_batch_size: 20,
      control_profile: [
        { time: 0, burner: 100, exhaust: 30, drum: 60 },
        { time: 720, burner: 0, exhaust: 90, drum: 30 },
      ],
    },
  });
});
afterAll(async () => {
  await onBoard?.[Symbol.asyncDispose]();
  await roastery[Symbol.asyncDispose]();
});

const choose = async (page: Page, label: string, option: string | RegExp): Promise<void> => {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option }).click();
};

const openPeople = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Actions for Probat P25' }).click();
  await page.getByRole('menuitem', { name: 'People' }).click();
};

/** Pictures of a screen at both widths and in both themes, and axe's findings. */
const inspect = async (page: Page, name: string): Promise<void> => {
  expect(await seriousAccessibilityFindings(page), name).toEqual([]);
  if (picturesIn === undefined) return;
  for (const width of ['desk', 'phone'] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(SCREEN[width]);
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: path.join(picturesIn, `${name}-${width}-${colorScheme}.png`) });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(SCREEN.desk);
};

/** A board that has just detected its charge; returns the roast. */
const chargeNow = async (machine: RegisteredMachine): Promise<string> => {
  const board = createJournalBoard({ wallOffsetMs: Date.now() - 48_000 });
  const roastId = crypto.randomUUID();
  let chargeSeq = 0;
  for (let second = 0; second < 46; second++) {
    const seq = board.sample(second * 1000, second < 5 ? 205 : 205 - second, 220, 60);
    if (second === 5) chargeSeq = seq;
  }
  board.event(46_000, { type: 'roast', roast_id: roastId, state: 'in_progress' });
  board.event(46_000, {
    type: 'mark',
    roast_id: roastId,
    kind: 'charge',
    at_seq: chargeSeq,
    at_mono: 5_000,
    temp: 205,
    origin: 'detector',
    confidence: 0.9,
    provisional: false,
  });
  const credentials = { serial: machine.serial_number, token: machine.auth_token };
  await shipJournal(roastery.stack.mqttUrl, credentials, board.batches());
  return roastId;
};

const queued = async (machine: RegisteredMachine) =>
  (await ana.call(listPlannedRoasts, { query: { machine_id: machine.id } })).planned;

const idOf = async ({ email }: Person): Promise<string> =>
  (await roastery.admin.call(listUsers)).users.find((user) => user.email === email)?.id ?? '';

describe('three users at two machines', () => {
  it('people: the owner adds a roaster, an admin creates a viewer together with a machine', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/machines');
    await openPeople(page);
    await choose(page, 'Add a person', /Tomo Ito/);
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('combobox', { name: 'Role of Tomo Ito' }).waitFor();
    const { members } = await ana.call(listMachineMembers, { params: { id: probat.id } });
    expect(members.map(({ full_name: name, role }) => [name, role])).toEqual([
      ['Ana Restrepo', 'owner'],
      ['Tomo Ito', 'roaster'],
    ]);

    await using adminPage = await roastery.openAs(roastery.admin);
    await adminPage.page.goto('/admin/users');
    await adminPage.page.getByRole('button', { name: 'Create User' }).first().click();
    const dialog = adminPage.page.getByRole('dialog');
    await dialog.getByLabel('Full Name').fill(veraLind.full_name);
    await dialog.getByLabel('Email').fill(veraLind.email);
    await dialog.getByRole('textbox', { name: /^Password/ }).fill(veraLind.password);
    await choose(adminPage.page, 'Role on Probat P25', 'Viewer');
    await dialog.getByRole('button', { name: 'Create User' }).click();
    await adminPage.page.getByText("password won't be shown again").waitFor();
    vera = await signIn(roastery.stack.url, veraLind);
    expect((await vera.call(getMachine, { params: { id: probat.id } })).role).toBe('viewer');
  });

  it('queue: several are added, reordered by keyboard and drag, copied, edited, refused above the capacity', async () => {
    await using watched = await roastery.openAs(tomo);
    const { page } = watched;
    await page.goto('/roasts/new');
    await choose(page, 'Machine', /Probat P25/);
    await choose(page, 'Recipe', /House filter/);
    await page.getByLabel('Coffee name').fill('Huila');
    await page.getByLabel('Batch').fill('40');
    await page.getByLabel('How many').fill('3');
    await page.getByRole('button', { name: 'Add to queue' }).click();
    await page.getByText('Probat P25 holds at most 30 kg').waitFor();
    await page.getByLabel('Batch').fill('25');
    await page.getByRole('button', { name: 'Add to queue' }).click();
    await page.getByText('House filter takes 8 kg to 20 kg').waitFor();
    await page.getByLabel('Batch').fill('12');
    await page.getByRole('button', { name: 'Add to queue' }).click();
    await expect.poll(async () => (await queued(probat)).length).toBe(3);
    const [first, second, third] = await queued(probat);
    expect([first, second, third].map((plan) => plan?.batch_number)).toEqual(['1', '2', '3']);

    const queue = page.getByRole('region', { name: 'Queue of Probat P25' });
    const order = async () => (await queued(probat)).map((plan) => plan.batch_number).join(' ');
    // Equal roasts are one row, until they are taken apart.
    await queue.getByRole('button', { name: 'Actions for 3 × Huila' }).click();
    await page.getByRole('menuitem', { name: 'Show each' }).click();
    await queue
      .getByRole('button', { name: /^Move / })
      .first()
      .press('ArrowDown');
    await expect.poll(order).toBe('2 1 3');
    const handles = queue.getByRole('button', { name: /^Move / });
    const [from, to] = [await handles.nth(2).boundingBox(), await handles.nth(0).boundingBox()];
    if (from === null || to === null) throw new Error('the handles are not there');
    await page.mouse.move(from.x + 10, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(to.x + 10, to.y - 20, { steps: 8 });
    await page.mouse.up();
    await expect.poll(order).toBe('3 2 1');
    await inspect(page, 'queue');

    await queue.getByRole('button', { name: 'Actions for Huila' }).first().click();
    await page.getByRole('menuitem', { name: 'Copy' }).click();
    await expect.poll(order).toBe('3 2 1 4');
    await queue.getByRole('button', { name: 'Actions for Huila' }).first().click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByText('Edit queued roast').waitFor();
    await page.getByLabel('Coffee name').fill('Sidamo');
    await page.getByRole('button', { name: 'Save Changes' }).click();
    await expect.poll(async () => (await queued(probat))[0]?.coffee_name).toBe('Sidamo');
    // Machine, recipe and roaster of the last entry are prefilled.
    await page.goto('/roasts/new');
    await expect.poll(() => page.getByRole('combobox', { name: 'Recipe' }).inputValue()).toBe('House filter');
    await expect.poll(() => page.getByRole('combobox', { name: 'Machine' }).inputValue()).toBe('Probat P25');
  });

  let onProbat = '';
  it('two concurrent roasts have their own numbers; the roaster is changed on the tablet with a PIN', async () => {
    await tomo.call(setPin, { body: { pin: '2468', current_password: tomoIto.password } });
    const onGiesen = await chargeNow(giesen);
    onBoard = await startLiveBoard(roastery.stack, probat, usualCurve, 40);
    onProbat = onBoard.roastId;
    await expect.poll(async () => (await ana.call(getRoast, { params: { id: onProbat } })).batch_number).toBe('3');
    expect((await ana.call(getRoast, { params: { id: onGiesen } })).batch_number).toBe('5');

    await using tablet = await roastery.openAs(ana, { viewport: SCREEN.tablet });
    const { page } = tablet;
    await page.goto(`/machines/${probat.id}/live`);
    await page.getByText(/Batch 3 · Sidamo/).waitFor();
    await page.getByRole('button', { name: /^Roasted by/ }).click();
    await page.getByRole('button', { name: /Tomo Ito/ }).click();
    await page.getByLabel('PIN of Tomo Ito').fill('1111');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('The PIN is wrong').waitFor();
    await inspect(page, 'pin');
    await page.getByLabel('PIN of Tomo Ito').fill('2468');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Roasted by Tomo Ito: change' }).waitFor();
    expect((await ana.call(getRoast, { params: { id: onProbat } })).roasted_by).toBe('Tomo Ito');
    // The person chosen last on this tablet is first in the list, also after a reload.
    await page.reload();
    await page.getByRole('button', { name: 'Roasted by Tomo Ito: change' }).click();
    await expect.poll(() => page.getByRole('dialog').getByRole('listitem').first().innerText()).toMatch(/^Tomo Ito/);

    // Without a PIN, the person chosen here before is one tap away, and so is switching back.
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Ana Restrepo/ })
      .click();
    await page.getByRole('button', { name: 'Roasted by Ana Restrepo: change' }).waitFor();
    const direct = page.getByRole('button', { name: /^Change the roaster to/ });
    await expect.poll(() => direct.count(), { message: 'Tomo has a PIN' }).toBe(0);
    await tomo.call(removePin);
    await page.reload();
    await page.getByRole('button', { name: 'Change the roaster to Tomo Ito' }).click();
    await page.getByRole('button', { name: 'Roasted by Tomo Ito: change' }).waitFor();
    expect((await ana.call(getRoast, { params: { id: onProbat } })).roasted_by).toBe('Tomo Ito');
    await page.getByRole('button', { name: 'Change the roaster to Ana Restrepo' }).waitFor();
    await page.setViewportSize(SCREEN.tablet);
    const { width = 0, height = 0 } = (await direct.boundingBox()) ?? {};
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(56);
    const texts = page.getByTestId('cockpit').locator('header h1, header h1 + p');
    const isWhole = () => texts.evaluateAll((all) => all.map((one) => one.scrollWidth <= one.clientWidth));
    await expect.poll(isWhole, { message: 'machine and batch keep their room' }).toEqual([true, true]);
    if (picturesIn !== undefined) await page.screenshot({ path: path.join(picturesIn, 'roaster-direct-tablet.png') });
  });

  it('viewer: has no buttons, and loses access to the page within seconds of the removal', async () => {
    await using watched = await roastery.openAs(vera);
    const { page } = watched;
    await page.goto(`/machines/${probat.id}/live`);
    await page.getByText(/Batch 3 · Sidamo/).waitFor();
    await expect.poll(() => page.getByRole('group', { name: 'Markers' }).count()).toBe(0);
    await visit(page, `/roasts/${onProbat}`);
    await page.getByRole('heading', { name: 'Sidamo' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Edit', exact: true }).count()).toBe(0);
    await expect.poll(() => page.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0);
    const actions = page.getByRole('complementary', { name: 'Actions' });
    await visit(page, `/machines/${probat.id}/timeline`);
    await actions.getByText('You may view this machine.').waitFor();
    await expect.poll(() => actions.getByRole('button').count()).toBe(0);
    await visit(page, `/machines/${probat.id}/timeline?roast=${onProbat}`);
    await actions.getByRole('link', { name: 'Open roast' }).waitFor();
    await expect.poll(() => actions.getByRole('button').count()).toBe(1);
    await visit(page, `/roasts/${onProbat}`);
    await page.getByRole('heading', { name: 'Sidamo' }).waitFor();

    await using owner = await roastery.openAs(ana);
    await owner.page.goto('/machines');
    await openPeople(owner.page);
    await owner.page.getByRole('button', { name: 'Remove Vera Lind' }).click();
    await page.getByText('Roast not found').waitFor();
    await ana.call(putMachineMember, {
      params: { id: probat.id, user_id: await idOf(veraLind) },
      body: { role: 'viewer' },
    });
  });

  it('the roast is marked, ended and weighed in the cockpit, shown on the wall, and its number is listed', async () => {
    await using tablet = await roastery.openAs(ana, { viewport: SCREEN.tablet, hasTouch: true });
    await using wall = await roastery.openAs(vera);
    await using watcher = await roastery.openAs(vera);
    await tablet.page.goto(`/machines/${probat.id}/live`);
    await wall.page.goto('/wall');
    await watcher.page.goto(`/machines/${probat.id}/live`);
    const tile = wall.page.getByTestId('wall-tile').filter({ hasText: 'Probat P25' });
    await tile.getByText('Batch 3 · Sidamo').waitFor();
    await expect.poll(() => tile.getAttribute('data-state')).toBe('roasting');
    await expect.poll(() => watcher.page.getByTestId('cockpit-time').count()).toBe(1);
    // A mark needs the time since the charge.
    await expect.poll(() => tablet.page.getByTestId('cockpit-time').innerText()).toMatch(/\d:\d\d/);
    const button = (name: string) =>
      tablet.page.getByRole('group', { name: 'Markers' }).getByRole('button', { name: new RegExp(`^${name}`) });
    await button('Dry End').tap();
    await expect.poll(() => button('Dry End').innerText()).toMatch(/by hand$/);
    await button('Drop').tap();
    // The board does not know of the drop and continues.
    await expect.poll(() => tile.getAttribute('data-state')).toBe('between');
    await expect.poll(() => tile.innerText()).toContain('Next: Batch 2');
    const sheet = tablet.page.getByTestId('weigh-sheet');
    await sheet.getByText('Batch 3 · Sidamo').waitFor();
    await sheet.getByLabel(/^Roasted weight/).fill('10.2');
    await sheet.getByLabel('Color').fill('62.5');
    await sheet.getByLabel('Notes').fill('Sweet, a little fast');
    await watcher.page.getByTestId('cockpit-between').waitFor();
    await expect.poll(() => watcher.page.getByText(/^Weigh |^After the drop/).count()).toBe(0);
    await sheet.getByRole('button', { name: 'Save' }).tap();
    await expect.poll(() => sheet.count()).toBe(0);
    expect(await ana.call(getRoast, { params: { id: onProbat } })).toMatchObject({
      status: 'completed',
      end_weight_kg: 10.2,
      color: 62.5,
      notes: 'Sweet, a little fast',
      roasted_by: 'Tomo Ito',
    });
    expect(onBoard?.failures).toEqual([]);
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/roasts/batch-numbers');
    await page
      .getByRole('row', { name: /Sidamo/ })
      .getByText('Roasted')
      .waitFor();
    // Waiting roasts are removed from the queue immediately; their numbers stay, with the reason.
    await visit(page, '/roasts/new');
    await page.getByRole('region', { name: 'Queue of Probat P25' }).getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('button', { name: 'Clear queue' }).click();
    await expect.poll(async () => (await queued(probat)).length).toBe(0);
    await visit(page, '/roasts/batch-numbers');
    await expect.poll(() => page.getByRole('row', { name: /Plan cancelled/ }).count()).toBe(3);
    await visit(page, '/account');
    await page.getByText('On a shared tablet it confirms that you are the roaster.').waitFor();
  });

  it('setting: an admin shares every machine with all users', async () => {
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    await page.goto('/admin/settings');
    await page.getByRole('switch', { name: 'All users see all machines' }).click();
    await expect.poll(async () => (await vera.call(getMachine, { params: { id: giesen.id } })).role).toBe('roaster');
    const { users } = await roastery.admin.call(listUsers);
    expect(users.some(({ email }) => email === veraLind.email)).toBe(true);
  });
});
