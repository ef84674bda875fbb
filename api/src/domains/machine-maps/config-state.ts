import type { BoardConfig } from '@roastery/contract/machine-maps';
import type { DeviceStatus } from '@roastery/contract/mqtt';

/** What became of the newest config of a board, by the board's own last word. */
export const configState = (
  revision: number,
  status: DeviceStatus | undefined,
): Pick<BoardConfig, 'state' | 'reason'> => {
  if (revision === 0) return { state: 'none', reason: null };
  const told = status?.config;
  return told?.rev === revision
    ? { state: told.state, reason: told.reason ?? null }
    : { state: 'waiting', reason: null };
};
