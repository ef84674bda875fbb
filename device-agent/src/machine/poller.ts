import type { MachineMap } from '@roastery/contract/machine-map';
import type { Quality } from '../core/decoder.ts';
import { createPaceWatch } from '../core/line-pace.ts';
import { createBus, type BusRequest } from './bus.ts';
import { shareBus } from './shared-bus.ts';
import { createReader } from './reader.ts';

/** One reading of the machine with the moment it was taken. */
export interface Reading {
  /** Monotonic ms: the middle between question and answer. */
  readonly mono: number;
  readonly values: readonly (number | null)[];
  /** Events whose bit has risen since the reading before. */
  readonly risen: readonly string[];
}

export interface MachineLink {
  readonly state: 'starting' | 'ok' | 'failing';
  /** Why it fails, or which channels have no valid value. */
  readonly detail: string | undefined;
  /** Readings a second, when line or machine are too slow for what the map asks. */
  readonly reachedHz?: number | undefined;
}

export interface PollerParts {
  readonly map: MachineMap;
  /** Monotonic clock, ms since boot, with fractions. */
  readonly monoNow: () => number;
  readonly reading: (reading: Reading) => void;
  readonly linkChanged: (link: MachineLink) => void;
}

const describe = (channels: readonly string[], qualities: readonly Quality[]): string | undefined => {
  const poor = channels.flatMap((name, index) => {
    const quality = qualities[index] ?? 'ok';
    return quality === 'ok' ? [] : [`${name}: ${quality.replaceAll('_', ' ')}`];
  });
  return poor.length === 0 ? undefined : poor.join(', ').slice(0, 300);
};

/**
 * Reads the machine at the map's rate. A reading that takes too long moves the ones after it: they never queue, and a line
 * that is too slow for the map is read as fast as it can.
 */
export const startPoller = ({ map, monoNow, reading, linkChanged }: PollerParts) => {
  const bus = shareBus(createBus(map.link, map));
  const reader = createReader(map, bus);
  const periodMs = 1000 / map.hz;
  const pace = createPaceWatch(map.hz);
  let dueAt = performance.now();
  let tickedAt = performance.now();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let link: MachineLink = { state: 'starting', detail: undefined };
  let bitsBefore: ReadonlyMap<string, boolean> = new Map();

  const setLink = (next: MachineLink): void => {
    if (next.state === link.state && next.detail === link.detail && next.reachedHz === link.reachedHz) return;
    link = next;
    linkChanged(link);
  };

  const readOnce = async (): Promise<void> => {
    const askedAt = monoNow();
    const outcome = await reader.read();
    if (stopped) return;
    if (outcome.kind === 'silence') return setLink({ state: 'failing', detail: outcome.reason.slice(0, 300) });
    const risen = [...outcome.bits].flatMap(([name, up]) => (up && bitsBefore.get(name) === false ? [name] : []));
    // A unit that was silent keeps its bits: what rose in the meantime has still risen.
    bitsBefore = new Map([...bitsBefore, ...outcome.bits]);
    const answeredAt = monoNow();
    reading({ mono: Math.round((askedAt + answeredAt) / 2), values: outcome.values, risen });
    pace.took(answeredAt - askedAt);
    const detail = describe(reader.channels, outcome.qualities);
    setLink({ state: 'ok', detail, reachedHz: pace.reachedHz() });
  };

  let busy: Promise<void> = Promise.resolve();
  const schedule = (): void => {
    const now = performance.now();
    dueAt = Math.max(dueAt + periodMs, now);
    timer = setTimeout(tick, dueAt - now);
  };
  const tick = (): void => {
    tickedAt = performance.now();
    busy = readOnce().finally(() => {
      if (!stopped) schedule();
    });
  };
  tick();

  return {
    channels: reader.channels,
    /** One more question to the machine, between those of a reading: the line has one master, and that is us. */
    ask: (request: BusRequest) => bus.read(request),
    link: (): MachineLink => link,
    /** How long no reading was begun, ms: the sign of a loop that hangs. A silent machine does not count. */
    stalledMs: (): number => performance.now() - tickedAt,
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      bus.close();
      await busy;
    },
  };
};
export type Poller = ReturnType<typeof startPoller>;
