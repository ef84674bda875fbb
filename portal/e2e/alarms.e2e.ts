import path from 'node:path';
import { type AlarmRuleBody, createMachineAlarmRule } from '@roastery/contract/alarm-rules';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { planRoast } from '@roastery/contract/planned';
import { createProfile } from '@roastery/contract/profiles';
import { accessibilityFindings } from '@roastery/testing/accessibility';
import { SCREEN } from '@roastery/testing/browser';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startLiveBoard } from './live-board.ts';
import { anaRestrepo, listenForTones, openRoastery, register, type TestRoastery, visit } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let probat: RegisteredMachine;

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
});
afterAll(() => roastery[Symbol.asyncDispose]());

/** The alarm's bell in the chart has the focus, and its text is shown beside it and in the chart's text. */
const readMarker = async (page: Page, sentence: string): Promise<void> => {
  const marker = page.getByRole('button', { name: new RegExp(`^Alarm at 0:\\d\\d: ${sentence}$`) });
  await marker.focus();
  await page.getByTestId('alarm-text').getByText(sentence).waitFor();
  await page.getByText(new RegExp(`^Alarms: 0:\\d\\d: ${sentence}`)).waitFor({ state: 'attached' });
};

/** Checks a page on desktop and phone: nothing is wider than the window. */
const lookAround = async (page: Page, name: string, shown?: Locator): Promise<void> => {
  for (const [size, theme] of [
    ['desk', 'light'],
    ['phone', 'dark'],
  ] as const) {
    await page.setViewportSize(SCREEN[size]);
    await page.emulateMedia({ colorScheme: theme });
    await shown?.scrollIntoViewIfNeeded();
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth), {
        message: `${name}, ${size}`,
      })
      .toBeLessThanOrEqual(0);
    const folder = process.env['SCREENS_DIR'];
    if (folder !== undefined) await page.screenshot({ path: path.join(folder, `alarms-${name}-${size}-${theme}.png`) });
  }
};
/** As `lookAround`; and axe finds nothing on a phone in what alarms add to the page. */
const inspect = async (page: Page, name: string, part: string): Promise<void> => {
  await lookAround(page, name, page.locator(part));
  expect(await accessibilityFindings(page, part), name).toEqual([]);
};

it('alarms: a frozen probe is shown in cockpit, wall and bell without a rule, and stays with the roast', async () => {
  // The bean temperature is constant from the tenth second on.
  await using board = await startLiveBoard(
    roastery.stack,
    probat,
    (seconds) => [200 - Math.min(10, seconds), 220 - seconds / 5],
    45,
  );
  await using cockpit = await roastery.openAs(ana, { viewport: SCREEN.desk });
  await cockpit.page.goto(`/machines/${probat.id}/live`);
  const sentence = 'Bean Temp is frozen. Check the probe.';
  const banner = cockpit.page.getByTestId('alarms');
  await banner.getByText(sentence).waitFor();
  await readMarker(cockpit.page, sentence);
  await inspect(cockpit.page, 'cockpit', '[data-testid=alarms]');

  await using wall = await roastery.openAs(ana, { viewport: SCREEN.desk });
  await wall.page.goto('/wall');
  await wall.page.getByTestId('wall-alarm').getByText(sentence).waitFor();
  await expect.poll(() => wall.page.getByTestId('wall-tile').getAttribute('data-state')).toBe('roasting');
  await inspect(wall.page, 'wall', '[data-testid=wall-tile]');

  await using desk = await roastery.openAs(ana, { viewport: SCREEN.desk });
  await desk.page.goto('/dashboard');
  const bell = desk.page.getByRole('button', { name: 'Alarms: 1 new' });
  await bell.click();
  await desk.page.getByRole('dialog').getByText(sentence).waitFor();
  await inspect(desk.page, 'bell', '[role=dialog]');
  await desk.page.keyboard.press('Escape');
  await desk.page.getByRole('button', { name: 'Alarms', exact: true }).waitFor();

  await cockpit.page.setViewportSize(SCREEN.desk);
  await banner.getByRole('button', { name: 'OK' }).click();
  await expect.poll(() => banner.getByText(sentence).count()).toBe(0);
  await expect.poll(() => wall.page.getByTestId('wall-alarm').count()).toBe(0);
  // Raised alarms stay in the chart.
  await readMarker(cockpit.page, sentence);

  await board.end();
  await visit(desk.page, `/roasts/${board.roastId}`);
  const list = desk.page.getByTestId('roast-alarms');
  await expect.poll(() => list.innerText()).toMatch(/0:4\d\s*Bean Temp is frozen.*Acknowledged by Ana Restrepo/s);
  await desk.page.getByText('Completed').first().waitFor();
  await inspect(desk.page, 'roast', '[data-testid=roast-alarms]');
  await readMarker(desk.page, sentence);
  await lookAround(desk.page, 'roast-chart', desk.page.getByTestId('alarm-text'));
  expect(board.failures).toEqual([]);
  expect([...cockpit.complaints, ...wall.complaints, ...desk.complaints]).toEqual([]);
});

