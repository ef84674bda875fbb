import { dismissAlert, listAlerts } from '@roastery/contract/alerts';
import { dismissMapUpdate, showMapUpdate } from '@roastery/contract/channel-check';
import { listMachines } from '@roastery/contract/machines';
import { createMachineAlarmRule, deleteMachineAlarmRule, listMachineAlarmRules } from '@roastery/contract/alarm-rules';
import { endSession, listSessions, type Session } from '@roastery/contract/auth';
import {
  listMachineMembers,
  listMemberCandidates,
  putMachineMember,
  removeMachineMember,
} from '@roastery/contract/members';
import { getPush, unsubscribePush } from '@roastery/contract/push';
import { confirmPinLocks, getPin, removePin } from '@roastery/contract/roasters';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, type OpenedPortal } from '../testing/open-portal.tsx';
import { admin, ana, idOf, machine } from '../testing/records.ts';
import { answer } from '../testing/table-server.ts';

const session = (n: number, over: Partial<Session> = {}): Session => ({
  id: idOf(n),
  created_at: ana.created_at,
  last_seen_at: ana.created_at,
  address: null,
  user_agent: null,
  is_current: false,
  ...over,
});
const done = { message: 'Done' };
const account = [
  answer(listSessions, { sessions: [session(71, { is_current: true }), session(72), session(73)] }),
  answer(getPin, { is_set: true, locked: null }),
  answer(getPush, {
    public_key: 'key',
    devices: [{ id: idOf(74), endpoint: 'https://push.example/2', user_agent: null, created_at: ana.created_at }],
  }),
  answer(endSession, done),
  answer(removePin, done),
  answer(unsubscribePush, done),
];

const question = async () => within(await screen.findByRole('alertdialog'));

describe('what takes something away on the account page', () => {
  it.each([
    { tap: /^Remove PIN/, confirm: 'Remove', endpoint: 'removePin', times: 1 },
    { tap: /^Turn off alarms on/, confirm: 'Turn off', endpoint: 'unsubscribePush', times: 1 },
    { tap: /^End all other sessions/, confirm: 'End', endpoint: 'endSession', times: 2 },
    { tap: /^End session/, confirm: 'End', endpoint: 'endSession', times: 1 },
  ])(
    'asks after a tap on $tap, and changes nothing when it is cancelled',
    async ({ tap, confirm, endpoint, times }) => {
      const { user, server } = await openPortal('/account', { answers: account });
      const sent = () => server.requests.filter((request) => request.endpoint === endpoint).length;
      const [button] = await screen.findAllByRole('button', { name: tap });
      if (button === undefined) throw new Error('no button');
      await user.click(button);
      await user.click((await question()).getByRole('button', { name: 'Cancel' }));
      await expect.poll(() => screen.queryByRole('alertdialog')).toBe(null);
      expect(sent()).toBe(0);
      await user.click(button);
      await user.click((await question()).getByRole('button', { name: confirm }));
      await expect.poll(sent).toBe(times);
    },
  );
});

const openDialog = async (user: OpenedPortal['user'], name: string) => {
  await user.click(await screen.findByRole('button', { name: `Actions for ${machine().display_name}` }));
  await user.click(await screen.findByRole('menuitem', { name }));
};
const undo = async () => screen.findByRole('button', { name: 'Undo' });

