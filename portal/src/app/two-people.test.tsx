import { getBlend, listBlendableRoasts, updateBlend, type Blend } from '@roastery/contract/blends';
import { getChannelCheck, type ChannelCheck } from '@roastery/contract/channel-check';
import { getBoardConfig, setBoardConfig, type BoardConfig } from '@roastery/contract/machine-maps';
import { getMachine, updateMachine } from '@roastery/contract/machines';
import { getRoast, updateRoast } from '@roastery/contract/roasts';
import { getRoasterySettings, putRoasterySettings } from '@roastery/contract/settings';
import { screen } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf, type OpenedPortal } from '../testing/open-portal.tsx';
import { admin, ana, idOf, machine, roast, settings } from '../testing/records.ts';
import { answer, refused } from '../testing/table-server.ts';

const blend = (over: Partial<Blend> = {}): Blend => ({
  id: idOf(61),
  name: 'House',
  notes: null,
  created_at: ana.created_at,
  created_by: 'Ana Restrepo',
  total_kg: 2,
  components: [
    { roast_id: idOf(41), said_number: 'PR-1', coffee_name: 'Guji', roasted_at: ana.created_at, kg: 2, share: 1 },
  ],
  revision: 1,
  ...over,
});
const board = (over: Partial<BoardConfig['settings']> = {}, revision = 1): BoardConfig => ({
  map: null,
  link: null,
  map_hz: null,
  settings: {
    host: null,
    port: null,
    path: null,
    hz: null,
    log_level: null,
    timeout_ms: null,
    gap_ms: null,
    status_page: null,
    time_servers: null,
    ...over,
  },
  revision,
  changed_at: null,
  state: 'none',
  reason: null,
  running_map: null,
});

const noChannels: ChannelCheck = {
  map: null,
  bean: null,
  exhaust: null,
  read_at: null,
  suspected: false,
  asks: false,
  makes_copy: false,
  others: { names: [], hidden: 0 },
};

const press =
  (name: RegExp | string) =>
  async ({ user }: OpenedPortal): Promise<void> =>
    user.click((await screen.findAllByRole('button', { name }))[0] ?? document.body);
const openBoardSettings = async (portal: OpenedPortal): Promise<void> => {
  await press('Actions for Probat P25')(portal);
  await portal.user.click(await screen.findByRole('menuitem', { name: 'Map and settings' }));
};
const changed = refused('Another user changed it.', 'changed_meanwhile');

/** A form, the field that both change, and what the other user stored: that field and another one. */
const encounters = [
  {
    thing: 'machine',
    path: '/machines',
    open: press('Edit Probat P25'),
    reads: [answer(getMachine, machine())],
    field: 'Display Name',
    save: 'Save Changes',
    by: updateMachine,
    refusal: answer(updateMachine, changed),
    theirs: answer(getMachine, machine({ display_name: 'Theirs', max_capacity_kg: 12, revision: 2 })),
    saved: answer(updateMachine, machine({ display_name: 'Mine', max_capacity_kg: 12, revision: 3 })),
    otherField: 'Max Capacity',
    sends: { display_name: 'Mine', max_capacity_kg: 12, revision: 2 },
  },
  {
    thing: 'roast',
    path: `/roasts/${idOf(41)}`,
    open: press('Edit'),
    reads: [],
    field: 'Notes',
    save: 'Save',
    by: updateRoast,
    refusal: answer(updateRoast, changed),
    theirs: answer(getRoast, roast({ notes: 'Theirs', coffee_origin: 'Kenya', revision: 2 })),
    saved: answer(updateRoast, roast({ notes: 'Mine', coffee_origin: 'Kenya', revision: 3 })),
    otherField: 'Origin',
    sends: { notes: 'Mine', revision: 2 },
  },
  {
    thing: 'blend',
    path: `/roasts/blends/${idOf(61)}`,
    open: () => Promise.resolve(),
    reads: [answer(getBlend, blend()), answer(listBlendableRoasts, { roasts: [], total: 0 })],
    field: 'Name',
    save: 'Update blend',
    by: updateBlend,
    refusal: answer(updateBlend, changed),
    theirs: answer(getBlend, blend({ name: 'Theirs', notes: 'For the bar', revision: 2 })),
    saved: answer(updateBlend, blend({ name: 'Mine', notes: 'For the bar', revision: 3 })),
    otherField: 'Notes',
    sends: { name: 'Mine', notes: 'For the bar', revision: 2 },
  },
  {
    thing: 'board configuration',
    path: '/machines',
    open: openBoardSettings,
    reads: [answer(getBoardConfig, board()), answer(getChannelCheck, noChannels)],
    field: 'Time servers',
    save: 'Send to the board',
    by: setBoardConfig,
    refusal: answer(setBoardConfig, changed),
    theirs: answer(getBoardConfig, board({ time_servers: ['Theirs'], log_level: 'debug' }, 2)),
    saved: answer(setBoardConfig, board({ time_servers: ['Mine'], log_level: 'debug' }, 3)),
    otherField: 'Log',
    sends: { time_servers: ['Mine'], log_level: 'debug', revision: 2 },
  },
  {
    thing: 'settings page',
    path: '/admin/settings',
    open: () => Promise.resolve(),
    reads: [],
    field: 'City',
    save: 'Save Settings',
    by: putRoasterySettings,
    refusal: answer(putRoasterySettings, changed),
    theirs: answer(getRoasterySettings, settings({ city: 'Theirs', phone: '+351 21', revision: 2 })),
    saved: answer(putRoasterySettings, settings({ city: 'Mine', phone: '+351 21', revision: 3 })),
    otherField: 'Phone',
    sends: { city: 'Mine', revision: 2 },
  },
];

describe('two users who edit concurrently', () => {
  it.each(encounters)('the second gets a notice, and nothing of a $thing is overwritten unseen', async (one) => {
    const { thing, path, open, reads, field, save, by, refusal, theirs, saved, otherField, sends } = one;
    const as = path.startsWith('/admin') ? admin : ana;
    const portal = await openPortal(path, { as, answers: [...reads, refusal] });
    const { fill, server } = portal;
    await open(portal);
    const input = async () => {
      const shown = await screen.findAllByLabelText<HTMLInputElement>(new RegExp(`^${field}`), {
        selector: 'input, textarea',
      });
      return shown.at(-1) ?? document.createElement('input');
    };
    await fill(await input(), 'Mine');
    server.answer(theirs);
    await press(save)(portal);
    const text = await screen.findByText(new RegExp(`^Another user changed this ${thing}`));
    const notice = text.closest('[role=alert]') ?? document.body;
    expect(textOf(notice)).toContain(`They changed: ${otherField}`);
    expect(textOf(notice)).toContain(`${field} Theirs Mine`);
    await press('Keep my changes on top of theirs')(portal);
    await expect.poll(async () => (await input()).value).toBe('Mine');
    server.answer(saved);
    await press(save)(portal);
    const sent = () => server.requests.filter(({ endpoint }) => endpoint === by.name);
    await expect.poll(() => sent().length).toBe(2);
    expect(sent().at(-1)?.body).toMatchObject(sends);
  });
});
