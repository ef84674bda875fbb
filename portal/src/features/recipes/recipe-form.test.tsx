import {
  createRecipeAlarmRule,
  listRecipeAlarmRules,
  updateRecipeAlarmRule,
  type AlarmRule,
  type AlarmRuleBody,
} from '@roastery/contract/alarm-rules';
import { getLot, listLots } from '@roastery/contract/inventory';
import { createProfile, getProfile, updateProfile } from '@roastery/contract/profiles';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { idOf, lot, recipe } from '../../testing/records.ts';
import { answer, refused } from '../../testing/table-server.ts';

const field = (name: string): HTMLInputElement => screen.getByLabelText(new RegExp(`^${name}`), { selector: 'input' });
const table = () => within(screen.getByRole('table', { name: 'Control points' }));
const figures = () =>
  table()
    .getAllByRole<HTMLInputElement>('textbox')
    .map(({ value }) => value);

const isChecked = (name: RegExp) => screen.getByRole('checkbox', { name, hidden: false }).getAttribute('aria-checked');

const estimate = async () => textOf((await screen.findByText('Estimated roasts')).parentElement ?? document.body);

const description = () => screen.getByLabelText<HTMLTextAreaElement>(/^Description/).value;

const times = () => screen.getAllByLabelText<HTMLInputElement>(/^Time of point/).map(({ value }) => value);

describe('the form of a recipe', () => {
  it('has the document’s defaults [P119 P202 P203 P208 P209]', async () => {
    await openPortal('/recipes/new');
    await expect.poll(() => textOf(screen.getByRole('main'))).toContain('721 points');
    for (const [name, value] of Object.entries({
      'Drop temp': '210',
      'Roast time': '12:00',
      'Development time': '2:30',
      'Min batch size': '10',
      'Max batch size': '15',
    })) {
      expect(field(name).value, name).toBe(value);
    }
    expect(textOf(screen.getByRole('combobox', { name: 'Roast level' }))).toBe('Medium');
    expect([isChecked(/^Auto-deduct/), isChecked(/20 kg/)]).toEqual(['true', 'false']);
    expect(figures().join(' ')).toBe('0:00 100 30 60 12:00 0 90 30');
  });

  it('is refused with the document’s messages until it is valid, then saved [P118 P121 P185 P186 P187 P188 P195 P204]', async () => {
    const { fill, server, user } = await openPortal('/recipes/new', { answers: [answer(createProfile, recipe())] });
    for (const [name, text] of Object.entries({
      'Drop temp': '0',
      'Roast time': '0:00',
      'Burner of point 1': '101',
      'Exhaust of point 1': '29',
      'Drum of point 2': '86',
    })) {
      await fill(field(name), text);
    }
    await user.click(screen.getByRole('button', { name: 'Save Recipe' }));
    await screen.findByText('Please fix validation errors before saving');
    for (const message of [
      'Recipe name is required',
      'Drop temp must be greater than 0',
      'Roast time must be greater than 0',
      'Burner: 0-100% · Exhaust: 30-90%',
      'Drum: 30-85 RPM',
    ]) {
      expect(await screen.findByText(message)).toBeDefined();
    }
    await user.click(screen.getByRole('button', { name: /^Delete point 2/ }));
    await screen.findByText('At least 2 control points are required');
    await user.click(screen.getByRole('button', { name: 'Add Control Point' }));
    await expect.poll(() => figures().slice(-4)).toEqual(['1:00', '50', '60', '60']);
    for (const [name, text] of Object.entries({
      'Recipe name': 'Konga Filter',
      'Drop temp': '204.5',
      'Roast time': '10:30',
      'Burner of point 1': '80',
      'Exhaust of point 1': '35',
      'Time of point 2': '10:30',
    })) {
      await fill(field(name), text);
    }
    await expect.poll(() => textOf(screen.getByRole('main'))).toContain('631 points');
    await user.click(screen.getByRole('button', { name: 'Save Recipe' }));
    await screen.findByText('Recipe saved successfully!');
    await expect.poll(() => location.pathname).toBe('/recipes');
    expect(server.requests.find(({ endpoint }) => endpoint === 'createProfile')?.body).toMatchObject({
      name: 'Konga Filter',
      target_drop_temp: 204.5,
      target_roast_time: 630,
      target_development_time: 150,
      auto_interpolate: true,
      control_profile: [
        { time: 0, burner: 80, exhaust: 35, drum: 60 },
        { time: 630, burner: 50, exhaust: 60, drum: 60 },
      ],
    });
  });

  it('shows how many batches its lot suffices for, and warns when it is too small for one [P122 P210]', async () => {
    const kiambu = lot({ variety: 'SL28', initial_weight: 47, current_weight: 47 });
    const { fill, user } = await openPortal('/recipes/new', {
      answers: [answer(listLots, { lots: [kiambu], total: 1 }), answer(getLot, kiambu)],
    });
    await fill(screen.getByRole('combobox', { name: 'Green coffee lot' }), 'KE-26');
    await user.click(await screen.findByRole('option', { name: /KE-26-05/ }));
    await expect.poll(estimate, { message: 'three batches of 15 kg in 47 kg' }).toBe('Estimated roasts 3');
    const origin = screen.getByRole<HTMLInputElement>('combobox', { name: 'Origin' });
    await expect.poll(() => origin.value).toBe('Kenya');
    expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Variety' }).value).toBe('SL28');
    expect(screen.queryByText('Insufficient Inventory')).toBeNull();
    await fill(field('Max batch size'), '47.5');
    await screen.findByText('Insufficient Inventory');
    await expect.poll(estimate).toBe('Estimated roasts 0');
    // Leaving shows a confirmation first.
    await user.click(screen.getByRole('link', { name: 'Cancel' }));
    await screen.findByRole('alertdialog', { name: 'Leave without saving?' });
    await user.click(screen.getByRole('button', { name: 'Leave' }));
    await expect.poll(() => location.pathname).toBe('/recipes');
  });

  it('shows the second of two users the changes of the first', async () => {
    const changed = refused('Another user changed this recipe.', 'changed_meanwhile');
    const { fill, server, user } = await openPortal(`/recipes/${idOf(31)}`, {
      answers: [answer(getProfile, recipe({ description: 'first' })), answer(updateProfile, changed)],
    });
    await fill(await screen.findByLabelText(/^Description/), 'mine');
    await fill(field('Burner of point 1'), '70');
    server.answer(answer(getProfile, recipe({ description: 'theirs', target_drop_temp: 199, revision: 2 })));
    await user.click(screen.getByRole('button', { name: 'Update Recipe' }));
    const alert =
      (await screen.findByText(/Another user changed this recipe/)).closest('[role=alert]') ?? document.body;
    await expect.poll(() => textOf(alert)).toContain('They changed: Drop temp.');
    expect(textOf(alert)).toMatch(/Description theirs mine/);
    await user.click(screen.getByRole('button', { name: 'Discard mine, show theirs' }));
    await expect.poll(description).toBe('theirs');
    await expect.poll(() => field('Drop temp').value).toBe('199');
    expect(field('Burner of point 1').value).toBe('100');

    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await expect.poll(description).toBe('mine');
    expect(field('Burner of point 1').value).toBe('70');
    await screen.findByText(/Another user changed this recipe/);
  });

  it('gives a removed control point back to its place, beside what was typed since', async () => {
    const { fill, user } = await openPortal('/recipes/new');
    await screen.findByLabelText('Time of point 1');
    const before = times();
    expect(before.length).toBeGreaterThan(1);
    await user.click(screen.getByRole('button', { name: /^Delete point 1 at/ }));
    expect(times()).toEqual(before.slice(1));
    await fill(field('Burner of point 1'), '33');
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await expect.poll(times).toEqual(before);
    expect(field('Burner of point 2').value).toBe('33');
  });

  it('returns to the list from a missing one [P194]', async () => {
    await openPortal(`/recipes/${idOf(99)}`, {
      answers: [answer(getProfile, refused('Recipe not found', 'not_found'))],
    });
    await screen.findByText('Failed to load recipe data');
    await expect.poll(() => location.pathname).toBe('/recipes');
  });
});

