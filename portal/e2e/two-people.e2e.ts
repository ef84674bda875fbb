import { createBlend, getBlend, updateBlend } from '@roastery/contract/blends';
import { createLot, getLot, updateLot, type Lot } from '@roastery/contract/inventory';
import { logRoast } from '@roastery/contract/imports';
import { getBoardConfig, setBoardConfig } from '@roastery/contract/machine-maps';
import { getMachine, updateMachine } from '@roastery/contract/machines';
import { createProfile, getProfile, updateProfile } from '@roastery/contract/profiles';
import { getRoast, updateRoast } from '@roastery/contract/roasts';
import { getRoasterySettings, putRoasterySettings } from '@roastery/contract/settings';
import { seriousAccessibilityFindings } from '@roastery/testing/accessibility';
import { SCREEN } from '@roastery/testing/browser';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRoastery, register, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
beforeAll(async () => {
  roastery = await openRoastery();
});
afterAll(() => roastery[Symbol.asyncDispose]());

const control_profile = [
  { time: 0, burner: 100, exhaust: 30, drum: 60 },
  { time: 720, burner: 0, exhaust: 90, drum: 30 },
];

/** One record, one form for it, and the actions of the two users. */
interface Encounter {
  /** Creates the record and returns the page with its form, and how to open the form there. */
  begin(): Promise<{ path: string; open?: (page: Page) => Promise<void>; id: string }>;
  /** The field that the first user changes, and its value. */
  field: string;
  mine: string;
  save: string;
  /** What the other user saves: another field, and the same field. */
  theirs(id: string, same: boolean): Promise<unknown>;
  /** Shown as the other user's. */
  otherField: string;
  /** The stored values: the field both changed, the other one. */
  stored(id: string): Promise<[same: unknown, other: unknown]>;
}

const openBoardSettings = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Actions for Board drum' }).click();
  await page.getByRole('menuitem', { name: 'Map and settings' }).click();
};
const pressEdit = (page: Page): Promise<void> => page.getByRole('button', { name: /^Edit/ }).first().click();

const bodyOf = ({ coffee_name, origin, initial_weight, notes, farm, revision }: Lot) => ({
  coffee_name,
  origin,
  initial_weight,
  notes,
  farm,
  revision,
});

