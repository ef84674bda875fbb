import type { CurveGap } from '@roastery/contract/roast-curves';
import type { TimelineGap } from '@roastery/contract/timeline';
import { formatDuration } from '@roastery/roasting/units';
import { t } from '../language/t.ts';

const reasons: Record<CurveGap['reason'] | TimelineGap['reason'], string> = {
  disk_full: t`the board’s disk was full`,
  cap_reached: t`the board’s journal was full`,
  damaged: t`part of the board’s journal was damaged`,
  board_off: t`the board was off`,
  agent_stopped: t`the board’s program was not running`,
  machine_silent: t`the machine did not answer`,
  not_arrived: t`the readings have not arrived from the board yet`,
  new_recording: t`the board was off, then started a new recording`,
};

/** A gap in a roast: `No readings for 0:14 from 3:20: the board was off` */
export const roastGapText = ({ from_seconds: from, to_seconds: to, reason }: CurveGap): string =>
  t`No readings for ${formatDuration(to - from)} from ${formatDuration(from)}: ${reasons[reason]}`;

/** A gap on the timeline: `No readings for 2 h 10 min from 11/21/2026 - 07:46 AM: the board was off` */
export const timelineGapText = (
  { from, reason }: TimelineGap,
  length: string,
  at: (moment: string) => string,
): string => t`No readings for ${length} from ${at(from)}: ${reasons[reason]}`;
