import type { Link } from '@roastery/contract/machine-map';
import { startPoller } from '@roastery/device-agent/machine/poller';
import type { Reading } from '@roastery/device-agent/source';
import { createFaultyMachine } from './faulty-line.ts';
import { bankOf, mapOf } from './layouts.ts';
import { layMemoryLine } from './memory-line.ts';
import { judgeReadings, type ReadOverFaultyLine, type ReadReport } from './read-over-faulty-line.ts';
import { startVirtualTime } from './virtual-time.ts';

/** How quickly the machines answer: a controller on a network, and one behind a slow gateway. */
const travelTimesMs = [1, 2, 3, 7];

export const linkInMemory = (kind: Link['kind']): Link =>
  kind === 'tcp' || kind === 'rtu-over-tcp'
    ? { kind, host: '127.0.0.1', port: 502 }
    : { kind, path: 'memory', baud: 115_200, dataBits: 8, parity: 'none', stopBits: 1 };

const startRead = (run: ReadOverFaultyLine, seed: number) => {
  const { kind, layout, faults, hz = 4, heldUp, steadyMs } = run;
  const { context, asked } = createFaultyMachine({ bank: bankOf(layout, steadyMs), faults, seed });
  const map = mapOf(layout, linkInMemory(kind), { hz });
  const readings: Reading[] = [];
  const poller = startPoller({
    map,
    reading: (reading) => void readings.push(reading),
    linkChanged: () => undefined,
    openLine: layMemoryLine({
      kind,
      context,
      travelMs: travelTimesMs[seed % travelTimesMs.length] ?? 1,
      seed,
      heldUp,
    }),
  });
  return {
    async end(): Promise<ReadReport> {
      const link = poller.link();
      await poller.stop();
      return judgeReadings(run, map, asked, { readings, channels: poller.channels, link });
    },
  };
};

/**
 * Reads many stamped machines at once, each over a faulty line of its own in this process, in virtual time: a minute of
 * 20 machines takes seconds. Nothing else may use timers in this process until it has resolved.
 */
export const readInVirtualTime = async (run: ReadOverFaultyLine, seeds: readonly number[]): Promise<ReadReport[]> => {
  const time = startVirtualTime();
  try {
    const reads = seeds.map((seed) => startRead(run, seed));
    await time.advance(run.seconds * 1000);
    const ended = Promise.all(reads.map((read) => read.end()));
    await time.advance(10_000);
    return await ended;
  } finally {
    time.restore();
  }
};
