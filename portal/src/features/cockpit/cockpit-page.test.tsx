import { betweenBatches } from '@roastery/contract/between-batches';
import { getMachine } from '@roastery/contract/machines';
import { getProfile } from '@roastery/contract/profiles';
import { listRoasters } from '@roastery/contract/roasters';
import { getRoastCurveColumns } from '@roastery/contract/roast-curves';
import { getForecastBasis, getLearntCrack, type ForecastBasisAnswer } from '@roastery/contract/roast-forecasts';
import { getRoast, updateRoast } from '@roastery/contract/roasts';
import type { DeviceStatus } from '@roastery/contract/mqtt';
import { screen, within } from '@testing-library/dom';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { ana, idOf, machine, recipe, roast } from '../../testing/records.ts';
import { openStreams } from '../../testing/streams.ts';
import { answer, type Answer } from '../../testing/table-server.ts';

const at = '2026-05-04T18:46:00.000Z';
const probat = machine({ connection: 'online', last_seen_at: at });
const says = (link: DeviceStatus['machine_link']) => {
  const status: DeviceStatus = { v: 1, online: true, session: 'one', t: Date.parse(at), machine_link: link };
  const ofMachine = { machine_id: probat.id, connection: 'online', last_seen_at: at, status };
  return ofMachine;
};

const rowOf = ({ id }: { id: string }) =>
  roast({ id, machine_id: probat.id, batch_number: 'R-12', coffee_name: 'Fazenda Alta' });
const nothing = { next: null, newest_roast: null, not_weighed: { total: 0, newest: null } };
const open = async (answers: Answer[], as = ana) => {
  const streams = openStreams();
  const portal = await openPortal(`/machines/${probat.id}/live`, {
    as,
    answers: [answer(getMachine, probat), answer(listRoasters, { current: null, people: [] }), ...answers],
  });
  await expect.poll(() => streams.open().length).toBeGreaterThan(0);
  streams.send('/live', 'open');
  streams.send('/live', 'hello', { type: 'hello', server_time: at, ...says('ok') });
  streams.send('/live', 'backlog', {
    type: 'backlog',
    machine_id: probat.id,
    samples: [],
    roast: null,
    charge_mono: null,
  });
  return { ...portal, streams };
};

it('cockpit: keeps the result of a roast for two minutes after its drop, or until the drum is wanted', async () => {
  // 12 s after the drop.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(at) });
  onTestFinished(() => void vi.useRealTimers());
  const dropped = roast({
    ...rowOf({ id: idOf(41) }),
    start_time: '2026-05-04T18:35:30.000Z',
    duration_seconds: 618,
    drop_temp: 209.1,
    development_time_seconds: 116,
    development_time_ratio: 0.188,
    profile_id: recipe().id,
    marks: [{ kind: 'drop', time_seconds: 618, temp: 209.1, origin: 'machine', confidence: 1, provisional: false }],
  });
  const reference = roast({ id: idOf(42), roast_number: 'R-11', coffee_name: 'Fazenda Alta' });
  // A document without layout has no canvas: the curve has not arrived.
  const curve = { time_seconds: [], channels: {}, ror: [], gaps: [] };
  const { user } = await open([
    answer(betweenBatches, { ...nothing, newest_roast: dropped }),
    answer(getRoast, ({ params: { id } }) => (id === dropped.id ? dropped : reference)),
    answer(getRoastCurveColumns, curve),
    answer(getProfile, recipe({ reference_roast_id: reference.id })),
  ]);
  const result = await screen.findByTestId('cockpit-result');
  await expect
    .poll(() => textOf(result))
    .toMatch(/^Batch R-12 · Fazenda Alta 10:18 · 209\.1 °C · development 18\.8% Compare with reference/);
  expect(within(result).getByRole('link', { name: 'Compare with reference' }).getAttribute('href')).toBe(
    `/roasts/compare?ids=${dropped.id},${reference.id}`,
  );
  expect(within(result).getByRole('link', { name: 'Save as recipe' }).getAttribute('href')).toBe(
    `/recipes/new?from_roast=${dropped.id}`,
  );
  await user.click(within(result).getByRole('button', { name: 'Show the drum' }));
  await expect.poll(() => screen.queryByTestId('cockpit-result')).toBeNull();
});

it('cockpit: reads what is to be weighed again when a roast was weighed on another device', async () => {
  const dropped = rowOf({ id: idOf(41) });
  let toWeigh: typeof dropped | null = dropped;
  const { streams } = await open([
    answer(betweenBatches, () => ({ ...nothing, not_weighed: { total: toWeigh === null ? 0 : 1, newest: toWeigh } })),
  ]);
  await screen.findByTestId('unweighed');
  toWeigh = null;
  streams.send('/live', 'roast', {
    type: 'roast',
    machine_id: probat.id,
    roast: { ...dropped, end_weight_kg: 10.2, revision: 2 },
    charge_mono: null,
  });
  await expect.poll(() => screen.queryByTestId('unweighed')).toBeNull();
});

