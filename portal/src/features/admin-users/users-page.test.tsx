import { listMachines } from '@roastery/contract/machines';
import { createUser, listUsers } from '@roastery/contract/users';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { admin, ana, idOf, machine } from '../../testing/records.ts';
import { answer, refused } from '../../testing/table-server.ts';

const kofi = { ...ana, id: idOf(3), full_name: 'Kofi Mensah', email: 'kofi@roastery.example' };

describe('the users page', () => {
  it('creates a user, whose credentials are shown once [P123 P124 P125 P189 P199]', async () => {
    const { fill, server, user } = await openPortal('/admin/users', {
      as: admin,
      answers: [answer(listUsers, { users: [admin, ana], total: 2 })],
    });
    await screen.findByText('2 users in total');
    await user.click(screen.getByRole('button', { name: 'Create User' }));
    const form = within(await screen.findByRole('dialog', { name: 'Create User' }));
    form.getByText('At least 8 characters: uppercase, lowercase, number');
    const create = () => user.click(form.getByRole('button', { name: 'Create User' }));
    await create();
    await form.findByText('Full name is required');
    form.getByText('Enter an email address');
    await fill(form.getByLabelText(/^Full Name/), 'K'.repeat(121));
    await create();
    await form.findByText('At most 120 characters');
    await fill(form.getByLabelText(/^Full Name/), 'Kofi Mensah');
    await fill(form.getByLabelText(/^Email/), ana.email);
    await user.click(form.getByRole('button', { name: 'Generate password' }));
    server.answer(answer(createUser, refused('A user with this email already exists.', 'already_exists')));
    await create();
    await form.findByText('A user with this email already exists.');
    await fill(form.getByLabelText(/^Email/), kofi.email);
    const password = form.getByLabelText<HTMLInputElement>(/^Password/).value;
    server.answer(answer(createUser, kofi), answer(listUsers, { users: [admin, ana, kofi], total: 3 }));
    await create();
    const once = within(await screen.findByRole('dialog', { name: 'User created' }));
    once.getByText("Save these credentials - password won't be shown again!");
    once.getByText(kofi.email);
    once.getByText(password);
    await user.keyboard('{Escape}');
    const question = await screen.findByRole('alertdialog', { name: 'Close the credentials of Kofi Mensah?' });
    await user.click(within(question).getByRole('button', { name: 'Back' }));
    once.getByText(password);
    await user.click(once.getByRole('button', { name: 'Done' }));
    await screen.findByText('3 users in total');
    await expect.poll(() => screen.queryByText(password)).toBeNull();
    const row = screen.getByText(kofi.email).closest('tr') ?? document.body;
    const cells = within(row).getAllByRole('cell').map(textOf);
    expect(cells).toEqual(expect.arrayContaining(['Kofi Mensah', kofi.email, 'Active', 'User']));
  });

  it('gives a new user one role on all machines, and another on one of them', async () => {
    const [probat, loring] = [machine(), machine({ id: idOf(12), serial_number: 'LOR-S15', display_name: 'Loring' })];
    const { fill, server, user } = await openPortal('/admin/users', {
      as: admin,
      answers: [
        answer(listUsers, { users: [admin], total: 1 }),
        answer(listMachines, [probat, loring]),
        answer(createUser, kofi),
      ],
    });
    await user.click(await screen.findByRole('button', { name: 'Create User' }));
    const form = within(await screen.findByRole('dialog', { name: 'Create User' }));
    const onAll = () => form.getByRole('combobox', { name: /^Role on all machines/ });
    const choose = async (box: HTMLElement, role: string) => {
      await user.click(box);
      // The list of the box before may still be closing.
      const list = () => document.getElementById(box.getAttribute('aria-controls') ?? '');
      await expect.poll(list).not.toBeNull();
      await user.click(within(list() ?? document.body).getByRole('option', { name: role }));
    };
    await form.findByText('All machines');
    expect(textOf(onAll())).toContain('No access');
    await choose(onAll(), 'Roaster');
    await expect.poll(() => textOf(onAll())).toContain('Roaster');
    await choose(form.getByRole('combobox', { name: /^Role on Loring/ }), 'Viewer');
    await expect.poll(() => textOf(onAll())).toContain('Various');
    await fill(form.getByLabelText(/^Full Name/), kofi.full_name);
    await fill(form.getByLabelText(/^Email/), kofi.email);
    await user.click(form.getByRole('button', { name: 'Generate password' }));
    await user.click(form.getByRole('button', { name: 'Create User' }));
    await screen.findByRole('dialog', { name: 'User created' });
    const sent = server.requests.find(({ endpoint }) => endpoint === 'createUser')?.body;
    expect(sent).toMatchObject({
      machines: expect.arrayContaining([
        { machine_id: probat.id, role: 'roaster' },
        { machine_id: loring.id, role: 'viewer' },
      ]),
    });
  });
});
