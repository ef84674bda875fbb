import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PackageRepository } from '@roastery/contract/board-packages';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { drumRoast } from '@roastery/simulator/artisan/artisan-file';
import { startArtisanProgram } from '@roastery/simulator/artisan/artisan-program';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRoastery, register, type TestRoastery } from './roastery.ts';

const fingerprint = '135A82079F405D38AC3C4DFE395F1F64A0A0E75B';
const repository: PackageRepository = {
  version: '0.1.0',
  portable: 'roastery-agent-0.1.0.tgz',
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
  folder = await mkdtemp(path.join(tmpdir(), 'artisan-e2e-'));
  await mkdir(path.join(folder, 'packages'));
  await writeFile(path.join(folder, 'packages', 'repository.json'), JSON.stringify(repository));
  roastery = await openRoastery({ packagesDir: path.join(folder, 'packages') });
});
afterAll(async () => {
  await roastery[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** An agent beside Artisan with two files, one of which is not a roast. */
const besideArtisan = async (machine: RegisteredMachine) => {
  const [autosave, file] = [path.join(folder, 'autosave'), '26-11-22_1130.alog'];
  await mkdir(autosave);
  const artisan = await startArtisanProgram();
  const roast = drumRoast(Date.now() - 3_600_000, { title: 'Guji', batchPrefix: 'P5-', batchNumber: 42 });
  await artisan.save(autosave, file, roast);
  await artisan.save(autosave, 'nothing.alog', { ...roast, uuid: 'x', beanTempC: roast.seconds.map(() => null) });
  const program = path.resolve(import.meta.dirname, '../../device-agent/dist/main.js');
  const agent = spawn(process.execPath, [program, 'run'], {
    env: {
      PATH: process.env['PATH'],
      API_URL: roastery.stack.url,
      MACHINE_SERIAL: machine.serial_number,
      MACHINE_TOKEN: machine.auth_token,
      DATA_DIR: path.join(folder, 'agent'),
      STATUS_PORT: 'off',
      ARTISAN_FOLDER: autosave,
      ARTISAN_URL: artisan.url,
    },
    stdio: 'ignore',
  });
  return {
    /** The file that is a roast. */
    file,
    async [Symbol.asyncDispose]() {
      const ended = once(agent, 'exit');
      agent.kill('SIGKILL');
      await ended;
      await artisan.close();
    },
  };
};

describe('a machine read through Artisan', () => {
  it('ticket: shows the one command for its computer', async () => {
    await register(roastery.admin, 'ART-2', 'Ticket Drum', 'RM15');
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    await page.goto('/admin/devices');
    await page.getByRole('button', { name: 'Actions for Ticket Drum' }).click();
    await page.getByRole('menuitem', { name: 'Pair the board' }).click();
    await page.getByRole('button', { name: 'Issue a new ticket' }).click();
    const ticket = (await page.getByText(/^PAIR-[A-Z-]{14}$/).innerText()).trim();
    await page.getByText('This machine runs with Artisan').click();
    const { url } = roastery.stack;
    await page.getByText(`npx --yes ${url}/packages/roastery-agent-0.1.0.tgz artisan ${ticket} --api ${url}`).waitFor();
    expect(watched.complaints).toEqual([]);
  });

  it('Artisan: Devices and Machines name it as the source; its files are listed with their results', async () => {
    const machine = await register(roastery.admin, 'ART-1', 'Artisan Drum', 'RM15');
    await using beside = await besideArtisan(machine);
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    await page.goto('/admin/devices');
    const row = page.getByRole('row', { name: 'Artisan Drum' });
    await row.getByText('Files: 1 imported, 1 refused').waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Actions for Artisan Drum' }).click();
    await page.getByRole('menuitem', { name: 'Artisan files' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(beside.file).waitFor();
    await dialog.getByText('The file has no bean temperature readings, so it contains no roast.').waitFor();
    await page.goto('/machines');
    await page.getByText('Online · Artisan').waitFor();
    await page.goto('/roasts');
    await page.getByText('Guji').first().waitFor();
    expect(watched.complaints).toEqual([]);
  });
});
