import { siemensSettings, tcpSettings } from '@roastery/api/testing/artisan-settings';
import { seriousAccessibilityFindings } from '@roastery/testing/accessibility';
import { readFile } from 'node:fs/promises';
import { listMachines } from '@roastery/contract/machines';
import {
  createMachineMap,
  getBoardConfig,
  getMachineMap,
  saveMachineMap,
  setBoardConfig,
} from '@roastery/contract/machine-maps';
import type { RunningMachine } from '@roastery/stack/machine';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
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
});
afterAll(() => roastery[Symbol.asyncDispose]());

describe('a machine in the catalogue', () => {
  it('is found by keyboard at registration; fills in type and capacity, and requests the address', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/machines/register');
    await page.getByLabel('Serial Number').fill('LOR-7');
    await page.getByLabel('Display Name').fill('Loring in the back');
    const which = page.getByRole('combobox', { name: 'Make and model' });
    // A map replaces the one on the board: none is sent without a request.
    await page.getByText(/There is a map for the RM30/).waitFor();
    await expect.poll(() => which.inputValue()).toBe('');
    await which.fill('loring auto');
    await expect.poll(() => page.getByRole('option').first().innerText()).toContain('Loring Auto');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByLabel('Max Capacity').inputValue()).toBe('7');
    await expect.poll(() => page.getByRole('combobox', { name: 'Machine Type' }).innerText()).toContain('Auto');
    await page.getByText(/Not verified on real hardware/).waitFor();
    await page.getByLabel('Machine’s address').fill('10.0.0.31');
    await page.getByRole('button', { name: 'Register Machine' }).click();
    await page.getByText('Machine Registered Successfully!').first().waitFor();
    const loring = (await ana.call(listMachines)).find(({ serial_number: serial }) => serial === 'LOR-7');
    const config = await ana.call(getBoardConfig, { params: { id: loring?.id ?? '' } });
    expect(loring).toMatchObject({ machine_type: 'Auto', max_capacity_kg: 7 });
    expect(config).toMatchObject({ map: { id: 'loring-auto' }, link: { host: '10.0.0.31' }, state: 'waiting' });
    expect(watched.complaints).toEqual([]);
  });
});

const settingsFile = (text: string) => ({ name: 'w15.aset', mimeType: 'text/plain', buffer: Buffer.from(text) });

