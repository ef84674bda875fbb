import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { machineMapShape } from '@roastery/contract/machine-map';
import { listMachines, type RegisteredMachine } from '@roastery/contract/machines';
import { putMachineMember } from '@roastery/contract/members';
import { planRoast } from '@roastery/contract/planned';
import { createProfile, setReferenceRoast } from '@roastery/contract/profiles';
import { deleteMark } from '@roastery/contract/roast-marks';
import { getRoast, listRoasts } from '@roastery/contract/roasts';
import { listUsers } from '@roastery/contract/users';
import { parseDuration } from '@roastery/roasting/units';
import { demoRoasterMap } from '@roastery/simulator/maps/demo-roaster';
import type { RunningMachine } from '@roastery/stack/machine';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { repositoryRoot } from '@roastery/testing/shared-data';
import { until } from '@roastery/testing/until';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bringPastRoast } from './past-roast.ts';
import { lookAround, measure, pixelOf, rowsOfFigures, sizes } from './cockpit-sizes.ts';
import { anaRestrepo, openRoastery, register, tomoIto, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let probat: RegisteredMachine;
let machine: RunningMachine;
let address = '';

/** Machine and board run this many times as fast. */
const factor = 5;
const hurried = pathToFileURL(path.join(repositoryRoot(), 'packages', 'testing', 'bin', 'hurried-clock.mjs')).href;

const markNames = ['Charge', 'Dry End', 'First Crack', 'First Crack End', 'Second Crack', 'Drop'] as const;
const points = [
  { time: 0, burner: 80, exhaust: 40, drum: 60 },
  { time: 90, burner: 60, exhaust: 50, drum: 60 },
  { time: 240, burner: 55, exhaust: 50, drum: 45 },
  { time: 600, burner: 0, exhaust: 90, drum: 45 },
];

beforeAll(async () => {
  roastery = await openRoastery({ ownServers: true });
  ana = await roastery.addPerson(anaRestrepo);
  probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
  address = `/machines/${probat.id}/live`;
  const recipe = await ana.call(createProfile, {
    body: { name: 'House filter', control_profile: points, target_roast_time: 660, target_charge_temp: 200 },
  });
  const past = await bringPastRoast(roastery.stack, ana, probat, {
    charged: new Date(Date.now() - 86_400_000),
    details: { coffee_name: 'Huila Pink Bourbon', profile_id: recipe.id },
  });
  await ana.call(setReferenceRoast, { params: { id: recipe.id }, body: { roast_id: past.id } });
  await ana.call(planRoast, {
    body: { machine_id: probat.id, profile_id: recipe.id, coffee_name: 'Huila Pink Bourbon', batch_size_kg: 12 },
  });
  machine = await roastery.stack.startMachine({
    serial: probat.serial_number,
    token: probat.auth_token,
    timeFactor: factor,
    map: machineMapShape.parse({ ...demoRoasterMap(), hz: 0.5, timeoutMs: 300 * factor }),
    agentNodeOptions: `--import=${hurried}?factor=${factor}`,
    isAutomatic: false,
  });
  await until(
    'the machine to be heard from',
    async () => (await ana.call(listMachines)).some(({ connection }) => connection === 'online'),
    { timeoutMs: 60_000 },
  );
});
afterAll(() => roastery[Symbol.asyncDispose]());

const status = (page: Page) => page.getByTestId('cockpit-status').getAttribute('data-state');
const button = (page: Page, name: (typeof markNames)[number]) =>
  page.getByRole('group', { name: 'Markers' }).getByRole('button').nth(markNames.indexOf(name));
const notice = (page: Page) => page.getByTestId('mark-notice');
const untilNotice = (page: Page, text: string | RegExp) => notice(page).getByText(text).waitFor();

const openCockpit = async () => {
  const watched = await roastery.openAs(ana, { viewport: { width: 1180, height: 820 }, hasTouch: true });
  await watched.page.goto(address);
  await expect.poll(() => status(watched.page), { timeout: 30_000 }).toBe('live');
  return watched;
};

/**
 * A mark needs the time since the charge, which is known when the stream has the roast: later than the page shows that
 * it runs.
 */
const untilTimed = (page: Page): Promise<void> =>
  expect.poll(() => page.getByTestId('cockpit-time').innerText(), { timeout: 60_000 }).toMatch(/\d:\d\d/);

it('cockpit: shows the drum against the charge temperature of the next batch, without scrolling', async () => {
  await using watched = await openCockpit();
  const { page, complaints } = watched;
  await page.getByTestId('cockpit-next-batch').getByText('12 kg Huila Pink Bourbon').waitFor();
  const readiness = page.getByTestId('charge-readiness');
  await expect.poll(() => readiness.getAttribute('data-readiness')).toMatch(/^(?:below|above|moving|ready)$/);
  await page.getByTestId('cockpit-chart').locator('canvas').waitFor();
  await lookAround(page, 'between', '[data-testid=cockpit]');
  await page.setViewportSize({ width: 820, height: 1180 });
  await expect.poll(() => rowsOfFigures(page)).toBe(1);
  expect(complaints).toEqual([]);
});

it('cockpit: starts one roast with a charge by hand, also on repeated touches, and undoes it', async () => {
  await using watched = await openCockpit();
  const { page } = watched;
  const before = (await ana.call(listRoasts, { query: {} })).total;
  const charge = button(page, 'Charge');
  await charge.dblclick();
  await notice(page).getByText('Charge marked').waitFor();
  await page.getByTestId('cockpit-time').waitFor();
  await expect.poll(() => charge.getAttribute('aria-pressed')).toBe('true');
  await expect.poll(async () => (await ana.call(listRoasts, { query: {} })).total).toBe(before + 1);
  await notice(page).getByRole('button', { name: 'Undo' }).click();
  await page.getByTestId('cockpit-between').waitFor();
  await expect.poll(async () => (await ana.call(listRoasts, { query: {} })).total).toBe(before);
});

it('cockpit: shows a charge of the machine as set, and all figures of the roast without scrolling', async () => {
  await using watched = await openCockpit();
  const { page, complaints } = watched;
  machine.order({ do: 'charge' });
  // The beans stay below the dry end, however long the tests take: no event of the machine comes between their marks.
  machine.order({ output: 'heat_power', percent: 20 });
  await page.getByTestId('cockpit-time').waitFor({ timeout: 60_000 });
  const charge = button(page, 'Charge');
  await expect.poll(() => charge.innerText()).toMatch(/^Charge\s+0:00/);
  await expect.poll(() => page.getByTestId('cockpit-bean').innerText()).toMatch(/\d+\.\d$/);
  await expect.poll(() => page.getByTestId('cockpit-rate').innerText(), { timeout: 30_000 }).toMatch(/\d+\.\d$/);
  await expect.poll(() => page.getByTestId('cockpit-deviation').innerText()).toMatch(/[+−±]\d+\.\d °C$/);
  await expect.poll(() => page.getByTestId('cockpit-phase').innerText()).toMatch(/^DRYING\s+\d+:\d\d$/);
  await expect.poll(() => page.getByTestId('next-step').innerText()).toMatch(/^NEXT STEP\s/);
  for (const name of ['Edit', 'Delete', 'Export']) {
    await expect.poll(() => page.getByRole('button', { name, exact: true }).count()).toBe(0);
  }
  await page.getByTestId('cockpit-chart').locator('canvas').waitFor();
  await lookAround(page, 'roasting');
  expect(complaints).toEqual([]);
});

it('cockpit: marks once for repeated taps, keeps names and places, and undoes within ten seconds', async () => {
  await using watched = await openCockpit();
  const { page } = watched;
  const places = () =>
    page
      .getByRole('group', { name: 'Markers' })
      .getByRole('button')
      .evaluateAll((all) =>
        all.map((one) => [one.firstElementChild?.textContent, Math.round(one.getBoundingClientRect().left)].join(' ')),
      );
  await expect.poll(async () => (await places()).map((text) => text.replace(/ \d+$/, ''))).toEqual(markNames);
  const before = await places();
  const crack = button(page, 'First Crack');
  await crack.tap();
  await crack.tap();
  await untilNotice(page, /^First Crack marked at \d+:\d\d$/);
  await expect.poll(() => crack.innerText()).toMatch(/^First Crack\s+\d+:\d\d\s+by hand$/);
  await expect.poll(places).toEqual(before);
  const { roasts } = await ana.call(listRoasts, { query: { status: 'in_progress' } });
  expect(roasts[0]?.first_crack_time).not.toBeNull();
  await notice(page).getByRole('button', { name: 'Undo' }).tap();
  await expect.poll(() => crack.getAttribute('aria-pressed')).toBe('false');
});

const runningId = async () => (await ana.call(listRoasts, { query: { status: 'in_progress' } })).roasts[0]?.id ?? '';
const hasSecondCrack = async () => {
  const { marks } = await ana.call(getRoast, { params: { id: await runningId() } });
  return marks.some(({ kind }) => kind === 'second_crack');
};

const starting = { status: 503, code: 'not_ready', detail: 'The server is starting.' };

it('cockpit: a queued mark that is undone while it is sent is removed', async () => {
  await using watched = await openCockpit();
  const { page } = watched;
  const asked: Route[] = [];
  // Any other response of the server shows that it is reachable, and the mark is sent again.
  let isAway = true;
  await page.route(/\/marks\/second_crack$/, async (route) => {
    if (route.request().method() !== 'PUT') return route.fallback();
    if (isAway) return route.abort();
    asked.push(route);
  });
  await untilTimed(page);
  await page.keyboard.press('5');
  await untilNotice(page, /^No network: Second Crack at/);
  isAway = false;
  // The browser is online again: the mark is sent.
  await page.evaluate(() => globalThis.dispatchEvent(new Event('online')));
  await expect.poll(() => asked.length).toBe(1);
  await notice(page).getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => button(page, 'Second Crack').getAttribute('aria-pressed')).toBe('false');
  expect(await hasSecondCrack()).toBe(false);
  const removed = page.waitForResponse((answer) => answer.request().method() === 'DELETE' && answer.ok());
  await asked[0]?.continue();
  await removed;
  await expect.poll(() => button(page, 'Second Crack').getAttribute('aria-pressed')).toBe('false');
  expect(await hasSecondCrack()).toBe(false);
});