it('cockpit: a user with pounds and German formats weighs a roast', async () => {
  const preferences = { ...ana.preferences, weight_unit: 'lb', date_language: 'de' } as const;
  let one = roast({ ...rowOf({ id: idOf(41) }), batch_size_kg: 11.475_887, end_weight_kg: null });
  const toWeigh = () => (one.end_weight_kg === null ? one : null);
  const { fill, server, user } = await open(
    [
      answer(betweenBatches, () => ({
        ...nothing,
        not_weighed: { total: toWeigh() === null ? 0 : 1, newest: toWeigh() },
      })),
      answer(getRoast, () => one),
      answer(updateRoast, () => (one = { ...one, end_weight_kg: 9.865_634, revision: 2 })),
    ],
    { ...ana, preferences },
  );
  await user.click(await screen.findByTestId('unweighed'));
  const sheet = within(await screen.findByTestId('weigh-sheet'));
  await sheet.findByText('Batch 25,3 lb');
  await fill(sheet.getByLabelText('Roasted weight'), '25,4');
  await sheet.findByText('Roasted weight can’t be more than the batch');
  await fill(sheet.getByLabelText('Roasted weight'), '21,75');
  await sheet.findByText(/Loss 14,0\s%/);
  await user.click(sheet.getByRole('button', { name: 'Save' }));
  await expect.poll(() => screen.queryByTestId('unweighed')).toBeNull();
  const saved = server.requests.find(({ endpoint }) => endpoint === 'updateRoast');
  expect(saved?.body).toMatchObject({ end_weight_kg: 9.865_634 });
});

it('cockpit: reports a machine that stops answering its board, with its address, and the way to its settings', async () => {
  let silentSince: string | null = null;
  const { streams } = await open([
    answer(getMachine, () => ({ ...probat, silent_since: silentSince, address: '192.168.0.20:502' })),
    answer(betweenBatches, nothing),
  ]);
  const state = await screen.findByTestId('cockpit-status');
  await expect.poll(() => textOf(state)).toContain('Connecting');
  silentSince = at;
  streams.send('/live', 'status', { type: 'status', ...says('failing') });
  const bar = await screen.findByTestId('cockpit-silence');
  expect(textOf(bar)).toMatch(/^The machine does not answer: 192\.168\.0\.20:502, since 05\/04\/2026 - 06:46 PM/);
  await expect.poll(() => textOf(state)).toContain('No answer');
  expect(within(bar).getByRole('link', { name: 'Check settings' }).getAttribute('href')).toBe(
    `/machines?settings=${probat.id}`,
  );
  silentSince = null;
  streams.send('/live', 'status', { type: 'status', ...says('ok') });
  await expect.poll(() => screen.queryByTestId('cockpit-silence')).toBeNull();
});

const unknown: ForecastBasisAnswer = { source: 'machine', curves: [], learnt: null };
const bands = { temp: [1, 2, 3, 4], rate_per_minute: [1, 1, 2, 2] };
const learnt: ForecastBasisAnswer['learnt'] = {
  roasts: 5,
  weights: [],
  bands: { below: bands, above: bands },
  errors: [1, 1, 2, 2],
  times_first_crack: false,
};

it.each([
  ['a machine without enough earlier roasts', unknown, 'Not enough earlier roasts of this machine for a forecast yet'],
  ['a machine that has learnt, before the turning point', { ...unknown, learnt }, '--'],
])('cockpit: the next event of %s', async (_, basis, text) => {
  const { streams } = await open([
    answer(betweenBatches, nothing),
    answer(getForecastBasis, basis),
    answer(getLearntCrack, { temp: 196, spread: 9, source: 'literature', roasts: 0 }),
  ]);
  const running = roast({ ...rowOf({ id: idOf(43) }), status: 'in_progress', marks: [] });
  streams.send('/live', 'roast', { type: 'roast', machine_id: probat.id, roast: running, charge_mono: null });
  streams.send('/live', 'reading', {
    type: 'reading',
    machine_id: probat.id,
    received_at: at,
    reading: {
      v: 1,
      epoch: '0123456789abcdef',
      seq: 1,
      boot: idOf(1),
      t: Date.parse(at),
      mono: 1000,
      values: { bean_temp: 96 },
      roast: null,
      phase: 'roasting',
    },
  });
  const next = await screen.findByTestId('next-step');
  await expect.poll(() => textOf(next)).toBe(`Next event ${text}`);
});
