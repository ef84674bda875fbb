import {
  changePassword,
  endSession,
  listSessions,
  login,
  logout,
  preferencesShape,
  updatePreferences,
  type Preferences,
} from '@roastery/contract/auth';
import { getPush, subscribePush } from '@roastery/contract/push';
import { confirmPinLocks, getPin } from '@roastery/contract/roasters';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { ana, idOf } from '../../testing/records.ts';
import { answer, refused } from '../../testing/table-server.ts';

const here = {
  id: idOf(71),
  created_at: ana.created_at,
  last_seen_at: ana.created_at,
  address: null,
  user_agent: null,
  is_current: true,
};
const answers = [
  answer(listSessions, { sessions: [here] }),
  answer(getPin, { is_set: false, locked: null }),
  answer(getPush, { public_key: 'key', devices: [] }),
];
const inRegion = (date_language: string) => ({ ...ana, preferences: { ...ana.preferences, date_language } });

describe('the account', () => {
  it.each([null, ''])('pages: show the email where the server’s responses have no name: %j', async (full_name) => {
    await openPortal('/account', { as: { ...ana, full_name }, answers });
    expect(await screen.findByRole('heading', { name: ana.email })).toBeDefined();
  });

  it.each([
    [
      'fi',
      /^Dates and numbers: \d\d [A-Z][a-z]{2} 20\d\d, \d\d\.\d\d\.20\d\d - \d\d:\d\d, 1\s234,5\. Weeks begin on Monday\.$/,
    ],
    [
      'ja',
      /^Dates and numbers: 20\d\d [A-Z][a-z]{2} \d\d, 20\d\d\/\d\d\/\d\d - \d\d:\d\d, 1,234\.5\. Weeks begin on Sunday\.$/,
    ],
  ])('formats the dates of %s with the name of the month', async (region, text) => {
    await openPortal('/account', { as: inRegion(region), answers });
    expect(textOf(await screen.findByText(/^Dates and numbers: /))).toMatch(text);
  });

  it('changes the password when the current one is known [P214]', async () => {
    const wrong = refused('The current password is wrong.', 'wrong_credentials');
    const { fill, server, user } = await openPortal('/account', {
      answers: [...answers, answer(changePassword, wrong)],
    });
    const form = within(await screen.findByRole('region', { name: 'Password' }));
    const change = () => user.click(form.getByRole('button', { name: 'Change password' }));
    await change();
    await form.findByText('Current password is required');
    form.getByText('Use at least 8 characters');
    await fill(form.getByLabelText(/^Current password/), 'not this one at all');
    await fill(form.getByLabelText(/^New password/), 'three drums and a cooler 8');
    await fill(form.getByLabelText(/^Repeat new password/), 'three drums and a cooler');
    await change();
    await form.findByText('The passwords don’t match');
    await fill(form.getByLabelText(/^Repeat new password/), 'three drums and a cooler 8');
    await change();
    await form.findByText('The current password is wrong.');
    server.answer(answer(changePassword, { message: 'Your password was changed. Other sessions have ended.' }));
    await change();
    await screen.findByText('Your password was changed. Other sessions have ended.');
    await expect.poll(() => form.getByLabelText<HTMLInputElement>(/^Current password/).value).toBe('');
  });

  it('stores preferences in order, and an earlier response reverts none', async () => {
    const waiting: ((preferences: Preferences) => void)[] = [];
    const { server, user } = await openPortal('/account', {
      answers: [...answers, answer(updatePreferences, () => new Promise((resolve) => waiting.push(resolve)))],
    });
    const weight = within(await screen.findByRole('radiogroup', { name: 'Weight' }));
    const isChosen = (name: string) => weight.getByRole('radio', { name }).getAttribute('aria-checked');
    for (const name of ['lb', 'kg', 'lb']) await user.click(weight.getByRole('radio', { name }));
    const sent = () =>
      server.requests.filter(({ endpoint }) => endpoint === 'updatePreferences').map(({ body }) => body);
    for (const [at, weight_unit] of (['lb', 'kg', 'lb'] as const).entries()) {
      await expect.poll(sent).toHaveLength(at + 1);
      expect(sent().at(-1)).toEqual({ weight_unit });
      expect(isChosen('lb')).toBe('true');
      waiting[at]?.({ ...ana.preferences, weight_unit });
    }
    await expect.poll(() => server.isIdle).toBe(true);
    expect(isChosen('lb')).toBe('true');
  });
});

