import { createUser, listUsers } from '@roastery/contract/users';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { admin, ana, idOf } from '../../testing/records.ts';
import { answer, refused } from '../../testing/table-server.ts';

const kofi = { ...ana, id: idOf(3), full_name: 'Kofi Mensah', email: 'kofi@roastery.example' };

describe('the users page', () => {
  it('creates a user, whose credentials are shown once', async () => {
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
});
