import type { TimelineGap, TimelineRoast } from '@roastery/contract/timeline';
import { formatDuration } from '@roastery/roasting/units';
import type { DateTexts } from '../../format/dates.ts';

const reasons: Record<TimelineGap['reason'], string> = {
  disk_full: 'The board’s disk was full',
  cap_reached: 'The board’s journal was full',
  damaged: 'Part of the board’s journal was damaged',
  board_off: 'The board was off',
  agent_stopped: 'The board’s program was not running',
  machine_silent: 'The machine did not answer',
  not_arrived: 'The readings have not arrived from the board yet',
  new_recording: 'The board was off, then started a new recording',
};

/** `2 d 3 h`, `5 h 12 min`, `14:05`: as exact as the length allows. */
export const lengthText = (ms: number): string => {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return formatDuration(Math.round(ms / 1000));
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
};

export const gapText = ({ from, to, reason }: TimelineGap, dates: DateTexts): string =>
  `No readings from ${dates.dayAndTime(from)} for ${lengthText(Date.parse(to) - Date.parse(from))}: ${reasons[reason]}`;

export const statusText = { in_progress: 'In progress', completed: 'Completed', aborted: 'Aborted' } as const;

/** What a roast is called in a list and to a screen reader: number, coffee, state, start and length. */
export const roastText = (roast: TimelineRoast, dates: DateTexts): string => {
  const length = roast.to === null ? '' : `, ${lengthText(Date.parse(roast.to) - Date.parse(roast.from))} long`;
  const coffee = roast.coffee_name === null ? '' : ` ${roast.coffee_name}`;
  return `${roast.roast_number}${coffee}, ${statusText[roast.status]}, ${dates.dayAndTime(roast.from)}${length}`;
};
