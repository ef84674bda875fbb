import { listRecentAlarms } from '@roastery/contract/alarms';
import { Bell } from 'lucide-react';
import { useState } from 'react';
import { useUser } from '../api/session.tsx';
import { useApi, useSettled } from '../api/use-api.ts';
import { alarmsByFault } from '../components/alarms/alarm-groups.ts';
import { lazyDialog } from '../components/lazy-dialog.tsx';
import { t } from '../language/t.ts';
import { IconButton } from '../ui/IconButton.tsx';

const refreshMs = 10_000;
/** The page that was opened comes first. */
const settleMs = 1500;

const RecentAlarms = lazyDialog(
  async () => (await import('./RecentAlarms.tsx')).RecentAlarms,
  ({ open }) => open,
);

/** The bell: the alarms of the last 24 hours, with the number of those since the user last opened it on this device. A fault counts once. */
export const AlarmBell = () => {
  const key = `alarmsSeen:${useUser().id}`;
  const { data } = useApi(listRecentAlarms, useSettled(settleMs) ? {} : null, { refreshInterval: refreshMs });
  const [seenAt, setSeenAt] = useState(() => localStorage.getItem(key) ?? '');
  const [isOpen, setOpen] = useState(false);
  const alarms = data?.alarms ?? [];
  const unseen = alarmsByFault(alarms).filter(([{ raised_at }]) => raised_at > seenAt).length;
  const see = () => {
    const newest = alarms[0]?.raised_at ?? '';
    localStorage.setItem(key, newest);
    setSeenAt(newest);
  };
  return (
    <>
      <IconButton
        size="md"
        label={unseen === 0 ? t`Alarms` : unseen === 1 ? t`Alarms: 1 new` : t`Alarms: ${unseen} new`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className="relative"
        icon={
          <>
            <Bell aria-hidden />
            {unseen > 0 && (
              <span
                aria-hidden
                className="figures absolute top-0.5 right-0.5 min-w-4.5 rounded-full bg-danger px-1 text-center text-xs leading-4.5 font-semibold text-on-danger"
              >
                {unseen}
              </span>
            )}
          </>
        }
      />
      <RecentAlarms
        alarms={alarms}
        open={isOpen}
        onClose={() => {
          setOpen(false);
          see();
        }}
      />
    </>
  );
};
