import { getMachineLessons, type MachineLessons } from '@roastery/contract/machine-lessons';
import type { MachineDrift } from '@roastery/contract/machine-drift';
import { getMachine } from '@roastery/contract/machines';
import { screen, within } from '@testing-library/dom';
import { expect, it } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { ana, idOf, machine } from '../../testing/records.ts';
import { answer, noNetwork, refused } from '../../testing/table-server.ts';

const probat = machine();
const address = `/machines/${probat.id}/learnt`;

const ahead = [30, 60, 90, 120].map((seconds) => ({
  ahead_seconds: seconds,
  error: seconds / 60,
  error_from_150: seconds / 120,
  error_of_line: seconds / 30,
  held: 0.81,
  held_from_150: 0.78,
}));
const lessons: MachineLessons = {
  roasts: 34,
  from: '2026-10-02T08:00:00.000Z',
  to: '2026-11-20T08:00:00.000Z',
  forecast: { is_shown: true, times_first_crack: false, judged_roasts: 20, ahead },
  probe_lag: { seconds: 12.4, low: 11, high: 14.2, roasts: 31 },
  compared_roasts: 34,
  needed_roasts: 30,
  drifts: [],
  departures: [],
};
const drift: MachineDrift = {
  id: idOf(71),
  kind: 'bean_probe',
  change: -3.04,
  deviation: 0.3,
  since: '2026-11-12T08:00:00.000Z',
};
const open = (over: Partial<MachineLessons> = {}, as = ana) =>
  openPortal(address, {
    as,
    answers: [answer(getMachine, probat), answer(getMachineLessons, { ...lessons, ...over })],
  });
const cellsOf = (row: HTMLElement) => [...row.children].map(({ textContent }) => textContent.replace(/\s/g, ' '));
const panel = (name: string) => within(screen.getByRole('region', { name }));

it('what a machine has learnt: says its roasts, errors, bands and the lag of its probe', async () => {
  await open();
  await screen.findByRole('heading', { level: 1, name: 'What Probat P25 has learnt' });
  screen.getByText('From 34 roasts, Oct 02, 2026 to Nov 20, 2026');
  const rows = panel('Forecast of the curve').getAllByRole('row').slice(1).map(cellsOf);
  expect(rows).toHaveLength(4);
  expect(rows[3]).toEqual(['120 s', '2.0 °C1.0 °C', '4.0 °C', '81%78%']);
  panel('Forecast of the curve').getByText('Shown in roasts');
  panel('Forecast of the curve').getByText(/^First crack is shown by its temperature alone/);
  expect(textOf(panel('Bean probe').getByText(/^The time for 63 %/))).toContain(
    'Half of them lie between 11 and 14 s.',
  );
});

it('what a machine has learnt: converts to the unit of its reader, errors without the offset', async () => {
  await open({}, { ...ana, preferences: { ...ana.preferences, temperature_unit: 'F' } });
  const [heads, , , , last] = (await screen.findAllByRole('row')).map(cellsOf);
  expect(heads?.[1]).toBe('Mean errorfrom 302 °F');
  expect(last?.slice(1, 3)).toEqual(['3.6 °F1.8 °F', '7.2 °F']);
});

it('what a machine has learnt: says plainly where roasts are too few, and where a forecast is not good enough', async () => {
  await open({ roasts: 0, from: null, to: null, forecast: null, probe_lag: null });
  await screen.findByText('Nothing learnt yet');
  await open({ roasts: 1, forecast: null, probe_lag: null });
  await screen.findByText('Too few roasts: it has learnt from 1 roast, and the first forecast needs five.');
  screen.getByText(/^Too few falls after the charge/);
  const unsure = ahead.map((row) => ({ ...row, held: null, held_from_150: null }));
  await open({ forecast: { is_shown: false, times_first_crack: false, judged_roasts: 2, ahead: unsure } });
  await screen.findByText('A running roast shows no forecast yet: with five roasts it knows how sure it is.');
  await open({ forecast: { is_shown: false, times_first_crack: false, judged_roasts: 20, ahead } });
  expect(textOf(await screen.findByText(/not clearly better/))).toContain('than a line by the rate of rise');
  screen.getByText('Not shown');
});

it('drift of a machine: says what has changed since when, by how much, and what to check', async () => {
  await open({ drifts: [drift, { ...drift, id: idOf(72), kind: 'burner', change: -6.1, deviation: 0.8 }] });
  await screen.findByText('The bean probe reads 3.0 °C lower since Nov 12, 2026');
  screen.getByText('The burner gives 6 % less at the same setting since Nov 12, 2026');
  const [probe = '', burner = ''] = panel('Drift').getAllByRole('listitem').map(textOf);
  expect(probe).toContain('Known to ± 0.4 °C');
  expect(probe).toContain('Check that the probe sits as before');
  expect(burner).toContain('Check gas pressure');
  await open({ drifts: [drift] }, { ...ana, preferences: { ...ana.preferences, temperature_unit: 'F' } });
  expect(await screen.findByText('The bean probe reads 5.5 °F lower since Nov 12, 2026')).toBeDefined();
});

it('drift of a machine: says how many roasts are missing, and that none was found', async () => {
  await open({ compared_roasts: 12 });
  await screen.findByText('Too few roasts to notice a drift: 12 roasts with a batch weight, of 30 that are needed.');
  await open();
  expect(textOf(await screen.findByText(/^None in 34 roasts/))).toContain('coffee by coffee');
});

it('what a machine has learnt: names a machine that is not there, and offers a retry after a failure', async () => {
  const missing = refused('Machine not found', 'not_found');
  await openPortal(address, { answers: [answer(getMachine, missing), answer(getMachineLessons, missing)] });
  await screen.findByRole('heading', { level: 1, name: 'Machine not found' });
  const { server, user } = await openPortal(address, {
    answers: [answer(getMachine, probat), answer(getMachineLessons, noNetwork)],
  });
  await screen.findByText(/^What it has learnt could not be loaded/);
  server.answer(answer(getMachineLessons, lessons));
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  expect(textOf(await screen.findByRole('heading', { level: 2, name: 'Bean probe' }))).toBe('Bean probe');
});

it('what a machine has learnt: shows how each roast went beside what explains it, with links to the roasts', async () => {
  const departures = [2, 0, -4, -6.2].map((rate, at) => ({
    roast_id: idOf(80 + at),
    start_time: `2026-11-1${at}T08:00:00.000Z`,
    turn: at - 1,
    rate,
  }));
  await open({ departures });
  await screen.findByRole('region', { name: 'Heat and probe, roast by roast' });
  const links = within(screen.getByRole('list', { name: 'Rate of rise' })).getAllByRole('link', { hidden: true });
  expect(links.map((link) => link.getAttribute('href'))).toEqual(departures.map((each) => `/roasts/${each.roast_id}`));
  expect(links[3]?.getAttribute('aria-label')).toContain('Rate of rise −6.2 %, Median −2.0 %');
  screen.getByRole('list', { name: 'Turning point' });
});

it('what a machine has learnt: shows no course before enough roasts were compared', async () => {
  await open();
  await screen.findByRole('region', { name: 'Drift' });
  expect(screen.queryByRole('region', { name: 'Heat and probe, roast by roast' })).toBeNull();
});
