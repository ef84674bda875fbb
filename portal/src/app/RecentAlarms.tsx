import type { RecentAlarm } from '@roastery/contract/alarms';
import { BellRing } from 'lucide-react';
import { Link } from 'react-router-dom';
import { alarmsByFault } from '../components/alarms/alarm-groups.ts';
import { alarmTones, faultText } from '../components/alarms/alarm-texts.ts';
import { paths } from '../components/paths.ts';
import { useDates } from '../format/preferences.ts';
import { t } from '../language/t.ts';
import { classes } from '../ui/classes.ts';
import { Dialog, DialogBody } from '../ui/Dialog.tsx';

interface RecentAlarmsProps {
  alarms: readonly RecentAlarm[];
  open: boolean;
  onClose: () => void;
}

/**
 * The alarms of the last 24 hours, newest first, one per fault. An alarm of a running roast opens its cockpit, another
 * one its roast.
 */
export const RecentAlarms = ({ alarms, open, onClose }: RecentAlarmsProps) => {
  const dates = useDates();
  return (
    <Dialog open={open} onClose={onClose} title={t`Alarms in the last 24 hours`}>
      {alarms.length === 0 ? (
        <DialogBody>
          <p className="text-sm text-muted">{t`No alarms.`}</p>
        </DialogBody>
      ) : (
        <ul className="min-h-0 overflow-y-auto px-3 py-2">
          {alarmsByFault(alarms).map((fault) => {
            const [alarm] = fault;
            return (
              <li key={alarm.id}>
                <Link
                  to={alarm.is_running ? paths.cockpit(alarm.machine_id) : paths.roast(alarm.roast_id)}
                  onClick={onClose}
                  className="flex min-h-14 items-start gap-3 rounded-md px-2 py-2 hover:bg-hover"
                >
                  <BellRing aria-hidden className={classes('mt-0.5 size-5 shrink-0', alarmTones[alarm.colour].text)} />
                  <span className="min-w-0">
                    <span className="block font-medium text-strong">{faultText(fault)}</span>
                    <span className="block text-sm text-muted">
                      {[alarm.machine_name, alarm.coffee_name, dates.dayAndTime(alarm.happened_at)]
                        .filter((part) => part !== null)
                        .join(' · ')}
                    </span>
                  </span>
                </Link>
              </li>
            );
          })}
        </ul>
      )}
    </Dialog>
  );
};
