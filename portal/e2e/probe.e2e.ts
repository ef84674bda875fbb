import { createMachineMap, getBoardConfig, setBoardConfig } from '@roastery/contract/machine-maps';
import { linkShape, machineMapShape } from '@roastery/contract/machine-map';
import { getMachine, listMachines, type RegisteredMachine } from '@roastery/contract/machines';
import { demoRoasterMap } from '@roastery/simulator/maps/demo-roaster';
import { startSimulator } from '@roastery/simulator/simulator';
import { freePort } from '@roastery/stack/ports';
import type { RunningMachine } from '@roastery/stack/machine';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { hasSerialCables, laySerialCable } from '@roastery/testing/serial-cable';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let drum: RegisteredMachine;
let machine: RunningMachine;
const demo = demoRoasterMap();

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  drum = await register(ana, 'PRB-1', 'Unknown Drum');
  machine = await roastery.stack.startMachine({
    serial: drum.serial_number,
    token: drum.auth_token,
    start: 'preheat',
    isAutomatic: false,
    map: machineMapShape.parse({ ...demo, hz: 2 }),
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

it('refuses while a roast runs, with the reason', async () => {
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  machine.order({ do: 'charge' });
  await until(
    'the roast to be known',
    async () => (await ana.call(listMachines)).some(({ current_roast_id: id }) => id !== null),
    { timeoutMs: 60_000 },
  );
  await page.goto(`/machines/${drum.id}/probe`);
  await page.getByRole('button', { name: 'Read registers' }).click();
  const says = page.getByText(/^A roast is running/);
  await says.waitFor();
  await expect.poll(() => says.innerText()).toContain('Read the registers after it has ended');
  await expect.poll(() => page.getByRole('button', { name: 'Read registers' }).isEnabled()).toBe(true);
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
  const where = page.getByLabel('Machine address');
  await where.waitFor();
  await expect.poll(() => look.isEnabled()).toBe(false);
  await where.fill(`127.0.0.1:${running.modbusPort}`);
  await page.getByLabel('Number of registers').fill('32');
  await page.getByRole('checkbox', { name: 'Also common temperature registers' }).uncheck();
  await look.click();
  await page.getByText(/^Watching \d+ registers/).waitFor();
  await page.goto('/machines');
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

it('machine without a map: saves the picked registers of an RTU over TCP machine as its first map', async () => {
  const bare = await register(ana, 'PRB-4', 'First Map Drum');
  const running = await roastery.stack.startMachine({
    serial: bare.serial_number,
    token: bare.auth_token,
    start: 'preheat',
    isAutomatic: false,
    agentEnvironment: { MACHINE_MAP: '' },
  });
  const simulator = await startSimulator({
    map: machineMapShape.parse({ ...demo, link: { kind: 'rtu-over-tcp', host: '127.0.0.1', port: await freePort() } }),
    model: { start: 'preheat', autoCharge: false },
  });
  try {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await until(
      'the board to connect',
      async () => (await ana.call(getMachine, { params: { id: bare.id } })).lacks_map,
      { timeoutMs: 60_000 },
    );
    await page.goto(`/machines/${bare.id}/probe`);
    await page.getByLabel('Machine address').fill(`127.0.0.1:${simulator.port}`);
    await page.getByRole('combobox', { name: /^Protocol/ }).click();
    await page.getByRole('option', { name: 'Modbus RTU over TCP' }).click();
    await page.getByRole('combobox', { name: /^Registers/ }).click();
    await page.getByRole('option', { name: 'All four' }).click();
    await page.getByLabel('Number of registers').fill('32');
    await page.getByRole('checkbox', { name: 'Also common temperature registers' }).uncheck();
    await page.getByRole('button', { name: 'Read registers' }).click();
    await page.getByText(/^Watching \d+ registers/).waitFor({ timeout: 60_000 });
    const save = page.getByRole('button', { name: 'Save and use this map' });
    await expect.poll(() => save.isEnabled()).toBe(false);
    const row = page.getByRole('list', { name: 'Registers' }).getByRole('listitem').filter({ hasText: beanAt });
    await row.getByRole('combobox', { name: `${beanAt} is` }).click();
    await page.getByRole('option', { name: 'Bean', exact: true }).click();
    await save.click();
    const proof = page.getByText('The board uses the new map. Bean temperature now:').locator('..');
    await proof.waitFor();
    await until(
      'the bean temperature to be shown',
      async () => /\d/.test((await proof.innerText()).split('now:')[1] ?? ''),
      {
        timeoutMs: 60_000,
      },
    );
    const config = await ana.call(getBoardConfig, { params: { id: bare.id } });
    expect(config).toMatchObject({
      state: 'running',
      link: { kind: 'rtu-over-tcp' },
      map: { model: 'First Map Drum' },
    });
  } finally {
    await simulator.close();
    await running.stop();
  }
});

it.skipIf(!hasSerialCables())(
  'finds the unknown speed of a serial line, and the board reads by it (skipped without python3 and pseudo terminals)',
  async () => {
    await using cable = await laySerialCable({ mindsSpeed: true });
    const [far, path] = cable.ends;
    const serial = await register(ana, 'PRB-2', 'Serial Drum');
    const { serial_number, auth_token: token } = serial;
    await roastery.stack.startMachine({ serial: serial_number, token, start: 'preheat', isAutomatic: false });
    const link = linkShape.parse({ kind: 'rtu', path: far, baud: 19_200 });
    const simulator = await startSimulator({
      map: machineMapShape.parse({ ...demo, link }),
      model: { start: 'preheat', autoCharge: false },
    });
    try {
      // A slower speed than the machine's.
      const guessed = machineMapShape.parse({ ...demo, link: { ...link, path, baud: 9600 } });
      const own = await ana.call(createMachineMap, { body: { map: guessed } });
      await ana.call(setBoardConfig, { params: { id: serial.id }, body: { map_id: own.id, path } });
      const config = () => ana.call(getBoardConfig, { params: { id: serial.id } });
      await until('the board to try that line', async () => (await config()).state === 'running', {
        timeoutMs: 60_000,
      });

      await using watched = await roastery.openAs(ana);
      const { page } = watched;
      await page.goto(`/machines/${serial.id}/probe`);
      await page.getByRole('button', { name: 'Find speed and unit' }).click();
      await page.getByText(/Recording is paused\. Every ten seconds/).waitFor();
      await page
        .getByText(/^Unit 1 answers at 19200 baud, \w+ parity\. Save these line settings below/)
        .waitFor({ timeout: 90_000 });
      await page.getByRole('button', { name: 'Save and use this map' }).click();
      await page.getByText('The board uses the new map. Bean temperature now:').waitFor({ timeout: 60_000 });
      expect((await config()).link).toMatchObject({ kind: 'rtu', path, baud: 19_200 });
      expect(Math.max(...simulator.state().functions), 'it only reads').toBeLessThan(5);
    } finally {
      await simulator.close();
    }
  },
);
