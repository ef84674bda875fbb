import { acknowledgeAlarm, type RoastAlarm } from '@roastery/contract/alarms';
import { formatDuration } from '@roastery/roasting/units';
import { BellRing } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { LiveMachine } from '../../api/use-live.ts';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';
import { useAction } from '../use-action.ts';
import { useAlarmSignal } from '../live/step-signal.ts';
import { alarmsByFault } from './alarm-groups.ts';
import { alarmTones, faultText } from './alarm-texts.ts';

interface AlarmBannerProps {
  readonly live: Pick<LiveMachine, 'alarms'>;
  /** Whether the user may acknowledge alarms: roasters may, viewers see them. */
  readonly mayRoast: boolean;
}

/** More than this would take the chart's room; the newest are shown. Alarms about one fault of the machine are one. */
const maxShown = 2;

/** The alarms of the running roast that last and are not acknowledged, newest first. */
export const AlarmBanner = ({ live: { alarms }, mayRoast }: AlarmBannerProps) => {
  useAlarmSignal(alarms);
  /** The answer of the server counts at once: the stream may take a while, or reconnect. */
  const [acknowledged, setAcknowledged] = useState<readonly string[]>([]);
  const add = (ids: readonly string[]): void => setAcknowledged((current) => [...current, ...ids]);
  const faults = alarmsByFault(alarms.filter(({ id }) => !acknowledged.includes(id)).reverse());
  return (
    <div role="alert" data-testid="alarms" className="flex shrink-0 flex-col">
      {faults.slice(0, maxShown).map((fault) => (
        <Fault key={fault[0].fault ?? fault[0].id} alarms={fault} mayRoast={mayRoast} onAcknowledged={add} />
      ))}
      {faults.length > maxShown && (
        <p className="border-b border-stroke bg-surface px-4 py-1 text-sm text-content">
          {t`${faults.length - maxShown} more`}
        </p>
      )}
    </div>
  );
};

interface FaultProps {
  /** Newest first. */
  alarms: readonly [RoastAlarm, ...RoastAlarm[]];
  mayRoast: boolean;
  onAcknowledged: (ids: readonly string[]) => void;
}

const Fault = ({ alarms, mayRoast, onAcknowledged }: FaultProps) => {
  const [newest] = alarms;
  const { run, isBusy } = useAction();
  const { ground, text } = alarmTones[newest.colour];
  const acknowledge = () =>
    run(
      async () => {
        const answers = await Promise.all(
          alarms.map(({ id, roast_id: roast }) => call(acknowledgeAlarm, { params: { id: roast, alarm_id: id } })),
        );
        onAcknowledged(answers.map(({ id }) => id));
      },
      t`The alarm could not be acknowledged`,
    );
  return (
    <div className={classes('flex min-h-14 items-center gap-3 border-b-2 py-1 pr-1.5 pl-4', ground)}>
      <BellRing aria-hidden className={classes('size-6 shrink-0', text)} />
      <p className="min-w-0 flex-1 text-lg leading-6 font-semibold text-strong">
        {faultText(alarms)}{' '}
        <span className="figures text-base font-normal whitespace-nowrap text-content">
          {newest.time_seconds === null ? '' : t`at ${formatDuration(newest.time_seconds)}`}
        </span>
      </p>
      {mayRoast && (
        <button
          type="button"
          disabled={isBusy}
          onClick={() => void acknowledge()}
          className="h-12 shrink-0 touch-manipulation rounded-md border-2 border-stroke-control bg-surface px-4 text-base font-semibold text-strong disabled:opacity-50"
        >
          {t`OK`}
        </button>
      )}
    </div>
  );
};
