import { listRoastAlarms, type RoastAlarm } from '@roastery/contract/alarms';
import { formatDuration } from '@roastery/roasting/units';
import { BellRing } from 'lucide-react';
import { useApi, useSettled } from '../../api/use-api.ts';
import { alarmStateText, alarmText, alarmTones } from '../../components/alarms/alarm-texts.ts';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Panel } from '../../ui/Card.tsx';
import { classes } from '../../ui/classes.ts';

const whileRunningMs = 15_000;
/** The page and its charts come first. */
const settleMs = 1500;

/** The alarms that are stored with a roast, in the order of time; undefined until they are loaded. */
export const useRoastAlarms = (roastId: string, isRunning: boolean): readonly RoastAlarm[] | undefined => {
  const { data } = useApi(listRoastAlarms, useSettled(settleMs) ? { params: { id: roastId } } : null, {
    refreshInterval: isRunning ? whileRunningMs : 0,
    revalidateOnFocus: false,
  });
  return data?.alarms;
};

/** Nothing where there were none. */
export const RoastAlarms = ({ roastId, isRunning }: { roastId: string; isRunning: boolean }) => {
  const alarms = useRoastAlarms(roastId, isRunning);
  if (alarms === undefined || alarms.length === 0) return null;
  return (
    <div data-testid="roast-alarms" className="mt-4 print:hidden">
      <Panel title={t`Alarms`}>
        <AlarmList alarms={alarms} />
      </Panel>
    </div>
  );
};

/** The alarms of one roast with their time since charge, in the order of time. */
const AlarmList = ({ alarms }: { alarms: readonly RoastAlarm[] }) => {
  const dates = useDates();
  return (
    <ul className="divide-y divide-stroke px-4 py-1 text-sm">
      {alarms.map((alarm) => (
        <li key={alarm.id} className="flex items-start gap-3 py-2.5">
          <BellRing aria-hidden className={classes('mt-0.5 size-4 shrink-0', alarmTones[alarm.colour].text)} />
          <span className="figures w-12 shrink-0 font-medium text-strong">{formatDuration(alarm.time_seconds)}</span>
          <span className="min-w-0 flex-1 text-content">
            {alarmText(alarm)} <span className="text-muted">{alarmStateText(alarm, dates.time)}</span>
          </span>
        </li>
      ))}
    </ul>
  );
};
