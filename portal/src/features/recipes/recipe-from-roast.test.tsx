import { getLot } from '@roastery/contract/inventory';
import { listMachines } from '@roastery/contract/machines';
import { createProfile } from '@roastery/contract/profiles';
import { getRoastCurveColumns } from '@roastery/contract/roast-curves';
import { getRoast } from '@roastery/contract/roasts';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { idOf, lot, machine, recipe, roast } from '../../testing/records.ts';
import { answer, refused } from '../../testing/table-server.ts';
import { batchRange } from './roast-as-recipe.ts';

const seconds = Array.from({ length: 601 }, (_, second) => second);
/** Gas turned down twice, the second time by little; the drum was not recorded. */
const curve = {
  time_seconds: seconds,
  channels: {
    bean_temp: seconds.map((second) => 90 + second / 5),
    heat_power: seconds.map((second) => (second < 200 ? 90 : second < 400 ? 60 : 56)),
    fan_speed: seconds.map(() => 45),
  },
  ror: seconds.map(() => 12),
  gaps: [],
};
const roasted = roast({
  batch_number: 'R-11',
  lot_id: idOf(21),
  machine_id: idOf(11),
  batch_size_kg: 29,
  roast_level: 'Medium-Dark',
  charge_temp: 193.46,
  drop_temp: 211.04,
  development_time_seconds: 95.6,
  channels: ['bean_temp', 'heat_power', 'fan_speed'],
  max_drum_rpm: 80,
});
const answers = [
  answer(getRoast, roasted),
  answer(getRoastCurveColumns, curve),
  answer(listMachines, [machine()]),
  answer(getLot, lot({ variety: 'SL28' })),
  answer(createProfile, recipe()),
];
const figures = () =>
  within(screen.getByRole('table', { name: 'Control points' }))
    .getAllByRole<HTMLInputElement>('textbox')
    .map(({ value }) => value)
    .join(' ');

describe('a recipe from a roast', () => {
  it('is saved in two taps from the roast, and keeps it as its reference', async () => {
    await openPortal(`/roasts/${idOf(41)}`, { answers: [answer(getRoast, roasted)] });
    const link = await screen.findByRole<HTMLAnchorElement>('link', { name: 'Save as recipe' });
    const { server, user } = await openPortal(link.pathname + link.search, { answers });
    await user.click(await screen.findByRole('button', { name: 'Save Recipe' }));
    await screen.findByText('Recipe saved successfully!');
    expect(server.requests.find(({ endpoint }) => endpoint === 'createProfile')?.body).toEqual({
      name: 'Huila · R-11',
      description: null,
      coffee_origin: 'Colombia',
      coffee_variety: 'SL28',
      roast_level: 'Medium-Dark',
      target_charge_temp: 193.5,
      target_drop_temp: 211,
      target_roast_time: 600,
      target_development_time: 96,
      min_batch_size: 26.1,
      max_batch_size: 30,
      green_coffee_lot_id: idOf(21),
      auto_deduct_inventory: true,
      alert_low_inventory: false,
      auto_interpolate: false,
      control_profile: [
        { time: 0, burner: 90, exhaust: 45, drum: 60 },
        { time: 200, burner: 60, exhaust: 45, drum: 60 },
        { time: 400, burner: 56, exhaust: 45, drum: 60 },
        { time: 600, burner: 56, exhaust: 45, drum: 60 },
      ],
      reference_roast_id: idOf(41),
    });
  });

  it('has fewer points with a wider tolerance, which is kept in the address, and they can be edited', async () => {
    const { fill, user } = await openPortal(`/recipes/new?from_roast=${idOf(41)}`, { answers });
    await expect.poll(figures).toBe('0:00 90 45 60 3:20 60 45 60 6:40 56 45 60 10:00 56 45 60');
    expect(textOf(screen.getByRole('main'))).toContain('Not recorded, check the value: drum');
    await user.click(screen.getByRole('radio', { name: '±5' }));
    await expect.poll(figures).toBe('0:00 90 45 60 3:20 56 45 60 10:00 56 45 60');
    expect(location.search).toContain('tolerance=5');
    await fill(screen.getByLabelText(/^Drum of point 1/, { selector: 'input' }), '58');
    expect(figures()).toMatch(/^0:00 90 45 58/);
  });

  it('has the points of a new recipe where the controls were not recorded', async () => {
    await openPortal(`/recipes/new?from_roast=${idOf(41)}`, {
      answers: [...answers, answer(getRoastCurveColumns, { ...curve, channels: {} })],
    });
    await expect.poll(figures).toBe('0:00 100 30 60 10:00 0 90 30');
    expect(screen.queryByRole('radio', { name: '±5' })).toBeNull();
  });

  it('is an empty form for a roast that is gone', async () => {
    await openPortal(`/recipes/new?from_roast=${idOf(99)}`, {
      answers: [
        answer(getRoast, refused('Roast not found', 'not_found')),
        answer(getRoastCurveColumns, refused('Roast not found', 'not_found')),
      ],
    });
    await screen.findByText('Failed to load roast');
    await expect.poll(figures).toBe('0:00 100 30 60 12:00 0 90 30');
  });

  it('takes batches around that of the roast, up to the capacity of the machine', () => {
    expect(batchRange(12, 15)).toEqual({ min: 10.8, max: 13.2 });
    expect(batchRange(14, 15)).toEqual({ min: 12.6, max: 15 });
    expect(batchRange(16, 15)).toEqual({ min: 14.4, max: 16 });
    expect(batchRange(0.12, undefined)).toEqual({ min: 0.108, max: 0.132 });
  });
});
