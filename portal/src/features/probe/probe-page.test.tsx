import { linkShape, machineMapShape, type Link } from '@roastery/contract/machine-map';
import {
  createMachineMap,
  getBoardConfig,
  getMachineMap,
  saveMachineMap,
  setBoardConfig,
  type BoardConfig,
  type MapDetail,
} from '@roastery/contract/machine-maps';
import { getMachine } from '@roastery/contract/machines';
import { findProbeLine, startProbe, stopProbe, type ProbeMessage } from '@roastery/contract/probe';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, type OpenedPortal } from '../../testing/open-portal.tsx';
import { idOf, machine } from '../../testing/records.ts';
import { openStreams } from '../../testing/streams.ts';
import { answer, refused, type Answer } from '../../testing/table-server.ts';

const map = machineMapShape.parse({
  v: 1,
  id: 'own-drum',
  maker: 'Own',
  model: 'Drum',
  link: { kind: 'rtu', path: '/dev/ttyUSB0', baud: 9600 },
  channels: { bean_temp: { at: 'h:6' } },
});
const detail: MapDetail = {
  id: map.id,
  rev: 1,
  maker: map.maker,
  model: map.model,
  link_kind: map.link.kind,
  capacity_kg: null,
  channels: 1,
  outputs: 0,
  verified: 'none',
  origin: 'own',
  owner_name: 'Ana Restrepo',
  saved_at: null,
  map,
  based_on: null,
  may_edit: true,
  machines: [],
};
const config = (of: Link | null): BoardConfig => ({
  map: of === null ? null : { id: map.id, rev: 1, maker: map.maker, model: map.model, verified: 'none', notes: null },
  link: of,
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
  },
  revision: 1,
  changed_at: null,
  state: 'none',
  reason: null,
  running_map: null,
});
/** A machine whose board reads it by a map. */
const mapped = [answer(getMachine, machine()), answer(getBoardConfig, config(map.link)), answer(getMachineMap, detail)];
const probe_id = idOf(91);
const begun = { probe_id, lasts_s: 300 };

/** What a message of the board says, apart from its probe. */
type Said = ProbeMessage extends infer One ? (One extends ProbeMessage ? Omit<One, 'v' | 'id'> : never) : never;

const openProbe = async (answers: readonly Answer[]) => {
  const streams = openStreams();
  const portal = await openPortal(`/machines/${machine().id}/probe`, { answers });
  await screen.findByRole('heading', { name: 'Find Registers' });
  await expect.poll(() => streams.open()).toHaveLength(1);
  streams.send('/probe', 'listening');
  return { ...portal, say: (said: Said) => streams.send('/probe', 'probe', { v: 1, id: probe_id, ...said }) };
};
const press = async ({ user }: OpenedPortal, name: string): Promise<void> => {
  const button = await screen.findByRole<HTMLButtonElement>('button', { name });
  await expect.poll(() => button.disabled).toBe(false);
  await user.click(button);
};
const choose = async ({ user }: OpenedPortal, field: string | RegExp, option: string): Promise<void> => {
  await user.click(await screen.findByRole('combobox', { name: field }));
  await user.click(await screen.findByRole('option', { name: option }));
};
const asked = ({ server }: OpenedPortal, name: string): boolean =>
  server.requests.some(({ endpoint }) => endpoint === name);
const sent = ({ server }: OpenedPortal, name: string) =>
  server.requests.find(({ endpoint }) => endpoint === name)?.body;

describe('finding registers', () => {
  it('is refused while a roast runs, with the reason', async () => {
    const reason = 'A roast is running. Read the registers after it has ended.';
    const portal = await openProbe([...mapped, answer(startProbe, refused(reason))]);
    await press(portal, 'Read registers');
    await screen.findByText(reason);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Read registers' }).disabled).toBe(false);
  });

  it('finds the unknown speed of a serial line, and saves it in the map', async () => {
    const portal = await openProbe([
      ...mapped,
      answer(findProbeLine, begun),
      answer(saveMachineMap, { ...detail, rev: 2 }),
    ]);
    await press(portal, 'Find speed and unit');
    await screen.findByText(/Recording is paused\. Every ten seconds/);
    const link = linkShape.parse({ ...map.link, baud: 19_200 });
    portal.say({ k: 'trying', asked: 3, of: 40, where: 'rtu /dev/ttyUSB0 19200 baud, no parity, unit 1' });
    await screen.findByText(/^3 of at most 40 tried: rtu \/dev\/ttyUSB0 19200 baud/);
    portal.say({ k: 'line', link, units: [1] });
    portal.say({ k: 'ended', reason: 'found', says: 'Found.' });
    await screen.findByText(/^Unit 1 answers at 19200 baud, \w+ parity\. Save these line settings below/);
    await press(portal, 'Save and use this map');
    await screen.findByText('The board applies the map between two roasts.');
    expect(sent(portal, 'saveMachineMap')).toMatchObject({ rev: 1, map: { link: { kind: 'rtu', baud: 19_200 } } });
  });
});

