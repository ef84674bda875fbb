import { updatePreferences } from '@roastery/contract/auth';
import { getRoast } from '@roastery/contract/roasts';
import { expect, it } from 'vitest';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register } from './roastery.ts';

it('a user with pounds and German formats weighs a roast in the cockpit and finds the same figures in the list', async () => {
  await using roastery = await openRoastery();
  const ana = await roastery.addPerson(anaRestrepo);
  await ana.call(updatePreferences, { body: { weight_unit: 'lb', date_language: 'de' } });
  const probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
  const roast = await bringPastRoast(roastery.stack, ana, probat, {
    charged: new Date(Date.now() - 900_000),
    details: { coffee_name: 'Guji', batch_size_kg: 11.475_887, end_weight_kg: null },
  });
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  await page.goto(`/machines/${probat.id}/live`);
  await page.getByTestId('unweighed').click();
  const sheet = page.getByTestId('weigh-sheet');
  await sheet.getByText('Batch 25,3 lb').waitFor();
  await sheet.getByLabel('Roasted weight').fill('25,4');
  await sheet.getByText('Roasted weight can’t be more than the batch').waitFor();
  await sheet.getByLabel('Roasted weight').fill('21,75');
  await sheet.getByText(/Loss 14,0\s%/).waitFor();
  await sheet.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => page.getByTestId('unweighed').count()).toBe(0);
  expect(await ana.call(getRoast, { params: { id: roast.id } })).toMatchObject({ end_weight_kg: 9.865_634 });

  await page.goto('/roasts');
  await page.getByRole('columnheader', { name: 'Batch (lb)' }).waitFor();
  await expect.poll(() => page.getByRole('main').innerText()).toMatch(/25,3/);
  expect(watched.complaints).toEqual([]);
});
