import {
  createBlend,
  deleteBlend,
  getBlend,
  listBlendableRoasts,
  listBlends,
  updateBlend,
  type Blend,
  type BlendableRoast,
} from '@roastery/contract/blends';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { ana, idOf } from '../../testing/records.ts';
import { answer, refused } from '../../testing/table-server.ts';

const offered = (n: number, over: Partial<BlendableRoast>): BlendableRoast => ({
  roast_id: idOf(n),
  said_number: `R-${n}`,
  coffee_name: 'Huila Pink Bourbon',
  coffee_origin: 'Colombia',
  roasted_at: ana.created_at,
  weight_kg: 10.2,
  is_roasted_weight: true,
  used_kg: 0,
  left_kg: 10.2,
  ...over,
});
const huila = offered(41, {});
const rainha = offered(42, { coffee_name: 'Fazenda Rainha', is_roasted_weight: false, left_kg: 8 });

const blendOf = (huilaKg: number): Blend => ({
  id: idOf(61),
  name: 'House espresso',
  notes: null,
  created_at: ana.created_at,
  created_by: 'Ana Restrepo',
  total_kg: huilaKg + 2,
  components: [
    { ...huila, kg: huilaKg, share: huilaKg / (huilaKg + 2) },
    { ...rainha, kg: 2, share: 2 / (huilaKg + 2) },
  ].map(({ roast_id, said_number, coffee_name, roasted_at, kg, share }) => ({
    roast_id,
    said_number,
    coffee_name,
    roasted_at,
    kg,
    share,
  })),
  revision: 1,
});
const blends = (...all: Blend[]) => answer(listBlends, { blends: all, total: all.length });
const roastsLeft = answer(listBlendableRoasts, { roasts: [huila, rainha], total: 2 });

const weightOf = (coffee: string) => screen.getByRole('textbox', { name: new RegExp(`^Weight of .*${coffee}`) });
const sentBy = (server: Awaited<ReturnType<typeof openPortal>>['server'], name: string) =>
  server.requests.find(({ endpoint }) => endpoint === name)?.body;
const row = async () =>
  (await screen.findByRole('link', { name: /House espresso/ })).closest<HTMLElement>('tr') ?? document.body;

describe('post-roast blends', () => {
  it('are a tab of the roasts, and empty at first', async () => {
    const { user } = await openPortal('/roasts', { answers: [blends()] });
    await user.click(await screen.findByRole('tab', { name: 'Post-roast blends' }));
    await expect.poll(() => location.pathname).toBe('/roasts/blends');
    expect(await screen.findByText('No blends yet')).toBeDefined();
  });

  it('consist of finished roasts, with at most the remaining weight of each [P35]', async () => {
    const { fill, server, user } = await openPortal('/roasts/blends/new', {
      answers: [blends(), roastsLeft, answer(createBlend, blendOf(6))],
    });
    await user.click(await screen.findByRole('button', { name: 'Save blend' }));
    await screen.findByText('Name is required');
    await screen.findByText('Add at least one roast from the list.');
    const finished = await screen.findByRole('list', { name: 'Finished roasts' });
    expect(textOf(finished)).toMatch(/10\.2 kg left .*8 kg left of the batch/);
    await fill(screen.getByRole('textbox', { name: /^Name/ }), 'House espresso');
    await user.click(screen.getByRole('button', { name: /^Add .*Huila Pink Bourbon/ }));
    await user.click(screen.getByRole('button', { name: /^Add .*Fazenda Rainha/ }));
    await fill(weightOf('Huila'), '10.3');
    await screen.findByText('Only 10.2 kg left');
    await fill(weightOf('Huila'), '6');
    await fill(weightOf('Rainha'), '2');
    const mix = screen.getByRole('list', { name: 'Roasts in the blend' });
    await expect.poll(() => textOf(mix).match(/\d+%/g)).toEqual(['75%', '25%']);
    server.answer(blends(blendOf(6)));
    await user.click(screen.getByRole('button', { name: 'Save blend' }));
    await expect.poll(() => location.pathname).toBe('/roasts/blends');
    expect(textOf(await row())).toMatch(/75% R-\d+ · Huila Pink Bourbon, 25% R-\d+ · Fazenda Rainha 8\.00 kg/);
    expect(sentBy(server, 'createBlend')).toMatchObject({
      name: 'House espresso',
      components: [
        { roast_id: huila.roast_id, kg: 6 },
        { roast_id: rainha.roast_id, kg: 2 },
      ],
    });
  });

  it('may use the weight that they already contain when they are edited', async () => {
    const { fill, server, user } = await openPortal(`/roasts/blends/${idOf(61)}`, {
      answers: [blends(blendOf(6)), roastsLeft, answer(getBlend, blendOf(6)), answer(updateBlend, blendOf(10.2))],
    });
    await screen.findByText('10.2 kg left');
    expect(server.requests.some(({ query }) => (query as { blend_id?: string }).blend_id === idOf(61))).toBe(true);
    await fill(weightOf('Huila'), '10.2');
    server.answer(blends(blendOf(10.2)));
    await user.click(screen.getByRole('button', { name: 'Update blend' }));
    await screen.findByText('Blend House espresso updated');
    expect(textOf(await row())).toMatch(/12\.20 kg/);
    expect(sentBy(server, 'updateBlend')).toMatchObject({ revision: 1 });
  });

  it('are deleted after a confirmation with the weight that becomes available', async () => {
    const { server, user } = await openPortal('/roasts/blends', {
      answers: [blends(blendOf(10.2)), roastsLeft, answer(deleteBlend, { message: 'Deleted' })],
    });
    await user.click(await screen.findByRole('button', { name: 'Delete blend House espresso' }));
    const question = await screen.findByRole('alertdialog');
    expect(textOf(question)).toContain('The 12.2 kg in it become available again');
    server.answer(blends());
    await user.click(within(question).getByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('No blends yet')).toBeDefined();
  });

  it('show why the server refuses one whose coffee another blend has used', async () => {
    const used = refused([{ field: 'components', message: 'Only 3.2 kg of R-41 is left' }], 'validation');
    const { fill, user } = await openPortal('/roasts/blends/new', {
      answers: [blends(), roastsLeft, answer(createBlend, used)],
    });
    await fill(await screen.findByRole('textbox', { name: /^Name/ }), 'Rush');
    await user.click(await screen.findByRole('button', { name: /^Add .*Huila Pink Bourbon/ }));
    await fill(weightOf('Huila'), '7');
    await user.click(screen.getByRole('button', { name: 'Save blend' }));
    expect(await screen.findByText('Only 3.2 kg of R-41 is left')).toBeDefined();
  });
});
