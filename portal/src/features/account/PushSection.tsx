import { getPush, unsubscribePush, type PushDevice } from '@roastery/contract/push';
import { useEffect, useState } from 'react';
import { call } from '../../api/call.ts';
import { endOwnPush, ownSubscription, pushWorker, registerPush } from '../../api/own-push.ts';
import { useUser } from '../../api/session.tsx';
import { useApi } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { useAction } from '../../components/use-action.ts';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { deviceName } from './device-name.ts';
import { Section } from './Section.tsx';

/** Whether this browser can show alarms: it has no support, the person has blocked it, or it can. */
type Ability = 'unsupported' | 'denied' | 'able';

const abilityNow = (): Ability => {
  if (!('serviceWorker' in navigator) || !('PushManager' in globalThis) || !('Notification' in globalThis)) {
    return 'unsupported';
  }
  return Notification.permission === 'denied' ? 'denied' : 'able';
};

const abilityTexts = {
  unsupported: t`This browser can’t receive alarms. On an iPhone or iPad, add the portal to the home screen and open it from there.`,
  denied: t`Notifications of this portal are blocked in this browser. Allow them in its settings for this page.`,
};

/** The push subscription of this browser; null without one. */
const useOwnEndpoint = (ability: Ability) => {
  const [endpoint, setEndpoint] = useState<string | null>(null);
  useEffect(() => {
    if (ability === 'unsupported') return;
    const read = async () => {
      setEndpoint((await ownSubscription())?.endpoint ?? null);
    };
    void read();
  }, [ability]);
  return [endpoint, setEndpoint] as const;
};

const shown = [getPush];

/** Alarms on phones and other browsers of the user. */
export const PushSection = () => {
  const userId = useUser().id;
  const { data } = useApi(getPush, {});
  const [ability, setAbility] = useState(abilityNow);
  const [endpoint, setEndpoint] = useOwnEndpoint(ability);
  const { run, isBusy } = useAction({ after: shown });
  const [asked, setAsked] = useState<PushDevice | null>(null);
  const devices = data?.devices ?? [];
  const isOn = endpoint !== null && devices.some((device) => device.endpoint === endpoint);

  const change = (work: () => Promise<void>, failed: string) =>
    run(() => work().finally(() => setAbility(abilityNow())), failed);
  const turnOn = () =>
    change(
      async () => {
        const worker = await pushWorker();
        if (worker === undefined || data === undefined) throw new Error('no worker');
        if ((await Notification.requestPermission()) !== 'granted') return;
        const subscription = await worker.pushManager.subscribe({
          userVisibleOnly: true,
          applicationServerKey: data.public_key,
        });
        await registerPush(subscription, userId);
        setEndpoint(subscription.endpoint);
      },
      t`Alarms could not be turned on in this browser`,
    );
  const turnOff = (device: PushDevice) =>
    change(
      async () => {
        await call(unsubscribePush, { params: { id: device.id } });
        if (device.endpoint !== endpoint) return;
        await endOwnPush();
        setEndpoint(null);
      },
      t`Alarms could not be turned off`,
    );

  return (
    <Section
      title={t`Alarms on this device`}
      text={t`For the machines that you own or share: alarms that say “Send to phones”, a frozen probe, and a board that sends no readings during a roast. They end with your session: when you sign out, or after 12 hours without the portal. When you sign in here again, they continue.`}
    >
      <div data-testid="push" data-ability={ability} className="flex max-w-lg flex-col gap-4">
        {ability === 'able' ? (
          !isOn && (
            <Button
              size="md"
              className="self-start"
              busy={isBusy}
              disabled={data === undefined}
              onClick={() => void turnOn()}
            >
              {t`Send alarms to this browser`}
            </Button>
          )
        ) : (
          <p className="text-sm text-content">{abilityTexts[ability]}</p>
        )}
        {devices.length > 0 && (
          <ul aria-label={t`Browsers that receive alarms`} className="divide-y divide-stroke">
            {devices.map((device) => (
              <DeviceRow
                key={device.id}
                device={device}
                isThis={device.endpoint === endpoint}
                isBusy={isBusy}
                // This browser can be turned on again here.
                onTurnOff={() => (device.endpoint === endpoint ? void turnOff(device) : setAsked(device))}
              />
            ))}
          </ul>
        )}
      </div>
      <ConfirmDialog
        thing={asked}
        onClose={() => setAsked(null)}
        title={() => t`Turn off alarms`}
        question={(device) =>
          t`${deviceName(device.user_agent)} receives no more alarms. They can only be turned on again there.`
        }
        confirmLabel={t`Turn off`}
        onConfirm={turnOff}
      />
    </Section>
  );
};

interface DeviceRowProps {
  device: PushDevice;
  isThis: boolean;
  isBusy: boolean;
  onTurnOff: () => void;
}

const DeviceRow = ({ device, isThis, isBusy, onTurnOff }: DeviceRowProps) => {
  const dates = useDates();
  const name = deviceName(device.user_agent);
  return (
    <li className="flex min-h-14 items-center gap-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium text-strong">{isThis ? t`${name} (this browser)` : name}</p>
        <p className="text-sm text-muted">{t`Since ${dates.dayAndTime(device.created_at)}`}</p>
      </div>
      <Button aria-label={t`Turn off alarms on ${name}`} disabled={isBusy} onClick={onTurnOff}>
        {t`Turn off`}
      </Button>
    </li>
  );
};