it('alarms: a rule of a recipe fires in its roast, in the live view and on the wall, and the roast keeps it', async () => {
  const points = [
    { time: 0, burner: 80, exhaust: 40, drum: 60 },
    { time: 600, burner: 0, exhaust: 90, drum: 45 },
  ];
  const recipe = await ana.call(createProfile, { body: { name: 'House filter', control_profile: points } });
  await using desk = await roastery.openAs(ana, { viewport: SCREEN.desk });
  const { page } = desk;
  await page.goto(`/recipes/${recipe.id}`);
  await page.getByRole('button', { name: 'Add alarm' }).click();
  const form = page.getByRole('form', { name: 'New alarm' });
  await form.getByRole('combobox', { name: 'Is above' }).click();
  await page.getByRole('option', { name: 'below' }).click();
  await form.getByRole('combobox', { name: 'From this mark on' }).click();
  await page.getByRole('option', { name: 'Charge', exact: true }).click();
  await form.getByLabel('Limit').fill('900');
  await form.getByRole('button', { name: 'Save alarm' }).click();
  await form.getByText('Use 500 °C or less').waitFor();
  await form.getByText('Enter a message').waitFor();
  await inspect(page, 'rule-form', 'form[aria-label="New alarm"]');
  await form.getByLabel('Limit').fill('180');
  await form.getByLabel('Message').fill('Open the air now');
  await form.getByRole('combobox', { name: 'Color' }).click();
  await page.getByRole('option', { name: 'Blue' }).click();
  await form.getByRole('button', { name: 'Save alarm' }).click();
  const rules = page.getByTestId('alarm-rules');
  await rules.getByText('Bean Temp is below 180.0 °C').waitFor();
  const crash = rules.getByRole('switch', { name: 'Rate of rise crashes on' });
  await expect.poll(() => crash.getAttribute('aria-checked')).toBe('false');
  await crash.click();
  await expect.poll(() => crash.getAttribute('aria-checked')).toBe('true');
  await lookAround(page, 'rules', rules);

  await ana.call(planRoast, {
    body: { machine_id: probat.id, profile_id: recipe.id, coffee_name: 'Huila Pink Bourbon', batch_size_kg: 12 },
  });
  await using board = await startLiveBoard(
    roastery.stack,
    probat,
    (seconds) => [200 - Math.min(60, seconds), 220 - seconds / 5],
    14,
  );
  await using cockpit = await roastery.openAs(ana, { viewport: SCREEN.desk });
  await cockpit.page.goto(`/machines/${probat.id}/live`);
  await using wall = await roastery.openAs(ana, { viewport: SCREEN.desk });
  await wall.page.goto('/wall');
  const sentence = 'Open the air now';
  await cockpit.page.getByTestId('alarms').getByText(sentence).waitFor();
  await wall.page.getByTestId('wall-alarm').getByText(sentence).waitFor();
  await lookAround(cockpit.page, 'rule-fired');
  await board.end();
  await visit(page, `/roasts/${board.roastId}`);
  await expect.poll(() => page.getByTestId('roast-alarms').innerText()).toMatch(/0:2[01]\s*Open the air now/);

  await visit(page, '/machines');
  await page.getByRole('button', { name: 'Actions for Probat P25' }).click();
  await page.getByRole('menuitem', { name: 'Alarms' }).click();
  const dialog = page.getByRole('dialog', { name: 'Alarms' });
  await dialog.getByRole('button', { name: 'Add alarm' }).waitFor();
  await inspect(page, 'machine', '[role=dialog]');
  expect(board.failures).toEqual([]);
  expect([...cockpit.complaints, ...wall.complaints, ...desk.complaints]).toEqual([]);
});