/** A browser that can show notifications, with its subscription, if it has one. */
const withPush = (permission: NotificationPermission, subscription: object | null): void => {
  const registration = { pushManager: { getSubscription: () => Promise.resolve(subscription) } };
  Object.defineProperty(navigator, 'serviceWorker', {
    configurable: true,
    value: { getRegistration: () => Promise.resolve(registration) },
  });
  vi.stubGlobal('PushManager', {});
  vi.stubGlobal('Notification', { permission });
  onTestFinished(() => {
    vi.unstubAllGlobals();
    Reflect.deleteProperty(navigator, 'serviceWorker');
  });
};

const shown = (text: string) => expect.poll(() => textOf(screen.getByRole('main'))).toContain(text);

describe('units, theme and region', () => {
  it('are stored as they are chosen, and apply at once', async () => {
    let { preferences } = ana;
    const stored = answer(
      updatePreferences,
      ({ body }) => (preferences = preferencesShape.parse({ ...preferences, ...body })),
    );
    const { user } = await openPortal('/account', { answers: [...answers, stored] });
    const choose = (name: string) => user.click(screen.getByRole('radio', { name }));
    await shown('Example drop: 204.5 °C');
    await choose('°F');
    await shown('Example drop: 400.1 °F');
    await shown('Example rate: 14.8 °F/min');
    await choose('°F/30 s');
    await shown('Example rate: 7.4 °F/30 s');
    await shown('Example batch: 12.5 kg');
    await choose('lb');
    await shown('Example batch: 27.6 lb');
    await choose('Dark');
    await expect.poll(() => document.documentElement.dataset['theme']).toBe('dark');
    await user.click(screen.getByRole('combobox', { name: 'Region' }));
    await user.click(await screen.findByRole('option', { name: /Brazil/ }));
    await screen.findByText(
      /^Dates and numbers: \d\d [A-Z][a-z]{2} 20\d\d, \d\d\/\d\d\/20\d\d - \d\d:\d\d, 1\.234,5\. Weeks begin on Sunday\.$/,
    );
    await expect
      .poll(() => preferences)
      .toEqual({
        temperature_unit: 'F',
        rate_unit: 'per_30_seconds',
        weight_unit: 'lb',
        theme: 'dark',
        date_language: 'pt-BR',
      });
  });

  it('of the account apply on every device', async () => {
    const preferences = { ...ana.preferences, temperature_unit: 'F', weight_unit: 'lb', theme: 'dark' } as const;
    await openPortal('/account', { as: { ...ana, preferences: { ...preferences, date_language: 'pt-BR' } }, answers });
    await shown('Example drop: 400,1 °F');
    await shown('Example batch: 27,6 lb');
    await expect.poll(() => document.documentElement.dataset['theme']).toBe('dark');
  });
});

describe('sessions', () => {
  it('are ended one by one, and all others at once', async () => {
    let sessions = [here, ...[72, 73, 74].map((n) => ({ ...here, id: idOf(n), is_current: false }))];
    const { user } = await openPortal('/account', {
      answers: [
        ...answers,
        answer(listSessions, () => ({ sessions })),
        answer(endSession, ({ params: { id } }) => {
          sessions = sessions.filter((one) => one.id !== id);
          return { message: 'The session has ended.' };
        }),
      ],
    });
    const rows = within(await screen.findByRole('list', { name: 'Sessions' }));
    const ends = () => rows.queryAllByRole('button', { name: /^End session/ });
    const press = async (button: HTMLElement) => {
      await user.click(button);
      await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'End' }));
    };
    // The present one has Logout.
    await expect.poll(() => [rows.getAllByRole('listitem').length, ends().length]).toEqual([4, 3]);
    expect(textOf(rows.getAllByRole('listitem')[0] ?? document.body)).toContain('This device');
    await press(ends()[0] ?? document.body);
    await screen.findByText('The session has ended');
    await expect.poll(() => sessions.map(({ id }) => id)).toEqual([here.id, idOf(73), idOf(74)]);
    await press(await screen.findByRole('button', { name: 'End all other sessions (2)' }));
    await screen.findByText('2 sessions have ended');
    await expect.poll(() => sessions).toEqual([here]);
    await expect.poll(() => ends().length).toBe(0);
  });
});

