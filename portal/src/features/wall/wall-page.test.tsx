import { me } from '@roastery/contract/auth';
import { getWall, openWall } from '@roastery/contract/wall';
import { screen } from '@testing-library/dom';
import { expect, it } from 'vitest';
import { onSignedOut } from '../../api/call.ts';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { ana } from '../../testing/records.ts';
import { openStreams } from '../../testing/streams.ts';
import { answer, refused } from '../../testing/table-server.ts';

it('wall link: a screen that is one too many says so, and tries again', async () => {
  const full = 'This wall link is open on too many screens. Close some of them, or make another link.';
  let asked = 0;
  const answers = [
    answer(openWall, () => {
      asked += 1;
      return asked === 1 ? refused(full, 'too_many_requests') : refused('Wall link not found.', 'not_found');
    }),
  ];
  const { user } = await openPortal('/wall#token=of-a-link', { as: null, answers });
  expect(textOf(await screen.findByRole('alert'))).toContain(full);
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  await expect.poll(() => textOf(screen.getByRole('main'))).toContain('Its link was revoked or is missing');
});

it('wall of a link: shows what it was reading when the check found no person', async () => {
  const streams = openStreams();
  const isChecked = new Promise<void>((checked) => {
    const unsubscribe = onSignedOut(() => {
      unsubscribe();
      checked();
    });
  });
  const { server } = await openPortal('/wall', {
    answers: [
      answer(me, async () => {
        // By then the wall is reading its machines.
        await expect.poll(() => streams.open()).toHaveLength(1);
        return refused('Sign in first.', 'not_signed_in');
      }),
      answer(getWall, async () => {
        await isChecked;
        return { machines: [], total: 0, reads_as: ana.preferences };
      }),
    ],
  });
  await screen.findByText('No machines');
  expect(server.requests.filter(({ endpoint }) => endpoint === 'getWall')).toHaveLength(1);
});
