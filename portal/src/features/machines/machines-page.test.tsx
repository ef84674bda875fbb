import { getPairing, notePairingTicket } from '@roastery/contract/fleet';
import { getBoardConfig, type BoardConfig } from '@roastery/contract/machine-maps';
import { deleteMachine, getMachine, listMachines, registerMachine, updateMachine } from '@roastery/contract/machines';
import { listOptions } from '@roastery/contract/settings';
import { fireEvent, screen, within } from '@testing-library/dom';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { admin, machine } from '../../testing/records.ts';
import { answer, refused } from '../../testing/table-server.ts';

const registered = {
  ...machine({ serial_number: 'GIE-W6-0007', display_name: 'Giesen W6', machine_type: 'RM7', max_capacity_kg: 7 }),
  auth_token: 'token-of-the-board-which-is-long',
  pairing_code: 'ABCD-EFGH-JKLM',
  api_url: 'http://127.0.0.1:3000',
  pairing_expires_at: '2026-05-05T09:30:00.000Z',
  support_email: null,
};
const input = (name: string): HTMLInputElement => screen.getByLabelText(new RegExp(`^${name}`), { selector: 'input' });
const machineType = () => screen.findByRole('combobox', { name: /^Machine Type/ });
const offered = async () =>
  within(await screen.findByRole('listbox'))
    .getAllByRole('option')
    .map(textOf);

describe('a person without a machine', () => {
  it('reads who gives access to one, unless an administrator', async () => {
    await openPortal('/machines', { answers: [answer(listMachines, [])] });
    const sentence = 'To see one that is registered, ask its owner or an administrator.';
    expect(await screen.findByText(sentence)).toBeDefined();
  });

  it('as an administrator, is not sent to one', async () => {
    await openPortal('/machines', { as: admin, answers: [answer(listMachines, [])] });
    await screen.findByText('No machines registered');
    expect(screen.queryByText(/ask its owner/)).toBeNull();
  });
});

