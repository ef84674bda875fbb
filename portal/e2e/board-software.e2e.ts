import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PackageRepository } from '@roastery/contract/board-packages';
import { listPairingTickets } from '@roastery/contract/fleet';
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

  it('ticket: comes with the line to paste and the files of a card; the password leaves the browser in no request', async () => {
    const machine = await register(roastery.admin, 'RM30 8', 'Card Drum', 'RM30');
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    await page.goto('/admin/devices');
    await page.getByRole('button', { name: 'Actions for Card Drum' }).click();
    await page.getByRole('menuitem', { name: 'Pair the board' }).click();
    await page.getByRole('button', { name: 'Create a new ticket' }).click();
    const ticket = (await page.getByText(/^PAIR-[A-Z-]{14}$/).innerText()).trim();
    await page.getByText(`curl -fsS ${roastery.stack.url}/packages/install.sh | sudo sh -s -- ${ticket}`).waitFor();

    await page.getByText('A card that sets the board up by itself').click();
    await page.getByLabel('Wireless network').fill('Roastery "5"');
    await page.getByLabel('Its password').fill('very secret 123');
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
});