/** Answers the next attempts to set or remove a second crack, in turn; later ones reach the server. */
const answerMarks = async (
  page: Page,
  answers: { status: number; code: string; detail: string }[],
  method: 'PUT' | 'DELETE' = 'PUT',
): Promise<void> => {
  await page.route(/\/marks\/second_crack$/, async (route) => {
    const answer = route.request().method() === method ? answers.shift() : undefined;
    if (answer === undefined) return route.fallback();
    await route.fulfill({ status: answer.status, json: { ...answer, request_id: 'a request' } });
  });
};

it('cockpit: sends a mark again that the server could not take yet, also from another page', async () => {
  await using watched = await openCockpit();
  const { page } = watched;
  const answers = [
    starting,
    { status: 500, code: 'internal', detail: 'Something went wrong on the server.' },
    { status: 409, code: 'not_recorded_yet', detail: 'The readings of 5:12 have not arrived yet.' },
  ];
  await answerMarks(page, answers);
  await untilTimed(page);
  await page.keyboard.press('5');
  await untilNotice(page, /^Second Crack at \d+:\d\d is kept and sent later\. The server is starting\.$/);
  await page.goto('/account');
  await expect.poll(hasSecondCrack, { timeout: 30_000 }).toBe(true);
  expect(answers).toEqual([]);
  await ana.call(deleteMark, { params: { id: await runningId(), kind: 'second_crack' } });
});