describe('registering a machine', () => {
  it('is offered without machines and refuses missing fields [P71 P72]', async () => {
    const { fill, user } = await openPortal('/machines', { answers: [answer(listMachines, [])] });
    await screen.findByText('No machines registered');
    screen.getByRole('heading', { level: 1, name: 'My Machines' });
    await user.click(screen.getByRole('button', { name: 'Register First Machine' }));
    const form = within(await screen.findByRole('dialog', { name: 'Register New Machine' }));
    for (const name of ['Serial Number', 'Display Name', 'Max Capacity']) {
      expect(input(name).getAttribute('aria-required'), name).toBe('true');
    }
    await user.click(form.getByRole('button', { name: 'Register Machine' }));
    await form.findByText('Serial number is required');
    form.getByText('Display name is required');
    await fill(input('Max Capacity'), '0');
    await user.click(form.getByRole('button', { name: 'Register Machine' }));
    await form.findByText('Capacity must be at least 0.1 kg');
    await fill(input('Max Capacity'), '');
    await user.click(form.getByRole('button', { name: 'Register Machine' }));
    await form.findByText('Enter the capacity in kg');
    await fill(input('Max Capacity'), '0.2');
    for (const [key, text] of [
      ['ArrowDown', '0.1'],
      ['ArrowDown', '0.1'],
      ['ArrowUp', '0.2'],
    ] as const) {
      fireEvent.keyDown(input('Max Capacity'), { key });
      await expect.poll(() => input('Max Capacity').value).toBe(text);
    }
  });

  it('has the roastery’s types as choices, RM30 chosen, and the capacity follows the type [P74 P86]', async () => {
    const { user } = await openPortal('/machines/register');
    expect(textOf(await machineType())).toBe('RM30 (30kg)');
    await user.click(await machineType());
    await expect.poll(offered).toEqual(['RM30 (30kg)', 'RM15 (15kg)', 'RM7 (7kg)']);
    await user.click(screen.getByRole('option', { name: 'RM15 (15kg)' }));
    await expect.poll(() => input('Max Capacity').value).toBe('15');
  });

  it('leaves RM15, RM30 and RM7 as choices when the types can’t be read [P74 P86]', async () => {
    const { user } = await openPortal('/machines/register', { answers: [answer(listOptions, refused('Not today.'))] });
    expect(textOf(await machineType())).toBe('RM30 (30kg)');
    await user.click(await machineType());
    await expect.poll(offered).toEqual(['RM15 (15kg)', 'RM30 (30kg)', 'RM7 (7kg)']);
  });

  it('shows the server’s refusal of a duplicate serial number [P27]', async () => {
    const taken = refused('Another machine has this serial number.', 'already_exists');
    const { fill, user } = await openPortal('/machines', { answers: [answer(registerMachine, taken)] });
    await user.click(await screen.findByRole('button', { name: 'Add Machine' }));
    const form = within(await screen.findByRole('dialog', { name: 'Register New Machine' }));
    await fill(input('Serial Number'), 'PRB-P25-0042');
    await fill(input('Display Name'), 'A twin');
    await user.click(form.getByRole('button', { name: 'Register Machine' }));
    expect(textOf(await form.findByRole('alert'))).toMatch(/serial number/i);
    expect(input('Display Name').value, 'nothing typed is lost').toBe('A twin');
  });

  describe('as a separate page', () => {
    afterEach(() => vi.unstubAllGlobals());
    it('works as a separate page too [P33 P73 P74 P81]', async () => {
      const { fill, server, user } = await openPortal('/machines/register', {
        answers: [
          answer(registerMachine, registered),
          answer(getPairing, { ticket: null, credential: null }),
          answer(notePairingTicket, { noted: true }),
        ],
      });
      await user.click(await screen.findByRole('button', { name: 'Register Machine' }));
      await screen.findByText('Serial number is required');
      await fill(input('Serial Number'), 'GIE-W6-0007');
      await fill(input('Display Name'), 'Giesen W6');
      await user.click(await machineType());
      await user.click(await screen.findByRole('option', { name: 'RM7 (7kg)' }));
      await user.click(screen.getByRole('button', { name: 'Register Machine' }));
      await screen.findByRole('heading', { name: 'Machine Registered Successfully!' });
      screen.getByText('Device Configuration');
      expect(server.requests.find(({ endpoint }) => endpoint === 'registerMachine')?.body).toMatchObject({
        serial_number: 'GIE-W6-0007',
        machine_type: 'RM7',
        max_capacity_kg: 7,
      });
      // As on a page without TLS, where browsers offer no clipboard.
      vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue(undefined as never);
      await user.click(screen.getByRole('button', { name: 'Copy pairing code' }));
      await screen.findByText('Failed to copy to clipboard');
      await user.click(screen.getByRole('link', { name: 'View Machines' }));
      await expect.poll(() => location.pathname).toBe('/machines');
    });
  });
});

