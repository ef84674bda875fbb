import { getProfile } from '@roastery/contract/profiles';
import { getRoast, listRoasts } from '@roastery/contract/roasts';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { idOf, recipe, roast } from '../../testing/records.ts';
import { answer } from '../../testing/table-server.ts';

const kiambu = (n: number, over: Parameters<typeof roast>[0] = {}) =>
  roast({ id: idOf(n), batch_number: `R-${n}`, coffee_name: 'Kiambu', profile_id: idOf(31), ...over });
const base = kiambu(141, { profile_name: 'Kiambu Filter', start_time: '2026-05-15T09:30:00.000Z' });
const [best, older, weekOld] = [kiambu(142), kiambu(143), kiambu(144)];
const all = [base, best, older, weekOld];

const answers = [
  answer(getRoast, ({ params: { id } }) => all.find((one) => one.id === id) ?? base),
  answer(getProfile, recipe({ reference_roast_id: best.id, reference_is_chosen: true })),
  answer(listRoasts, ({ query }) => {
    const roasts =
      query.profile_id === undefined
        ? [base, older]
        : query.from === '2026-05-02' && query.to === '2026-05-08'
          ? [weekOld]
          : [];
    return { roasts, total: roasts.length };
  }),
];
const chosen = () => new URLSearchParams(location.search).get('ids')?.split(',');
const proposals = () => screen.findByRole('region', { name: 'Proposals' });

const row = (name: string) =>
  textOf(
    within(screen.getByRole('region', { name: 'Figures' })).getByRole('rowheader', { name }).parentElement ??
      document.body,
  );

describe('the comparison of roasts', () => {
  it('proposes the reference, the last roasts of the coffee and those of the recipe a week before', async () => {
    const { user } = await openPortal(`/roasts/compare?ids=${base.id}`, { answers });
    await expect
      .poll(async () => textOf(await proposals()))
      .toMatch(
        /Its reference .*R-142 · Kiambu .* Last roasts of Kiambu .*R-143 · Kiambu .* Kiambu Filter the week before .*R-144/,
      );
    await user.click(screen.getByRole('button', { name: /^Compare with R-142 · Kiambu/ }));
    await expect.poll(chosen).toEqual([base.id, best.id]);
    await expect.poll(() => screen.queryByRole('region', { name: 'Proposals' })).toBeNull();
  });

  it('begins with the newest roasts, four of them at once', async () => {
    const { user } = await openPortal('/roasts/compare', {
      answers: [...answers, answer(listRoasts, { roasts: all, total: 4 })],
    });
    await user.click(await screen.findByRole('button', { name: 'Add 4: The newest roasts' }));
    await expect.poll(chosen).toEqual(all.map(({ id }) => id));
  });

  it('shows the difference of the figures as they are shown, and leads to a recipe from each roast', async () => {
    const figures = {
      [base.id]: { drop_temp: 203.44, duration_seconds: 600.4, batch_size_kg: 12, development_time_ratio: 0.1004 },
      [best.id]: { drop_temp: 204.46, duration_seconds: 589.6, batch_size_kg: 12, development_time_ratio: 0.1196 },
    };
    await openPortal(`/roasts/compare?ids=${base.id},${best.id}`, {
      answers: [...answers, answer(getRoast, ({ params: { id } }) => ({ ...base, id, ...figures[id] }))],
    });
    await expect.poll(() => row('Drop temp')).toBe('Drop temp 203.4 °C 204.5 °C +1.1 °C');
    expect(row('Duration')).toBe('Duration 10:00 9:50 −0:10');
    expect(row('Batch')).toBe('Batch 12.0 kg 12.0 kg ±0 kg');
    expect(row('Development ratio')).toBe('Development ratio 10.0 % 12.0 % +2.0 pts');
    expect(
      screen.getAllByRole('link', { name: /^Save .* as recipe$/ }).map((link) => link.getAttribute('href')),
    ).toEqual([`/recipes/new?from_roast=${base.id}`, `/recipes/new?from_roast=${best.id}`]);
  });
});