const encounters: Record<string, Encounter> = {
  lot: {
    async begin() {
      const body = { lot_number: 'TWO-1', coffee_name: 'Guji', origin: 'Ethiopia', initial_weight: 60 };
      const { id } = await roastery.admin.call(createLot, { body });
      return { path: `/inventory/lots/${id}/edit`, id };
    },
    field: 'Farm',
    mine: 'Mine',
    save: 'Update Lot',
    async theirs(id, same) {
      const lot = await roastery.admin.call(getLot, { params: { id } });
      const body = { ...bodyOf(lot), region: 'Uraga', ...(same ? { farm: 'Theirs' } : {}) };
      return roastery.admin.call(updateLot, { params: { id }, body });
    },
    otherField: 'Region',
    async stored(id) {
      const lot = await roastery.admin.call(getLot, { params: { id } });
      return [lot.farm, lot.region];
    },
  },
  recipe: {
    async begin() {
      const { id } = await roastery.admin.call(createProfile, { body: { name: 'House', control_profile } });
      return { path: `/recipes/${id}`, id };
    },
    field: 'Description',
    mine: 'Mine',
    save: 'Update Recipe',
    async theirs(id, same) {
      const recipe = await roastery.admin.call(getProfile, { params: { id } });
      const body = { name: 'Housed', control_profile, description: same ? 'Theirs' : recipe.description };
      return roastery.admin.call(updateProfile, { params: { id }, body: { ...body, revision: recipe.revision } });
    },
    otherField: 'Recipe name',
    async stored(id) {
      const recipe = await roastery.admin.call(getProfile, { params: { id } });
      return [recipe.description, recipe.name];
    },
  },
  machine: {
    async begin() {
      const { id } = await register(roastery.admin, 'RM15-TWO', 'Drum', 'RM15');
      return { path: '/machines', open: pressEdit, id };
    },
    field: 'Display Name',
    mine: 'Mine',
    save: 'Save Changes',
    async theirs(id, same) {
      const machine = await roastery.admin.call(getMachine, { params: { id } });
      const { display_name, machine_type, revision } = machine;
      const body = { display_name: same ? 'Theirs' : display_name, machine_type, max_capacity_kg: 12, revision };
      return roastery.admin.call(updateMachine, { params: { id }, body });
    },
    otherField: 'Max Capacity',
    async stored(id) {
      const machine = await roastery.admin.call(getMachine, { params: { id } });
      return [machine.display_name, machine.max_capacity_kg];
    },
  },
  roast: {
    async begin() {
      const body = { coffee_name: 'Guji', start_time: new Date().toISOString(), duration_seconds: 600 };
      const { id } = await roastery.admin.call(logRoast, { body });
      return { path: `/roasts/${id}`, open: pressEdit, id };
    },
    field: 'Notes',
    mine: 'Mine',
    save: 'Save',
    async theirs(id, same) {
      const body = { coffee_origin: 'Kenya', ...(same ? { notes: 'Theirs' } : {}) };
      return roastery.admin.call(updateRoast, { params: { id }, body });
    },
    otherField: 'Origin',
    async stored(id) {
      const roast = await roastery.admin.call(getRoast, { params: { id } });
      return [roast.notes, roast.coffee_origin];
    },
  },
  blend: {
    async begin() {
      const start_time = new Date().toISOString();
      const facts = { coffee_name: 'Guji', start_time, duration_seconds: 600, batch_size_kg: 12 };
      const roast = await roastery.admin.call(logRoast, { body: facts });
      const body = { name: 'House', notes: null, components: [{ roast_id: roast.id, kg: 2 }] };
      const { id } = await roastery.admin.call(createBlend, { body });
      return { path: `/roasts/blends/${id}`, id };
    },
    field: 'Name',
    mine: 'Mine',
    save: 'Update blend',
    async theirs(id, same) {
      const { name, components, revision } = await roastery.admin.call(getBlend, { params: { id } });
      const kept = components.flatMap(({ roast_id, kg }) => (roast_id === null ? [] : [{ roast_id, kg }]));
      const body = { name: same ? 'Theirs' : name, notes: 'For the bar', components: kept, revision };
      return roastery.admin.call(updateBlend, { params: { id }, body });
    },
    otherField: 'Notes',
    async stored(id) {
      const blend = await roastery.admin.call(getBlend, { params: { id } });
      return [blend.name, blend.notes];
    },
  },
  'board configuration': {
    async begin() {
      const { id } = await register(roastery.admin, 'RM15-BOARD', 'Board drum', 'RM15');
      return { path: '/machines', open: openBoardSettings, id };
    },
    field: 'Time servers',
    mine: 'Mine',
    save: 'Send to the board',
    theirs: (id, same) =>
      roastery.admin.call(setBoardConfig, {
        params: { id },
        body: { map_id: null, log_level: 'debug', ...(same ? { time_servers: ['Theirs'] } : {}) },
      }),
    otherField: 'Log',
    async stored(id) {
      const { settings } = await roastery.admin.call(getBoardConfig, { params: { id } });
      return [settings.time_servers?.join(', '), settings.log_level];
    },
  },
  'settings page': {
    begin: async () => ({ path: '/admin/settings', id: '' }),
    field: 'City',
    mine: 'Mine',
    save: 'Save Settings',
    theirs: (_id, same) =>
      roastery.admin.call(putRoasterySettings, { body: { phone: '+351 21', ...(same ? { city: 'Theirs' } : {}) } }),
    otherField: 'Phone',
    async stored() {
      const settings = await roastery.admin.call(getRoasterySettings, {});
      return [settings.city, settings.phone];
    },
  },
};