describe('a reading of registers after the unit was found', () => {
  it('shows why it ended', async () => {
    const portal = await openProbe([...mapped, answer(findProbeLine, begun), answer(startProbe, begun)]);
    await press(portal, 'Find speed and unit');
    await screen.findByText(/Recording is paused\. Every ten seconds/);
    portal.say({ k: 'line', link: map.link, units: [1] });
    portal.say({ k: 'ended', reason: 'found', says: 'Found.' });
    await screen.findByText(/^Unit 1 answers/);
    await press(portal, 'Read registers');
    await screen.findByText('Waiting for the board…');
    portal.say({ k: 'ended', reason: 'expired', says: 'The request arrived too late. Try again.' });
    await screen.findByText('The request arrived too late. Try again.');
    expect(screen.queryByText(/^Unit 1 answers/)).toBeNull();
  });
});

describe('a page that is closed while registers are read', () => {
  it('stops the reading, which would refuse the next one', async () => {
    const portal = await openProbe([...mapped, answer(startProbe, begun), answer(stopProbe, { asked: true })]);
    await press(portal, 'Read registers');
    await screen.findByText('Waiting for the board…');
    portal.say({ k: 'progress', asked: 1, of: 40, found: 0, where: 'unit 1, holding 0 to 31' });
    await screen.findByText('1 of 40 read, 0 answered');
    expect(asked(portal, 'stopProbe')).toBe(false);
    dispatchEvent(new Event('pagehide'));
    await expect.poll(() => asked(portal, 'stopProbe')).toBe(true);
  });
});

describe('a machine without a map', () => {
  it('saves the picked registers of an RTU over TCP machine as its first map', async () => {
    const bare = machine({ display_name: 'First Map Drum', lacks_map: true });
    const portal = await openProbe([
      answer(getMachine, bare),
      answer(getBoardConfig, config(null)),
      answer(startProbe, begun),
      answer(stopProbe, { asked: true }),
      answer(createMachineMap, detail),
      answer(setBoardConfig, config(map.link)),
    ]);
    const { fill } = portal;
    const read = await screen.findByRole<HTMLButtonElement>('button', { name: 'Read registers' });
    expect(read.disabled).toBe(true);
    await fill(await screen.findByLabelText(/^Machine address/), '10.0.0.31:5020');
    await choose(portal, /^Protocol/, 'Modbus RTU over TCP');
    await choose(portal, /^Registers/, 'All four');
    await fill(screen.getByLabelText(/^Number of registers/), '32');
    await press(portal, 'Read registers');
    await expect
      .poll(() => sent(portal, 'startProbe'))
      .toMatchObject({ count: 32, link: { kind: 'rtu-over-tcp', host: '10.0.0.31', port: 5020 } });
    for (const [round, word] of [1815, 1816, 1818, 1819].entries())
      portal.say({
        k: 'words',
        round,
        seconds: round,
        blocks: [{ unit: 1, table: 'holding', start: 6, words: [word] }],
      });
    await screen.findByText(/^Watching 1 registers/);
    const save = screen.getByRole<HTMLButtonElement>('button', { name: 'Save and use this map' });
    expect(save.disabled).toBe(true);
    const rows = within(await screen.findByRole('list', { name: 'Registers' }));
    await portal.user.click(rows.getByRole('combobox', { name: 'h:6 is' }));
    await portal.user.click(await screen.findByRole('option', { name: 'Bean' }));
    portal.server.answer(answer(getMachineMap, detail));
    await press(portal, 'Save and use this map');
    await screen.findByText('The board applies the map between two roasts.');
    expect(sent(portal, 'createMachineMap')).toMatchObject({
      map: {
        model: 'First Map Drum',
        link: { kind: 'rtu-over-tcp', host: '10.0.0.31' },
        channels: { bean_temp: { at: 'h:6', scale: 0.1 } },
      },
    });
    expect(sent(portal, 'setBoardConfig')).toMatchObject({ map_id: detail.id, revision: 1 });
    await press(portal, 'Stop');
    portal.say({ k: 'ended', reason: 'stopped', says: 'Stopped.' });
    await screen.findByText('Stopped.');
  });
});
