import { getLot, listLotMovements, listLots, updateLot, type LotMovement } from '@roastery/contract/inventory';
import { screen } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { ana, idOf, lot } from '../../testing/records.ts';
import { answer, refused } from '../../testing/table-server.ts';

const field = (name: string): HTMLInputElement => screen.getByLabelText(new RegExp(`^${name}`), { selector: 'input' });
const notes = () => screen.getByLabelText<HTMLTextAreaElement>(/^Notes/);
const movement = (over: Partial<LotMovement>): LotMovement => ({
  id: idOf(81),
  at: ana.created_at,
  kg: 120,
  reason: 'initial',
  note: null,
  roast_id: null,
  by: 'Ana Restrepo',
  balance_kg: 120,
  ...over,
});
const path = `/inventory/lots/${idOf(21)}/edit`;

describe('the page of a lot', () => {
  it('estimates the run-out of a lot from its roasts, and counts the recipes that use it [P212]', async () => {
    // 90 kg at 30 kg in 30 days: 90 days, 12 whole weeks.
    const used = lot({
      initial_weight: 120,
      current_weight: 90,
      percentage_remaining: 75,
      estimated_runout_days: 90,
      usage_count: 1,
    });
    const movements = [movement({ reason: 'roast', kg: -30, balance_kg: 90, roast_id: idOf(41) }), movement({})];
    const answers = [
      answer(getLot, used),
      answer(listLotMovements, { movements, total: 2 }),
      answer(listLots, { lots: [used], total: 1 }),
    ];
    await openPortal(path, { answers });
    await screen.findByText('12+ weeks');
    const roast = await screen.findByRole('link', { name: `Roast #${idOf(41).slice(0, 8)}` });
    expect(roast.getAttribute('href')).toBe(`/roasts/${idOf(41)}`);
    await openPortal('/inventory', { answers });
    const row = (await screen.findByRole('link', { name: 'KE-26-05' })).closest('tr') ?? document.body;
    expect(textOf(row)).toContain('12+ weeks 1');
  });

  it('shows the second of two users the changes of the first, and keeps both users’ work', async () => {
    const changed = refused('Another user changed this lot.', 'changed_meanwhile');
    const { fill, server, user } = await openPortal(path, { answers: [answer(updateLot, changed)] });
    await fill(await screen.findByLabelText(/^Notes/), 'dry, shelf 4');
    await fill(field('Farm'), 'Gatomboya');
    const theirs = lot({ notes: 'damp!', region: 'Nyeri', revision: 2 });
    server.answer(answer(getLot, theirs));
    await user.click(screen.getByRole('button', { name: 'Update Lot' }));
    const notice = (await screen.findByText(/Another user changed this lot/)).closest('[role=alert]') ?? document.body;
    await expect.poll(() => textOf(notice)).toContain('They changed: Region.');
    expect(textOf(notice)).toMatch(/Notes damp! dry, shelf 4/);
    await user.click(screen.getByRole('button', { name: 'Keep my changes on top of theirs' }));
    await expect.poll(() => field('Region').value).toBe('Nyeri');
    expect(notes().value).toBe('dry, shelf 4');
    server.answer(answer(updateLot, { ...theirs, revision: 3 }));
    await user.click(screen.getByRole('button', { name: 'Update Lot' }));
    await expect.poll(() => location.pathname).toBe('/inventory');
    expect(server.requests.findLast(({ endpoint }) => endpoint === 'updateLot')?.body).toMatchObject({
      notes: 'dry, shelf 4',
      farm: 'Gatomboya',
      region: 'Nyeri',
      revision: 2,
    });
  });

  it('shows a deleted lot with its history, and no way to change it [P110]', async () => {
    await openPortal(path, {
      answers: [
        answer(getLot, lot({ archived_at: ana.created_at })),
        answer(listLotMovements, {
          movements: [movement({ reason: 'adjustment', kg: -1, note: 'Sample roast' })],
          total: 1,
        }),
      ],
    });
    await screen.findByText(/^Deleted on .+; kept for its history\.$/);
    expect(field('Coffee name').closest('fieldset')?.disabled).toBe(true);
    expect(screen.queryByRole('button', { name: 'Update Lot' })).toBeNull();
    expect(await screen.findByText('Sample roast')).toBeDefined();
  });
});