it('cockpit: a queued mark can be undone after it was sent', async () => {
  await using watched = await openCockpit();
  const { page } = watched;
  await answerMarks(page, [starting]);
  await untilTimed(page);
  await page.keyboard.press('5');
  await untilNotice(page, /is kept and sent later/);
  await expect.poll(hasSecondCrack).toBe(true);
  await notice(page).getByRole('button', { name: 'Undo' }).click();
  await expect.poll(hasSecondCrack).toBe(false);
  await expect.poll(() => button(page, 'Second Crack').getAttribute('aria-pressed')).toBe('false');
});

it('cockpit: an undone mark disappears at once, and is removed when the server can', async () => {
  await using watched = await openCockpit();
  const { page } = watched;
  const answers = Array.from({ length: 50 }, () => starting);
  await answerMarks(page, answers, 'DELETE');
  await untilTimed(page);
  await page.keyboard.press('5');
  await expect.poll(hasSecondCrack).toBe(true);
  await notice(page).getByRole('button', { name: 'Undo' }).click();
  await untilNotice(page, /^Second Crack at \d+:\d\d will be removed later\. The server is starting\.$/);
  await expect.poll(() => button(page, 'Second Crack').getAttribute('aria-pressed')).toBe('false');
  expect(await hasSecondCrack()).toBe(true);
  answers.length = 0;
  await expect.poll(hasSecondCrack).toBe(false);
});

