import type { RoastAlarm } from '@roastery/contract/alarms';
import type { CurveColumns } from '@roastery/contract/roast-curves';
import type { RoastMark } from '@roastery/contract/roasts';
import { formatDuration } from '@roastery/roasting/units';
import { useMemo } from 'react';
import { usePreferences } from '../../format/preferences.ts';
import { readingOf, unitOf } from '../../format/quantities.ts';
import { t } from '../../language/t.ts';
import { timedAlarmText } from '../alarms/alarm-texts.ts';

/** Maximum rows of the table: more would slow down the layout of a long roast. */
const maxRows = 60;

interface CurveTableProps {
  curve: CurveColumns;
  marks: readonly RoastMark[];
  alarms?: readonly RoastAlarm[] | undefined;
}

/** The chart as a table: one row per half minute, fewer for a long roast; for screen readers. */
export const CurveTable = ({ curve, marks, alarms = [] }: CurveTableProps) => {
  const rows = useMemo(() => {
    const end = curve.time_seconds.at(-1) ?? 0;
    const stepSeconds = 30 * Math.max(1, Math.ceil(end / (30 * maxRows)));
    const at: number[] = [];
    let next = 0;
    for (let index = 0; index < curve.time_seconds.length; index++) {
      const time = curve.time_seconds[index] ?? 0;
      if (time < next) continue;
      at.push(index);
      next = (Math.floor(time / stepSeconds) + 1) * stepSeconds;
    }
    return { at, end, stepSeconds };
  }, [curve]);
  const units = usePreferences();
  const bean = curve.channels['bean_temp'];
  const summary = marks
    .map((mark) => t`${mark.kind.replaceAll('_', ' ')} at ${formatDuration(mark.time_seconds)}`)
    .join(', ');
  return (
    <div className="sr-only print:hidden">
      <p>{t`Curve of ${formatDuration(rows.end)}. ${summary}`}</p>
      {alarms.length > 0 && <p>{t`Alarms: ${alarms.map(timedAlarmText).join('; ')}`}</p>}
      <table>
        <caption>{t`Readings every ${rows.stepSeconds} seconds`}</caption>
        <thead>
          <tr>
            <th>{t`Time`}</th>
            <th>{t`Bean temperature ${unitOf('temperature', units)}`}</th>
            <th>{t`Rate of rise ${unitOf('rate', units)}`}</th>
          </tr>
        </thead>
        <tbody>
          {rows.at.map((index) => (
            <tr key={index}>
              <td>{formatDuration(curve.time_seconds[index])}</td>
              <td>{readingOf('temperature', bean?.[index], units).value}</td>
              <td>{readingOf('rate', curve.ror[index], units).value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
