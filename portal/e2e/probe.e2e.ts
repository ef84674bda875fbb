import { createMachineMap, getBoardConfig, setBoardConfig } from '@roastery/contract/machine-maps';
import { machineMapShape } from '@roastery/contract/machine-map';
import { getMachine, listMachines, type RegisteredMachine } from '@roastery/contract/machines';
import { demoRoasterMap } from '@roastery/simulator/maps/demo-roaster';
import type { RunningMachine } from '@roastery/stack/machine';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { until } from '@roastery/testing/until';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, register, type TestRoastery, visit } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let drum: RegisteredMachine;
let machine: RunningMachine;

/** In real time: the board compares the server's time limit of a probe with its own clock. */
const demo = demoRoasterMap({ hz: 2 });

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  drum = await register(ana, 'PRB-1', 'Unknown Drum');
  machine = await roastery.stack.startMachine({
    serial: drum.serial_number,
    token: drum.auth_token,
    start: 'preheat',
    isAutomatic: false,
    map: machineMapShape.parse(demo),
  });
  await until(
    'the machine to be heard from',
    async () => (await ana.call(listMachines)).some(({ connection }) => connection === 'online'),
    { timeoutMs: 30_000 },
  );
  // A user chose a map that reads the beans three degrees too high, and has no other channel and no signal.
  const wrong = {
    ...demo,
    outputs: {},
    events: {},
    channels: { bean_temp: { ...demo.channels['bean_temp'], offset: 3 } },
  };
  const own = await ana.call(createMachineMap, { body: { map: machineMapShape.parse(wrong) } });
  await ana.call(setBoardConfig, {
    params: { id: drum.id },
    body: { map_id: own.id, host: '127.0.0.1', port: machine.modbusPort },
  });
});
afterAll(() => roastery[Symbol.asyncDispose]());

const chargeAt = demo.events.charge?.when ?? '';
const beanAt = demo.channels['bean_temp']?.at ?? '';

it('finds the beans among a machine’s registers, creates a map of them, and checks it', async () => {
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  await page.goto('/machines');
  await page.getByRole('button', { name: 'Actions for Unknown Drum' }).click();
  await page.getByRole('menuitem', { name: 'Find registers' }).click();
  await page.getByRole('heading', { name: 'Find Registers' }).waitFor();
  await page.getByRole('button', { name: 'Find unit' }).click();
  await page.getByText('Unit 1 answers.').waitFor();
  await page.getByRole('combobox', { name: /^Registers/ }).click();
  await page.getByRole('option', { name: 'All four' }).click();
  await page.getByLabel('Number of registers').fill('32');
  await page.getByRole('checkbox', { name: 'Also common temperature registers' }).uncheck();
  await page.getByRole('button', { name: 'Read registers' }).click();
  await page.getByText(/^Watching \d+ registers/).waitFor();
  const row = page.getByRole('list', { name: 'Registers' }).getByRole('listitem').filter({ hasText: beanAt });
  await row.getByRole('combobox', { name: `${beanAt} is` }).click();
  await page.getByRole('option', { name: 'Bean', exact: true }).click();
  const changes = page.getByRole('list', { name: 'Changes' });
  await changes.getByText(new RegExp(`^${beanAt} i16 °C × 0.1$`)).waitFor();
  const bits = page.getByRole('list', { name: 'Bits' });
  await bits.getByRole('combobox', { name: `${chargeAt} is` }).click();
  await page.getByRole('option', { name: 'Charge' }).click();
  await changes.getByText(chargeAt, { exact: true }).waitFor();
  const seen = Number.parseFloat(await row.getByTestId('register-value').innerText());
  await page.getByRole('button', { name: 'Save and use this map' }).click();
  const proof = page.getByText('The board uses the new map. Bean temperature now:').locator('..');
  await proof.waitFor();
  await until('the beans to be shown', async () => /\d/.test((await proof.innerText()).split('now:')[1] ?? ''), {
    timeoutMs: 60_000,
  });
  const proven = Number.parseFloat((await proof.innerText()).split('now:')[1] ?? '');
  expect(Math.abs(proven - seen)).toBeLessThan(15);
  const config = await ana.call(getBoardConfig, { params: { id: drum.id } });
  expect(config).toMatchObject({ state: 'running', map: { rev: 2 } });
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped.').waitFor();
});

it('machine without a map: is shown as such, probed at a typed address, and read with a map chosen on its card', async () => {
  const bare = await register(ana, 'PRB-3', 'Bare Drum');
  const running = await roastery.stack.startMachine({
    serial: bare.serial_number,
    token: bare.auth_token,
    start: 'preheat',
    isAutomatic: false,
    agentEnvironment: { MACHINE_MAP: '' },
  });
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  await page.goto('/machines');
  const noMap = page.getByRole('button', { name: 'Bare Drum has no map: choose one' });
  await noMap.waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Actions for Bare Drum' }).click();
  await page.getByRole('menuitem', { name: 'Find registers' }).click();
  const look = page.getByRole('button', { name: 'Read registers' });
  await page.getByLabel('Machine address').waitFor();
  await expect.poll(() => look.isEnabled()).toBe(false);
  const wish = async (tab: Page): Promise<void> => {
    await tab.getByLabel('Machine address').fill(`127.0.0.1:${running.modbusPort}`);
    await tab.getByLabel('Number of registers').fill('32');
    await tab.getByRole('checkbox', { name: 'Also common temperature registers' }).uncheck();
  };
  const closed = await page.context().newPage();
  await closed.goto(page.url());
  await wish(closed);
  await closed.getByRole('button', { name: 'Read registers' }).click();
  await closed.getByText(/^Watching \d+ registers/).waitFor();
  await closed.close();
  await wish(page);
  await until(
    'a reading that the one of the closed tab does not refuse',
    async () => {
      await look.click();
      await page.getByText(/^(Watching \d+ registers|Another probe)/).waitFor();
      return page.getByText(/^Watching/).isVisible();
    },
    // The board allows three a while; without a stop it refuses for five minutes.
    { everyMs: 5000, timeoutMs: 60_000 },
  );
  await visit(page, '/machines');
  await noMap.click();
  const dialog = page.getByRole('dialog', { name: 'Map and settings' });
  await dialog.getByRole('combobox', { name: 'Machine map' }).fill('rm30');
  await page.getByRole('option', { name: /RM30/ }).first().click();
  await dialog.getByLabel('Machine’s address').fill('127.0.0.1');
  await dialog.getByLabel('Port').fill(String(running.modbusPort));
  await dialog.getByRole('button', { name: 'Send to the board' }).click();
  await until(
    'the board to read by the chosen map',
    async () => (await ana.call(getBoardConfig, { params: { id: bare.id } })).state === 'running',
    { timeoutMs: 30_000 },
  );
  await noMap.waitFor({ state: 'detached', timeout: 30_000 });
  expect(await ana.call(getMachine, { params: { id: bare.id } })).toMatchObject({
    connection: 'online',
    lacks_map: false,
  });
  await running.stop();
});