const inView = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const box = document.querySelector('[role=alert]')?.getBoundingClientRect();
    return box !== undefined && box.top >= 0 && box.top < innerHeight - 40;
  });

/** The refusal is expected; there must be no other complaint. */
const others = (complaints: readonly string[]) => complaints.filter((line) => !line.includes('409'));

describe('two users who edit concurrently', () => {
  it.each(Object.entries(encounters))(
    'the second gets a notice, and nothing of a %s is overwritten unseen',
    async (thing, one) => {
      const { path, open, id } = await one.begin();
      await using watched = await roastery.openAs(roastery.admin);
      const { page } = watched;
      await page.goto(path);
      await open?.(page);
      const field = page.getByRole('textbox', { name: new RegExp(`^${one.field}`) }).last();
      await field.fill(one.mine);
      await one.theirs(id, true);
      const save = page.getByRole('button', { name: one.save, exact: true });
      await save.click();
      const notice = page.getByRole('alert').filter({ hasText: `Another user changed this ${thing}` });
      await notice.getByText(`They changed: ${one.otherField}`).waitFor();
      // Also in a form that is longer than the screen.
      await expect.poll(() => inView(page)).toBe(true);
      const clash = notice.getByRole('row').filter({ hasText: one.field });
      await expect.poll(() => clash.innerText()).toMatch(/Theirs\s+Mine/);
      const [stored, other] = await one.stored(id);
      expect(stored).toBe('Theirs');
      expect(await seriousAccessibilityFindings(page)).toEqual([]);

      await notice.getByRole('button', { name: 'Keep my changes on top of theirs' }).click();
      await notice.waitFor({ state: 'detached' });
      await expect.poll(() => field.inputValue()).toBe(one.mine);
      await save.click();
      await expect.poll(() => one.stored(id)).toEqual([one.mine, other]);
      expect(others(watched.complaints)).toEqual([]);
    },
  );

  it('one user with the same form in two tabs gets the notice in the second, and both changes are saved', async () => {
    const begun = await encounters['recipe']?.begin();
    if (begun === undefined) throw new Error('no recipe');
    await using watched = await roastery.openAs(roastery.admin);
    const [first, second] = [watched.page, await watched.page.context().newPage()];
    for (const tab of [first, second]) {
      await tab.goto(begun.path);
      await tab.getByRole('textbox', { name: /^Description/ }).waitFor();
    }
    await second.getByRole('textbox', { name: /^Description/ }).fill('Mine');
    await first.getByRole('textbox', { name: /^Recipe name/ }).fill('Housed');
    await first.getByRole('button', { name: 'Update Recipe' }).click();
    await expect.poll(async () => (await encounters['recipe']?.stored(begun.id))?.[1]).toBe('Housed');
    await second.getByRole('button', { name: 'Update Recipe' }).click();
    const notice = second.getByRole('alert').filter({ hasText: 'or you did in another tab' });
    await notice.getByRole('button', { name: 'Keep my changes on top of theirs' }).click();
    await second.getByRole('button', { name: 'Update Recipe' }).click();
    await expect.poll(() => encounters['recipe']?.stored(begun.id)).toEqual(['Mine', 'Housed']);
  });

  it('on a phone the notice fits', async () => {
    const begun = await encounters['roast']?.begin();
    if (begun === undefined) throw new Error('no roast');
    await using watched = await roastery.openAs(roastery.admin, { viewport: SCREEN.phone, colorScheme: 'dark' });
    const { page } = watched;
    await page.goto(begun.path);
    await begun.open?.(page);
    await page.getByLabel('Notes', { exact: true }).last().fill('Mine');
    await encounters['roast']?.theirs(begun.id, true);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Discard mine, show theirs' }).click();
    await expect.poll(() => page.getByLabel('Notes', { exact: true }).last().inputValue()).toBe('Theirs');
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
      .toBeLessThanOrEqual(0);
    expect(others(watched.complaints)).toEqual([]);
  });
});