it('alarms: a fault that a rule covers too is one entry of the cockpit and the bell [P205]', async () => {
  const machine = await register(ana, 'GIE-W6-0007', 'Giesen W6');
  const addRule = (message: string, condition: AlarmRuleBody['condition']) =>
    ana.call(createMachineAlarmRule, {
      params: { id: machine.id },
      body: { condition, armed_after: 'charge', message, colour: 'amber', sound: true, push: true, is_enabled: true },
    });
  await addRule('Call Ana', { kind: 'channel_frozen', channel: 'bean_temp', seconds: 20 });
  await using board = await startLiveBoard(
    roastery.stack,
    machine,
    (seconds) => [200 - Math.min(10, seconds), 220 - seconds / 5],
    25,
  );
  await using cockpit = await roastery.openAs(ana, { viewport: SCREEN.desk });
  // A computer has no vibration.
  await cockpit.page.addInitScript(() => {
    const felt: unknown[] = [];
    Object.assign(globalThis, { felt });
    Object.defineProperty(navigator, 'vibrate', { value: (pattern: unknown) => felt.push(pattern) > 0 });
  });
  const heard = await listenForTones(cockpit.page);
  await cockpit.page.goto(`/machines/${machine.id}/live`);
  const banner = cockpit.page.getByTestId('alarms');
  await banner.getByText('Call Ana').waitFor();
  const sentence = 'Call Ana · Bean Temp is frozen. Check the probe.';
  await banner.getByText(sentence).waitFor();
  await expect.poll(() => banner.getByRole('button', { name: 'OK' }).count()).toBe(1);
  await lookAround(cockpit.page, 'fault', banner);

  await using desk = await roastery.openAs(ana, { viewport: SCREEN.desk });
  await desk.page.goto('/dashboard');
  await desk.page.getByRole('button', { name: /^Alarms: \d new$/ }).click();
  await expect.poll(() => desk.page.getByRole('dialog').getByText('Giesen W6').count()).toBe(1);
  await desk.page.getByRole('dialog').getByText(sentence).waitFor();
  await lookAround(desk.page, 'fault-bell');
  await cockpit.page.setViewportSize(SCREEN.desk);
  await banner.getByRole('button', { name: 'OK' }).click();
  await expect.poll(() => banner.innerText()).toBe('');

  // Sound and vibration are opt-in.
  const felt = () => cockpit.page.evaluate(() => (globalThis as unknown as { felt: unknown[] }).felt);
  await addRule('Close the air', { kind: 'temperature', channel: 'exhaust_temp', side: 'above', temp_c: 21 });
  await banner.getByText('Close the air').waitFor();
  await banner.getByRole('button', { name: 'OK' }).click();
  await expect.poll(() => banner.innerText()).toBe('');
  expect([await felt(), await heard()]).toEqual([[], []]);
  await cockpit.page.getByRole('button', { name: 'Sound and vibration at alarms: off' }).click();
  await expect.poll(felt).toEqual([120]);
  await expect.poll(heard).toEqual([660]);
  await addRule('Open the air', { kind: 'temperature', channel: 'exhaust_temp', side: 'above', temp_c: 20 });
  await banner.getByText('Open the air').waitFor();
  await expect.poll(felt).toEqual([120, [300, 100, 300, 100, 300]]);
  await expect.poll(heard).toEqual([660, 990, 990, 990]);
  await board.end();
  expect(board.failures).toEqual([]);
});
