import { adjustLot, createLot } from '@roastery/contract/inventory';
import { createProfile } from '@roastery/contract/profiles';
import { seriousAccessibilityFindings } from '@roastery/testing/accessibility';
import { SCREEN } from '@roastery/testing/browser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, type TestRoastery, visit } from './roastery.ts';

let roastery: TestRoastery;
beforeAll(async () => {
  roastery = await openRoastery();
});
afterAll(() => roastery[Symbol.asyncDispose]());

const addWatchedLot = async (lot_number: string, coffee_name: string): Promise<string> => {
  const body = { lot_number, coffee_name, origin: 'Ethiopia', initial_weight: 25 };
  const { id } = await roastery.admin.call(createLot, { body });
  await roastery.admin.call(createProfile, {
    body: {
      name: `House ${lot_number}`,
      green_coffee_lot_id: id,
      alert_low_inventory: true,
      control_profile: [
        { time: 0, burner: 100, exhaust: 30, drum: 60 },
        { time: 720, burner: 0, exhaust: 90, drum: 30 },
      ],
    },
  });
  return id;
};
const adjust = (id: string, kg: number) =>
  roastery.admin.call(adjustLot, { params: { id }, body: { kg, note: 'counted' } });

describe('low-stock alerts', () => {
  it('are shown on every page until dismissed, and again after the next crossing', async () => {
    const ana = await roastery.addPerson(anaRestrepo);
    const lot = await addWatchedLot('G-1', 'Guji');
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    const banner = page.getByRole('region', { name: 'Low green coffee' });
    await page.goto('/dashboard');
    await page.getByRole('heading', { name: /Welcome back/ }).waitFor();
    await expect.poll(() => banner.count()).toBe(0);

    await adjust(lot, -5.04);
    await visit(page, '/machines');
    // 19.96: below 20 kg, so never rounded up to it.
    await banner.getByText('19.9 kg left').waitFor();
    await expect.poll(() => banner.innerText()).toMatch(/Below 20 kg:\s+Guji \(G-1\)/);
    await banner.getByRole('link', { name: 'Guji (G-1)' }).click();
    await page.waitForURL(`**/inventory/lots/${lot}/edit`);
    await banner.getByRole('button', { name: 'Dismiss this alert' }).click();
    await banner.getByRole('button', { name: 'Dismiss', exact: true }).click();
    await banner.waitFor({ state: 'detached' });
    await adjust(lot, -1);
    await page.reload();
    await page.getByRole('heading', { name: 'Guji' }).waitFor();
    await expect.poll(() => banner.count()).toBe(0);
    await using other = await roastery.openAs(roastery.admin);
    await other.page.goto('/roasts');
    await other.page.getByRole('region', { name: 'Low green coffee' }).getByText('18.9 kg left').waitFor();

    await adjust(lot, 10);
    await adjust(lot, -10);
    await page.reload();
    await banner.getByText('18.9 kg left').waitFor();
    expect([...watched.complaints, ...other.complaints]).toEqual([]);
  });

  it('are readable at a desk and on a phone, also with many lots', async () => {
    for (const name of ['Sidama', 'Nyeri', 'Huehuetenango Finca La Esperanza']) {
      const id = await addWatchedLot(`M-${name.slice(0, 3)}`, name);
      await adjust(id, -20);
    }
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    await page.goto('/inventory/lots?status=all');
    const banner = page.getByRole('region', { name: 'Low green coffee' });
    await banner.getByRole('link', { name: /more lots?$/ }).waitFor();
    expect(await seriousAccessibilityFindings(page)).toEqual([]);
    for (const size of [SCREEN.desk, SCREEN.phone]) {
      await page.setViewportSize(size);
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
        .toBeLessThanOrEqual(0);
    }
    expect(watched.complaints).toEqual([]);
  });
});
