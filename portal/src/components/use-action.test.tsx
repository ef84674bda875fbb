import { getRoasterySettings, putRoasterySettings, seedDefaults } from '@roastery/contract/settings';
import { screen } from '@testing-library/dom';
import { expect, it } from 'vitest';
import { openPortal, type OpenedPortal } from '../testing/open-portal.tsx';
import { admin, settings } from '../testing/records.ts';
import { answer, noNetwork, refused } from '../testing/table-server.ts';

const seeded = { message: 'Defaults seeded: 35 added, 0 kept.' };
const seed = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Seed Defaults' });
const isBusy = () => seed().getAttribute('aria-busy') === 'true' && seed().disabled;
const asked = ({ server }: OpenedPortal, endpoint: { name: string }) =>
  server.requests.filter((request) => request.endpoint === endpoint.name).length;
const openOptions = async () => {
  const portal = await openPortal('/admin/settings?tab=options', { as: admin });
  await screen.findByRole('button', { name: 'Seed Defaults' });
  return portal;
};

it('action: runs once for two taps, and its button is busy until the answer', async () => {
  const portal = await openOptions();
  const held: { release?: () => void } = {};
  const waited = new Promise<void>((resolve) => {
    held.release = resolve;
  });
  portal.server.answer(answer(seedDefaults, () => waited.then(() => seeded)));
  // Both taps come before the page is rendered again.
  seed().click();
  seed().click();
  await expect.poll(isBusy).toBe(true);
  expect(asked(portal, seedDefaults)).toBe(1);
  held.release?.();
  await screen.findByText(seeded.message);
  await expect.poll(isBusy).toBe(false);
});

it('action: a failure that may pass is a toast with Retry, which makes the change and states it', async () => {
  const portal = await openOptions();
  portal.server.answer(answer(seedDefaults, noNetwork));
  await portal.user.click(seed());
  await screen.findByText('Failed to seed defaults');
  portal.server.answer(answer(seedDefaults, seeded));
  await portal.user.click(screen.getByRole('button', { name: 'Retry' }));
  await screen.findByText(seeded.message);
  expect(screen.queryByText('Failed to seed defaults')).toBeNull();
  expect(asked(portal, seedDefaults)).toBe(2);
});

it('action: a refusal shows the sentence of the server, without Retry', async () => {
  const { server, user } = await openOptions();
  server.answer(answer(seedDefaults, refused('The lists are full')));
  await user.click(seed());
  expect((await screen.findByText('The lists are full')).closest('[role=alert]')).not.toBeNull();
  expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull();
  await expect.poll(isBusy).toBe(false);
});

it('action: a failure beside its switch disappears with the next attempt', async () => {
  const { server, user } = await openPortal('/admin/settings', {
    as: admin,
    answers: [answer(putRoasterySettings, refused('Another administrator has this page open'))],
  });
  const toggle = await screen.findByRole('switch', { name: 'All users see all machines' });
  await expect.poll(() => toggle.hasAttribute('data-disabled')).toBe(false);
  await user.click(toggle);
  await screen.findByText('Another administrator has this page open');
  const on = settings({ all_users_see_all_machines: true, revision: 2 });
  server.answer(answer(putRoasterySettings, on), answer(getRoasterySettings, on));
  await user.click(toggle);
  await expect.poll(() => toggle.getAttribute('aria-checked')).toBe('true');
  expect(screen.queryByText('Another administrator has this page open')).toBeNull();
});