describe('a machine that is not in the catalogue', () => {
  it('leads to the closest makers, the probe and Artisan settings; reports parts not imported, requests the address', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/machines/register');
    await page.getByLabel('Serial Number').fill('GIE-15');
    await page.getByLabel('Display Name').fill('Giesen');
    const which = page.getByRole('combobox', { name: 'Make and model' });
    await which.fill('Lorring');
    await page.getByText('The catalogue has no machine “Lorring”.').waitFor();
    await page
      .getByRole('button', { name: /^Loring/ })
      .first()
      .waitFor();
    await which.fill('Giesen');
    await page.getByText('The catalogue has no machine “Giesen”.').waitFor();
    await page.getByText('use Find registers once its board is paired').waitFor();
    // The offer stays when the field loses the focus and is then empty.
    await which.press('Escape');
    await which.press('Tab');
    const settings = page.getByLabel('Artisan settings file');
    await settings.setInputFiles(settingsFile(siemensSettings));
    await page.getByText(/read over Siemens S7/).waitFor();
    expect(await seriousAccessibilityFindings(page)).toEqual([]);
    await settings.setInputFiles(settingsFile(tcpSettings));
    await page.getByText('The PID controller was not imported: the board never writes to a machine.').first().waitFor();
    await expect.poll(() => which.inputValue()).toBe('Giesen W15A');
    await expect.poll(() => page.getByLabel('Max Capacity').inputValue()).toBe('15');
    await expect.poll(() => page.getByRole('combobox', { name: 'Machine Type' }).innerText()).toContain('W15A');
    await page.getByLabel('Machine’s address').fill('10.0.0.20');
    await page.getByRole('button', { name: 'Register Machine' }).click();
    await page.getByText('Machine Registered Successfully!').first().waitFor();
    const made = (await ana.call(listMachines)).find(({ serial_number: serial }) => serial === 'GIE-15');
    expect(made).toMatchObject({ machine_type: 'W15A', max_capacity_kg: 15 });
    const config = await ana.call(getBoardConfig, { params: { id: made?.id ?? '' } });
    expect(config).toMatchObject({
      map: { maker: 'Giesen', model: 'W15A' },
      link: { kind: 'tcp', host: '10.0.0.20', port: 1502 },
      state: 'waiting',
    });
  });
});

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
    await dialog.getByLabel('Port').fill('99999');
    await dialog.getByRole('button', { name: 'Send to the board' }).click();
    await dialog.getByText('At most 65535').waitFor();
    await dialog.getByLabel('Port').fill(String(machine.modbusPort));
    await dialog.getByRole('button', { name: 'Send to the board' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions for Big Drum' }).click();
    await page.getByRole('menuitem', { name: 'Map and settings' }).click();
    await dialog.getByText('Revision 1 in use').waitFor();
    await dialog.getByText('rm30 · rev 1', { exact: true }).waitFor();
    await dialog.getByRole('link', { name: 'Open the map' }).click();

    await page.getByRole('button', { name: 'Make a copy' }).click();
    await page.getByRole('button', { name: 'Add channel' }).waitFor();
    const ownId = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '');
    await page.goto('/machines');
    await page.getByRole('button', { name: 'Actions for Big Drum' }).click();
    await page.getByRole('menuitem', { name: 'Map and settings' }).click();
    await expect.poll(() => dialog.getByRole('combobox', { name: 'Machine map' }).inputValue()).toMatch(/RM30/);
    await dialog.getByRole('combobox', { name: 'Machine map' }).fill('rm30');
    await page.getByRole('option', { name: /RM30.*own/ }).click();
    await dialog.getByRole('button', { name: 'Send to the board' }).click();
    await dialog.waitFor({ state: 'detached' });

    await page.goto(`/machines/maps/${ownId}`);
    const pressure = page.getByRole('group', { name: 'drum_pressure' });
    await pressure.getByLabel('Address').fill('30008');
    await page.getByLabel('What changed').fill('Pressure left out');
    await page.getByRole('button', { name: 'Save as revision 2' }).click();
    await page.getByText('write "i:7"').waitFor();
    await pressure.getByRole('button', { name: 'Delete drum_pressure' }).click();
    await page.getByRole('button', { name: 'Save as revision 2' }).click();
    await page.getByText('Saved as revision 2').waitFor();
    await page.getByRole('tab', { name: 'Revisions' }).click();
    await page.getByText('channels.drum_pressure.at').waitFor();
    await page.getByText('Pressure left out').waitFor();

    const asAdmin = await roastery.openAs(roastery.admin);
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
    await asAdmin[Symbol.asyncDispose]();
    expect(watched.complaints).toEqual([]);
  });

  it('is shared as a file; an invalid one is refused field by field', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/machines/maps/loring-auto');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download file' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('loring-auto.rev2.json');
    const text = await readFile(await download.path(), 'utf8');
    const upload = async (name: string, content: string) =>
      page
        .getByLabel('Machine map file')
        .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(content) });
    await page.goto('/machines/maps?q=nothing+like+it');
    await page.getByText('No machine maps match your search').waitFor();
    await upload('broken.json', text.slice(0, 200));
    await page.getByText(/broken\.json can’t be uploaded: it is not JSON/).waitFor();
    await upload('wrong.json', text.replace('"h:768"', '"40769"'));
    await page.getByText(/channels\.bean_temp\.at: .*write "h:768"/).waitFor();
    watched.complaints.length = 0;
    await upload('loring.json', text.replace('"Auto"', '"S7 of Ana"'));
    await page.getByRole('heading', { name: 'Loring S7 of Ana' }).waitFor();
    const id = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '');
    expect((await ana.call(getMachineMap, { params: { id } })).map.channels['bean_temp']).toMatchObject({
      at: 'h:768',
      as: 'bcd32',
    });
    expect(watched.complaints).toEqual([]);
  });
});

