import type { CurveGap } from '@roastery/contract/roasts';
import type { TimelineGap } from '@roastery/contract/timeline';
import { formatDuration } from '@roastery/roasting/units';

const reasons: Record<CurveGap['reason'] | TimelineGap['reason'], string> = {
  disk_full: 'the board’s disk was full',
  cap_reached: 'the board’s journal was full',
  damaged: 'part of the board’s journal was damaged',
  board_off: 'the board was off',
  agent_stopped: 'the board’s program was not running',
  machine_silent: 'the machine did not answer',
  not_arrived: 'the readings have not arrived from the board yet',
  new_recording: 'the board was off, then started a new recording',
};

/** A gap in a roast: `No readings for 0:14 from 3:20: the board was off` */
export const roastGapText = ({ from_seconds: from, to_seconds: to, reason }: CurveGap): string =>
  `No readings for ${formatDuration(to - from)} from ${formatDuration(from)}: ${reasons[reason]}`;

/** A gap on the timeline: `No readings for 2 h 10 min from 11/21/2026 - 07:46 AM: the board was off` */
export const timelineGapText = (
  { from, reason }: TimelineGap,
  length: string,
  at: (moment: string) => string,
): string => `No readings for ${length} from ${at(from)}: ${reasons[reason]}`;
