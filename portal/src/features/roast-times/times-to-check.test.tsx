import {
  changeTimesToCheck,
  listTimesToCheck,
  type TimesToCheck,
  type TimeToCheck,
} from '@roastery/contract/roast-times';
import { listRoastImports } from '@roastery/contract/roast-imports';
import { screen, within } from '@testing-library/dom';
import { expect, it } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { idOf } from '../../testing/records.ts';
import { answer, broken } from '../../testing/table-server.ts';

const row = (n: number, over: Partial<TimeToCheck> = {}): TimeToCheck => ({
  roast_id: idOf(n),
  said_number: `#${n}`,
  coffee_name: 'Guji',
  machine_name: 'Big Drum',
  file_name: 'loring.csv',
  format: 'loring',
  state: 'open',
  imported_time: '2022-06-14T13:10:29.000Z',
  corrected_time: '2022-06-14T11:10:29.000Z',
  ...over,
});
const times = (roasts: readonly TimeToCheck[], over: Partial<TimesToCheck> = {}): TimesToCheck => ({
  roasts: [...roasts],
  total: roasts.length,
  time_zone: 'Europe/Berlin',
  formats: [{ format: 'loring', roasts: roasts.length }],
  states: { open: roasts.length, shifted: 0, right: 0 },
  ...over,
});
const open = times([row(31), row(32, { said_number: 'P5-42' })]);
const shifted = times([row(31, { state: 'shifted' })], { states: { open: 1, shifted: 1, right: 0 } });

it('times to check: selected ones are corrected, and the correction is undone', async () => {
  const { server, user } = await openPortal('/roasts/times', {
    answers: [answer(listTimesToCheck, open), answer(changeTimesToCheck, { roasts: 1 })],
  });
  const table = await screen.findByRole('table', { name: 'Times to check' });
  await within(table).findByText('#31');
  expect(textOf(table)).toMatch(/1:10 PM.*11:10 AM/);
  within(table).getByText('P5-42');
  screen.getByRole('button', { name: 'Correct all (2)' });
  await user.click(within(table).getByRole('checkbox', { name: /#31/ }));
  await user.click(await screen.findByRole('button', { name: 'Correct (1)' }));
  await screen.findByText('1 time corrected');
  const sent = () =>
    server.requests.filter(({ endpoint }) => endpoint === 'changeTimesToCheck').map(({ body }) => body);
  expect(sent()).toEqual([expect.objectContaining({ action: 'shift', roast_ids: [idOf(31)] })]);
  server.answer(answer(listTimesToCheck, shifted));
  await user.click(screen.getByRole('combobox', { name: 'Show' }));
  await user.click(await screen.findByRole('option', { name: /^Corrected/ }));
  await user.click(await screen.findByRole('button', { name: 'Undo all (1)' }));
  await screen.findByText('1 roast is to be checked again');
  expect(sent()[1]).toMatchObject({ action: 'undo', state: 'shifted' });
});

it('times to check: all of a list are confirmed; a failure is reported', async () => {
  const { server, user } = await openPortal('/roasts/times', {
    answers: [answer(listTimesToCheck, open), answer(changeTimesToCheck, broken())],
  });
  await user.click(await screen.findByRole('button', { name: 'All are right (2)' }));
  await screen.findByText(/The times could not be changed/);
  server.answer(answer(changeTimesToCheck, { roasts: 2 }));
  server.answer(answer(listTimesToCheck, times([])));
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  await screen.findByText('2 times confirmed');
  await screen.findByText('No times to check');
  expect(screen.queryByRole('button', { name: /All are right/ })).toBeNull();
});

it('upload: says how many times are to be checked', async () => {
  await openPortal('/roasts/new?way=upload', {
    answers: [answer(listRoastImports, { imports: [] }), answer(listTimesToCheck, open)],
  });
  await screen.findByText('The times of 2 imported roasts may be off by the time zone.');
  expect(screen.getByRole('link', { name: 'Check times' }).getAttribute('href')).toBe('/roasts/times');
});
