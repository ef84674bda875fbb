import { machineMapShape } from '@roastery/contract/machine-map';
import { getBoardConfig } from '@roastery/contract/machine-maps';
import { demoRoasterMap } from '@roastery/simulator/maps/demo-roaster';
import type { RunningMachine } from '@roastery/stack/machine';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { hurriedClock } from '@roastery/testing/shared-data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, register, type TestRoastery, visit } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let machine: RunningMachine;
let drum: { id: string };

/** Machine and board run this many times as fast: the board watches each new map for ten seconds of its clock. */
const factor = 4;

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  const registered = await register(ana, 'RM30-0007', 'Big Drum');
  drum = registered;
  machine = await roastery.stack.startMachine({
    serial: registered.serial_number,
    token: registered.auth_token,
    timeFactor: factor,
    map: machineMapShape.parse({ ...demoRoasterMap(), hz: 0.5, timeoutMs: 300 * factor }),
    agentNodeOptions: hurriedClock(factor),
    isAutomatic: false,
  });
});
afterAll(() => roastery[Symbol.asyncDispose]());

describe('a map for the board', () => {
  it('has the machine’s own address; an edited copy is used by the board and shown in the fleet', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/machines');
    await page.getByRole('button', { name: 'Actions for Big Drum' }).click();
    await page.getByRole('menuitem', { name: 'Map and settings' }).click();
    const dialog = page.getByRole('dialog', { name: 'Map and settings' });
    await dialog.getByText('Uses the board’s own map').waitFor();
    await dialog.getByText('demo-rm30 · rev 1').waitFor();
    await dialog.getByRole('combobox', { name: 'Machine map' }).fill('rm30');
    await page.getByRole('option', { name: /RM30/ }).click();
    await dialog.getByLabel('Machine’s address').fill('127.0.0.1');
    await dialog.getByLabel('Port').fill(String(machine.modbusPort));
    // A machine answers in real time, which is many times as long by the accelerated board's clock.
    await dialog.getByLabel('Answer timeout').fill(String(300 * factor));
    await dialog.getByLabel('Readings per second').fill('0.5');
    await dialog.getByRole('button', { name: 'Send to the board' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions for Big Drum' }).click();
    await page.getByRole('menuitem', { name: 'Map and settings' }).click();
    await dialog.getByText('Revision 1 in use').waitFor();
    await dialog.getByText('rm30 · rev 1', { exact: true }).waitFor();
    await dialog.getByRole('link', { name: 'Open the map' }).click();

    await page.getByRole('button', { name: 'Make a copy' }).click();
    await page.getByRole('button', { name: 'Add channel' }).waitFor();
    await page.waitForURL((url) => !url.pathname.endsWith('/rm30'));
    const ownId = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '');
    await visit(page, '/machines');
    await page.getByRole('button', { name: 'Actions for Big Drum' }).click();
    await page.getByRole('menuitem', { name: 'Map and settings' }).click();
    await expect.poll(() => dialog.getByRole('combobox', { name: 'Machine map' }).inputValue()).toMatch(/RM30/);
    await dialog.getByRole('combobox', { name: 'Machine map' }).fill('rm30');
    await page.getByRole('option', { name: /RM30.*own/ }).click();
    await dialog.getByRole('button', { name: 'Send to the board' }).click();
    await dialog.waitFor({ state: 'detached' });

    await visit(page, `/machines/maps/${ownId}`);
    const pressure = page.getByRole('group', { name: 'drum_pressure' });
    await page.getByLabel('What changed').fill('Pressure left out');
    await pressure.getByRole('button', { name: 'Delete drum_pressure' }).click();
    await page.getByRole('button', { name: 'Save as revision 2' }).click();
    await page.getByText('Saved as revision 2').waitFor();
    await page.getByRole('tab', { name: 'Revisions' }).click();
    await page.getByText('channels.drum_pressure.at').waitFor();
    await page.getByText('Pressure left out').waitFor();

    await using asAdmin = await roastery.openAs(roastery.admin);
    await asAdmin.page.goto('/admin/devices');
    const row = asAdmin.page.getByRole('row').filter({ hasText: 'Big Drum' });
    await row.getByText('Revision 2 in use').waitFor();
    await row.getByText(`${ownId} · rev 2`).waitFor();
    await asAdmin.page.getByRole('button', { name: 'Actions for Big Drum' }).click();
    await asAdmin.page.getByRole('menuitem', { name: 'Map and settings' }).click();
    const settings = asAdmin.page.getByRole('dialog', { name: 'Map and settings' });
    await settings.getByLabel('Readings per second').fill('1');
    await settings.getByRole('button', { name: 'Send to the board' }).click();
    await settings.waitFor({ state: 'detached' });
    const pushed = async () => ana.call(getBoardConfig, { params: { id: drum.id } });
    await expect.poll(pushed).toMatchObject({ state: 'running', settings: { hz: 1 }, map: { rev: 2 } });
    expect(watched.complaints).toEqual([]);
  });
});