describe('what a machine loses', () => {
  it('a person who was removed comes back with their role by Undo', async () => {
    const vera = { user_id: idOf(81), full_name: 'Vera Lind', email: 'vera@roastery.example', is_active: true };
    const members = [{ ...vera, role: 'viewer' as const }];
    const { user, server } = await openPortal('/machines', {
      answers: [
        answer(listMachineMembers, { members, all_users: false }),
        answer(listMemberCandidates, { users: [] }),
        answer(removeMachineMember, done),
        answer(putMachineMember, { ...vera, role: 'viewer' }),
      ],
    });
    await openDialog(user, 'People');
    await user.click(await screen.findByRole('button', { name: 'Remove Vera Lind' }));
    await user.click(await undo());
    const put = () => server.requests.find(({ endpoint }) => endpoint === 'putMachineMember');
    await expect.poll(put).toMatchObject({ params: { user_id: vera.user_id }, body: { role: 'viewer' } });
  });

  it('an alarm that was deleted comes back by Undo', async () => {
    const body = {
      condition: { kind: 'temperature' as const, channel: 'bean_temp' as const, side: 'above' as const, temp_c: 225 },
      armed_after: 'charge' as const,
      message: 'Too hot',
      colour: 'red' as const,
      sound: true,
      push: false,
      is_enabled: false,
    };
    const rule = { ...body, id: idOf(82), revision: 3 };
    const { user, server } = await openPortal('/machines', {
      answers: [
        answer(listMachineAlarmRules, { rules: [rule] }),
        answer(deleteMachineAlarmRule, done),
        answer(createMachineAlarmRule, rule),
      ],
    });
    await openDialog(user, 'Alarms');
    await user.click(await screen.findByRole('button', { name: /^Edit.*Too hot/ }));
    await user.click(await screen.findByRole('button', { name: 'Delete' }));
    await user.click(await undo());
    const created = () => server.requests.find(({ endpoint }) => endpoint === 'createMachineAlarmRule')?.body;
    await expect.poll(created).toEqual(body);
  });
});

it('the notice about an update of a map comes back by Undo', async () => {
  const update = {
    map_id: 'rm30',
    from_rev: 1,
    to_rev: 2,
    exchanged: true,
    updated_at: ana.created_at,
    state: 'running' as const,
    reason: null,
  };
  const drum = (isRead: boolean) => machine({ map_update: isRead ? null : update });
  let isRead = false;
  const { user } = await openPortal('/machines', {
    answers: [
      answer(listMachines, () => [drum(isRead)]),
      answer(dismissMapUpdate, () => {
        isRead = true;
        return done;
      }),
      answer(showMapUpdate, () => {
        isRead = false;
        return done;
      }),
    ],
  });
  const notice = `Map of ${machine().display_name}`;
  await user.click(await screen.findByRole('button', { name: `Got it: map of ${machine().display_name}` }));
  await expect.poll(() => screen.queryByRole('region', { name: notice })).toBeNull();
  await user.click(await undo());
  await screen.findByRole('region', { name: notice });
});

it('settings that were typed and discarded come back by Undo', async () => {
  const { user, fill } = await openPortal('/admin/settings', { as: admin });
  const city = await screen.findByRole<HTMLInputElement>('textbox', { name: 'City' });
  await fill(city, 'Oslo');
  await user.click(screen.getByRole('button', { name: 'Discard' }));
  await expect.poll(() => city.value).toBe('');
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  await expect.poll(() => city.value).toBe('Oslo');
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save Settings' }).disabled).toBe(false);
});

describe('a notice on every page', () => {
  const alert = {
    lot_id: idOf(91),
    lot_number: 'G-1',
    coffee_name: 'Guji',
    current_weight: 18.9,
    raised_at: ana.created_at,
    recipes: ['House Espresso'],
  };
  const locked = { at: ana.created_at, by: 'Rita', everywhere: false, wrong: 5 };
  it.each([
    { tap: 'Dismiss this alert', endpoint: 'dismissAlert' },
    { tap: 'Dismiss this notice', endpoint: 'confirmPinLocks' },
  ])('asks after a tap on $tap, and stays when it is kept', async ({ tap, endpoint }) => {
    const { user, server } = await openPortal('/dashboard', {
      answers: [
        answer(listAlerts, { alerts: [alert] }),
        answer(getPin, { is_set: true, locked }),
        answer(dismissAlert, done),
        answer(confirmPinLocks, done),
      ],
    });
    const sent = () => server.requests.filter((request) => request.endpoint === endpoint).length;
    await user.click(await screen.findByRole('button', { name: tap }));
    const keep = await screen.findByRole('button', { name: 'Keep' });
    expect(document.activeElement).toBe(keep);
    await user.click(keep);
    expect(sent()).toBe(0);
    await user.click(await screen.findByRole('button', { name: tap }));
    await user.click(await screen.findByRole('button', { name: 'Dismiss' }));
    await expect.poll(sent).toBe(1);
  });
});
