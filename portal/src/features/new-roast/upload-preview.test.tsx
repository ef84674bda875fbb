import { chooseRoastUpload, getRoastUpload, updateRoastFromUpload, type Upload } from '@roastery/contract/imports';
import { listLots } from '@roastery/contract/inventory';
import { listMachines } from '@roastery/contract/machines';
import { listRoastImports } from '@roastery/contract/roast-imports';
import { listTimesToCheck } from '@roastery/contract/roast-times';
import { getRoast } from '@roastery/contract/roasts';
import { screen, within } from '@testing-library/dom';
import { expect, it } from 'vitest';
import { withColumn } from './TableColumns.tsx';
import { openPortal } from '../../testing/open-portal.tsx';
import { idOf, machine, roast as record } from '../../testing/records.ts';
import { answer } from '../../testing/table-server.ts';

const upload = (over: Partial<Upload> = {}): Upload => ({
  id: idOf(70),
  roast_id: null,
  file_name: 'loring.csv',
  format: 'loring',
  size_bytes: 8458,
  coffee_name: null,
  coffee_origin: null,
  coffee_process: null,
  machine_name: 'Loring',
  machine_id: null,
  roasted_by: null,
  profile_name: null,
  roast_number: null,
  source_batch: null,
  roast_level: null,
  batch_size_kg: null,
  end_weight_kg: null,
  color: null,
  cupping_score: null,
  notes: null,
  start_time: '2022-06-14T11:10:29.000Z',
  time_zone: 'Europe/Berlin',
  choices: {},
  temperature_unit: { value: 'C', source: 'file' },
  time_unit: { value: 's', source: 'file' },
  samples: 3,
  recorded_seconds: 594,
  charge_seconds: 0,
  channels: [],
  marks: [],
  curve: { time_seconds: [0, 300, 594], bean_temp: [200, 150, 210], exhaust_temp: [null, null, null] },
  doubts: [],
  warnings: [],
  missing: null,
  table: null,
  duplicates: [],
  ...over,
});
const address = `/roasts/new?way=upload&upload=${idOf(70)}`;
const lists = [answer(listMachines, []), answer(listLots, { lots: [], total: 0 })];
const roastedAt = () => screen.getByLabelText<HTMLInputElement>(/^Roasted at/).value;

it('preview of a file without a time zone: another one is chosen, and the time of the roast follows', async () => {
  const { fill, server, user } = await openPortal(address, {
    answers: [
      ...lists,
      answer(getRoastUpload, upload()),
      answer(chooseRoastUpload, ({ body }) =>
        upload({ choices: body, time_zone: body.time_zone ?? null, start_time: '2022-06-14T04:10:29.000Z' }),
      ),
    ],
  });
  const zone = await screen.findByRole('combobox', { name: 'Time zone of the file' });
  screen.getByText('the roastery’s: the file names none');
  // The roastery of the tests is in UTC.
  expect(roastedAt()).toBe('06/14/2022 11:10 AM');
  await fill(zone, 'tokyo');
  await user.click(await screen.findByRole('option', { name: /Asia\/Tokyo/ }));
  await expect.poll(roastedAt).toBe('06/14/2022 04:10 AM');
  expect(server.requests.find(({ endpoint }) => endpoint === 'chooseRoastUpload')?.body).toEqual({
    time_zone: 'Asia/Tokyo',
  });
  await screen.findAllByText('set by you');
});

it('preview of a file with its own zone offers none', async () => {
  await openPortal(address, { answers: [...lists, answer(getRoastUpload, upload({ time_zone: null }))] });
  await screen.findByText('loring.csv');
  expect(screen.queryByRole('combobox', { name: 'Time zone of the file' })).toBeNull();
});

const columns = [
  { head: 'x', use: 'time', unit: 'min', examples: ['0', '4', '8'] },
  { head: 'p', use: 'other', unit: null, examples: ['200.0', '199.5'] },
] as const;
const strange = (over: Partial<Upload> = {}) =>
  upload({
    file_name: 'logger.csv',
    format: 'csv',
    samples: 0,
    charge_seconds: null,
    start_time: null,
    missing: 'The columns are not known: say which one is the time and which one the bean temperature.',
    curve: { time_seconds: [], bean_temp: [], exhaust_temp: [] },
    table: { source: 'heads', columns: columns.map((column) => ({ ...column, examples: [...column.examples] })) },
    ...over,
  });

it('preview of a table with unknown columns: they are assigned, and the curve and the form follow', async () => {
  const { server, user } = await openPortal(address, {
    answers: [
      ...lists,
      answer(getRoastUpload, strange()),
      answer(chooseRoastUpload, ({ body }) => {
        const chosen = (body.columns ?? []).map((column) => ({ ...column, examples: [] }));
        const isRead = ['time', 'bean_temp'].every((use) => chosen.some((column) => column.use === use));
        const table = { source: 'person' as const, columns: chosen };
        return isRead
          ? upload({ file_name: 'logger.csv', format: 'csv', choices: body, table })
          : strange({ choices: body, table });
      }),
    ],
  });
  await screen.findByText(/The columns are not known/);
  expect(screen.queryByRole('button', { name: 'Add roast' })).toBeNull();
  await user.click(screen.getByRole('combobox', { name: /^Use of p/ }));
  await user.click(await screen.findByRole('option', { name: 'Bean temperature' }));
  await screen.findByRole('button', { name: 'Add roast' });
  expect(server.requests.findLast(({ endpoint }) => endpoint === 'chooseRoastUpload')?.body).toEqual({
    columns: [
      { head: 'x', use: 'time', unit: 'min' },
      { head: 'p', use: 'bean_temp', unit: null },
    ],
  });
});