it('cockpit: reports a queued mark that the server refuses for good', async () => {
  await using watched = await openCockpit();
  const { page } = watched;
  const refusal = { status: 409, code: 'conflict', detail: 'Second crack must come before the drop.' };
  await answerMarks(page, [starting, refusal]);
  await untilTimed(page);
  await page.keyboard.press('5');
  await untilNotice(page, /^Second Crack at \d+:\d\d was not saved\. Second crack must come before the drop\.$/);
  await expect.poll(() => button(page, 'Second Crack').getAttribute('aria-pressed')).toBe('false');
  await notice(page).getByRole('button', { name: 'Dismiss' }).click();
  await notice(page).waitFor({ state: 'hidden' });
  // On another page a toast reports it.
  await answerMarks(page, [starting, starting, starting, refusal]);
  // After the two seconds in which it counts as a repeat.
  const pressed = async () => {
    await page.keyboard.press('5');
    return notice(page)
      .getByText(/is kept and sent later/)
      .count();
  };
  await expect.poll(pressed, { interval: 1000 }).toBe(1);
  await page.goto('/account');
  const alert = page.getByRole('alert').filter({ hasText: /^Second Crack at \d+:\d\d was not saved/ });
  await alert.getByText(refusal.detail).waitFor();
});

it('cockpit: changes the roaster with one tap at every size, without moving marks and chart', async () => {
  await roastery.addPerson(tomoIto);
  const { users } = await roastery.admin.call(listUsers);
  const tomo = users.find(({ email }) => email === tomoIto.email)?.id ?? '';
  await ana.call(putMachineMember, { params: { id: probat.id, user_id: tomo }, body: { role: 'roaster' } });
  await using watched = await openCockpit();
  const { page } = watched;
  await page.setViewportSize({ width: 390, height: 844 });
  const top = (): Promise<number | undefined> =>
    button(page, 'Charge').evaluate((one) => Math.round(one.getBoundingClientRect().top));
  const before = await top();
  for (const name of [/^Tomo Ito/, /^Ana Restrepo/]) {
    await page.getByRole('button', { name: /^(?:Choose the roaster|Roasted by)/ }).tap();
    await page.getByRole('dialog').getByRole('button', { name }).tap();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  }
  // The person chosen here before is now offered.
  const roastedBy = async () =>
    (await ana.call(listRoasts, { query: { status: 'in_progress' } })).roasts[0]?.roasted_by;
  for (const { width, height } of sizes) {
    await page.setViewportSize({ width, height });
    for (const name of ['Tomo Ito', 'Ana Restrepo']) {
      const direct = page.getByRole('button', { name: `Change the roaster to ${name}` });
      const box = await direct.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0), `${width} px`).toBeGreaterThanOrEqual(56);
      await direct.tap();
      await expect.poll(roastedBy).toBe(name);
    }
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(top).toBe(before);
  await lookAround(page, 'two-roasters', '[data-testid=cockpit] header');
});

