import { exampleCsv } from '@roastery/api/testing/example-data';
import { listRecipeAlarmRules } from '@roastery/contract/alarm-rules';
import { listPlannedRoasts, planRoast } from '@roastery/contract/planned';
import { createProfile } from '@roastery/contract/profiles';
import { listRoasts } from '@roastery/contract/roasts';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let machineId: string;
beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  ({ id: machineId } = await register(ana, 'PRB-P25-0042', 'Probat P25'));
});
afterAll(() => roastery[Symbol.asyncDispose]());

/** Changes at an address that are held until released, in the order of their requests. */
const holdChanges = async (page: Page, address: RegExp, methods: readonly string[] = ['PUT']) => {
  const asked: Route[] = [];
  await page.route(address, (route) =>
    methods.includes(route.request().method()) ? void asked.push(route) : route.fallback(),
  );
  const isAsked = (count: number) => expect.poll(() => asked.length).toBe(count);
  return {
    isAsked,
    /** Releases the newest; no further one follows before it is answered. */
    async goOn(count: number): Promise<unknown> {
      await isAsked(count);
      const route = asked.at(-1);
      await route?.continue();
      return route?.request().postDataJSON() as unknown;
    },
  };
};

const points = [
  { time: 0, burner: 80, exhaust: 40, drum: 60 },
  { time: 600, burner: 0, exhaust: 90, drum: 45 },
];

