import { logRoast } from '@roastery/contract/imports';
import { createProfile, getProfile } from '@roastery/contract/profiles';
import { updateRoast } from '@roastery/contract/roasts';
import { SCREEN } from '@roastery/testing/browser';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRoastery, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
beforeAll(async () => {
  roastery = await openRoastery();
});
afterAll(() => roastery[Symbol.asyncDispose]());

const inView = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const box = document.querySelector('[role=alert]')?.getBoundingClientRect();
    return box !== undefined && box.top >= 0 && box.top < innerHeight - 40;
  });

/** The refusal is expected; there must be no other complaint. */
const others = (complaints: readonly string[]) => complaints.filter((line) => !line.includes('409'));

describe('two users who edit concurrently', () => {
  it('one user with the same form in two tabs gets the notice in the second, and both changes are saved', async () => {
    const control_profile = [
      { time: 0, burner: 100, exhaust: 30, drum: 60 },
      { time: 720, burner: 0, exhaust: 90, drum: 30 },
    ];
    const { id } = await roastery.admin.call(createProfile, { body: { name: 'House', control_profile } });
    const stored = async () => {
      const { name, description } = await roastery.admin.call(getProfile, { params: { id } });
      return [name, description];
    };
    await using watched = await roastery.openAs(roastery.admin);
    const [first, second] = [watched.page, await watched.page.context().newPage()];
    for (const tab of [first, second]) await tab.goto(`/recipes/${id}`);
    await second.getByRole('textbox', { name: /^Description/ }).fill('Mine');
    await first.getByRole('textbox', { name: /^Recipe name/ }).fill('Housed');
    await first.getByRole('button', { name: 'Update Recipe' }).click();
    await expect.poll(async () => (await stored())[0]).toBe('Housed');
    await second.getByRole('button', { name: 'Update Recipe' }).click();
    const notice = second.getByRole('alert').filter({ hasText: 'or you did in another tab' });
    // Also in a form that is longer than the screen.
    await expect.poll(() => inView(second)).toBe(true);
    await notice.getByRole('button', { name: 'Keep my changes on top of theirs' }).click();
    await second.getByRole('button', { name: 'Update Recipe' }).click();
    await expect.poll(stored).toEqual(['Housed', 'Mine']);
  });

  it('on a phone the notice fits', async () => {
    const body = { coffee_name: 'Guji', start_time: new Date().toISOString(), duration_seconds: 600 };
    const { id } = await roastery.admin.call(logRoast, { body });
    await using watched = await roastery.openAs(roastery.admin, { viewport: SCREEN.phone });
    const { page } = watched;
    await page.goto(`/roasts/${id}`);
    await page.getByRole('button', { name: /^Edit/ }).first().click();
    const notes = page.getByLabel('Notes', { exact: true }).last();
    await notes.fill('Mine');
    await roastery.admin.call(updateRoast, { params: { id }, body: { coffee_origin: 'Kenya', notes: 'Theirs' } });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Discard mine, show theirs' }).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
      .toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'Discard mine, show theirs' }).click();
    await expect.poll(() => notes.inputValue()).toBe('Theirs');
    expect(others(watched.complaints)).toEqual([]);
  });
});