it('alarms of a recipe: quick changes of a ready-made one leave one alarm, according to the last change', async () => {
  let rules: AlarmRule[] = [];
  const asked: { readonly body: object; readonly store: () => void }[] = [];
  const hold = (body: AlarmRuleBody & { revision?: number | undefined }): Promise<AlarmRule> =>
    new Promise((resolve) => {
      const store = () => {
        const rule = { ...body, id: idOf(71), revision: (body.revision ?? 0) + 1 };
        rules = [rule];
        resolve(rule);
      };
      asked.push({ body, store });
    });
  const { user } = await openPortal(`/recipes/${idOf(31)}`, {
    answers: [
      answer(listRecipeAlarmRules, () => ({ rules })),
      answer(createRecipeAlarmRule, ({ body }) => hold(body)),
      answer(updateRecipeAlarmRule, ({ body }) => hold(body)),
    ],
  });
  const crash = await screen.findByRole('switch', { name: 'Rate of rise crashes on' });
  const isOn = () => crash.getAttribute('aria-checked');
  await user.click(crash);
  await expect.poll(() => asked.length).toBe(1);
  await user.click(crash);
  await expect.poll(isOn).toBe('false');
  expect(asked.map(({ body }) => body)).toMatchObject([{ is_enabled: true }]);
  asked[0]?.store();
  await expect.poll(() => asked.length).toBe(2);
  expect(asked[1]?.body).toMatchObject({ is_enabled: false, revision: 1 });
  asked[1]?.store();
  await expect.poll(() => rules).toMatchObject([{ condition: { kind: 'rate_crash' }, is_enabled: false, revision: 2 }]);
  await expect.poll(isOn).toBe('false');
});