describe('quick changes', () => {
  it('of an import of many files are stored in order, and it does not begin before', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/roasts/new?way=upload');
    await page.getByLabel('Files to import').setInputFiles(
      ['one', 'two'].map((name, at) => ({
        name: `${name}.csv`,
        mimeType: 'text/csv',
        buffer: Buffer.from(exampleCsv(`${at + 1}000`)),
      })),
    );
    await page.getByText('0 of 2 files can be imported').waitFor();
    for (const name of ['one', 'two']) {
      const charge = page.getByLabel(`Charge of ${name}.csv`);
      await charge.fill(`2026-11-19T07:0${name.length}`);
      await charge.press('Enter');
    }
    const start = page.getByRole('button', { name: 'Import 2 roasts' });
    await expect.poll(() => start.isEnabled()).toBe(true);

    const changes = await holdChanges(page, /\/roast-imports\/.+$/);
    const takes = page.getByRole('checkbox', { name: /Deduct the green coffee/ });
    await takes.click();
    await changes.isAsked(1);
    // The second tap undoes the first one, although that is not stored yet.
    await takes.click();
    await expect.poll(() => takes.isChecked()).toBe(false);
    const coffee = page.getByLabel('Coffee of one.csv');
    await coffee.fill('Sidamo');
    await coffee.press('Enter');
    await coffee.fill('Guji');
    await expect.poll(() => start.isEnabled()).toBe(false);
    expect(await changes.goOn(1)).toEqual({ takes_green: true });
    expect(await changes.goOn(2)).toEqual({ takes_green: false });
    expect(await changes.goOn(3)).toEqual({ coffee_name: 'Sidamo' });
    await expect.poll(() => start.isEnabled()).toBe(true);
    // Input is not overwritten by an earlier stored value.
    await expect.poll(() => coffee.inputValue()).toBe('Guji');
    await coffee.press('Enter');
    await changes.isAsked(4);
    await expect.poll(() => start.isEnabled()).toBe(false);
    expect(await changes.goOn(4)).toEqual({ coffee_name: 'Guji' });
    await expect.poll(() => takes.isChecked()).toBe(false);
    await start.click();
    await page.getByText('2 roasts imported').waitFor();
    const { roasts } = await ana.call(listRoasts, { query: { q: 'Guji' } });
    expect(roasts).toHaveLength(1);
    expect(watched.complaints).toEqual([]);
  });

  it('of one file are both kept, and the roast is added after they are read', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/roasts/new?way=upload');
    // No units in its head, and times in milliseconds.
    const text = exampleCsv('3000')
      .replace(/^.*/, 'Time,BT,Event')
      .replaceAll(/^(\d+),/gm, '$1000,');
    await page
      .getByLabel('Files to import')
      .setInputFiles({ name: 'three.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    const unit = page.getByRole('radiogroup', { name: 'Unit of temperature' });
    const add = page.getByRole('button', { name: 'Add roast' });
    await expect.poll(() => add.isEnabled()).toBe(true);
    const changes = await holdChanges(page, /\/uploads\/[^/]+$/);
    await unit.getByRole('radio', { name: '°F' }).click();
    await changes.isAsked(1);
    await unit.getByRole('radio', { name: '°C' }).click();
    await expect.poll(() => unit.getByRole('radio', { name: '°C' }).getAttribute('aria-checked')).toBe('true');
    await expect.poll(() => add.isEnabled()).toBe(false);
    const seconds = page.getByRole('radiogroup', { name: 'Unit of time' });
    await seconds.getByRole('radio', { name: 'cs', exact: true }).click();
    expect(await changes.goOn(1)).toEqual({ temperature_unit: 'F' });
    expect(await changes.goOn(2)).toEqual({ temperature_unit: 'C' });
    await expect.poll(() => add.isEnabled()).toBe(false);
    expect(await changes.goOn(3)).toEqual({ temperature_unit: 'C', time_unit: 'cs' });
    await expect
      .poll(() => seconds.getByRole('radio', { name: 'cs', exact: true }).getAttribute('aria-checked'))
      .toBe('true');
    await expect.poll(() => unit.getByRole('radio', { name: '°C' }).getAttribute('aria-checked')).toBe('true');
  });

  it('of the order of a queue are stored in order, and the last one applies', async () => {
    for (const coffee_name of ['Anna', 'Berta', 'Clara'])
      await ana.call(planRoast, { body: { machine_id: machineId, coffee_name } });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/roasts/new');
    const queue = page.getByRole('region', { name: 'Queue of Probat P25' });
    const names = async () => (await queue.getByRole('list').innerText()).match(/Anna|Berta|Clara/g)?.join(' ');
    await expect.poll(names).toBe('Anna Berta Clara');
    const changes = await holdChanges(page, /\/queue$/);
    const handle = queue.getByRole('button', { name: /^Move Anna/ });
    await handle.press('ArrowDown');
    await changes.isAsked(1);
    await handle.press('ArrowDown');
    await expect.poll(names).toBe('Berta Clara Anna');
    await changes.goOn(1);
    await changes.isAsked(2);
    await expect.poll(names).toBe('Berta Clara Anna');
    await changes.goOn(2);
    const stored = async () => {
      const { planned } = await ana.call(listPlannedRoasts, { query: {} });
      return planned.map((plan) => plan.coffee_name).join(' ');
    };
    await expect.poll(stored).toBe('Berta Clara Anna');
    await expect.poll(names).toBe('Berta Clara Anna');
    expect(watched.complaints).toEqual([]);
  });

  it('of the switch of a ready-made alarm leave one alarm, according to the last one', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    const { id } = await ana.call(createProfile, { body: { name: 'House filter', control_profile: points } });
    await page.goto(`/recipes/${id}`);
    const changes = await holdChanges(page, /\/alarm-rules/, ['POST', 'PUT']);
    const crash = page.getByTestId('alarm-rules').getByRole('switch', { name: 'Rate of rise crashes on' });
    await crash.click();
    await changes.isAsked(1);
    await crash.click();
    await expect.poll(() => crash.getAttribute('aria-checked')).toBe('false');
    expect(await changes.goOn(1)).toMatchObject({ is_enabled: true });
    expect(await changes.goOn(2)).toMatchObject({ is_enabled: false, revision: 1 });
    const stored = async () => {
      const { rules } = await ana.call(listRecipeAlarmRules, { params: { id } });
      return rules.map((rule) => [rule.condition.kind, rule.is_enabled]);
    };
    await expect.poll(stored).toEqual([['rate_crash', false]]);
    await expect.poll(() => crash.getAttribute('aria-checked')).toBe('false');
    expect(watched.complaints).toEqual([]);
  });
});
