import { liveEventShape, machineLive, type LiveEvent } from '@roastery/contract/live';
import { describeRefusal, parseJson } from '@roastery/contract/parse-shape';
import { addressOf } from './call.ts';
import { logError } from './error-log.ts';
import { checkReachability } from './reachability.ts';

const firstRetryMs = 500;
const longestRetryMs = 10_000;
const eventTypes = [
  'hello',
  'backlog',
  'reading',
  'samples',
  'roast',
  'roast_deleted',
  'alarms',
  'status',
] as const satisfies LiveEvent['type'][];

export interface LiveHandlers {
  onEvent: (event: LiveEvent) => void;
  /** The stream is up, or was lost and is being tried again. */
  onLink: (up: boolean) => void;
}

/**
 * Follows one machine over server-sent events until the returned function is called. A lost stream is opened again after
 * 0.5 s, doubling to 10 s, and at once when the browser is back online or the page is shown again.
 */
export const subscribeLive = (machineId: string, { onEvent, onLink }: LiveHandlers): (() => void) => {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retryMs = firstRetryMs;
  let ended = false;

  const receive = (message: MessageEvent<string>) => {
    const parsed = parseJson(liveEventShape, message.data);
    if (parsed.success) onEvent(parsed.data);
    else logError('A live event has a shape this page does not know', describeRefusal(parsed));
  };

  const open = () => {
    clearTimeout(timer);
    source?.close();
    source = new EventSource(addressOf(machineLive, { id: machineId }, undefined));
    for (const type of eventTypes) source.addEventListener(type, receive);
    source.addEventListener('open', () => {
      retryMs = firstRetryMs;
      onLink(true);
    });
    source.addEventListener('error', () => {
      source?.close();
      onLink(false);
      void checkReachability();
      if (ended) return;
      timer = setTimeout(open, retryMs);
      retryMs = Math.min(retryMs * 2, longestRetryMs);
    });
  };

  const retryNow = () => {
    if (document.visibilityState === 'visible' && source?.readyState === EventSource.CLOSED) open();
  };

  open();
  addEventListener('online', retryNow);
  document.addEventListener('visibilitychange', retryNow);
  return () => {
    ended = true;
    clearTimeout(timer);
    source?.close();
    removeEventListener('online', retryNow);
    document.removeEventListener('visibilitychange', retryNow);
  };
};
