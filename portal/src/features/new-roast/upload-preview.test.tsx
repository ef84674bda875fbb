import { chooseRoastUpload, getRoastUpload, type Upload } from '@roastery/contract/imports';
import { listLots } from '@roastery/contract/inventory';
import { listMachines } from '@roastery/contract/machines';
import { screen } from '@testing-library/dom';
import { expect, it } from 'vitest';
import { openPortal } from '../../testing/open-portal.tsx';
import { idOf } from '../../testing/records.ts';
import { answer } from '../../testing/table-server.ts';

const upload = (over: Partial<Upload> = {}): Upload => ({
  id: idOf(70),
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
  warnings: [],
  missing: null,
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
