import { getMachine } from '@roastery/contract/machines';
import { getTimeline } from '@roastery/contract/timeline';
import { screen } from '@testing-library/dom';
import { expect, it } from 'vitest';
import { openPortal } from '../../testing/open-portal.tsx';
import { machine } from '../../testing/records.ts';
import { answer, noNetwork, refused } from '../../testing/table-server.ts';

const bare = machine();
const address = `/machines/${bare.id}/timeline`;
const nothingRecorded = answer(getTimeline, {
  from: '2026-05-03T18:46:00.000Z',
  to: '2026-05-04T18:46:00.000Z',
  first_at: null,
  last_at: null,
  recordings: [],
  curve: { at: [], low: [], high: [] },
  gaps: [],
  roasts: [],
  roasts_total: 0,
  discarded: [],
});

it('timeline: says that nothing is recorded, that the machine is not found, and that it could not be loaded', async () => {
  await openPortal(address, { answers: [answer(getMachine, bare), nothingRecorded] });
  await screen.findByText('Nothing recorded yet');
  const notFound = refused('Machine not found', 'not_found');
  await openPortal(address, { answers: [answer(getMachine, notFound), answer(getTimeline, notFound)] });
  await screen.findByRole('heading', { level: 1, name: 'Machine not found' });
  const { server, user } = await openPortal(address, {
    answers: [answer(getMachine, bare), answer(getTimeline, noNetwork)],
  });
  await screen.findByText(/The timeline could not be loaded/);
  server.answer(nothingRecorded);
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  await expect.poll(() => screen.queryByText('Nothing recorded yet')).not.toBeNull();
});
