import path from 'node:path';
import { machineMapShape } from '@roastery/contract/machine-map';
import { listMachines } from '@roastery/contract/machines';
import { planRoast } from '@roastery/contract/planned';
import { createProfile } from '@roastery/contract/profiles';
import { getRoast, listRoasts } from '@roastery/contract/roasts';
import { parseDuration } from '@roastery/roasting/units';
import { demoRoasterMap } from '@roastery/simulator/maps/demo-roaster';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { hurriedClock, repositoryRoot } from '@roastery/testing/shared-data';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keepPicture } from './keep-picture.ts';
import { anaRestrepo, openRoastery, type TestRoastery, visit } from './roastery.ts';

// The steps of docs/first-roast.md. `PICTURES=1 npx vitest run --project browser portal/e2e/first-roast` takes its
// pictures during a whole roast; otherwise the roast is short and no picture is taken.
const isForReal = process.env['PICTURES'] === '1';
const droppedAtSeconds = isForReal ? 590 : 15;
const maxBytes = 150 * 1024;
const factor = 8;

let roastery: TestRoastery;
let ana: RoasteryClient;

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
});
afterAll(() => roastery[Symbol.asyncDispose]());

const picture = async (page: Page, name: string): Promise<void> => {
  if (!isForReal) return;
  const file = path.join(repositoryRoot(), 'portal', 'docs', 'first-roast', `${name}.webp`);
  expect(await keepPicture(roastery, page, file), name).toBeLessThan(maxBytes);
};
const valueOf = (view: Locator, label: string): Promise<string> =>
  view.getByText(label, { exact: true }).locator('xpath=following-sibling::dd').innerText();
const elapsed = async (page: Page) =>
  parseDuration(/\d+:\d\d/.exec(await page.getByTestId('cockpit-time').innerText())?.[0] ?? '') ?? -1;

it(
  'first roast: leads from the empty portal through registration, charge and drop to the roast’s page',
  { timeout: 240_000 },
  async () => {
    await using watched = await roastery.openAs(ana, {
      viewport: { width: 1180, height: 820 },
      deviceScaleFactor: isForReal ? 1.5 : 1,
      hasTouch: true,
    });
    const { page } = watched;
    await page.goto('/dashboard');
    await page.getByRole('region', { name: 'First steps' }).waitFor();
    await picture(page, '1-first-steps');

    await visit(page, '/machines');
    await page.getByRole('button', { name: 'Register First Machine' }).click();
    const form = page.getByRole('dialog', { name: 'Register New Machine' });
    await form.getByLabel('Serial Number').fill('PRB-P25-0042');
    await form.getByLabel('Display Name').fill('Probat P25');
    await picture(page, '2-register');
    await form.getByRole('button', { name: 'Register Machine' }).click();
    const registered = page.getByRole('dialog', { name: 'Machine Registered Successfully!' });
    await registered.waitFor();
    await picture(page, '3-registered');
    const token = await valueOf(registered, 'Machine Token');

    const machine = await roastery.stack.startMachine({
      serial: 'PRB-P25-0042',
      token,
      timeFactor: factor,
      seed: 3,
      map: machineMapShape.parse({ ...demoRoasterMap(), hz: 1, timeoutMs: 300 * factor }),
      agentNodeOptions: hurriedClock(factor),
      isAutomatic: false,
    });
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('listitem').filter({ hasText: 'PRB-P25-0042' }).getByText('Online').waitFor();
    const [probat] = await ana.call(listMachines);
    const recipe = await ana.call(createProfile, {
      body: {
        name: 'Huila filter',
        target_charge_temp: 204,
        control_profile: [
          { time: 0, burner: 75, exhaust: 40, drum: 62 },
          { time: 600, burner: 30, exhaust: 70, drum: 62 },
        ],
      },
    });
    const body = {
      machine_id: probat?.id ?? '',
      profile_id: recipe.id,
      coffee_name: 'Huila Pink Bourbon',
      batch_size_kg: 12,
    };
    await ana.call(planRoast, { body });
    await visit(page, `/machines/${probat?.id}/live`);
    await expect.poll(() => page.getByTestId('charge-readiness').getAttribute('data-readiness')).not.toBe('unknown');
    await page.getByTestId('cockpit-chart').locator('canvas').waitFor();
    await picture(page, '4-before-the-charge');

    machine.order({ do: 'charge' });
    await expect.poll(() => elapsed(page), { timeout: 120_000 }).toBeGreaterThan(droppedAtSeconds);
    await picture(page, '5-roasting');

    machine.order({ do: 'drop' });
    await page.getByRole('group', { name: 'Markers' }).getByRole('button', { name: /^Drop/ }).click();
    const sheet = page.getByTestId('weigh-sheet');
    await sheet.getByLabel('Roasted weight').fill('10.3');
    await picture(page, '6-after-the-drop');
    await sheet.getByRole('button', { name: 'Save', exact: true }).click();

    const { roasts } = await ana.call(listRoasts, { query: {} });
    const id = roasts[0]?.id ?? '';
    await expect.poll(async () => (await ana.call(getRoast, { params: { id } })).end_weight_kg).toBe(10.3);
    await visit(page, `/roasts/${id}`);
    await page.getByTestId('roast-chart').locator('canvas').waitFor();
    await picture(page, '7-the-roast');
  },
);