it('cockpit: corrects a mark by its time or by a drag, with chart and fields in one view', async () => {
  await using watched = await roastery.openAs(ana, { viewport: { width: 820, height: 1180 } });
  const { page } = watched;
  await page.goto(address);
  await untilTimed(page);
  await page.getByRole('button', { name: 'Correct markers' }).click();
  const panel = page.getByTestId('cockpit-correct');
  const chart = page.getByTestId('cockpit-chart').locator('canvas');
  await chart.waitFor();
  await expect.poll(() => measure(page).then(({ outside }) => outside)).toBeLessThanOrEqual(0);
  await expect.poll(() => panel.evaluate((one) => one.scrollHeight - one.clientHeight)).toBeLessThanOrEqual(1);
  // After the turning point, before which a mark by hand is not allowed.
  const clock = async () =>
    parseDuration((await page.getByTestId('cockpit-time').innerText()).replace(/^TIME\s+/i, '')) ?? 0;
  await expect.poll(clock, { timeout: 60_000 }).toBeGreaterThan(120);
  const field = panel.getByLabel('Time of Second Crack', { exact: true });
  await field.fill('1:50');
  await field.press('Enter');
  await expect.poll(() => button(page, 'Second Crack').innerText()).toMatch(/^Second Crack\s+1:50\s+by hand$/);
  const box = await chart.boundingBox();
  if (box === null) throw new Error('no chart');
  const folder = process.env['SCREENS_DIR'];
  if (folder !== undefined) await page.screenshot({ path: path.join(folder, 'correcting-tablet.png') });
  const [from, to] = [await pixelOf(page, box, 110), await pixelOf(page, box, 100)];
  await page.mouse.move(from, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(to, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  await expect.poll(() => field.inputValue()).toMatch(/^1:(?:3[5-9]|4[0-5])$/);
  // The time replaced by the drag applies again, then none.
  const remove = panel.getByRole('button', { name: 'Remove Second Crack', exact: true });
  await remove.click();
  await expect.poll(() => field.inputValue()).toBe('1:50');
  await remove.click();
  await expect.poll(() => button(page, 'Second Crack').getAttribute('aria-pressed')).toBe('false');
});

it('cockpit: can be used by keyboard only', async () => {
  await using watched = await openCockpit();
  const { page } = watched;
  await untilTimed(page);
  // In the moment in which Undo appears its key works.
  await page.evaluate(() => {
    const seen = new MutationObserver(() => {
      if (document.querySelector('[data-testid="mark-notice"] button') === null) return;
      seen.disconnect();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'u', bubbles: true }));
    });
    seen.observe(document.body, { childList: true, subtree: true });
  });
  await page.keyboard.press('3');
  await untilNotice(page, 'First Crack removed');
  await expect.poll(() => button(page, 'First Crack').getAttribute('aria-pressed')).toBe('false');
  // Ten seconds later undo is no longer available, and the mark stays.
  await page.keyboard.press('4');
  await untilNotice(page, /^First Crack End marked at/);
  await expect.poll(() => notice(page).getByRole('button', { name: 'Undo' }).count()).toBe(0);
  await page.keyboard.press('u');
  await expect.poll(() => button(page, 'First Crack End').innerText()).toMatch(/by hand$/);
});

it('cockpit: shows since when the network is down, and queues a mark until it is back', async () => {
  await using watched = await openCockpit();
  const { page } = watched;
  await untilTimed(page);
  // Killed again after every restart.
  const api = roastery.stack.part('api');
  const timer = setInterval(() => api.kill('SIGKILL'), 100);
  try {
    const line = page.getByTestId('cockpit-status');
    await expect.poll(() => line.innerText()).toMatch(/^(?:Offline|No new readings)\s*since \d+:\d\d:\d\d/);
    await button(page, 'Second Crack').tap();
    await untilNotice(page, /^No network: Second Crack at \d+:\d\d is kept and sent later$/);
    await expect.poll(() => button(page, 'Second Crack').getAttribute('aria-pressed')).toBe('true');
  } finally {
    clearInterval(timer);
  }
  await expect.poll(() => status(page), { timeout: 60_000 }).toBe('live');
  await expect.poll(hasSecondCrack, { timeout: 30_000 }).toBe(true);
  await expect.poll(() => button(page, 'Second Crack').innerText()).toMatch(/by hand$/);
});

