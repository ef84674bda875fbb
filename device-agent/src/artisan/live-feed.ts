import { pause, withBackoff } from '@roastery/runtime/backoff';
import { realClock, type Clock } from '@roastery/runtime/clock';
import type { TemperatureUnit } from '@roastery/roasting/units';
import { WebSocket } from 'ws';
import type { MachineLink, Reading } from '../source.ts';
import { celsiusOf, createChargeEar, readLcdMessage, type Displayed } from './lcd-message.ts';

export interface LiveFeedParts {
  readonly url: string;
  /** Artisan's unit; undefined while it is unknown. */
  readonly unit: () => TemperatureUnit | undefined;
  readonly reading: (reading: Reading) => void;
  readonly linkChanged: (link: MachineLink) => void;
  /** A charge signal of Artisan's timer is ignored while a roast runs. */
  readonly roastRuns: () => boolean;
  readonly clock?: Clock;
}

export const liveChannels = ['bean_temp', 'exhaust_temp'] as const;

const retryLimits = { minMs: 500, maxMs: 10_000 };
const openWithinMs = 10_000;
/** A message of WebLCDs has about fifty letters. */
const maxMessageBytes = 65_536;
/** Artisan's slowest usual interval is 5 s: after this long without a reading it has stopped. */
const silentAfterMs = 15_000;
const checkMs = 1000;
/** Artisan sends four readings a second at most, and one tick of its timer. */
const maxMessages = 10;
const perMs = 1000;

const wordsOf: Readonly<Record<(typeof liveChannels)[number], string>> = {
  bean_temp: 'bean temp',
  exhaust_temp: 'exhaust temp',
};

/**
 * Follows Artisan's displays. Each reading of Artisan becomes one sample; a display without a number is null. When
 * Artisan stops, nothing is recorded: old values are not repeated.
 */
export const followArtisan = (parts: LiveFeedParts) => {
  const { url, unit, reading, linkChanged, roastRuns, clock = realClock } = parts;
  const { monotonic } = clock;
  const stopping = new AbortController();
  const chargeEar = createChargeEar();
  let link: MachineLink = { state: 'starting', detail: undefined };
  let receivedAt: number | undefined;
  let chargeReceived = false;
  let socket: WebSocket | undefined;
  let checkedAt = monotonic();
  let second = { from: Number.NEGATIVE_INFINITY, messages: 0 };

  const setLink = (state: MachineLink['state'], detail: string | undefined): void => {
    if (state === link.state && detail === link.detail) return;
    link = { state, detail };
    linkChanged(link);
  };

  /** False for a message beyond the limit: thousands of them a second would leave no time for anything else. */
  const isWithinLimit = (): boolean => {
    const now = monotonic();
    if (now - second.from >= perMs) second = { from: now, messages: 0 };
    second.messages += 1;
    if (second.messages === maxMessages + 1)
      setLink('ok', `Artisan sends more than ${maxMessages} messages a second: the rest of them is not recorded`);
    return second.messages <= maxMessages;
  };

  const take = (bean: Displayed, exhaust: Displayed): void => {
    const of = unit();
    receivedAt = monotonic();
    if (of === undefined) {
      setLink(
        'failing',
        'it is unknown whether Artisan shows °C or °F: set ARTISAN_UNIT, or save one roast in its folder',
      );
      return;
    }
    const values = [celsiusOf(bean, of), celsiusOf(exhaust, of)];
    const risen = chargeReceived && !roastRuns() ? ['charge'] : [];
    chargeReceived = false;
    reading({ mono: Math.round(monotonic()), values, risen });
    const missing = liveChannels.filter((_, index) => values[index] === null).map((name) => wordsOf[name]);
    setLink('ok', missing.length === 0 ? undefined : `Artisan shows no ${missing.join(' and no ')}`);
  };

  const hear = (text: string): void => {
    const message = readLcdMessage(text);
    if (message === undefined) return;
    const { bean, exhaust, seconds } = message;
    if (seconds !== undefined && chargeEar.hears(seconds, monotonic())) chargeReceived = true;
    if (bean !== undefined || exhaust !== undefined) take(bean, exhaust);
  };

  /** Until the connection ends; returns how long it lasted. */
  const connectOnce = (): Promise<{ lastedMs: number; why: string }> =>
    new Promise((resolve) => {
      let openedAt: number | undefined;
      let why = '';
      const made = new WebSocket(url, {
        handshakeTimeout: openWithinMs,
        maxPayload: maxMessageBytes,
        perMessageDeflate: false,
        followRedirects: false,
      });
      socket = made;
      made.on('open', () => {
        openedAt = monotonic();
        receivedAt ??= openedAt;
        chargeEar.opened(openedAt);
        // Newer versions answer with the current values.
        made.send('');
      });
      made.on('message', (data, isBinary) => {
        if (isWithinLimit() && !isBinary) hear(Buffer.isBuffer(data) ? data.toString('utf8') : '');
      });
      made.on('error', (error) => {
        why = 'code' in error && typeof error.code === 'string' ? error.code : error.message;
      });
      made.on('close', () => resolve({ lastedMs: openedAt === undefined ? 0 : monotonic() - openedAt, why }));
    });

  const running = withBackoff<never>(
    async () => {
      const { lastedMs, why } = await connectOnce();
      if (!stopping.signal.aborted) {
        const reason = why === '' ? '' : ` (${why})`;
        setLink(
          'failing',
          `Artisan does not answer at ${url}${reason}: check that it is running with WebLCDs on`.slice(0, 300),
        );
      }
      receivedAt = undefined;
      return { lastedMs };
    },
    { limits: retryLimits, signal: stopping.signal, clock },
  );

  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      checkedAt = monotonic();
      const silentMs = receivedAt === undefined ? 0 : checkedAt - receivedAt;
      if (silentMs > silentAfterMs)
        setLink('failing', 'Artisan is connected but sends no readings: it is off or has stopped');
      await pause(checkMs, stopping.signal, clock);
    }
  };
  const watching = watch();

  return {
    link: (): MachineLink => link,
    stalledMs: (): number => monotonic() - checkedAt,
    async stop(): Promise<void> {
      stopping.abort();
      socket?.terminate();
      await Promise.all([running, watching]);
    },
  };
};
export type LiveFeed = ReturnType<typeof followArtisan>;
