import type { RoastAlarm } from '@roastery/contract/alarms';
import { BellRing } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';
import { axisPixels } from '../chart/time-scale.ts';
import { useTimeWindow, type TimeViewStore } from '../chart/time-view.ts';
import { groupAlarms, type AlarmGroup } from './alarm-groups.ts';
import { alarmTones, timedAlarmText } from './alarm-texts.ts';

interface AlarmMarkersProps {
  alarms: readonly RoastAlarm[];
  view: TimeViewStore;
  /** Right of the plot, px. */
  rightPixels: number;
}

/** Width of a marker, px. */
const markerPixels = 28;
const maxTextPixels = 256;

/**
 * Bells on the time axis at the times of alarms, below the curves. The text of an alarm is shown on hover, focus or
 * tap, with a line up to the curves; overlapping markers are merged.
 */
export const AlarmMarkers = ({ alarms, view, rightPixels }: AlarmMarkersProps) => {
  useTimeWindow(view);
  const plot = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [open, setOpen] = useState<string | null>(null);
  useEffect(() => {
    if (plot.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(plot.current);
    return () => observer.disconnect();
  }, []);
  const { from, to } = view.get();
  const groups = width === 0 ? [] : groupAlarms(alarms, { from, to }, ((to - from) * markerPixels) / width);
  const shown = groups.find(({ alarms: [first] }) => first?.id === open);
  const xOf = (seconds: number): number => (width * (seconds - from)) / (to - from);
  return (
    <div
      ref={plot}
      className="pointer-events-none absolute inset-y-0 print:hidden"
      style={{ left: axisPixels, right: rightPixels }}
    >
      {groups.map((group) => (
        <Marker key={group.alarms[0]?.id} group={group} x={xOf(group.seconds)} onOpen={setOpen} />
      ))}
      {shown !== undefined && <AlarmsAt group={shown} x={xOf(shown.seconds)} width={width} />}
    </div>
  );
};

interface MarkerProps {
  group: AlarmGroup;
  /** From the left of the plot, px. */
  x: number;
  onOpen: (id: string | null) => void;
}

const Marker = ({ group: { alarms }, x, onOpen }: MarkerProps) => {
  const [first] = alarms;
  if (first === undefined) return null;
  const { text: tone, ground } = alarmTones[first.colour];
  const show = () => onOpen(first.id);
  const hide = () => onOpen(null);
  return (
    <button
      type="button"
      data-testid="alarm-marker"
      aria-label={
        alarms.length === 1
          ? t`Alarm at ${timedAlarmText(first)}`
          : t`${alarms.length} alarms: ${alarms.map(timedAlarmText).join('; ')}`
      }
      className={classes(
        'pointer-events-auto absolute bottom-6 -ml-3.5 flex size-7 touch-manipulation items-center justify-center rounded-full',
        tone,
      )}
      style={{ left: x }}
      onPointerEnter={show}
      onPointerLeave={hide}
      onFocus={show}
      onBlur={hide}
      onClick={show}
      // A press on a marker is not a press on the chart.
      onPointerDown={(event) => event.stopPropagation()}
      onPointerUp={(event) => event.stopPropagation()}
    >
      <span className={classes('flex size-5 items-center justify-center rounded-full border', ground)}>
        <BellRing aria-hidden className="size-3" />
      </span>
      {alarms.length > 1 && (
        <span aria-hidden className="figures absolute -top-1.5 -right-0.5 text-xs font-semibold">
          {alarms.length}
        </span>
      )}
    </button>
  );
};

/** The texts of a marker's alarms, and a line from it up to the curves. */
const AlarmsAt = ({ group: { alarms }, x, width }: { group: AlarmGroup; x: number; width: number }) => {
  const [first] = alarms;
  if (first === undefined) return null;
  const { text: tone, ground } = alarmTones[first.colour];
  const room = Math.min(maxTextPixels, width);
  const left = Math.min(Math.max(0, x - room / 2), width - room);
  const place = left === 0 ? 'justify-start' : left === width - room ? 'justify-end' : 'justify-center';
  return (
    <div aria-hidden>
      <span className={classes('absolute top-10 bottom-12 border-l border-dashed', ground)} style={{ left: x }} />
      <div className={classes('absolute bottom-14 z-2 flex', place)} style={{ left, width: room }}>
        <ul
          data-testid="alarm-text"
          className={classes('rounded-md border-2 px-2.5 py-1.5 text-sm font-medium', ground, tone)}
        >
          {alarms.map((alarm) => (
            <li key={alarm.id}>{timedAlarmText(alarm)}</li>
          ))}
        </ul>
      </div>
    </div>
  );
};
