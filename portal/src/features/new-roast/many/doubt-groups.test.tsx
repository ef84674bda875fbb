import { listLots } from '@roastery/contract/inventory';
import { listMachines } from '@roastery/contract/machines';
import {
  correctImportFile,
  decideImportFiles,
  getRoastImport,
  listImportFiles,
  type ImportFile,
  type RoastImport,
} from '@roastery/contract/roast-imports';
import { screen, within } from '@testing-library/dom';
import { expect, it } from 'vitest';
import { openPortal } from '../../../testing/open-portal.tsx';
import { idOf } from '../../../testing/records.ts';
import { answer } from '../../../testing/table-server.ts';

const one = (over: Partial<RoastImport> = {}): RoastImport => ({
  id: idOf(80),
  state: 'open',
  created_at: '2026-11-28T04:00:00.000Z',
  finished_at: null,
  undo_until: null,
  machine_id: null,
  lot_id: null,
  takes_green: false,
  time_zone: null,
  files: 14,
  waiting: 0,
  ready: 1,
  imported: 0,
  undone: 0,
  problems: [
    { problem: 'duration', files: 12 },
    { problem: 'first_crack', files: 1 },
  ],
  ...over,
});
const file = (over: Partial<ImportFile> = {}): ImportFile => ({
  id: idOf(81),
  file_name: 'short.csv',
  size_bytes: 8000,
  state: 'read',
  format: 'csv',
  coffee_name: 'Guji',
  start_time: '2026-06-07T12:09:10.000Z',
  time_zone: null,
  duration_seconds: 64,
  batch_size_kg: null,
  end_weight_kg: null,
  machine_name: null,
  machine_id: null,
  lot_id: null,
  source_batch: null,
  problem: 'duration',
  remarks: ['The roast lasts 1:04, less than 2 minutes. Check the unit of time, the charge and the drop.'],
  roast_id: null,
  ...over,
});
const address = `/roasts/new?way=upload&import=${idOf(80)}`;
const answers = [
  answer(listMachines, []),
  answer(listLots, { lots: [], total: 0 }),
  answer(getRoastImport, one()),
  answer(listImportFiles, { files: [file()], total: 1 }),
];

it('unlikely roasts: are grouped by reason, and all of one are imported or skipped', async () => {
  const { server, user } = await openPortal(address, {
    answers: [
      ...answers,
      answer(decideImportFiles, ({ body }) =>
        one({ problems: body.problem === 'duration' ? [{ problem: 'first_crack', files: 1 }] : [] }),
      ),
    ],
  });
  const panel = within(await screen.findByRole('region', { name: 'Unlikely roasts' }));
  panel.getByText('Unlikely duration: 12 files');
  panel.getByText('Unlikely first crack: 1 file');
  const group = (name: string) => within(panel.getByRole('listitem', { name }));
  await user.click(group('Unlikely duration').getByRole('button', { name: 'Import all of these' }));
  await expect.poll(() => panel.queryByText(/Unlikely duration/)).toBeNull();
  await user.click(group('Unlikely first crack').getByRole('button', { name: 'Skip' }));
  await expect.poll(() => screen.queryByRole('region', { name: 'Unlikely roasts' })).toBeNull();
  expect(server.requests.filter(({ endpoint }) => endpoint === 'decideImportFiles').map(({ body }) => body)).toEqual([
    { problem: 'duration', decision: 'import' },
    { problem: 'first_crack', decision: 'skip' },
  ]);
});

it('an unlikely roast: its row has the reason, and imports it anyway', async () => {
  const { server, user } = await openPortal(address, {
    answers: [...answers, answer(correctImportFile, file({ problem: 'check' }))],
  });
  await screen.findByText(/lasts 1:04, less than 2 minutes/);
  await user.click(screen.getByRole('button', { name: 'Import anyway' }));
  await expect
    .poll(() => server.requests.find(({ endpoint }) => endpoint === 'correctImportFile')?.body)
    .toEqual({ accepted: true });
});
