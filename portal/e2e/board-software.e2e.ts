import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PackageRepository } from '@roastery/contract/board-packages';
import { listPairingTickets } from '@roastery/contract/fleet';
import type { RegisteredMachine } from '@roastery/contract/machines';
import {
  clientIdOf,
  configShape,
  topicOf,
  type DeviceConfig,
  type DeviceStatus,
  type UpdateProgress,
} from '@roastery/contract/mqtt';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import type { Stack } from '@roastery/stack/stack';
import { until } from '@roastery/testing/until';
import { connectAsync } from 'mqtt';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRoastery, register, type TestRoastery } from './roastery.ts';

const fingerprint = '135A82079F405D38AC3C4DFE395F1F64A0A0E75B';
const repository: PackageRepository = {
  version: '0.1.0',
  fingerprints: [fingerprint],
  packages: ['arm64', 'armhf'].map((architecture) => ({
    name: 'roastery-agent',
    version: '0.1.0',
    architecture,
    file: `pool/main/roastery-agent_0.1.0_${architecture}.deb`,
    bytes: 1,
    sha256: '0'.repeat(64),
  })),
};

let folder: string;
let roastery: TestRoastery;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'board-software-e2e-'));
  await mkdir(path.join(folder, 'packages'));
  await writeFile(path.join(folder, 'packages', 'repository.json'), JSON.stringify(repository));
  roastery = await openRoastery({ packagesDir: path.join(folder, 'packages') });
});
afterAll(async () => {
  await roastery[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const download = async (page: Page, button: string): Promise<[string, string]> => {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()]);
  return [file.suggestedFilename(), await readFile(await file.path(), 'utf8')];
};

/** The boards of these machines, as agents that accept update orders. */
const connectBoards = async (stack: Stack, machines: readonly RegisteredMachine[]) => {
  const configs = new Map<number, DeviceConfig>();
  const clients = await Promise.all(
    machines.map(async ({ serial_number: serial, auth_token: password }, n) => {
      const client = await connectAsync(stack.mqttUrl, { clientId: clientIdOf(serial), username: serial, password });
      client.on('message', (_topic, payload) => {
        if (payload.length > 0) configs.set(n, parseOrThrow(configShape, JSON.parse(payload.toString())));
      });
      await client.subscribeAsync(topicOf(serial, 'config'), { qos: 1 });
      return client;
    }),
  );
  const say = async (n: number, told: Partial<DeviceStatus>): Promise<void> => {
    const status: DeviceStatus = { v: 1, online: true, session: 'one', t: Date.now(), agent_version: '0.0.9', ...told };
    const topic = topicOf(machines[n]?.serial_number ?? '', 'status');
    await clients[n]?.publishAsync(topic, JSON.stringify({ order: null, ...status }), { qos: 1, retain: true });
  };
  for (const n of machines.keys()) await say(n, {});
  return {
    say,
    config: (n: number) => until('a config', () => configs.get(n)),
    /** The order's progress as reported by the board of this machine, once it has the order. */
    async report(n: number, told: { state: UpdateProgress['state']; reason?: string }): Promise<void> {
      const order = await until('an order', () => configs.get(n)?.update);
      const update = { installed: order.version, earlier: '0.0.9', at: Date.now(), reason: told.reason };
      await say(n, {
        order: { ...order, ...told },
        ...(told.state === 'done' ? { agent_version: order.version } : {}),
        ...(told.state === 'turned_back' ? { update: { ...update, state: 'turned_back' } } : {}),
      });
    },
    [Symbol.asyncDispose]: async () => void (await Promise.all(clients.map((client) => client.endAsync()))),
  };
};

describe('software for boards', () => {
  it('Devices: shows version, fingerprint and both ways to install', async () => {
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    await page.goto('/admin/devices');
    await page.getByRole('tab', { name: 'Software' }).click();
    await expect
      .poll(() => page.getByTestId('fingerprint').innerText())
      .toBe('135A 8207 9F40 5D38 AC3C 4DFE 395F 1F64 A0A0 E75B');
    await page.getByText('arm64, armhf').waitFor();
    await page.getByText(`curl -fsS ${roastery.stack.url}/packages/install.sh | sudo sh -s -- PAIR-XXXX`).waitFor();
    await page.getByText('gpg --show-keys /etc/apt/keyrings/roastery.asc').waitFor();
    expect(watched.complaints).toEqual([]);
  });

  it('ticket: shows the command and the files of a card; the password is in no request of the browser', async () => {
    const machine = await register(roastery.admin, 'RM30 8', 'Card Drum', 'RM30');
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    await page.goto('/admin/devices');
    await page.getByRole('button', { name: 'Actions for Card Drum' }).click();
    await page.getByRole('menuitem', { name: 'Pair the board' }).click();
    await page.getByRole('button', { name: 'Issue a new ticket' }).click();
    const ticket = (await page.getByText(/^PAIR-[A-Z-]{14}$/).innerText()).trim();
    await page.getByText(`curl -fsS ${roastery.stack.url}/packages/install.sh | sudo sh -s -- ${ticket}`).waitFor();

    await page.getByText('SD card that sets up the board').click();
    await page.getByLabel('Wireless network').fill('Roastery "5"');
    await page.getByLabel('Wireless password').fill('very secret 123');
    await page.getByRole('button', { name: 'Download network-config' }).click();
    await page.getByText('Two letters, such as FI').waitFor();
    await page.getByLabel('Country').fill('fi');
    const [networkName, network] = await download(page, 'Download network-config');
    expect(networkName).toBe('network-config');
    expect(network).toContain('"Roastery \\"5\\"":\n          password: "very secret 123"');
    const [userDataName, userData] = await download(page, 'Download user-data');
    expect(userDataName).toBe('user-data');
    expect(userData).toContain('hostname: roaster-rm30-8');
    expect(userData).toContain(ticket);
    const { tickets } = await roastery.admin.call(listPairingTickets, { query: {} });
    expect(tickets.find(({ machine_id: id }) => id === machine.id)?.state).toBe('pending');
    expect(sent.join('\n')).not.toMatch(/very.secret|Roastery.{0,6}5/);
    expect(watched.complaints).toEqual([]);
  });

  it('Devices: orders an update for a tenth and for all, shows each board’s progress, and withdraws', async () => {
    const names = ['Drum A', 'Drum B', 'Drum C'];
    const machines = await Promise.all(names.map((name, n) => register(roastery.admin, `RM15 ${n}`, name, 'RM15')));
    await using boards = await connectBoards(roastery.stack, machines);
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    await page.goto('/admin/devices');
    const counts = page.getByTestId('updates');
    await expect.poll(() => counts.innerText()).toBe('0 of 3 updated');
    await page.getByRole('button', { name: 'Update a tenth first' }).click();
    await page.getByRole('alertdialog').getByText('1 board downloads version 0.1.0').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Update', exact: true }).click();
    await expect.poll(() => counts.innerText()).toBe('0 of 3 updated, 1 in progress');
    await page.getByText('Update to 0.1.0 requested').first().waitFor();
    await boards.report(0, { state: 'done' });
    await expect.poll(() => counts.innerText()).toBe('1 of 3 updated');

    await page.getByRole('button', { name: 'Update all (2)' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Update', exact: true }).click();
    await boards.report(1, { state: 'turned_back', reason: 'it hung, 3 times' });
    await boards.report(2, { state: 'waiting' });
    await expect.poll(() => counts.innerText()).toBe('1 of 3 updated, 1 in progress, 1 rolled back');
    await page.getByText('Rolled back from 0.1.0: it hung, 3 times').first().waitFor();
    await page.getByText('Update to 0.1.0 waits for the end of the roast').first().waitFor();
    await page.getByRole('button', { name: 'Withdraw update requests' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw', exact: true }).click();
    await expect.poll(() => counts.innerText()).toBe('1 of 3 updated, 1 rolled back');

    await page.getByRole('button', { name: 'Actions for Drum B' }).click();
    await page.getByRole('menuitem', { name: 'Update to 0.1.0' }).click();
    await page.getByText('Update to 0.1.0 requested').first().waitFor();
    await page.getByRole('button', { name: 'Actions for Drum B' }).click();
    await page.getByRole('menuitem', { name: 'Withdraw the update request' }).click();
    await expect.poll(() => page.getByText('Update to 0.1.0 requested').count()).toBe(0);
    // The board's own report stays.
    await expect.poll(() => counts.innerText()).toBe('1 of 3 updated, 1 rolled back');
    expect(watched.complaints).toEqual([]);
  });

  it('Map and settings: sends timeout, pause, status page and time servers, and shows that the board reverted them', async () => {
    const machine = await register(roastery.admin, 'RM15 9', 'Drum S', 'RM15');
    await using boards = await connectBoards(roastery.stack, [machine]);
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    await page.goto('/admin/devices');
    const open = async () => {
      await page.getByRole('button', { name: 'Actions for Drum S' }).click();
      await page.getByRole('menuitem', { name: 'Map and settings' }).click();
      return page.getByRole('dialog', { name: 'Map and settings' });
    };
    const dialog = await open();
    await dialog.getByLabel('Answer timeout').fill('10');
    await dialog.getByLabel('Pause between requests').fill('20');
    await dialog.getByRole('button', { name: 'Send to the board' }).click();
    await dialog.getByText('At least 50').waitFor();
    await dialog.getByLabel('Answer timeout').fill('100');
    const servers = dialog.getByLabel('Time servers');
    await servers.fill('time.example.org; -oops');
    await dialog.getByRole('button', { name: 'Send to the board' }).click();
    await dialog.getByText('A time server is a host name or an address').waitFor();
    await servers.fill('time.example.org, 192.168.1.1');
    await dialog.getByRole('combobox', { name: 'Status page of the board' }).click();
    await page.getByRole('option', { name: 'Off' }).click();
    await dialog.getByRole('button', { name: 'Send to the board' }).click();
    await page.getByText('Sent to the board').waitFor();
    const { rev } = await boards.config(0);
    expect(await boards.config(0)).toMatchObject({ timeout_ms: 100, gap_ms: 20, status_page: 'off' });
    expect(await boards.config(0)).toMatchObject({ time_servers: ['time.example.org', '192.168.1.1'] });
    const reason = 'systemd-timesyncd is not installed on this board';
    await boards.say(0, { config: { rev, state: 'refused', reason, reverted: true, trial: false } });
    const again = await open();
    await again.getByText(`The previous settings are in use again: ${reason}.`).waitFor();
    await expect.poll(() => again.getByLabel('Time servers').inputValue()).toBe('time.example.org, 192.168.1.1');
    expect(watched.complaints).toEqual([]);
  });
});
