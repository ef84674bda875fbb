import { login, logout, me } from '@roastery/contract/auth';
import { putMark } from '@roastery/contract/roast-marks';
import { listRoasts } from '@roastery/contract/roasts';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { reportStatus } from '../api/reachability.ts';
import { openPortal, textOf, type OpenedPortal } from '../testing/open-portal.tsx';
import { admin, ana, idOf, roast } from '../testing/records.ts';
import { answer, broken, noAnswer, noNetwork, refused, type TableServer } from '../testing/table-server.ts';

const signIn = async ({ fill, user }: OpenedPortal, email = ana.email): Promise<void> => {
  await fill(await screen.findByLabelText('Email'), email);
  await fill(screen.getByLabelText('Password'), 'washed lots of Huila 12');
  await user.click(screen.getByRole('button', { name: 'Login' }));
};

describe('signing in', () => {
  it('shows Loading until the session is checked [P1 P8 P9 P65]', async () => {
    await openPortal('/dashboard', { answers: [answer(me, noAnswer)] });
    expect(textOf(await screen.findByRole('status'))).toBe('Loading');
  });

  it('shows the product’s texts [P1 P8 P9 P65]', async () => {
    await openPortal('/dashboard', { as: null });
    await expect.poll(() => location.pathname).toBe('/login');
    expect(textOf(screen.getByRole('main'))).toContain('Coffee Roast Management');
    expect(textOf(screen.getByRole('contentinfo'))).toBe('Intelligent Roasting Management System');
    expect(screen.getByLabelText('Email').getAttribute('type')).toBe('email');
    expect(screen.getByLabelText('Password').getAttribute('type')).toBe('password');
  });

  it('reports missing fields one by one before it calls the server [P9 P70]', async () => {
    const { fill, user, server } = await openPortal('/login', { as: null });
    await user.click(screen.getByRole('button', { name: 'Login' }));
    await screen.findByText('Email is required');
    screen.getByText('Password is required');
    await fill(screen.getByLabelText('Email'), 'ana at roastery');
    await expect.poll(() => screen.queryByText('Email is required')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Login' }));
    await screen.findByText('Enter an email address');
    expect(server.requests.map(({ endpoint }) => endpoint)).not.toContain('login');
  });

  it('refuses a wrong password with the sentence of the server, and is busy until the next answer', async () => {
    const wrong = refused('Email or password is wrong.', 'wrong_credentials');
    const portal = await openPortal('/login', { as: null, answers: [answer(login, wrong)] });
    await signIn(portal);
    expect(textOf(await screen.findByRole('alert'))).toBe('Email or password is wrong.');
    portal.server.answer(answer(login, noAnswer));
    await portal.user.click(screen.getByRole('button', { name: 'Login' }));
    await screen.findByRole('button', { name: 'Logging in...' });
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('continues to the requested page [P5]', async () => {
    const portal = await openPortal('/machines?sort=name', { as: null, answers: [answer(login, { user: ana })] });
    await expect.poll(() => location.pathname).toBe('/login');
    await signIn(portal);
    await screen.findByRole('heading', { level: 1, name: 'My Machines' });
    await expect.poll(() => `${location.pathname}${location.search}`).toBe('/machines?sort=name');
  });

  it.each(['/login', '/'])('leads from %s to the dashboard if already signed in [P5]', async (address) => {
    await openPortal(address);
    await screen.findByRole('heading', { level: 1, name: 'Welcome back, Ana Restrepo' });
    await expect.poll(() => location.pathname).toBe('/dashboard');
  });

  it('reports an unreachable server [P76]', async () => {
    const portal = await openPortal('/login', { as: null, answers: [answer(login, noNetwork)] });
    await signIn(portal);
    expect(textOf(await screen.findByRole('alert'))).toBe('Login failed');
    await screen.findByTestId('offline');
  });
});

const addresses = [
  '/dashboard',
  '/machines',
  '/machines/register',
  '/roasts',
  '/roasts/new',
  '/inventory',
  '/recipes',
  '/recipes/new',
  '/analytics',
  '/admin/users',
  '/admin/stats',
  '/admin/settings',
];

const owedKey = 'roastery:sign-out-owed';
const namesOf = (server: TableServer): string[] => server.requests.map(({ endpoint }) => endpoint);
/** The server ends the session: afterwards there is none. */
const endsWith = (server: TableServer) => [
  answer(logout, { message: 'Signed out' }),
  answer(me, () => (namesOf(server).includes('login') ? admin : refused('Sign in to continue.', 'not_signed_in'))),
];

const mark = (userId: string, kind: string) => ({
  userId,
  userName: userId,
  roastId: idOf(21),
  kind,
  time_seconds: 480,
  temp: 198,
});

describe('a session', () => {
  it.each(addresses)('is required: %s leads to /login without one [P6]', async (address) => {
    await openPortal(address, { as: null });
    await expect.poll(() => location.pathname).toBe('/login');
  });

  it('leads to /login when it can’t be checked [P67 P166 P168 P169]', async () => {
    await openPortal('/machines', { answers: [answer(me, broken())] });
    await expect.poll(() => location.pathname).toBe('/login');
    await expect.poll(() => location.search).toBe('?next=%2Fmachines');
  });

  it.each(['/admin/users', '/admin/stats', '/admin/settings', '/admin/devices', '/admin/audit'])(
    'of an ordinary user is redirected from %s to the dashboard [P2 P7 P11 P12 P13 P131 P132 P133]',
    async (address) => {
      await openPortal(address);
      await expect.poll(() => location.pathname).toBe('/dashboard');
    },
  );

  it('signs out with Logout', async () => {
    const { user } = await openPortal('/roasts', { answers: [answer(logout, { message: 'Signed out' })] });
    await user.click(screen.getByRole('button', { name: 'Logout' }));
    await screen.findByRole('button', { name: 'Login' });
    await expect.poll(() => location.pathname).toBe('/login');
  });

  it('signs out with Logout even if the server can’t be reached [P66 P166 P168 P169]', async () => {
    const { user, logged, server } = await openPortal('/roasts', { answers: [answer(logout, noNetwork)] });
    await user.click(screen.getByRole('button', { name: 'Logout' }));
    await screen.findByRole('button', { name: 'Login' });
    expect(logged.join('\n')).toContain('logout request failed');
    server.answer(...endsWith(server));
    reportStatus(200);
    await expect.poll(() => namesOf(server).at(-1)).toBe('me');
    expect(namesOf(server).slice(-2)).toEqual(['logout', 'me']);
    screen.getByRole('button', { name: 'Login' });
  });

  it('does not continue after a reload while a sign-out is owed, which is sent first', async () => {
    localStorage.setItem(owedKey, 'yes');
    const portal = await openPortal('/roasts', { answers: [answer(logout, noNetwork)] });
    const { server } = portal;
    await screen.findByRole('button', { name: 'Login' });
    expect(namesOf(server)).toEqual(['logout']);
    server.answer(...endsWith(server), answer(login, { user: admin }));
    await signIn(portal, admin.email);
    await expect.poll(() => location.pathname).toBe('/roasts');
    expect(namesOf(server).filter((name) => name === 'logout' || name === 'login')).toEqual([
      'logout',
      'logout',
      'login',
    ]);
    expect(localStorage.getItem(owedKey)).toBeNull();
  });

  it('ends in every tab of the browser', async () => {
    await openPortal('/roasts');
    dispatchEvent(new StorageEvent('storage', { key: owedKey, newValue: 'yes' }));
    await screen.findByRole('button', { name: 'Login' });
    await expect.poll(() => location.pathname).toBe('/login');
  });

  it('leaves no reads of the last moments to a person who signs in at once', async () => {
    const portal = await openPortal('/dashboard', {
      answers: [answer(logout, { message: 'Signed out' }), answer(login, { user: admin })],
      dedupes: true,
    });
    await screen.findAllByText('Huila');
    portal.server.answer(answer(listRoasts, { roasts: [roast({ coffee_name: 'Guji' })], total: 1 }));
    await portal.user.click(screen.getByRole('button', { name: 'Logout' }));
    await signIn(portal, admin.email);
    await screen.findAllByText('Guji');
    expect(screen.queryAllByText('Huila')).toEqual([]);
  });

  it('leaves no titles of pages in the browser', async () => {
    const key = `recent-pages-${ana.id}`;
    localStorage.setItem(key, JSON.stringify([{ path: `/roasts/${idOf(5)}`, title: 'Guji for the Café Sol' }]));
    const { user } = await openPortal('/roasts', { answers: [answer(logout, { message: 'Signed out' })] });
    await user.click(screen.getByRole('button', { name: 'Logout' }));
    await screen.findByRole('button', { name: 'Login' });
    expect(localStorage.getItem(key)).toBeNull();
  });

  it('sends a queued mark only in the name of the person who set it', async () => {
    const key = `pendingMarks:${idOf(11)}`;
    localStorage.setItem(key, JSON.stringify([mark(ana.id, 'first_crack'), mark(admin.id, 'first_crack_end')]));
    const { server } = await openPortal('/roasts', {
      as: admin,
      answers: [answer(putMark, refused('The roast is over.'))],
    });
    dispatchEvent(new StorageEvent('storage', { key }));
    await expect.poll(() => namesOf(server)).toContain('putMark');
    await expect
      .poll(() => JSON.parse(localStorage.getItem(key) ?? '[]') as unknown)
      .toMatchObject([mark(ana.id, 'first_crack')]);
    const sent = server.requests.filter(({ endpoint }) => endpoint === 'putMark');
    expect(sent.map(({ params }) => params)).toEqual([{ id: idOf(21), kind: 'first_crack_end' }]);
  });
});

const main = () => within(screen.getAllByRole('navigation', { name: 'Main' })[0] ?? document.body);

describe('the frame around every page', () => {
  it('says the roastery’s time zone where the device has another time', async () => {
    await openPortal('/dashboard', { as: { ...ana, roastery_time_zone: 'Pacific/Apia' } });
    await screen.findByText('Times are of Pacific/Apia');
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    await openPortal('/dashboard', { as: { ...ana, roastery_time_zone: timeZone } });
    await screen.findByRole('heading', { name: /^Welcome back/ });
    expect(screen.queryByText(/^Times are of/)).toBeNull();
  });

  it('has the links of the document [P2 P7 P11 P12 P13 P131 P133]', async () => {
    // A roast in the list would name her too.
    await openPortal('/roasts', { answers: [answer(listRoasts, { roasts: [], total: 0 })] });
    const links = main().getAllByRole('link').map(textOf);
    expect(links.slice(0, 5)).toEqual(['Dashboard', 'Machines', 'Roasts', 'Recipes', 'Inventory']);
    expect(main().queryByText('Admin')).toBeNull();
    screen.getAllByText('Roasting Management');
    screen.getByText('Ana Restrepo');
    screen.getByText('User');
  });

  it('has for admins three more [P2 P7 P11 P12 P13 P131 P133]', async () => {
    await openPortal('/roasts', { as: admin });
    main().getByRole('heading', { name: 'Admin' });
    const links = main()
      .getAllByRole('link')
      .map((link) => link.getAttribute('href'));
    // The document's three; later ones are among them.
    const wanted = ['/admin/users', '/admin/stats', '/admin/settings'];
    expect(links.filter((href) => wanted.includes(href ?? ''))).toEqual(wanted);
    screen.getByText('Administrator');
  });

  it('shows the email of a user without a full name, and greets them by the part before the at-sign [P13 P15]', async () => {
    await openPortal('/dashboard', { as: { ...ana, full_name: '' } });
    await screen.findByRole('heading', { name: 'Welcome back, ana' });
    expect(screen.getByText('ana@roastery.example')).toBeDefined();
  });
});
