import type { Link } from '@roastery/contract/machine-map';
import { startPoller } from '@roastery/device-agent/machine/poller';
import { createFaultyMachine } from './faulty-line.ts';
import { bankOf, mapOf, type LayoutName } from './layouts.ts';
import { createLineCutter, layMemoryLine } from './memory-line.ts';
import { linkInMemory } from './read-in-virtual-time.ts';
import { everyFault } from './record-over-faulty-line.ts';
import { monoMs } from './stamped-machine.ts';
import { startVirtualTime } from './virtual-time.ts';

/** How long the line is away, ms: a loose plug, a restart of a gateway, a machine that is switched off for a while. */
export const cutsMs = [300, 1000, 2500, 2500, 4000, 9000, 30_000];
const faultyMs = 7000;
const soundMs = 6000;

const lines = [
  { kind: 'tcp', layout: 'tables' },
  { kind: 'rtu-over-tcp', layout: 'single' },
  { kind: 'rtu-over-tcp', layout: 'strict' },
  { kind: 'ascii', layout: 'single' },
] as const;
export const returnCases = lines.flatMap((line) => (['closed', 'mute'] as const).map((how) => ({ ...line, how })));

interface Watched {
  readonly cut: () => void;
  readonly mend: () => void;
  readonly setFaults: (faults: typeof everyFault) => void;
  readonly readings: number[];
  readonly stop: () => Promise<void>;
}

/** `closed`: the connection breaks. `mute`: it stays open, and nothing comes. */
const watch = (kind: Link['kind'], layout: LayoutName, how: 'closed' | 'mute', seed: number): Watched => {
  const { context, setFaults } = createFaultyMachine({ bank: bankOf(layout), faults: everyFault, seed });
  const cutter = createLineCutter();
  const readings: number[] = [];
  const poller = startPoller({
    map: mapOf(layout, linkInMemory(kind), { hz: 4 }),
    reading: ({ mono }) => void readings.push(mono),
    linkChanged: () => undefined,
    openLine: layMemoryLine({ kind, context, travelMs: 1 + (seed % 7), seed, cutter }),
  });
  return {
    cut() {
      setFaults(how === 'mute' ? { silence: true } : {});
      if (how === 'closed') cutter.cut();
    },
    mend() {
      setFaults({});
      cutter.mend();
    },
    setFaults,
    readings,
    stop: () => poller.stop(),
  };
};

/** From each return of the line to the next reading, ms, over all machines: one for each seed, and each is cut seven times. */
export const returnsOf = async (
  { kind, layout, how }: (typeof returnCases)[number],
  seeds: readonly number[],
): Promise<number[]> => {
  const time = startVirtualTime();
  try {
    const machines = seeds.map((seed) => watch(kind, layout, how, seed));
    const returns: number[] = [];
    for (const cutMs of cutsMs) {
      for (const machine of machines) machine.setFaults(everyFault);
      await time.advance(faultyMs);
      for (const machine of machines) machine.cut();
      await time.advance(cutMs);
      const mendedAt = monoMs();
      for (const machine of machines) machine.mend();
      await time.advance(soundMs);
      for (const { readings } of machines)
        returns.push((readings.find((mono) => mono > mendedAt) ?? Number.POSITIVE_INFINITY) - mendedAt);
    }
    const stopped = Promise.all(machines.map((machine) => machine.stop()));
    await time.advance(10_000);
    await stopped;
    return returns;
  } finally {
    time.restore();
  }
};
