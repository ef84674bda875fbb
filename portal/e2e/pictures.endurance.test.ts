import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { machineMapShape } from '@roastery/contract/machine-map';
import { createLot } from '@roastery/contract/inventory';
import { createProfile, type Profile } from '@roastery/contract/profiles';
import { listMachines, type RegisteredMachine } from '@roastery/contract/machines';
import { updateRoast, type Roast } from '@roastery/contract/roasts';
import { parseDuration } from '@roastery/roasting/units';
import { demoRoasterMap } from '@roastery/simulator/maps/demo-roaster';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { isBounded, onlyInFull } from '@roastery/testing/endurance/volume';
import { hurriedClock, repositoryRoot } from '@roastery/testing/shared-data';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepPicture } from './keep-picture.ts';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

// The pictures of the README: `PICTURES=1 npx vitest run --project endurance portal/e2e/pictures` writes them into
// portal/docs. Otherwise they are taken at the roast's first minute into a temporary folder, as a test of the full long runs.
const isForReal = process.env['PICTURES'] === '1';
/** Seconds since charge at which the running roast is shown: Maillard, close to the first crack. */
const shownAtSeconds = isForReal ? 465 : 20;
const maxBytes = 300 * 1024;
const factor = 8;

const coffees = [
  ['Huila Pink Bourbon', 'Colombia', 'Washed', 'Medium-Light'],
  ['Yirgacheffe Konga', 'Ethiopia', 'Natural', 'Light'],
  ['Fazenda Rainha', 'Brazil', 'Pulped Natural', 'Medium'],
  ['Kiambu AA', 'Kenya', 'Washed', 'Light'],
  ['House Espresso', 'Brazil', 'Natural', 'Medium-Dark'],
] as const;

/** Six roasts a morning, every 27 minutes. */
const minutesAgo = (n: number): number => 25 + (n % 6) * 27 + Math.floor(n / 6) * 24 * 60;

/** The resolution of a good screen: twice the pixels. */
const sharp = (height: number): BrowserContextOptions => ({
  deviceScaleFactor: 2,
  viewport: { width: 1360, height },
});

describe.skipIf(isBounded)(`pictures of the README${onlyInFull}`, () => {
  let roastery: TestRoastery;
  let ana: RoasteryClient;
  let probat: RegisteredMachine;
  let filter: Profile;
  let folder: string;
  const past: Roast[] = [];

  beforeAll(async () => {
    folder = isForReal
      ? path.join(repositoryRoot(), 'portal', 'docs')
      : await mkdtemp(path.join(tmpdir(), 'roastery-pictures-'));
    await mkdir(folder, { recursive: true });
    roastery = await openRoastery();
    ana = await roastery.addPerson(anaRestrepo);
    probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
    const machines = [probat, probat, await register(ana, 'GIE-W6-0007', 'Giesen W6', 'RM7'), probat];
    filter = await ana.call(createProfile, {
      body: {
        name: 'Huila filter',
        coffee_origin: 'Colombia',
        roast_level: 'Medium-Light',
        target_drop_temp: 209,
        control_profile: [
          { time: 0, burner: 100, exhaust: 30, drum: 60 },
          { time: 720, burner: 0, exhaust: 90, drum: 30 },
        ],
      },
    });
    // With it the first steps of a new roastery are done.
    await ana.call(createLot, {
      body: { lot_number: 'CO-2611', coffee_name: 'Huila Pink Bourbon', origin: 'Colombia', initial_weight: 420 },
    });
    for (let n = 0; n < (isForReal ? 12 : 6); n++) {
      const [coffee_name, coffee_origin, coffee_process, level] = coffees[n % coffees.length] ?? coffees[0];
      past.push(
        await bringPastRoast(roastery.stack, ana, machines[n % machines.length] ?? probat, {
          seed: n + 11,
          hz: 2,
          level,
          charged: new Date(Date.now() - minutesAgo(n) * 60_000),
          // The newest is heavier than its reference and lags behind it.
          ...(n === 0 ? { batchKg: 27.5 } : {}),
          details: {
            coffee_name,
            coffee_origin,
            coffee_process,
            roast_level: level,
            ...(n % coffees.length === 0 ? { profile_id: filter.id, cupping_score: 84 + n / 10 } : {}),
          },
        }),
      );
    }
  });
  afterAll(async () => {
    await roastery[Symbol.asyncDispose]();
    if (!isForReal) await rm(folder, { recursive: true, force: true });
  });

  const keep = (page: Page, name: string) => keepPicture(roastery, page, path.join(folder, `${name}.webp`));

  it('a finished roast, compared with its recipe’s reference', async () => {
    await using watched = await roastery.openAs(ana, sharp(1160));
    const { page } = watched;
    const roast = past.find(({ profile_id: profile }) => profile === filter.id);
    await page.goto(`/roasts/${roast?.id}`);
    await page.getByText(/^Reference: /).waitFor();
    const chart = await page.getByTestId('roast-chart').boundingBox();
    await page.mouse.move((chart?.x ?? 0) + (chart?.width ?? 0) * 0.47, (chart?.y ?? 0) + 250);
    await page.getByTestId('chart-readout').waitFor();
    await page.mouse.wheel(0, 0);
    expect(await keep(page, 'roast-page')).toBeLessThan(maxBytes);
  });

  it('a running roast, and the dashboard at that time', { timeout: 180_000 }, async () => {
    await roastery.stack.startMachine({
      serial: probat.serial_number,
      token: probat.auth_token,
      timeFactor: factor,
      seed: 3,
      map: machineMapShape.parse({ ...demoRoasterMap(), hz: 1, timeoutMs: 300 * factor }),
      agentNodeOptions: hurriedClock(factor),
    });
    await using watched = await roastery.openAs(ana, { ...sharp(1290), colorScheme: 'dark' });
    const { page } = watched;
    await page.goto('/machines');
    const link = page.getByRole('link', { name: 'Roasting now' });
    await link.waitFor({ timeout: 60_000 });
    const id = (await ana.call(listMachines)).find((one) => one.id === probat.id)?.current_roast_id ?? '';
    const [coffee_name, coffee_origin, coffee_process, roast_level_target] = coffees[0];
    const body = {
      coffee_name,
      coffee_origin,
      coffee_process,
      roast_level_target,
      profile_id: filter.id,
      batch_size_kg: 24,
    };
    await ana.call(updateRoast, { params: { id }, body });

    await page.goto(`/roasts/${id}`);
    await page.getByText(/^Reference: /).waitFor();
    await expect
      .poll(async () => parseDuration(await page.getByTestId('live-clock').innerText()) ?? 0, { timeout: 120_000 })
      .toBeGreaterThan(shownAtSeconds);
    expect(await keep(page, 'roast-live')).toBeLessThan(maxBytes);

    await using office = await roastery.openAs(ana, sharp(900));
    await office.page.goto('/dashboard');
    await office.page
      .getByTestId('roasting-card')
      .getByText(/^\d+\.\d$/)
      .first()
      .waitFor();
    expect(await keep(office.page, 'dashboard')).toBeLessThan(maxBytes);
  });
});
