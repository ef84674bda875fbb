import { expect, it } from 'vitest';
import { withPage } from './recent-pages.ts';

it('keeps a page once, the newest first, up to a limit', () => {
  const first = { path: '/recipes/1', title: 'Espresso' };
  const second = { path: '/roasts/2', title: 'Konga' };
  expect(withPage([first, second], { ...second, title: 'Konga natural' })).toEqual([
    { ...second, title: 'Konga natural' },
    first,
  ]);
  const many = Array.from({ length: 8 }, (_, n) => ({ path: `/roasts/${n}`, title: String(n) }));
  expect(withPage(many, { path: '/roasts/8', title: '8' }).map(({ title }) => title)).toEqual([
    '8',
    '0',
    '1',
    '2',
    '3',
    '4',
    '5',
    '6',
  ]);
});