describe('the machines of a roastery', () => {
  it('can be edited, except for the serial number [P29 P71 P72 P80]', async () => {
    const { fill, server, user } = await openPortal('/machines', {
      answers: [answer(updateMachine, machine({ display_name: 'Big Probat' }))],
    });
    await user.click(await screen.findByRole('button', { name: 'Edit Probat P25' }));
    const form = within(await screen.findByRole('dialog', { name: 'Edit Machine' }));
    expect(input('Serial Number').readOnly).toBe(true);
    await fill(input('Display Name'), ' ');
    await fill(input('Max Capacity'), '0.05');
    await user.click(form.getByRole('button', { name: 'Save Changes' }));
    await form.findByText('Display name is required');
    form.getByText('Capacity must be at least 0.1 kg');
    await fill(input('Display Name'), 'Big Probat');
    await fill(input('Max Capacity'), '25');
    server.answer(answer(listMachines, [machine({ display_name: 'Big Probat' })]));
    await user.click(form.getByRole('button', { name: 'Save Changes' }));
    await screen.findByText('Machine updated successfully!');
    await screen.findByRole('heading', { name: 'Big Probat' });
  });

  it.each([
    ['deleted', { message: 'Giesen W6 was deleted.', archived: false }, 'Giesen W6 was deleted.'],
    [
      'archived',
      { message: 'Giesen W6 was archived.', archived: true },
      'Machine archived instead of deleted to preserve roast history.',
    ],
  ])('are %s after the document’s confirmation [P68 P78 P89]', async (_what, outcome, says) => {
    const giesen = machine({ display_name: 'Giesen W6' });
    const { server, user } = await openPortal('/machines', {
      answers: [answer(listMachines, [giesen]), answer(deleteMachine, outcome)],
    });
    await user.click(await screen.findByRole('button', { name: 'Delete Giesen W6' }));
    const question = await screen.findByRole('alertdialog');
    expect(textOf(question)).toContain('Delete Giesen W6? This action cannot be undone if the machine has no roasts.');
    server.answer(answer(listMachines, []));
    await user.click(within(question).getByRole('button', { name: 'Delete' }));
    await screen.findByText(says);
    screen.getByText(outcome.message);
    await screen.findByText('No machines registered');
  });

  it('are the user’s own, without their owners [P22 P25 P133]', async () => {
    await openPortal('/machines');
    const card = (await screen.findByRole('heading', { name: 'Probat P25' })).closest('li') ?? document.body;
    expect(textOf(card)).not.toContain('Ana Restrepo');
    expect(screen.queryByText(/^Admin View/)).toBeNull();
  });

  it('are all of them with their owners for an admin [P22 P25 P133]', async () => {
    await openPortal('/machines', { as: admin });
    screen.getByRole('heading', { level: 1, name: 'All Machines' });
    screen.getByText('Admin View: Viewing all machines from all users');
    const card = (await screen.findByRole('heading', { name: 'Probat P25' })).closest('li') ?? document.body;
    expect(textOf(card)).toMatch(/PRB-P25-0042.*Ana Restrepo.*30 kg/);
  });
});

describe('a machine that does not answer its board', () => {
  const silent = {
    connection: 'online',
    silent_since: '2026-05-04T18:46:00.000Z',
    address: '192.168.0.20:502',
  } as const;
  const sentence = 'The machine does not answer: 192.168.0.20:502, since 05/04/2026 - 06:46 PM';

  it('says so on its card instead of Online, with the way to its settings for those who may change them', async () => {
    await openPortal('/machines', { answers: [answer(listMachines, [machine(silent)])] });
    await screen.findByText(sentence);
    const card = within(screen.getByRole('heading', { name: 'Probat P25' }).closest('li') ?? document.body);
    card.getByText(sentence);
    card.getByRole('button', { name: 'Check the settings of Probat P25' });
    expect(card.queryByText('Online')).toBeNull();
    await openPortal('/machines', { answers: [answer(listMachines, [machine({ ...silent, role: 'viewer' })])] });
    await screen.findByText(sentence);
    expect(screen.queryByRole('button', { name: 'Check the settings of Probat P25' })).toBeNull();
  });

  it('has its settings opened by a link, and closed with the address of the list', async () => {
    const board: BoardConfig = {
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
      },
      revision: 1,
      changed_at: null,
      state: 'none',
      reason: null,
      running_map: null,
    };
    const { user } = await openPortal(`/machines?settings=${machine().id}`, {
      answers: [answer(getMachine, machine(silent)), answer(getBoardConfig, board)],
    });
    const dialog = await screen.findByRole('dialog');
    expect(textOf(dialog)).toContain('Probat P25');
    await user.keyboard('{Escape}');
    await expect.poll(() => location.search).toBe('');
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  });
});
