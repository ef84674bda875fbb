const firstRetryMs = 500;
const longestRetryMs = 10_000;

interface EventStreamParts {
  /** Called whenever the stream is opened. */
  address: () => string;
  types: readonly string[];
  onEvent: (data: string) => void;
  /** The stream is up, or was lost and is being tried again. */
  onLink: (up: boolean) => void;
}

/** A stream of server-sent events that is reopened when it is lost: after 0.5 s, doubling to 10 s. */
export const openEventStream = ({ address, types, onEvent, onLink }: EventStreamParts) => {
  let current: EventSource | undefined;
  let next: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retryMs = firstRetryMs;
  let isEnded = false;

  /** An open stream continues until the new one is open. */
  const open = () => {
    clearTimeout(timer);
    next?.close();
    const source = new EventSource(address());
    next = source;
    for (const type of types) source.addEventListener(type, (message: MessageEvent<string>) => onEvent(message.data));
    source.addEventListener('open', () => {
      current?.close();
      current = source;
      next = undefined;
      retryMs = firstRetryMs;
      onLink(true);
    });
    source.addEventListener('error', () => {
      source.close();
      if (source === current) current = undefined;
      else next = undefined;
      if (current === undefined) onLink(false);
      if (isEnded || next !== undefined) return;
      timer = setTimeout(open, retryMs);
      retryMs = Math.min(retryMs * 2, longestRetryMs);
    });
  };

  open();
  return {
    reopen: open,
    /** Reconnects without waiting, if the stream is lost. */
    retryNow(): void {
      if (current === undefined && next === undefined) open();
    },
    close(): void {
      isEnded = true;
      clearTimeout(timer);
      next?.close();
      current?.close();
    },
  };
};
