import type { Roast } from '@roastery/contract/roasts';
import { seriousAccessibilityFindings } from '@roastery/testing/accessibility';
import { SCREEN } from '@roastery/testing/browser';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let huila: Roast;
beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  const probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
  huila = await bringPastRoast(roastery.stack, ana, probat, {
    details: { coffee_name: 'Huila Pink Bourbon', batch_size_kg: 12, end_weight_kg: 10.2 },
  });
  await bringPastRoast(roastery.stack, ana, probat, {
    seed: 2,
    charged: new Date(Date.now() - 2 * 3_600_000),
    details: { coffee_name: 'Fazenda Rainha', batch_size_kg: 8, end_weight_kg: null },
  });
});
afterAll(() => roastery[Symbol.asyncDispose]());

describe('post-roast blends', () => {
  it('consist of finished roasts, with at most the remaining weight of each', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/roasts');
    await page.getByRole('tab', { name: 'Post-roast blends' }).click();
    await page.waitForURL('**/roasts/blends');
    await page.getByText('No blends yet').waitFor();
    await page.getByRole('link', { name: 'Add blend' }).first().click();
    await page.getByRole('button', { name: 'Save blend' }).click();
    await page.getByText('Name is required').waitFor();
    await page.getByText('Add at least one roast from the list.').waitFor();

    const finished = page.getByRole('list', { name: 'Finished roasts' });
    await expect
      .poll(async () => (await finished.innerText()).replaceAll(/\s+/g, ' '))
      .toMatch(/10\.2 kg left .*8 kg left of the batch/);
    await page.getByRole('textbox', { name: 'Name' }).fill('House espresso');
    await page.getByRole('button', { name: /^Add .*Huila Pink Bourbon/ }).click();
    await page.getByRole('button', { name: /^Add .*Fazenda Rainha/ }).click();
    const kilograms = (coffee: string) => page.getByRole('textbox', { name: new RegExp(`^Weight of .*${coffee}`) });
    await kilograms('Huila').fill('10.3');
    await page.getByText('Only 10.2 kg left').waitFor();
    await kilograms('Huila').fill('6');
    await kilograms('Rainha').fill('2');
    const mix = page.getByRole('list', { name: 'Roasts in the blend' });
    await expect.poll(async () => (await mix.innerText()).match(/\d+%/g)).toEqual(['75%', '25%']);
    await page.getByRole('button', { name: 'Save blend' }).click();
    await page.waitForURL('**/roasts/blends');
    const row = page.getByRole('row', { name: /House espresso/ });
    await row.waitFor();
    await expect.poll(() => row.innerText()).toMatch(/75% Huila Pink Bourbon, 25% Fazenda Rainha\s+8\.00 kg/);

    // Its weight is unavailable for the next one, and is returned when it is deleted.
    await page.goto('/roasts/blends/new');
    await finished.getByText('4.2 kg').waitFor();
    await page.goto('/roasts/blends');
    await row.getByRole('link').first().click();
    await page.getByRole('button', { name: 'Update blend' }).waitFor();
    await page.getByText('10.2 kg left').waitFor();
    await kilograms('Huila').fill('10.2');
    await page.getByRole('button', { name: 'Update blend' }).click();
    await page.getByText('Blend House espresso updated').waitFor();
    await expect.poll(() => row.innerText()).toMatch(/12\.20 kg/);
    await row.getByRole('button', { name: 'Delete blend House espresso' }).click();
    const question = page.getByRole('alertdialog');
    await expect.poll(() => question.innerText()).toContain('The 12.2 kg in it become available again');
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No blends yet').waitFor();
  });

  it('two concurrent ones don’t use the same coffee: the second is refused', async () => {
    await using one = await roastery.openAs(ana);
    await using two = await roastery.openAs(ana, { viewport: SCREEN.phone });
    for (const { page } of [one, two]) {
      await page.goto('/roasts/blends/new');
      await page.getByRole('textbox', { name: 'Name' }).fill('Rush');
      await page.getByRole('button', { name: /^Add .*Huila Pink Bourbon/ }).click();
      await page.getByRole('textbox', { name: /^Weight of/ }).fill('7');
    }
    await one.page.getByRole('button', { name: 'Save blend' }).click();
    await one.page.waitForURL('**/roasts/blends');
    await two.page.getByRole('button', { name: 'Save blend' }).click();
    await two.page.getByText(`Only 3.2 kg of ${huila.roast_number} is left`).waitFor();
    expect(await seriousAccessibilityFindings(two.page)).toEqual([]);
  });
});
