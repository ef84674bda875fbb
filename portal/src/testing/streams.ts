import { onTestFinished, vi } from 'vitest';

/** Streams of server events that the portal has open; happy-dom has none. A test sends the events. */
export interface Streams {
  /** Addresses of the open streams. */
  open(): string[];
  /** Sends an event on every open stream whose address contains `part`. */
  send(part: string, event: string, data?: object): void;
}

export const openStreams = (): Streams => {
  const streams = new Set<Stream>();
  class Stream extends EventTarget {
    readonly url: string;
    constructor(url: string) {
      super();
      this.url = url;
      streams.add(this);
    }
    close(): void {
      streams.delete(this);
    }
  }
  vi.stubGlobal('EventSource', Stream);
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  return {
    open: () => [...streams].map(({ url }) => url),
    send(part, event, data) {
      for (const stream of streams)
        if (stream.url.includes(part)) stream.dispatchEvent(new MessageEvent(event, { data: JSON.stringify(data) }));
    },
  };
};