describe('alarms on phones', () => {
  it('are shown as blocked where the browser does not allow them', async () => {
    withPush('denied', null);
    await openPortal('/account', { answers });
    expect(await screen.findByText(/^Notifications of this portal are blocked in this browser\./)).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Send alarms to this browser' })).toBeNull();
  });

  it('are offered where the browser can receive them', async () => {
    withPush('default', null);
    await openPortal('/account', { answers });
    expect(await screen.findByRole('button', { name: 'Send alarms to this browser' })).toBeDefined();
  });

  it.each([
    ['continue when their person signs in again', ana.id, 'endpoint'],
    ['end when another person signs in', idOf(99), undefined],
  ])('%s', async (_what, person, endpoint) => {
    const unsubscribe = vi.fn<() => Promise<boolean>>(() => Promise.resolve(true));
    withPush('granted', { endpoint: 'https://push.example/1', getKey: () => new ArrayBuffer(4), unsubscribe });
    localStorage.setItem('push-person', person);
    const registered = {
      id: idOf(72),
      endpoint: 'https://push.example/1',
      user_agent: null,
      created_at: ana.created_at,
    };
    const { fill, server, user } = await openPortal('/login', {
      as: null,
      answers: [...answers, answer(login, { user: ana }), answer(subscribePush, registered)],
    });
    await fill(await screen.findByLabelText(/^Email/), ana.email);
    await fill(screen.getByLabelText(/^Password/), 'three drums and a cooler');
    await user.click(screen.getByRole('button', { name: 'Login' }));
    const sent = () => server.requests.filter((request) => request.endpoint === 'subscribePush');
    const isContinued = () => sent().length === 1 && localStorage.getItem('push-person') === ana.id;
    const isEnded = () => unsubscribe.mock.calls.length === 1 && localStorage.getItem('push-person') === null;
    await expect.poll(endpoint === undefined ? isEnded : isContinued).toBe(true);
    expect([isContinued(), isEnded()]).toEqual([endpoint !== undefined, endpoint === undefined]);
  });

  it('end in the browser from which their user signs out', async () => {
    const unsubscribe = vi.fn<() => Promise<boolean>>(() => Promise.resolve(true));
    withPush('granted', { endpoint: 'https://push.example/1', unsubscribe });
    const { user } = await openPortal('/dashboard', {
      answers: [...answers, answer(logout, { message: 'Signed out' })],
    });
    await user.click(await screen.findByRole('button', { name: 'Logout' }));
    await expect.poll(() => location.pathname).toBe('/login');
    await expect.poll(() => unsubscribe.mock.calls).toHaveLength(1);
  });
});

it('wrong PINs that locked the PIN are shown on every page, until the person dismisses it', async () => {
  const locked = { at: '2026-11-21T07:40:00.000Z', by: 'Rita', everywhere: false, wrong: 5 };
  const { server, user } = await openPortal('/dashboard', {
    answers: [answer(getPin, { is_set: true, locked }), answer(confirmPinLocks, { message: 'Confirmed.' })],
  });
  const notice = within(await screen.findByRole('region', { name: 'Your PIN was locked' }));
  expect(notice.getByText(/^Wrong PINs in the session of Rita, last .*15 minutes on that device\.$/)).toBeDefined();
  expect(notice.getByRole('link', { name: 'Change PIN' }).getAttribute('href')).toBe('/account');
  server.answer(answer(getPin, { is_set: true, locked: null }));
  await user.click(notice.getByRole('button', { name: 'Dismiss this notice' }));
  await user.click(notice.getByRole('button', { name: 'Dismiss' }));
  await expect.poll(() => screen.queryByRole('region', { name: 'Your PIN was locked' })).toBeNull();
  expect(server.requests.map(({ endpoint }) => endpoint)).toContain('confirmPinLocks');
});
