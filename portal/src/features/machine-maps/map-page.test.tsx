import { machineMapShape, type MachineMap } from '@roastery/contract/machine-map';
import {
  createMachineMap,
  deleteMachineMap,
  getMachineMap,
  listMachineMaps,
  listMapRevisions,
  saveMachineMap,
  type MapDetail,
} from '@roastery/contract/machine-maps';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf, type OpenedPortal } from '../../testing/open-portal.tsx';
import { ana, machine } from '../../testing/records.ts';
import { answer, refused } from '../../testing/table-server.ts';

const first: MachineMap = machineMapShape.parse({
  v: 1,
  id: 'giesen-w6',
  rev: 1,
  maker: 'Giesen',
  model: 'W6',
  link: { kind: 'tcp', host: '10.0.0.9' },
  channels: {
    bean_temp: { at: 'i:6', as: 'i16', scale: 0.1, unit: '°C' },
    drum_pressure: { at: 'i:7', as: 'i16', unit: 'Pa' },
  },
  outputs: { heat_power: { at: 'h:9', range: [0, 100] } },
  events: { charge: { when: 'd:1' } },
});
const { heat_power: heat } = first.outputs;
if (heat === undefined) throw new Error('the map has its heat');
/** Another user moved the bean probe and limited the burner. */
const theirs: MachineMap = {
  ...first,
  rev: 2,
  channels: { ...first.channels, bean_temp: { ...first.channels['bean_temp'], at: 'i:12' } } as MachineMap['channels'],
  outputs: { ...first.outputs, heat_power: { ...heat, range: [0, 80] } },
};
const detail = (map: MachineMap, over: Partial<MapDetail> = {}): MapDetail => ({
  id: map.id,
  rev: map.rev,
  maker: map.maker,
  model: map.model,
  link_kind: map.link.kind,
  capacity_kg: 6,
  channels: Object.keys(map.channels).length,
  outputs: Object.keys(map.outputs).length,
  verified: 'none',
  origin: 'own',
  owner_name: 'Ana Restrepo',
  saved_at: ana.created_at,
  map,
  based_on: null,
  may_edit: true,
  machines: [],
  ...over,
});
const drum = [{ id: machine().id, display_name: 'Big Drum', rev: 1 }];
const path = `/machines/maps/${first.id}`;
const newest = (map: MachineMap, over: Partial<MapDetail> = {}) => answer(getMachineMap, detail(map, over));

const group = async (name: string | RegExp) => within(await screen.findByRole('group', { name }));
const bodyOf = ({ server }: OpenedPortal, name: string) =>
  server.requests.filter(({ endpoint }) => endpoint === name).at(-1)?.body;
const changes = async (name: string) => textOf(await screen.findByRole('list', { name }));
const press = async ({ user }: OpenedPortal, name: string | RegExp): Promise<void> =>
  user.click(await screen.findByRole('button', { name }));
const third: MachineMap = { ...theirs, rev: 3, outputs: { ...first.outputs, heat_power: { ...heat, range: [0, 90] } } };
const revisions = answer(listMapRevisions, {
  revisions: [third, theirs, first].map((map) => ({
    rev: map.rev,
    saved_at: ana.created_at,
    saved_by_name: 'Ana Restrepo',
    note: map === theirs ? 'Bean probe moved' : null,
    map,
  })),
});

