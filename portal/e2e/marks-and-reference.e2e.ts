import { createProfile, getProfile } from '@roastery/contract/profiles';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { getRoastCurveColumns } from '@roastery/contract/roast-curves';
import { getRoast, type Roast } from '@roastery/contract/roasts';
import { formatDuration } from '@roastery/roasting/units';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { markKinds } from '@roastery/roasting/marks';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let probat: RegisteredMachine;
let recipeId: string;
let roasts: [Roast, Roast, Roast];
const dayMs = 86_400_000;
beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
  const control_profile = [
    { time: 0, burner: 100, exhaust: 30, drum: 60 },
    { time: 720, burner: 0, exhaust: 90, drum: 30 },
  ];
  recipeId = (await ana.call(createProfile, { body: { name: 'House Espresso', control_profile } })).id;
  const bring = (seed: number, cupping_score: number, name: string, profile_id: string | null = recipeId) =>
    bringPastRoast(roastery.stack, ana, probat, {
      seed,
      leadSeconds: 60,
      charged: new Date(Date.now() - seed * dayMs),
      details: { coffee_name: name, cupping_score, profile_id },
    });
  roasts = [
    await bring(1, 84, 'Huila Pink Bourbon'),
    await bring(2, 88, 'Guji Uraga'),
    await bring(3, 80, 'Sidama', null),
  ];
});
afterAll(() => roastery[Symbol.asyncDispose]());

const open = async (page: Page, address: string): Promise<void> => {
  await page.goto(address);
  await page.getByTestId('roast-chart').locator('canvas').waitFor();
  await page.getByText(/[1-9][\d,]* points/).waitFor();
};
const panel = (page: Page) => page.getByRole('complementary', { name: 'Curves and markers' });
const markers = (page: Page) => panel(page).getByRole('region', { name: 'Correct markers' });
const clickAt = async (page: Page, share: number): Promise<void> => {
  const box = await page.getByTestId('roast-chart').boundingBox();
  if (!box) throw new Error('no chart');
  await page.mouse.click(box.x + 46 + (box.width - 92) * share, box.y + 300);
};
const readBack = (id: string) => ana.call(getRoast, { params: { id } });
const around = { before: 14_400, after: 14_400 };
const wholeCurve = (id: string) => ana.call(getRoastCurveColumns, { params: { id }, query: around });

describe('marks corrected by hand', () => {
  it('move the window but no sample, and every step can be undone', async () => {
    await using watched = await roastery.openAs(ana, { viewport: { width: 1440, height: 1000 } });
    const { page, complaints } = watched;
    const [roast] = roasts;
    const recorded = await wholeCurve(roast.id);
    await open(page, `/roasts/${roast.id}`);
    await page.getByRole('button', { name: 'Correct markers' }).click();
    await markers(page).getByText('Click the curve at the right time').waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('markers')).toBe('correct');
    await expect
      .poll(() => markers(page).getByRole('button', { name: 'Set First Crack', exact: true }).isDisabled())
      .toBe(true);

    // Each name is whole, and a set marker has the time of the machine's clock.
    const names = () =>
      markers(page)
        .getByRole('listitem')
        .evaluateAll((rows) =>
          rows.map(({ firstElementChild: name }) => [
            name?.textContent ?? '',
            (name?.scrollWidth ?? 1) <= (name?.clientWidth ?? 0),
          ]),
        );
    await expect.poll(async () => (await names()).every(([, isWhole]) => isWhole)).toBe(true);
    await expect.poll(async () => new Set((await names()).map(([name]) => name)).size).toBe(markKinds.length);
    await expect.poll(async () => (await names())[0]?.[0]).toMatch(/^Charge\d\d:\d\d:\d\d [AP]M$/);

    await clickAt(page, 0.7);
    const set = markers(page).getByRole('button', { name: /^Set First Crack to / });
    const to = /to (.*)$/.exec((await set.getAttribute('aria-label')) ?? '')?.[1] ?? '';
    await set.click();
    await page.getByText(`First Crack set to ${to}`).waitFor();
    const moved = await readBack(roast.id);
    expect(formatDuration(moved.first_crack_time)).toBe(to);
    expect(moved.development_time_seconds).not.toBe(roast.development_time_seconds);
    expect(moved.marks.find(({ kind }) => kind === 'first_crack')?.origin).toBe('person');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await readBack(roast.id)).marks).toEqual(roast.marks);

    // Removed by mistake: it is restored at its former time.
    await set.click();
    const takeBack = markers(page).getByRole('button', { name: 'Remove First Crack' });
    await takeBack.click();
    await expect.poll(async () => (await readBack(roast.id)).marks).toEqual(roast.marks);
    await page.getByRole('button', { name: 'Restore' }).last().click();
    await expect.poll(async () => (await readBack(roast.id)).first_crack_time).toBe(moved.first_crack_time);
    await takeBack.click();
    await expect.poll(async () => (await readBack(roast.id)).marks).toEqual(roast.marks);

    // The charge was 20 s later than the board reported: the curve begins there, and all times follow.
    await page.goto(`/roasts/${roast.id}?markers=correct&at=20`);
    await markers(page).getByRole('button', { name: 'Set Charge to 0:20' }).click();
    await page.getByText('Charge set to 0:20').waitFor();
    const later = await readBack(roast.id);
    expect((roast.duration_seconds ?? 0) - (later.duration_seconds ?? 0)).toBeCloseTo(20, 0);
    expect(Date.parse(later.start_time) - Date.parse(roast.start_time)).toBe(20_000);
    const shifted = await wholeCurve(roast.id);
    expect(shifted.channels).toEqual(recorded.channels);
    expect(shifted.time_seconds.map((time) => Math.round(time + 20))).toEqual(
      recorded.time_seconds.map((time) => Math.round(time)),
    );

    // A drop cannot be before the charge: the server refuses it with a message.
    await page.goto(`/roasts/${roast.id}?markers=correct&at=-30`);
    await markers(page).getByRole('button', { name: 'Set Drop to -0:30' }).click();
    await page.getByText(/must come before/).waitFor();
    await markers(page).getByRole('button', { name: 'Remove Charge' }).click();
    await expect.poll(async () => (await readBack(roast.id)).marks).toEqual(roast.marks);
    await markers(page).getByRole('button', { name: 'Done' }).click();
    await panel(page).getByRole('region', { name: 'Markers' }).waitFor();
    expect(complaints.filter((line) => !line.includes('409'))).toEqual([]);
  });
});