describe('an own map', () => {
  it('is edited in its outputs and events, merged from two users, restored to an older revision, and deleted', async () => {
    const { map: plain } = await ana.call(getMachineMap, { params: { id: 'rm7' } });
    const own = await ana.call(createMachineMap, { body: { map: { ...plain, maker: 'Giesen', model: 'W6' } } });
    await ana.call(setBoardConfig, { params: { id: drum.id }, body: { map_id: own.id, host: '127.0.0.1' } });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto(`/machines/maps/${own.id}`);
    await page.getByRole('group', { name: 'Output heat_power' }).getByLabel('To').fill('90');
    await page.getByRole('button', { name: 'Add event' }).click();
    const added = page.getByRole('group', { name: /^Event/ }).last();
    await added.getByLabel('Writes that trigger it').fill('41009 = 2');
    await page.getByRole('button', { name: 'Save as revision 2' }).click();
    await added.getByText(/write "h:1008"/).waitFor();
    await added.getByLabel('Writes that trigger it').fill('h:1008 = 2, wait 10 s, h:1008 = 5');

    // Another user moves a probe and changes the burner.
    const { heat_power: heat } = own.map.outputs;
    if (heat === undefined) throw new Error('the map has no heat');
    await roastery.admin.call(saveMachineMap, {
      params: { id: own.id },
      body: {
        map: {
          ...own.map,
          channels: { ...own.map.channels, bean_temp: { ...own.map.channels['bean_temp'], at: 'i:12' } },
          outputs: { ...own.map.outputs, heat_power: { ...heat, range: [0, 80] } },
        },
        rev: 1,
        note: 'Bean probe moved',
      },
    });
    await page.getByRole('button', { name: /^Save as revision/ }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'Another user changed this map' });
    await notice.getByText('They changed: Channel bean_temp').waitFor();
    await notice.getByRole('row', { name: /Output heat_power/ }).waitFor();
    await notice.getByRole('button', { name: 'Keep my changes on top of theirs' }).click();
    await page.getByRole('button', { name: 'Save as revision 3' }).click();
    await page.getByText('Saved as revision 3').waitFor();
    const now = async () => ana.call(getMachineMap, { params: { id: own.id } });
    const third = await now();
    expect(third.map.outputs['heat_power']?.range).toEqual([0, 90]);
    expect(third.map.channels['bean_temp']?.at).toBe('i:12');
    expect(Object.values(third.map.events)).toContainEqual({ on: [['h:1008', 2], { wait: 10_000 }, ['h:1008', 5]] });

    await page.getByRole('tab', { name: 'Revisions' }).click();
    await page.getByRole('button', { name: 'Open revision 1' }).click();
    await page.getByRole('list', { name: 'Revision 3 to 1' }).getByText('channels.bean_temp.at').waitFor();
    await page.getByRole('combobox', { name: /^Compare with/ }).click();
    await page.getByRole('option', { name: /^Revision 2/ }).click();
    await page.getByRole('list', { name: 'Revision 2 to 1' }).getByText('outputs.heat_power.range').waitFor();
    await page.getByRole('button', { name: 'Restore as revision 4' }).click();
    const asked = page.getByRole('alertdialog');
    await asked.getByText(/The board of “Big Drum” will switch to it/).waitFor();
    await asked.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Revision 1 restored as revision 4').waitFor();
    expect((await now()).map).toEqual({ ...own.map, rev: 4 });

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('“Big Drum” uses this map. First choose another map').waitFor();
    await ana.call(setBoardConfig, { params: { id: drum.id }, body: { map_id: 'rm30', host: '127.0.0.1' } });
    await page.reload();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await asked.getByText(/Delete Giesen W6 and its 4 revisions/).waitFor();
    await asked.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Machine Maps' }).waitFor();
    await expect.poll(() => page.getByText(own.id).count()).toBe(0);
    expect(watched.complaints.filter((complaint) => !complaint.includes('409'))).toEqual([]);
  });
});
