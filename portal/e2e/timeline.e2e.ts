import { randomUUID } from 'node:crypto';
import { machineMapShape } from '@roastery/contract/machine-map';
import { listMachines, type RegisteredMachine } from '@roastery/contract/machines';
import { getRoast, listRoasts, type RoastRow } from '@roastery/contract/roasts';
import { demoRoasterMap } from '@roastery/simulator/maps/demo-roaster';
import { accessibilityFindings } from '@roastery/testing/accessibility';
import { SCREEN } from '@roastery/testing/browser';
import { createJournalBoard } from '@roastery/testing/journal-board';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { shipJournal } from '@roastery/testing/ship-journal';
import { until } from '@roastery/testing/until';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordDay, type RecordedRoast } from './recorded-day.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery, visit } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let drum: RegisteredMachine;
let day: RecordedRoast[];

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  drum = await register(ana, 'MRG-800N-0100', 'Mill City 1 kg', 'RM7');
  day = await recordDay(roastery.stack, drum, ['whole', 'missed', 'lost', 'falsely']);
  await until('the roasts to be stored', async () => (await roastsOf(drum)).length === 4);
});
afterAll(() => roastery[Symbol.asyncDispose]());

const roastsOf = async (machine: RegisteredMachine): Promise<RoastRow[]> =>
  (await ana.call(listRoasts, { query: { machine_id: machine.id, sort: 'start_time' } })).roasts;
const dayRoast = (told: RecordedRoast['told']): RecordedRoast => {
  const roast = day.find((one) => one.told === told);
  if (roast === undefined) throw new Error(`no roast was ${told}`);
  return roast;
};
/** In the format of a field for a time, on a clock of UTC. */
const typed = (moment: Date): string => moment.toISOString().slice(0, 19);
const openTimeline = async (page: Page, around: RecordedRoast): Promise<void> => {
  const [from, to] = [around.chargedAt.getTime() - 600_000, around.droppedAt.getTime() + 600_000];
  const query = new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
  await page.goto(`/machines/${drum.id}/timeline?${query.toString()}`);
  await page.getByTestId('timeline-chart').locator('canvas').waitFor();
};
const actions = (page: Page) => page.getByRole('complementary', { name: 'Actions' });
const windows = (page: Page) => page.getByRole('list', { name: 'Roasts on the timeline' });
const rowOf = (page: Page, roast: RoastRow) =>
  page.getByRole('region', { name: /^Roasts in this range/ }).getByRole('button', { name: `${roast.said_number} · ` });
const readRoast = (id: string | undefined) => ana.call(getRoast, { params: { id: id ?? '' } });

it('a roast that the detector missed is made by hand from the timeline', async () => {
  await using watched = await roastery.openAs(ana);
  const { page, complaints } = watched;
  await page.goto('/machines');
  await page.getByRole('link', { name: 'Timeline of Mill City 1 kg' }).click();
  await page.getByRole('heading', { level: 1, name: 'Timeline of Mill City 1 kg' }).waitFor();
  const missed = dayRoast('missed');
  await openTimeline(page, missed);
  // Dragged with the mouse, then typed to the second.
  const box = await page.getByTestId('timeline-chart').boundingBox();
  if (box === null) throw new Error('the chart has no place');
  await page.mouse.move(box.x + box.width * 0.35, box.y + 120);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 130, { steps: 5 });
  await page.mouse.move(box.x + box.width * 0.65, box.y + 130, { steps: 5 });
  await page.mouse.up();
  await actions(page)
    .getByRole('heading', { name: /^Selected range/ })
    .waitFor();
  await expect.poll(() => page.url()).toContain('charge=');
  await actions(page).getByLabel('Charge').fill(typed(missed.chargedAt));
  await actions(page).getByLabel('Drop').fill(typed(missed.droppedAt));
  await actions(page).getByRole('button', { name: 'Create a roast' }).click();
  await page.getByText(/^Roast \d+ created$/).waitFor();
  await actions(page).getByText('Created by hand').waitFor();
  const made = (await roastsOf(drum)).find(
    (roast) => Math.abs(Date.parse(roast.start_time) - missed.chargedAt.getTime()) < 1500,
  );
  expect(made).toMatchObject({ status: 'completed' });
  expect(made?.duration_seconds).toBeCloseTo((missed.droppedAt.getTime() - missed.chargedAt.getTime()) / 1000, -0.5);
  await actions(page).getByRole('link', { name: 'Open roast' }).click();
  await page.getByTestId('roast-chart').locator('canvas').waitFor();
  await page.getByText('Completed').waitFor();
  expect(complaints).toEqual([]);
});

