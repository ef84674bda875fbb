import { machineMapShape } from '@roastery/contract/machine-map';
import {
  getMachineMap,
  importArtisanSettings,
  listMachineMaps,
  type MapDetail,
  type MapSummary,
} from '@roastery/contract/machine-maps';
import { getPairing, notePairingTicket } from '@roastery/contract/fleet';
import { registerMachine } from '@roastery/contract/machines';
import { screen } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf, type OpenedPortal } from '../../testing/open-portal.tsx';
import { machine } from '../../testing/records.ts';
import { answer, refused } from '../../testing/table-server.ts';

const summary = (id: string, maker: string, model: string, capacity: number): MapSummary => ({
  id,
  rev: 1,
  maker,
  model,
  link_kind: 'tcp',
  capacity_kg: capacity,
  channels: 1,
  outputs: 0,
  verified: 'none',
  origin: 'catalogue',
  owner_name: null,
  saved_at: null,
});
const loring = summary('loring-auto', 'Loring', 'Auto', 7);
const giesen = { ...summary('giesen-w15a', 'Giesen', 'W15A', 15), origin: 'own' as const };
const detail = (map: MapSummary): MapDetail => ({
  ...map,
  map: machineMapShape.parse({
    v: 1,
    id: map.id,
    maker: map.maker,
    model: map.model,
    link: { kind: 'tcp', host: '10.0.0.9' },
    channels: { bean_temp: { at: 'h:6' } },
  }),
  based_on: null,
  may_edit: false,
  machines: [],
});

const registered = {
  ...machine(),
  auth_token: 'token-of-the-board-which-is-long',
  pairing_code: 'ABCD-EFGH-JKLM',
  api_url: 'http://127.0.0.1:3000',
  pairing_expires_at: '2026-05-05T09:30:00.000Z',
  support_email: null,
};
/** The catalogue has one map: other words find none. */
const answers = [
  answer(listMachineMaps, ({ query: { q = '' } }) => {
    const maps = 'loring auto'.includes(q.toLowerCase()) ? [loring] : [];
    return { maps, total: maps.length };
  }),
  answer(getMachineMap, ({ params: { id } }) => detail(id === giesen.id ? giesen : loring)),
  answer(registerMachine, registered),
  answer(getPairing, { ticket: null, credential: null }),
  answer(notePairingTicket, { noted: true }),
];

const which = () => screen.getByLabelText<HTMLInputElement>('Make and model', { selector: 'input' });
const capacity = () => screen.getByLabelText<HTMLInputElement>(/^Max Capacity/).value;
const machineType = () => textOf(screen.getByRole('combobox', { name: /^Machine Type/ }));

const beginRegistration = async (): Promise<OpenedPortal> => {
  const portal = await openPortal('/machines/register', { answers });
  await portal.fill(await screen.findByLabelText(/^Serial Number/), 'NEW-15');
  await portal.fill(screen.getByLabelText(/^Display Name/), 'In the back');
  return portal;
};
const register = async ({ fill, server, user }: OpenedPortal, host: string) => {
  await fill(await screen.findByLabelText(/^Machine’s address/), host);
  await user.click(screen.getByRole('button', { name: 'Register Machine' }));
  await screen.findAllByText('Machine Registered Successfully!');
  return server.requests.find(({ endpoint }) => endpoint === 'registerMachine')?.body;
};

describe('a machine in the catalogue', () => {
  it('is found by keyboard at registration; fills in type and capacity, and requests the address', async () => {
    const portal = await beginRegistration();
    // A map replaces the one on the board: none is sent without a request.
    await screen.findByText(/There is a map for the RM30/);
    expect(which().value).toBe('');
    await portal.fill(which(), 'loring auto');
    await screen.findByRole('option', { name: /^Loring Auto/ });
    await portal.user.keyboard('{ArrowDown}{Enter}');
    await expect.poll(capacity).toBe('7');
    await expect.poll(machineType).toContain('Loring Auto');
    await screen.findByText(/^Not verified on real hardware/);
    expect(await register(portal, '10.0.0.31')).toMatchObject({
      machine_type: 'Loring Auto',
      max_capacity_kg: 7,
      map_id: 'loring-auto',
      host: '10.0.0.31',
    });
    await screen.findByText(/^A board can’t reach http:\/\/127\.0\.0\.1:3000/);
  });
});

describe('a machine that is not in the catalogue', () => {
  it('leads to the closest makers, the probe and Artisan settings; reports parts not imported', async () => {
    const portal = await beginRegistration();
    const { fill, server, user } = portal;
    await fill(which(), 'Lorring');
    await screen.findByText('The catalogue has no machine “Lorring”.');
    await screen.findByRole('button', { name: 'Loring Auto' });
    await fill(which(), 'Giesen');
    await screen.findByText('The catalogue has no machine “Giesen”.');
    await screen.findByText(/use Find registers once its board is paired/);
    const upload = () =>
      user.upload(screen.getByLabelText('Artisan settings file'), new File(['[General]'], 'w15.aset'));
    server.answer(answer(importArtisanSettings, refused('The machine is read over Siemens S7.')));
    await upload();
    await screen.findByText('The machine is read over Siemens S7.');
    const remarks = ['The PID controller was not imported: the board never writes to a machine.'];
    server.answer(answer(importArtisanSettings, { map: detail(giesen), remarks }));
    await upload();
    await screen.findByText(remarks[0] ?? '');
    await expect.poll(() => which().value).toBe('Giesen W15A');
    await expect.poll(capacity).toBe('15');
    await expect.poll(machineType).toContain('Giesen W15A');
    expect(await register(portal, '10.0.0.20')).toMatchObject({
      machine_type: 'Giesen W15A',
      max_capacity_kg: 15,
      map_id: 'giesen-w15a',
      host: '10.0.0.20',
    });
  });

  it('keeps the offer when the field loses the focus', async () => {
    const { fill, user } = await beginRegistration();
    await fill(which(), 'Giesen');
    await screen.findByText('The catalogue has no machine “Giesen”.');
    await user.keyboard('{Escape}');
    await user.tab();
    expect(await screen.findByText('The catalogue has no machine “Giesen”.')).toBeDefined();
  });
});
