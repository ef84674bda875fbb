import type { TimelineGap, TimelineRoast } from '@roastery/contract/timeline';
import { formatDuration } from '@roastery/roasting/units';
import { timelineGapText } from '../../components/gap-texts.ts';
import type { DateTexts } from '../../format/dates.ts';
import { roastName } from '../../components/live/roast-texts.ts';
import { t } from '../../language/t.ts';

/** `2 d 3 h`, `5 h 12 min`, `14:05`: as precise as the length allows. */
export const lengthText = (ms: number): string => {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return formatDuration(Math.round(ms / 1000));
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
};

export const gapText = (gap: TimelineGap, dates: DateTexts): string =>
  timelineGapText(gap, lengthText(Date.parse(gap.to) - Date.parse(gap.from)), dates.dayAndTime);

export const statusText = { in_progress: t`In progress`, completed: t`Completed`, aborted: t`Aborted` } as const;

/** A roast in a list and for a screen reader: number, coffee, status, start and length. */
export const roastText = (roast: TimelineRoast, dates: DateTexts): string => {
  const length = roast.to === null ? '' : `, ${t`${lengthText(Date.parse(roast.to) - Date.parse(roast.from))} long`}`;
  return `${roastName(roast)}, ${statusText[roast.status]}, ${dates.dayAndTime(roast.from)}${length}`;
};
