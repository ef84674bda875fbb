import type { MachineMap } from '@roastery/contract/machine-map';
import { realClock, type Cancel, type Clock } from '@roastery/runtime/clock';
import { serial } from '@roastery/runtime/turns';
import type { Quality } from '../core/decoder.ts';
import type { MachineLink, Reading } from '../source.ts';
import { createPaceWatch, lineMs } from '../core/line-pace.ts';
import { createSpanJudge } from '../core/reading-span.ts';
import { createBus, type Bus, type BusRequest } from './bus.ts';
import type { OpenLine } from './line-port.ts';
import { createReader } from './reader.ts';

/** A reading that became no sample. */
export interface DroppedReading {
  /** Monotonic ms: before its first request, and after its last answer or the last wait for one. */
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

export interface PollerParts {
  readonly map: MachineMap;
  readonly reading: (reading: Reading) => void;
  readonly dropped?: (reading: DroppedReading) => void;
  readonly linkChanged: (link: MachineLink) => void;
  /** Opens the machine's line; default: its socket or serial adapter. */
  readonly openLine?: OpenLine;
  readonly clock?: Clock;
}

/** A process that was suspended longer may find an answer that has waited that long. */
const longestStallMs = 250;
/** Dropped readings in a row that are reported. */
const droppedBeforeNews = 3;

const describe = (channels: readonly string[], qualities: readonly Quality[]): string | undefined => {
  const poor = channels.flatMap((name, index) => {
    const quality = qualities[index] ?? 'ok';
    return quality === 'ok' ? [] : [`${name}: ${quality.replaceAll('_', ' ')}`];
  });
  return poor.length === 0 ? undefined : poor.join(', ').slice(0, 300);
};

/** How often the delay of the event loop is measured, ms. */
const beatMs = 50;

/** Measures whether this process is scheduled. Returns a function that stops and returns the longest delay, ms. */
const watchForStalls = ({ monotonic, every }: Clock): (() => number) => {
  let beatAt = monotonic();
  let longestMs = 0;
  const beat = (): void => {
    const now = monotonic();
    longestMs = Math.max(longestMs, now - beatAt - beatMs);
    beatAt = now;
  };
  const stop = every(beatMs, beat);
  return () => {
    stop();
    beat();
    return longestMs;
  };
};

/** A bus with several users: each request waits for the answer to the previous one. */
const shareBus = (bus: Bus): Bus => {
  const inTurn = serial();
  return {
    read: (request) => inTurn(() => bus.read(request)),
    moment: () => bus.moment(),
    close: () => bus.close(),
  };
};

/**
 * Reads the machine at the map's rate. A slow reading delays the next ones: they never queue, and a line that is too
 * slow for the map is read as fast as it can be.
 */
export const startPoller = ({ map, reading, dropped, linkChanged, openLine, clock = realClock }: PollerParts) => {
  const { monotonic } = clock;
  const bus = shareBus(createBus(map.link, map, clock, openLine));
  const reader = createReader(map, bus, monotonic);
  const spans = createSpanJudge(lineMs(map) ?? 0);
  let droppedInRow = 0;
  const periodMs = 1000 / map.hz;
  const pace = createPaceWatch(map.hz);
  let dueAt = monotonic();
  let tickedAt = monotonic();
  /** The latest time at which the machine can have measured the newest reading. */
  let takenAt = Number.NEGATIVE_INFINITY;
  let stopped = false;
  let cancelNext: Cancel | undefined;
  let link: MachineLink = { state: 'starting', detail: undefined };
  let bitsBefore: ReadonlyMap<string, boolean> = new Map();

  const setLink = (next: MachineLink): void => {
    if (next.state === link.state && next.detail === link.detail && next.reachedHz === link.reachedHz) return;
    link = next;
    linkChanged(link);
  };

  /** A reading without a reliable time is dropped. */
  const drop = (reason: string): void => {
    droppedInRow += 1;
    if (droppedInRow >= droppedBeforeNews) setLink({ state: 'failing', detail: reason });
  };

  const readOnce = async (): Promise<void> => {
    const began = monotonic();
    const stalledFor = watchForStalls(clock);
    const outcome = await reader.read();
    const stallMs = stalledFor();
    const passOver = (reason: string): void => dropped?.({ from: began, to: monotonic(), reason });
    if (stopped) return passOver('reading was stopped');
    if (outcome.kind === 'silence') {
      passOver(outcome.reason);
      return setLink({ state: 'failing', detail: outcome.reason.slice(0, 300) });
    }
    const { from, to, values } = outcome;
    const spanMs = to - from;
    // A delayed request reached the machine late: the next one would be measured at the same time.
    const heldUpMs = Math.max(0, spanMs - spans.usualMs());
    takenAt = from + heldUpMs;
    const doubt =
      stallMs > longestStallMs
        ? `the board was busy for ${Math.round(stallMs)} ms while it was reading`
        : spans.accepts(spanMs)
          ? undefined
          : `request and answer are ${Math.round(spanMs)} ms apart`;
    if (doubt !== undefined) {
      passOver(doubt);
      return drop(doubt);
    }
    droppedInRow = 0;
    const risen = [...outcome.bits].flatMap(([name, up]) => (up && bitsBefore.get(name) === false ? [name] : []));
    // A silent unit keeps its bits: a bit that rose during the silence still counts as risen.
    bitsBefore = new Map([...bitsBefore, ...outcome.bits]);
    reading({ mono: Math.round((from + to) / 2), values, risen });
    pace.took(spanMs);
    const detail = describe(reader.channels, outcome.qualities);
    setLink({ state: 'ok', detail, reachedHz: pace.reachedHz() });
  };

  let busy: Promise<void> = Promise.resolve();
  const tick = (): void => {
    tickedAt = monotonic();
    busy = readOnce().finally(() => {
      if (stopped) return;
      const now = monotonic();
      // A late reading does not move the next one closer to it.
      dueAt = Math.max(dueAt + periodMs, takenAt + periodMs / 2, now);
      cancelNext = clock.after(dueAt - now, tick);
    });
  };
  tick();

  return {
    channels: reader.channels,
    /** One additional request to the machine, between those of a reading: a line has one master. */
    ask: (request: BusRequest) => bus.read(request),
    link: (): MachineLink => link,
    /** How long no reading was begun, ms: the sign of a hanging loop. A silent machine does not count. */
    stalledMs: (): number => monotonic() - tickedAt,
    async stop(): Promise<void> {
      stopped = true;
      cancelNext?.();
      bus.close();
      await busy;
    },
  };
};
