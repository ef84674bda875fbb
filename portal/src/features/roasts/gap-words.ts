import type { CurveGap } from '@roastery/contract/curve-gaps';
import { formatDuration } from '@roastery/roasting/units';

const why: Record<CurveGap['reason'], string> = {
  disk_full: 'the board’s disk was full',
  cap_reached: 'the board’s journal was full',
  damaged: 'part of the board’s journal was damaged',
  board_off: 'the board was off',
  agent_stopped: 'the board’s program was not running',
  machine_silent: 'the machine did not answer',
  not_arrived: 'they have not arrived from the board yet',
};

/** `No samples for 0:14 from 3:20: the board was off` */
export const gapSentence = ({ from_seconds: from, to_seconds: to, reason }: CurveGap): string =>
  `No samples for ${formatDuration(to - from)} from ${formatDuration(from)}: ${why[reason]}`;
