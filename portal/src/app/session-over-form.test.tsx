import { login, logout } from '@roastery/contract/auth';
import { createLot } from '@roastery/contract/inventory';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, type OpenedPortal } from '../testing/open-portal.tsx';
import { admin, ana, lot } from '../testing/records.ts';
import { answer, refused } from '../testing/table-server.ts';

const typed = 'Washed station lot';
const coffeeName = () => screen.getByLabelText<HTMLInputElement>(/^Coffee name/);

/** A lot form with input, whose save finds that the session is over. */
const typeAndLoseSession = async (): Promise<OpenedPortal> => {
  const over = refused('Sign in first.', 'not_signed_in');
  const portal = await openPortal('/inventory/lots/new', { answers: [answer(createLot, over)] });
  await portal.fill(await screen.findByLabelText(/^Lot number/), 'KEPT-1');
  await portal.fill(coffeeName(), typed);
  await portal.fill(screen.getByRole('combobox', { name: 'Origin' }), 'Peru');
  await portal.fill(screen.getByLabelText(/^Initial weight/), '60');
  await portal.user.click(screen.getByRole('button', { name: 'Save Lot' }));
  await screen.findByRole('dialog', { name: 'Sign in again' });
  return portal;
};
const dialog = () => within(screen.getByRole('dialog', { name: 'Sign in again' }));
const signIn = async ({ fill, user }: OpenedPortal): Promise<void> => {
  await fill(dialog().getByLabelText('Password'), 'washed lots of Huila 12');
  await user.click(dialog().getByRole('button', { name: 'Login' }));
};
const isClosed = () => expect.poll(() => screen.queryByRole('dialog', { name: 'Sign in again' })).toBeNull();

describe('a session that ends over a form', () => {
  it('keeps the input while the same user signs in over it', async () => {
    const portal = await typeAndLoseSession();
    portal.server.answer(answer(login, refused('Email or password is wrong.', 'wrong_credentials')));
    await signIn(portal);
    await dialog().findByText('Email or password is wrong.');
    portal.server.answer(answer(login, { user: ana }), answer(createLot, lot()));
    await signIn(portal);
    await isClosed();
    expect(coffeeName().value).toBe(typed);
    await portal.user.click(screen.getByRole('button', { name: 'Save Lot' }));
    await expect.poll(() => location.pathname).toBe('/inventory');
  });

  it('reloads the page for another user', async () => {
    const portal = await typeAndLoseSession();
    portal.server.answer(answer(login, { user: { ...admin, is_admin: false, full_name: 'Noor Haddad' } }));
    await signIn(portal);
    await isClosed();
    await expect.poll(() => coffeeName().value).toBe('');
    expect(screen.getByText('Noor Haddad')).toBeDefined();
  });

  it('leads to the sign-in when the user discards the form', async () => {
    const { server, user } = await typeAndLoseSession();
    server.answer(answer(logout, { message: 'Signed out' }));
    await user.click(dialog().getByRole('button', { name: 'Cancel' }));
    const question = await screen.findByRole('alertdialog', { name: 'Leave without saving?' });
    await user.click(within(question).getByRole('button', { name: 'Close' }));
    await expect.poll(() => location.pathname).toBe('/login');
  });
});
