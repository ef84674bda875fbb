import { liveEventShape, machineLive, machinesLive, type LiveEvent } from '@roastery/contract/live';
import { describeRefusal, parseJson } from '@roastery/contract/parse-shape';
import { addressOf } from './call.ts';
import { logError } from './error-log.ts';
import { checkReachability } from './reachability.ts';
import { openSharedStream } from './shared-stream.ts';

const eventTypes = [
  'hello',
  'backlog',
  'reading',
  'samples',
  'roast',
  'roast_deleted',
  'alarms',
  'status',
  'gone',
] as const satisfies LiveEvent['type'][];

export type FollowedEvent = Exclude<LiveEvent, { type: 'gone' }>;

export interface LiveHandlers {
  onEvent: (event: FollowedEvent) => void;
  /** The stream is up, or was lost and is being tried again. */
  onLink: (up: boolean) => void;
}

/**
 * Follows one machine live until the returned function is called. All tabs of this browser share one stream, which is
 * reopened automatically when it is lost.
 */
export const subscribeLive = (machineId: string, { onEvent, onLink }: LiveHandlers): (() => void) =>
  openSharedStream({
    address: addressOf(machinesLive, undefined, undefined),
    machineId,
    // Browsers on Android have no shared workers.
    ownAddress: () => addressOf(machineLive, { id: machineId }, undefined),
    types: eventTypes,
    onEvent(data) {
      const parsed = parseJson(liveEventShape, data);
      if (!parsed.success) logError('A live event has a shape this page does not know', describeRefusal(parsed));
      else if (parsed.data.type === 'gone') onLink(false);
      else onEvent(parsed.data);
    },
    onLink(up) {
      onLink(up);
      if (!up) void checkReachability();
    },
  });
