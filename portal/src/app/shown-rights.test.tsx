import { listMachines } from '@roastery/contract/machines';
import { acknowledgeAlarm, type RoastAlarm } from '@roastery/contract/alarms';
import { screen, within } from '@testing-library/dom';
import { createRoot } from 'react-dom/client';
import { describe, expect, it } from 'vitest';
import { SessionProvider } from '../api/session.tsx';
import { AlarmBanner } from '../components/alarms/AlarmBanner.tsx';
import { openPortal } from '../testing/open-portal.tsx';
import { idOf, machine } from '../testing/records.ts';
import { answer } from '../testing/table-server.ts';

const roastId = idOf(41);
const at = (minute: number): string => `2026-05-04T09:${String(minute).padStart(2, '0')}:00.000Z`;
describe('a viewer of a machine is offered nothing that the server refuses', () => {
  it('among the machines of a new roast', async () => {
    const watched = machine({ id: idOf(12), display_name: 'Loring S35', role: 'viewer' });
    const { user } = await openPortal('/roasts/new', { answers: [answer(listMachines, [machine(), watched])] });
    await user.click(screen.getByRole('combobox', { name: 'Machine' }));
    await screen.findByRole('option', { name: /Probat P25/ });
    expect(screen.queryByRole('option', { name: /Loring S35/ })).toBeNull();
  });
});

const alarm = (n: number): RoastAlarm => ({
  id: idOf(n),
  roast_id: roastId,
  kind: 'frozen',
  rule_id: null,
  fault: 'frozen bean_temp',
  channel: 'bean_temp',
  message: null,
  colour: 'red',
  sound: false,
  time_seconds: 60,
  happened_at: at(6),
  raised_at: at(6),
  is_late: false,
  cleared_at: null,
  acknowledged_at: null,
  acknowledged_by: null,
});

describe('alarm of a running roast', () => {
  it('disappears when it is acknowledged, before the live stream says so, and its fault may be raised again', async () => {
    const { user } = await openPortal('/account/none', {
      answers: [
        answer(acknowledgeAlarm, ({ params }) => ({ ...alarm(0), id: params.alarm_id, acknowledged_at: at(7) })),
      ],
    });
    const place = document.body.appendChild(document.createElement('div'));
    const root = createRoot(place);
    const show = (alarms: RoastAlarm[]): void =>
      root.render(
        <SessionProvider>
          <AlarmBanner live={{ alarms }} mayRoast />
        </SessionProvider>,
      );
    show([alarm(61)]);
    await user.click(await within(place).findByRole('button', { name: 'OK' }));
    await expect.poll(() => within(place).queryByRole('button', { name: 'OK' })).toBeNull();
    show([alarm(61), alarm(62)]);
    const button = await within(place).findByRole('button', { name: 'OK' });
    expect(button.hasAttribute('disabled')).toBe(false);
    root.unmount();
  });
});
