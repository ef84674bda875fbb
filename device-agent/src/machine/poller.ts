import type { MachineMap } from '@roastery/contract/machine-map';
import type { Quality } from '../core/decoder.ts';
import { createBus } from './bus.ts';
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

/** Reads the machine at the map's rate. A reading that takes too long makes the next ones skip, never queue. */
export const startPoller = ({ map, monoNow, reading, linkChanged }: PollerParts) => {
  const bus = createBus(map.link, map);
  const reader = createReader(map, bus);
  const periodMs = 1000 / map.hz;
  const startedAt = performance.now();
  let round = 0;
  let tickedAt = performance.now();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let link: MachineLink = { state: 'starting', detail: undefined };
  let bitsBefore: ReadonlyMap<string, boolean> = new Map();

  const setLink = (next: MachineLink): void => {
    if (next.state === link.state && next.detail === link.detail) return;
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
    reading({ mono: Math.round((askedAt + monoNow()) / 2), values: outcome.values, risen });
    setLink({ state: 'ok', detail: describe(reader.channels, outcome.qualities) });
  };

  let busy: Promise<void> = Promise.resolve();
  const schedule = (): void => {
    const elapsed = performance.now() - startedAt;
    round = Math.max(round + 1, Math.ceil(elapsed / periodMs));
    timer = setTimeout(tick, round * periodMs - elapsed);
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
