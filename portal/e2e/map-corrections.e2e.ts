import { getBoardConfig, createMachineMap, setBoardConfig } from '@roastery/contract/machine-maps';
import { demoRoasterMap } from '@roastery/simulator/maps/demo-roaster';
import type { RunningMachine } from '@roastery/stack/machine';
import { seriousAccessibilityFindings } from '@roastery/testing/accessibility';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let machine: RunningMachine;
let drum: { id: string };

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  const registered = await register(ana, 'RM30-0007', 'Big Drum');
  drum = registered;
  machine = await roastery.stack.startMachine({
    serial: registered.serial_number,
    token: registered.auth_token,
    isAutomatic: false,
  });
  // Ana copied a map of the catalogue in which bean and exhaust were exchanged.
  const { bean_temp: bean, exhaust_temp: exhaust, ...others } = demoRoasterMap({ port: machine.modbusPort }).channels;
  if (bean === undefined || exhaust === undefined) throw new Error('the demo machine has both');
  const map = demoRoasterMap({ port: machine.modbusPort });
  const own = await ana.call(createMachineMap, {
    body: { map: { ...map, channels: { bean_temp: exhaust, exhaust_temp: bean, ...others } }, based_on: 'loring-auto' },
  });
  await ana.call(setBoardConfig, { params: { id: drum.id }, body: { map_id: own.id } });
});
afterAll(() => roastery[Symbol.asyncDispose]());

describe('a map in which bean and exhaust may be exchanged', () => {
  it('is named on the card, compared with the present values, exchanged and put back', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/machines');
    const compare = page.getByRole('button', { name: 'Compare bean and exhaust temperature of Big Drum' });
    await compare.click();
    const dialog = page.getByRole('dialog', { name: 'Map and settings' });
    const channels = dialog.getByRole('region', { name: 'Bean and exhaust temperature' });
    await channels.getByText('This map is a copy of one in which the two were exchanged.').waitFor();
    await channels.getByText(/^Read /).waitFor();
    expect(await seriousAccessibilityFindings(page)).toEqual([]);
    const places = () => channels.locator('dd.font-mono').allInnerTexts();
    const [wrongBean, wrongExhaust] = await places();
    await channels.getByRole('button', { name: 'Exchange the two' }).click();
    await page.getByText('Bean and exhaust temperature exchanged').waitFor();
    await expect.poll(places).toEqual([wrongExhaust, wrongBean]);
    await channels.getByText(/^Read /).waitFor();
    await expect.poll(async () => (await ana.call(getBoardConfig, { params: { id: drum.id } })).state).toBe('running');
    await expect.poll(() => channels.getByRole('button', { name: 'They are right' }).count()).toBe(0);
    await channels.getByRole('button', { name: 'Exchange the two' }).click();
    await expect.poll(places).toEqual([wrongBean, wrongExhaust]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => compare.count()).toBe(0);
    expect(watched.complaints).toEqual([]);
  });

  it('of the catalogue was corrected: the owner reads it once', async () => {
    await ana.call(setBoardConfig, { params: { id: drum.id }, body: { map_id: 'loring-auto', host: '127.0.0.1' } });
    const sql = postgres(roastery.databaseUrl, { max: 1, onnotice: () => undefined });
    await sql`
      INSERT INTO map_updates (machine_id, map_id, to_rev, from_rev, exchanged)
      SELECT id, map_id, map_rev, 1, true FROM machines WHERE id = ${drum.id}`;
    await sql.end();
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/machines');
    const notice = page.getByRole('region', { name: 'Map of Big Drum' });
    await notice.getByText(/^The map of “Big Drum” was corrected on .*: bean and exhaust temperature were/).waitFor();
    await notice.getByRole('button', { name: 'Got it: map of Big Drum' }).click();
    await notice.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { name: 'Big Drum' }).waitFor();
    await expect.poll(() => notice.count()).toBe(0);
    expect(watched.complaints).toEqual([]);
  });
});