it('cockpit: keeps the screen on while it is shown, and reports a refusal of the browser', async () => {
  await using watched = await openCockpit();
  const { page } = watched;
  await page.setViewportSize({ width: 1180, height: 820 });
  // The browser of the tests cannot keep a screen on.
  await page.getByText('Screen can’t be kept on here').waitFor();
  await page.addInitScript(() => {
    const locks: EventTarget[] = [];
    Object.assign(globalThis, { locks });
    Object.defineProperty(navigator, 'wakeLock', {
      value: {
        request: () => {
          const lock = Object.assign(new EventTarget(), { released: false, release: () => Promise.resolve() });
          locks.push(lock);
          return Promise.resolve(lock);
        },
      },
    });
  });
  await page.reload();
  await untilTimed(page);
  const locks = () => page.evaluate(() => (globalThis as unknown as { locks: EventTarget[] }).locks.length);
  await expect.poll(locks).toBe(1);
  await expect.poll(() => page.getByText('Screen can’t be kept on here').count()).toBe(0);
  // A browser releases the lock whenever the page is hidden.
  await page.evaluate(() => {
    const [lock] = (globalThis as unknown as { locks: EventTarget[] }).locks;
    Object.assign(lock ?? {}, { released: true });
    lock?.dispatchEvent(new Event('release'));
  });
  await page.getByText('Screen can’t be kept on here').waitFor();
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await expect.poll(locks).toBe(2);
  await expect.poll(() => page.getByText('Screen can’t be kept on here').count()).toBe(0);
});

it('cockpit: ends the roast by a drop by hand, and a drop can be undone', async () => {
  await using watched = await openCockpit();
  const { page } = watched;
  await untilTimed(page);
  await button(page, 'Drop').tap();
  await untilNotice(page, /^Drop marked at/);
  await page.getByTestId('cockpit-between').waitFor();
  await notice(page).getByRole('button', { name: 'Undo' }).tap();
  await untilTimed(page);
  // After the two seconds in which a tap counts as a repeat.
  await expect
    .poll(
      async () => {
        await button(page, 'Drop').tap();
        return page.getByTestId('cockpit-between').isVisible();
      },
      { interval: 1000 },
    )
    .toBe(true);
  await expect.poll(async () => (await ana.call(listRoasts, { query: { status: 'in_progress' } })).total).toBe(0);
  const result = page.getByTestId('cockpit-result');
  await result.getByText(/\d+:\d\d · \d+\.\d °C · (?:development \d+\.\d% · )?\d+\.\d °C off \S+$/).waitFor();
  await page.getByTestId('cockpit-chart').locator('canvas').waitFor();
  const compare = () => result.getByRole('link', { name: 'Compare with reference' }).getAttribute('href');
  await expect.poll(compare).toMatch(/^\/roasts\/compare\?ids=[0-9a-f-]{36},[0-9a-f-]{36}$/);
});

it('cockpit: requests the weight after the drop, also later, and refuses more than the batch', async () => {
  await using watched = await openCockpit();
  const { page } = watched;
  await expect.poll(() => page.getByTestId('cockpit-since-drop').innerText()).toMatch(/\d+:\d\d$/);
  // Another page received the drop; the roast is not weighed yet.
  await page.getByTestId('unweighed').tap();
  const sheet = page.getByTestId('weigh-sheet');
  await sheet.getByText(/^Batch 12 kg · expected \d+\.\d\d kg \(\d+\.\d% loss in 1 roast\)$/).waitFor();
  await lookAround(page, 'weighing', '[data-testid=weigh-sheet]');
  await sheet.getByLabel('Roasted weight').fill('12.5');
  await sheet.getByText('Roasted weight can’t be more than the batch').waitFor();
  await sheet.getByLabel('Roasted weight').fill('10.2');
  await sheet.getByText('Loss 15.0%').waitFor();
  await sheet.getByLabel('Color').fill('92');
  await sheet.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => page.getByTestId('unweighed').count()).toBe(0);
  const { roasts } = await ana.call(listRoasts, { query: { limit: 1 } });
  expect(roasts[0]).toMatchObject({ batch_size_kg: 12, end_weight_kg: 10.2 });
});

it('cockpit: opened for a machine that is offline, shows no figure of the drum, only its curve', async () => {
  await machine.stop();
  await until('the machine to be offline', async () =>
    (await ana.call(listMachines)).every(({ connection }) => connection !== 'online'),
  );
  await using watched = await roastery.openAs(ana, { viewport: { width: 1180, height: 820 } });
  const { page } = watched;
  await page.goto(address);
  await expect.poll(() => status(page)).toBe('offline');
  await page.getByTestId('cockpit-chart').locator('canvas').waitFor();
  await expect.poll(() => page.getByTestId('cockpit-drum').innerText()).toMatch(/^DRUM °C\s+--$/i);
  await expect.poll(() => page.getByTestId('cockpit-slope').innerText()).toMatch(/^DRUM SLOPE\s+--/i);
});
