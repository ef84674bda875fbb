import { createLot } from '@roastery/contract/inventory';
import { fireEvent, screen } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf, type OpenedPortal } from '../../testing/open-portal.tsx';
import { lot } from '../../testing/records.ts';
import { answer } from '../../testing/table-server.ts';

/** Where the arrow keys end, their step, and the sentence for a figure beyond. */
const limits = [
  { field: 'Altitude', min: '0', step: '1', beyond: '-1', says: /^Altitude: 0/ },
  { field: 'Cupping score', min: '0', max: '100', step: '0.1', beyond: '100.1', says: 'Cupping score: 0-100' },
  { field: 'Moisture content', min: '0', max: '100', step: '1', beyond: '101', says: 'Moisture: 0-100%' },
  { field: 'Water activity', min: '0', max: '1', step: '0.01', beyond: '1.01', says: 'Water activity: 0-1' },
  { field: 'Cost per kg', min: '0', step: '0.01', beyond: '-0.5', says: 'Cost per kg: 0 or more' },
  { field: 'Initial weight', min: '0', step: '0.1', beyond: '0', says: 'Initial weight must be greater than 0' },
];

const field = (name: string): HTMLInputElement => screen.getByLabelText(new RegExp(`^${name}`), { selector: 'input' });
const fillLot = async ({ fill }: OpenedPortal): Promise<void> => {
  await fill(field('Lot number'), 'RW-26-01');
  await fill(field('Coffee name'), 'Gitesi');
  await fill(screen.getByRole('combobox', { name: 'Origin' }), 'Rwanda');
  await fill(field('Initial weight'), '30.5');
};

describe('the form of a lot', () => {
  it('limits the fields of a lot [P135 P183 P184]', async () => {
    const portal = await openPortal('/inventory/lots/new');
    await fillLot(portal);
    for (const { field: name, min, max, step, beyond } of limits) {
      const after = async (start: string, key: 'ArrowUp' | 'ArrowDown', text: string) => {
        await portal.fill(field(name), start);
        fireEvent.keyDown(field(name), { key });
        await expect.poll(() => field(name).value, { message: `${name}: ${key} from ${start}` }).toBe(text);
      };
      await after(min, 'ArrowDown', min);
      await after(min, 'ArrowUp', step);
      if (max !== undefined) await after(max, 'ArrowUp', max);
      await portal.fill(field(name), beyond);
    }
    await portal.user.click(screen.getByRole('button', { name: 'Save Lot' }));
    await screen.findByText('Please fix the errors in the form');
    for (const { says } of limits) screen.getByText(says);
  });

  it('sends the input of a lot as the document requires [P135 P183 P184]', async () => {
    const portal = await openPortal('/inventory/lots/new', { answers: [answer(createLot, lot())] });
    await fillLot(portal);
    for (const [name, text] of Object.entries({
      Altitude: '1700',
      'Cupping score': '87.5',
      'Water activity': '0.55',
      'Cost per kg': '8.2',
      'Harvest date': '2026-03-31',
    })) {
      await portal.fill(field(name), text);
    }
    await expect.poll(() => textOf(screen.getByLabelText('Total Cost'))).toBe('$250.10');
    await portal.user.click(screen.getByRole('button', { name: 'Save Lot' }));
    await expect.poll(() => location.pathname).toBe('/inventory');
    expect(portal.server.requests.find(({ endpoint }) => endpoint === 'createLot')?.body).toEqual({
      lot_number: 'RW-26-01',
      coffee_name: 'Gitesi',
      origin: 'Rwanda',
      region: null,
      farm: null,
      variety: null,
      process: null,
      altitude: 1700,
      harvest_date: '2026-03-31T00:00:00.000Z',
      supplier: null,
      purchase_date: null,
      cost_per_kg: 8.2,
      initial_weight: 30.5,
      location: null,
      cupping_score: 87.5,
      moisture_content: null,
      water_activity: 0.55,
      density: null,
      screen_size: null,
      notes: null,
    });
  });
});
