import { openWall } from '@roastery/contract/wall';
import { screen } from '@testing-library/dom';
import { expect, it } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
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