describe('an own map', () => {
  it('is edited in its channels, outputs and events; an unreadable register is refused at its field', async () => {
    const portal = await openPortal(path, {
      answers: [newest(first), answer(saveMachineMap, detail({ ...first, rev: 2 }))],
    });
    const { fill } = portal;
    const pressure = await group('drum_pressure');
    await fill(pressure.getByLabelText(/^Address/), '30008');
    await fill(screen.getByLabelText(/^What changed/), 'Pressure left out');
    await press(portal, 'Save as revision 2');
    await pressure.findByText(/write "i:7"/);
    await press(portal, 'Delete drum_pressure');
    await fill((await group('Output heat_power')).getByLabelText(/^To/), '90');
    await press(portal, 'Add event');
    const [added = document.body] = screen.getAllByRole('group', { name: /^Event/ }).slice(-1);
    const writes = within(added).getByLabelText(/^Writes that trigger it/);
    await fill(writes, '41009 = 2');
    await press(portal, 'Save as revision 2');
    await within(added).findByText(/write "h:1008"/);
    await fill(writes, 'h:1008 = 2, wait 10 s, h:1008 = 5');
    await press(portal, 'Save as revision 2');
    await screen.findByText('Saved as revision 2');
    const body = bodyOf(portal, 'saveMachineMap');
    expect(body).toMatchObject({
      rev: 1,
      note: 'Pressure left out',
      map: { outputs: { heat_power: { range: [0, 90] } } },
    });
    const { map } = body as { map: MachineMap };
    expect(Object.keys(map.channels)).toEqual(['bean_temp']);
    expect(Object.values(map.events)).toContainEqual({ on: [['h:1008', 2], { wait: 10_000 }, ['h:1008', 5]] });
  });

  it('shows the second of two users the changes of the first, and merges both', async () => {
    const changed = refused('Another user changed this map.', 'changed_meanwhile');
    const portal = await openPortal(path, { answers: [newest(first), answer(saveMachineMap, changed)] });
    const { fill, server } = portal;
    await fill((await group('Output heat_power')).getByLabelText(/^To/), '90');
    server.answer(newest(theirs));
    await press(portal, 'Save as revision 2');
    const notice = (await screen.findByText(/^Another user changed this map/)).closest('[role=alert]') ?? document.body;
    expect(textOf(notice)).toContain('They changed: Channel bean_temp.');
    expect(textOf(notice)).toMatch(/Output heat_power/);
    await press(portal, 'Keep my changes on top of theirs');
    server.answer(answer(saveMachineMap, detail(third, { machines: drum })), newest(third));
    await press(portal, 'Save as revision 3');
    await screen.findByText('Saved as revision 3');
    await screen.findByText('Sent to the board that uses it.');
    expect(bodyOf(portal, 'saveMachineMap')).toMatchObject({
      rev: 2,
      map: { channels: { bean_temp: { at: 'i:12' } }, outputs: { heat_power: { range: [0, 90] } } },
    });
  });

  it('is compared with its revisions, and restored after a confirmation that names its machines', async () => {
    const portal = await openPortal(`${path}?tab=revisions`, {
      answers: [newest(third, { machines: drum }), revisions, answer(saveMachineMap, detail({ ...first, rev: 4 }))],
    });
    const { user } = portal;
    await screen.findByText('Bean probe moved');
    await press(portal, 'Open revision 1');
    expect(await changes('Revision 3 to 1')).toContain('channels.bean_temp.at');
    await user.click(screen.getByRole('combobox', { name: /^Compare with/ }));
    await user.click(await screen.findByRole('option', { name: /^Revision 2/ }));
    expect(await changes('Revision 2 to 1')).toContain('outputs.heat_power.range');
    await press(portal, 'Restore as revision 4');
    const question = await screen.findByRole('alertdialog');
    expect(textOf(question)).toContain('The board of “Big Drum” will switch to it');
    await user.click(within(question).getByRole('button', { name: 'Restore' }));
    await screen.findByText('Revision 1 restored as revision 4');
    expect(bodyOf(portal, 'saveMachineMap')).toMatchObject({ rev: 3, map: { ...first }, note: 'Revision 1 restored' });
  });

  it('is not deleted while a machine uses it', async () => {
    const portal = await openPortal(path, { answers: [newest(first, { machines: drum })] });
    await press(portal, 'Delete');
    expect(await screen.findByText(/^“Big Drum” uses this map\. First choose another map/)).toBeDefined();
  });

  it('is deleted after a confirmation with the number of its revisions', async () => {
    const portal = await openPortal(path, {
      answers: [newest(theirs), answer(deleteMachineMap, { message: 'Deleted' })],
    });
    await press(portal, 'Delete');
    const question = await screen.findByRole('alertdialog');
    expect(textOf(question)).toContain('Delete Giesen W6 and its 2 revisions?');
    await portal.user.click(within(question).getByRole('button', { name: 'Delete' }));
    expect(await screen.findByRole('heading', { name: 'Machine Maps' })).toBeDefined();
  });
});

describe('a map of the catalogue', () => {
  const ofCatalogue = { origin: 'catalogue', may_edit: false, owner_name: null, saved_at: null } as const;

  it('is read-only, offered as a file, and copied to be changed', async () => {
    const copy = { ...first, id: 'own-copy' };
    const portal = await openPortal(path, {
      answers: [newest(first, ofCatalogue), answer(createMachineMap, detail(copy))],
    });
    const file = await screen.findByRole('link', { name: 'Download file' });
    expect(file.getAttribute('href')).toBe(`/api/v1/machine-maps/${first.id}/file`);
    expect(screen.queryByRole('button', { name: 'Add channel' })).toBeNull();
    portal.server.answer(newest(copy));
    await press(portal, 'Make a copy');
    await screen.findByRole('button', { name: 'Add channel' });
    expect(location.pathname).toBe('/machines/maps/own-copy');
    expect(bodyOf(portal, 'createMachineMap')).toMatchObject({ based_on: first.id });
  });
});

describe('a map as a file', () => {
  it('is uploaded; one that is no JSON or no map is refused, field by field', async () => {
    const fields = [{ field: 'map.channels.bean_temp.at', message: 'write "h:768"' }];
    const { server, user } = await openPortal('/machines/maps?q=nothing+like+it', {
      answers: [answer(listMachineMaps, { maps: [], total: 0 }), newest(first)],
    });
    await screen.findByText('No machine maps match your search');
    const upload = (name: string, text: string) =>
      user.upload(screen.getByLabelText('Machine map file'), new File([text], name, { type: 'application/json' }));
    await upload('broken.json', JSON.stringify(first).slice(0, 200));
    await screen.findByText(/^broken\.json can’t be uploaded: it is not JSON/);
    server.answer(answer(createMachineMap, refused(fields, 'validation')));
    await upload('wrong.json', JSON.stringify(first));
    await expect
      .poll(() => screen.getAllByRole('alert').map(textOf).join(' '))
      .toContain('channels.bean_temp.at: write "h:768"');
    server.answer(answer(createMachineMap, detail(first)));
    await upload('giesen.json', JSON.stringify(first));
    expect(await screen.findByRole('heading', { name: 'Giesen W6' })).toBeDefined();
  });
});