describe('the reference curve of a roast', () => {
  it('is the recipe’s reference, any roast, or none, according to the address', async () => {
    await using watched = await roastery.openAs(ana, { viewport: { width: 1440, height: 1000 } });
    const { page, complaints } = watched;
    const [roast, best, other] = roasts;
    await open(page, `/roasts/${roast.id}`);
    await page.getByRole('link', { name: /Guji Uraga$/ }).waitFor();
    await page.getByRole('button', { name: 'Change curve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reference curve' });
    await dialog.getByRole('combobox', { name: 'Another roast' }).fill('Sidama');
    await page.getByRole('option', { name: /Sidama/ }).click();
    await page.getByRole('link', { name: /Sidama$/ }).waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('behind')).toBe(other.id);
    await page.reload();
    await page.getByRole('link', { name: /Sidama$/ }).waitFor();

    // How far the beans are above or below it, beside the crosshair.
    const [here, there] = [await wholeCurve(roast.id), await wholeCurve(other.id)];
    const box = await page.getByTestId('roast-chart').boundingBox();
    await page.mouse.move((box?.x ?? 0) + 500, (box?.y ?? 0) + 250);
    const readout = page.getByTestId('chart-readout');
    await readout.getByText('vs ref').waitFor();
    const words = await readout.innerText();
    const [minutes = 0, seconds = 0] = (words.split('\n')[0] ?? '').split(':').map(Number);
    const beanAt = (curve: typeof here) =>
      curve.channels['bean_temp']?.[curve.time_seconds.findIndex((time) => time >= minutes * 60 + seconds - 0.5)] ?? 0;
    const shown = Number(/vs ref\s+([+−±]?[\d.]+)/.exec(words)?.[1]?.replace('−', '-').replace('±', ''));
    expect(Math.abs(shown - (beanAt(here) - beanAt(there)))).toBeLessThan(1.5);

    await page.getByRole('button', { name: 'Change curve' }).click();
    await dialog.getByRole('button', { name: 'No reference' }).click();
    await page.getByRole('button', { name: 'Reference curve' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('behind')).toBe('none');
    await dialog.getByRole('button', { name: 'Reference of House Espresso' }).click();
    await page.getByRole('link', { name: /Guji Uraga$/ }).waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('behind')).toBeNull();

    // The best rated roast was chosen automatically; a person chooses another one, and reverts it.
    await page.getByRole('button', { name: 'Use as reference of House Espresso' }).click();
    await page.getByText('House Espresso now uses this roast as the reference').waitFor();
    const chosen = await ana.call(getProfile, { params: { id: recipeId } });
    expect(chosen).toMatchObject({ reference_roast_id: roast.id, reference_is_chosen: true });
    await page.getByText('Reference of House Espresso', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect
      .poll(async () => (await ana.call(getProfile, { params: { id: recipeId } })).reference_roast_id)
      .toBe(best.id);
    await open(page, `/roasts/${best.id}`);
    await page.getByText('Reference of House Espresso: its highest-scoring roast').waitFor();
    await open(page, `/roasts/${other.id}`);
    await expect
      .poll(() => page.getByRole('button', { name: /^Use as reference/ }).count(), { message: 'of no recipe' })
      .toBe(0);
    expect(complaints).toEqual([]);
  });
});