it('assigning a use that another column has: the other column becomes a curve of its own', () => {
  const two = [
    { head: 'BT', use: 'bean_temp', unit: 'F' },
    { head: 'ET', use: 'exhaust_temp', unit: 'F' },
    { head: 't', use: 'time', unit: 's' },
  ] as const;
  expect(withColumn(two, 1, { use: 'bean_temp' }).map(({ use }) => use)).toEqual(['other', 'bean_temp', 'time']);
  // A unit of another quantity does not stay.
  expect(withColumn(two, 2, { use: 'fan_speed' })[2]).toEqual({ head: 't', use: 'fan_speed', unit: null });
});

it('preview of a table with assigned columns: the heads count again on request', async () => {
  const table = { source: 'person' as const, columns: columns.map((column) => ({ ...column, examples: [] })) };
  const { user } = await openPortal(address, {
    answers: [
      ...lists,
      answer(getRoastUpload, upload({ format: 'csv', table })),
      answer(chooseRoastUpload, ({ body }) => {
        expect(body).toEqual({ columns: [] });
        return strange();
      }),
    ],
  });
  await user.click(await screen.findByText('Columns of the file, as assigned'));
  await user.click(screen.getByRole('button', { name: 'As recognised from the heads' }));
  await screen.findByText(/The columns are not known/);
});

it('preview of the original of a roast: that roast is updated, with its own time or the one of the file', async () => {
  const roast = record({ coffee_name: 'Guji', start_time: '2022-06-14T13:10:29.000Z' });
  const { server, user } = await openPortal(address, {
    answers: [
      ...lists,
      answer(getRoastUpload, upload({ roast_id: roast.id, choices: { time_zone: 'Europe/Berlin' } })),
      answer(getRoast, roast),
      answer(updateRoastFromUpload, roast),
    ],
  });
  const update = within(await screen.findByRole('region', { name: 'Roast read again' }));
  expect(screen.queryByRole('button', { name: 'Add roast' })).toBeNull();
  await user.click(update.getByRole('combobox', { name: /^Time of the roast/ }));
  await user.click(await screen.findByRole('option', { name: /^As in the file: .*11:10/ }));
  await user.click(update.getByRole('button', { name: 'Update roast' }));
  await expect.poll(() => location.pathname).toBe(`/roasts/${roast.id}`);
  const sent = server.requests.filter(({ endpoint }) => endpoint === 'updateRoastFromUpload');
  expect(sent.map(({ body }) => body)).toEqual([{ start_time: '2022-06-14T11:10:29.000Z' }]);
});

it('preview of a recording that began after the charge: the charge is set before its zero', async () => {
  const { fill, server, user } = await openPortal(address, {
    answers: [
      ...lists,
      answer(getRoastUpload, upload()),
      answer(chooseRoastUpload, ({ body }) => upload({ choices: body, charge_seconds: body.charge_seconds ?? null })),
    ],
  });
  await fill(await screen.findByLabelText('Charge at'), '-0:20');
  await user.click(screen.getByRole('button', { name: 'Set charge and drop' }));
  await expect
    .poll(() => server.requests.find(({ endpoint }) => endpoint === 'chooseRoastUpload')?.body)
    .toEqual({ charge_seconds: -20 });
});

it('the dialog for files offers every file, also one without an ending', async () => {
  await openPortal('/roasts/new?way=upload', {
    answers: [
      ...lists,
      answer(listRoastImports, { imports: [] }),
      answer(listTimesToCheck, {
        roasts: [],
        total: 0,
        time_zone: 'UTC',
        formats: [],
        states: { open: 0, shifted: 0, right: 0 },
      }),
    ],
  });
  expect((await screen.findByLabelText('Files to import')).hasAttribute('accept')).toBe(false);
});

it('preview of a file that was saved again: says what has changed since the first import', async () => {
  const duplicates = [
    {
      roast_id: idOf(90),
      said_number: 'R-12',
      coffee_name: 'Guji',
      start_time: '2022-06-13T11:10:29.000Z',
      same: 'curve' as const,
      differs: ['date' as const, 'number' as const],
    },
  ];
  await openPortal(address, { answers: [...lists, answer(getRoastUpload, upload({ duplicates }))] });
  const notice = await screen.findByRole('region', { name: 'Duplicates' });
  expect(notice.textContent).toContain('the same curve, saved again with another date and another number');
});

it('preview of an unlikely roast: is judged by the roasts of the machine that is chosen', async () => {
  const probat = machine({ display_name: 'Probat P25' });
  const { user } = await openPortal(address, {
    answers: [
      answer(listMachines, [probat]),
      answer(listLots, { lots: [], total: 0 }),
      answer(getRoastUpload, ({ query }) =>
        upload({
          doubts:
            query.machine_id === undefined
              ? ['The roast lasts 1:04, less than 2 minutes.']
              : ['The roast lasts 1:04; 23 other roasts of this machine last 8:10 to 12:30.'],
        }),
      ),
    ],
  });
  await screen.findByText('The roast lasts 1:04, less than 2 minutes.');
  await user.click(screen.getByRole('combobox', { name: /^Machine/ }));
  await user.click(await screen.findByRole('option', { name: /Probat P25/ }));
  await screen.findByText(/23 other roasts of this machine last 8:10 to 12:30/);
  expect(screen.queryByText(/less than 2 minutes/)).toBeNull();
});