it('an aborted roast shows its readings and gets charge and drop', async () => {
  await using watched = await roastery.openAs(ana);
  const { page, complaints } = watched;
  const lost = dayRoast('lost');
  const id = lost.ids[0] ?? '';
  await page.goto(`/roasts/${id}`);
  const notice = page.getByRole('region', { name: 'Aborted roast' });
  await notice.getByText(/^The board withdrew the charge of this roast/).waitFor();
  await page.getByTestId('roast-chart').locator('canvas').waitFor();
  await expect.poll(() => page.getByText('No curve data available').count()).toBe(0);
  // The pinned point is where the charge was first reported.
  await page.goto(`/roasts/${id}?at=0`);
  await notice.getByRole('button', { name: 'Set charge to 0:00' }).click();
  await notice.getByText(/^No drop was recorded/).waitFor();
  const seconds = Math.round((lost.droppedAt.getTime() - lost.chargedAt.getTime()) / 1000);
  await page.goto(`/roasts/${id}?at=${seconds}`);
  const setDrop = notice.getByRole('button', { name: /^Set drop to / });
  await setDrop.click();
  await page.getByText('Completed').waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await notice.getByText(/^No drop was recorded/).waitFor();
  await setDrop.click();
  await page.getByText('Completed').waitFor();
  expect(await ana.call(getRoast, { params: { id } })).toMatchObject({
    status: 'completed',
    duration_seconds: seconds,
  });
  expect(complaints).toEqual([]);
});

/** A machine whose board charged at second 60 and withdrew that at second 300, five minutes ago at most. */
const machineThatWithdrew = async () => {
  const machine = await register(ana, randomUUID().slice(0, 8), 'Giesen W6', 'RM7');
  const startMs = Date.now() - 320_000;
  const board = createJournalBoard({ channels: ['bean_temp'], wallOffsetMs: startMs });
  const seqs: number[] = [];
  const now = () => (seqs.length - 1) * 1000;
  const mark = (roastId: string, kind: 'charge' | 'drop', second: number | null) =>
    board.event(now(), {
      type: 'mark',
      roast_id: roastId,
      kind,
      at_seq: second === null ? null : (seqs[second] ?? null),
      at_mono: second === null ? null : second * 1000,
      temp: null,
      origin: 'detector',
      confidence: 0.5,
      provisional: false,
    });
  const state = (roastId: string, said: 'in_progress' | 'completed' | 'aborted') =>
    board.event(now(), { type: 'roast', roast_id: roastId, state: said });
  const withdrawn = randomUUID();
  for (let second = 0; second < 310; second++) {
    seqs.push(board.sample(second * 1000, second < 60 ? 150 : 140 + second / 20));
    if (second === 90) {
      state(withdrawn, 'in_progress');
      mark(withdrawn, 'charge', 60);
    } else if (second === 300) {
      mark(withdrawn, 'charge', null);
      state(withdrawn, 'aborted');
    }
  }
  const ship = () => {
    const credentials = { serial: machine.serial_number, token: machine.auth_token };
    return shipJournal(roastery.stack.mqttUrl, credentials, board.batches());
  };
  await ship();
  await until('the roast to be stored', async () => (await roastsOf(machine)).length === 1);
  return {
    machine,
    chargedAt: new Date(startMs + 60_000).toISOString(),
    /** The board finds at the drop that it was a charge. */
    findAtDrop: () => {
      const found = randomUUID();
      state(found, 'in_progress');
      mark(found, 'charge', 58);
      mark(found, 'drop', 305);
      state(found, 'completed');
      return ship();
    },
  };
};
const question = (page: Page) => page.getByRole('region', { name: 'Charge uncertain' });

it('cockpit: the user confirms that a charge withdrawn by the board was a door', async () => {
  const { machine } = await machineThatWithdrew();
  await using watched = await roastery.openAs(ana);
  const { page, complaints } = watched;
  await page.goto(`/machines/${machine.id}/live`);
  await question(page)
    .getByText(/^Charge at \d+:\d\d.* is uncertain: it looked like an opened door$/)
    .waitFor();
  await page.setViewportSize(SCREEN.phone);
  expect(await accessibilityFindings(page)).toEqual([]);
  await question(page).getByRole('button', { name: 'It was the door' }).click();
  await expect.poll(() => question(page).count()).toBe(0);
  expect(await roastsOf(machine)).toEqual([]);
  expect(complaints).toEqual([]);
});

it('cockpit: the user confirms a charge withdrawn by the board, and the board finds its drop [P207]', async () => {
  const { machine, chargedAt, findAtDrop } = await machineThatWithdrew();
  await using watched = await roastery.openAs(ana);
  const { page, complaints } = watched;
  await page.goto(`/machines/${machine.id}/live`);
  await question(page).getByRole('button', { name: 'It was the charge' }).click();
  await expect.poll(() => question(page).count()).toBe(0);
  const [kept] = await roastsOf(machine);
  expect(kept).toMatchObject({ status: 'in_progress', start_time: chargedAt });
  await findAtDrop();
  await expect
    .poll(async () => (await roastsOf(machine)).map(({ id, status, start_time }) => [id, status, start_time]))
    .toEqual([[kept?.id, 'completed', chargedAt]]);
  expect(complaints).toEqual([]);
});

it('a false roast is discarded after a question, which can be undone, and restored from the timeline', async () => {
  await using watched = await roastery.openAs(ana);
  const { page, complaints } = watched;
  const told = dayRoast('falsely');
  const real = await readRoast(told.ids[0]);
  const wrong = await readRoast(told.ids[1]);
  await openTimeline(page, told);
  await rowOf(page, wrong).click();
  await actions(page).getByRole('button', { name: 'Discard as false start' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
  await page.getByText(`Roast ${wrong.said_number} discarded`).waitFor();
  await expect.poll(() => rowOf(page, wrong).count()).toBe(0);
  expect((await roastsOf(drum)).some(({ id }) => id === wrong.id)).toBe(false);
  await page.getByRole('button', { name: 'Undo' }).click();
  await rowOf(page, wrong).waitFor();
  // Also from its own page, which then opens the timeline.
  await visit(page, `/roasts/${wrong.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Discard as false start' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
  await page.waitForURL('**/timeline?**');
  await rowOf(page, real).waitFor();
  await expect.poll(() => rowOf(page, wrong).count()).toBe(0);
  // It stays restorable after the message with Undo is gone.
  await page.reload();
  await page.getByRole('button', { name: `Restore ${wrong.said_number}` }).click();
  await rowOf(page, wrong).waitFor();
  await actions(page).getByRole('button', { name: 'Discard as false start' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => rowOf(page, wrong).count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('a roast is split and its parts are merged', async () => {
  await using watched = await roastery.openAs(ana);
  const { page, complaints } = watched;
  const whole = dayRoast('whole');
  const before = await readRoast(whole.ids[0]);
  await openTimeline(page, whole);
  await windows(page)
    .getByRole('button', { name: `${before.said_number} · ` })
    .click();
  await actions(page)
    .getByLabel('Split at')
    .fill(typed(new Date(whole.chargedAt.getTime() + 300_000)));
  await actions(page).getByRole('button', { name: 'Split' }).click();
  await page.getByText(/^Split: the second part is \d+$/).waitFor();
  const first = await readRoast(before.id);
  expect(first.duration_seconds).toBeCloseTo(300, -0.5);
  await actions(page)
    .getByRole('button', { name: /^Merge with later roast \d+$/ })
    .click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Merge' }).click();
  await page.getByText(`Merged into ${before.said_number}`).waitFor();
  const merged = await readRoast(before.id);
  expect([merged.duration_seconds, merged.first_crack_time]).toEqual([
    before.duration_seconds,
    before.first_crack_time,
  ]);
  expect(complaints).toEqual([]);
});

it('works by keyboard only, and announces each gap with its reason', async () => {
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  await openTimeline(page, dayRoast('whole'));
  const chart = page.getByRole('application', { name: /^Timeline of the bean temperature/ });
  await chart.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  for (let step = 0; step < 3; step++) await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Enter');
  await actions(page)
    .getByRole('heading', { name: /^Selected range/ })
    .waitFor();
  await page.keyboard.press('Escape');
  await actions(page).getByRole('heading', { name: 'Create a roast' }).waitFor();
  await page.keyboard.press('-');
  await page
    .getByText(/: the machine did not answer$/)
    .first()
    .waitFor();
  await page.setViewportSize(SCREEN.phone);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});

it('is charged and dropped by hand while the machine sends', async () => {
  const live = await register(ana, `MRG-LIVE-${Date.now()}`, 'Sample roaster');
  await roastery.stack.startMachine({
    serial: live.serial_number,
    token: live.auth_token,
    map: machineMapShape.parse({ ...demoRoasterMap(), hz: 2 }),
    isAutomatic: false,
  });
  await until(
    'the machine to be heard from',
    async () => (await ana.call(listMachines)).some(({ id, connection }) => id === live.id && connection === 'online'),
    { timeoutMs: 60_000 },
  );
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  await page.goto(`/machines/${live.id}/timeline`);
  await actions(page).getByRole('button', { name: 'Charge now' }).click({ timeout: 60_000 });
  await page.getByText('Roast started').waitFor();
  await actions(page).getByText('In progress').waitFor();
  await actions(page).getByRole('link', { name: 'Open roast' }).click();
  const figures = page.getByTestId('live-figures');
  await expect.poll(() => figures.getAttribute('data-state'), { timeout: 30_000 }).toBe('live');
  await page.getByRole('button', { name: 'Other events' }).click();
  await page.getByRole('menuitem', { name: 'Mark Drop now' }).click();
  await page.getByText('Drop marked').waitFor();
  await page.getByText('Completed').waitFor();
  const [roast] = await roastsOf(live);
  expect(roast).toMatchObject({ status: 'completed' });
  // After the undo it continues.
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await roastsOf(live))[0]?.status).toBe('in_progress');
  await figures.waitFor();
});

it('two fingers on a phone zoom the timeline and pan it, without a selection', async () => {
  await using phone = await roastery.openAs(ana, { viewport: SCREEN.phone, hasTouch: true, isMobile: true });
  const { page } = phone;
  await openTimeline(page, dayRoast('whole'));
  const touch = await page.context().newCDPSession(page);
  const box = await page.getByTestId('timeline-chart').boundingBox();
  if (!box) throw new Error('no chart');
  const [middle, y] = [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...xs: number[]) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints: xs.map((x, id) => ({ x: middle + x, y, id })) });
  const spanOf = () => {
    const { searchParams } = new URL(page.url());
    const [from, to] = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? ''));
    return { from: from ?? Number.NaN, minutes: ((to ?? Number.NaN) - (from ?? Number.NaN)) / 60_000 };
  };
  const whole = spanOf();
  await send('touchStart', -30);
  await send('touchStart', -30, 30);
  for (let step = 1; step <= 6; step++) await send('touchMove', -30 - step * 5, 30 + step * 5);
  await send('touchEnd');
  await expect.poll(() => spanOf().minutes / whole.minutes).toBeCloseTo(0.5, 1);

  const before = spanOf();
  await send('touchStart', -30, 30);
  for (let step = 1; step <= 6; step++) await send('touchMove', -30 + step * 5, 30 + step * 5);
  await send('touchEnd');
  await expect.poll(() => spanOf().from).toBeLessThan(before.from);
  await expect.poll(() => spanOf().minutes).toBeCloseTo(before.minutes, 1);
  await expect.poll(() => page.url()).not.toContain('charge=');
  expect(phone.complaints).toEqual([]);
});
