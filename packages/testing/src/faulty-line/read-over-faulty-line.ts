import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Link, MachineMap } from '@roastery/contract/machine-map';
import { startPoller } from '@roastery/device-agent/machine/poller';
import type { MachineLink, Reading } from '@roastery/device-agent/source';
import type { FaultsInput } from '@roastery/simulator/modbus/faults';
import { layFaultyLine, type AskedQuestion } from './faulty-line.ts';
import { keptReadings, readingTimes } from './kept-readings.ts';
import { bankOf, mapOf, repeatedSamples, wrongValues, type LayoutName } from './layouts.ts';
import type { HeldUp } from './memory-line.ts';
import { monoMs } from './stamped-machine.ts';

export interface ReadOverFaultyLine {
  readonly kind: Link['kind'];
  readonly layout: LayoutName;
  readonly faults: FaultsInput;
  readonly seconds: number;
  readonly hz?: number;
  readonly seed?: number;
  readonly charactersPerSecond?: number;
  /** How far a value may be from the moment of its sample, ms; default: less than the time between two readings. */
  readonly atMostMs?: number;
  /** In virtual time: how many pieces of a request are delayed, and for how long, ms. */
  readonly heldUp?: HeldUp;
  /** In virtual time: how long each register keeps its value, ms; default: a hundredth of a second. */
  readonly steadyMs?: number;
  /** Readings of the first seconds are not counted: the agent learns which neighbours of its registers can be read. */
  readonly learningSeconds?: number;
  /** Ignores readings close to a time at which this computer let its own processes wait. */
  readonly withoutStarved?: true;
}

export interface ReadReport {
  readonly wrong: readonly string[];
  /** Samples from the same time as the previous one. */
  readonly repeated: number;
  readonly readings: number;
  readonly values: number;
  /** Readings whose every answer was sound, and those of them that were kept completely. */
  readonly sound: number;
  readonly kept: number;
  /** Readings that were kept a second, from the first to the last. */
  readonly reachedHz: number;
  readonly link: MachineLink;
}

/** From, to: when this computer let its own processes wait, ms since boot. */
type Starved = readonly (readonly [fromMs: number, toMs: number])[];

interface Read {
  readonly readings: readonly Reading[];
  readonly channels: readonly string[];
  readonly link: MachineLink;
  readonly starved?: Starved;
}

/** The agent expects true answers within 1.5 times the usual time and 10 ms; a starved computer delays them more. */
const starvedAfterMs = 10;
const tickMs = 5;
/** A request and its answer are in one reading, and a repeat arrives within a second. */
const aroundStarvedMs = { before: 300, after: 1250 };

const watchStarvation = () => {
  const spans: [number, number][] = [];
  let last = monoMs();
  const timer = setInterval(() => {
    const now = monoMs();
    if (now - last > tickMs + starvedAfterMs) spans.push([last, now]);
    last = now;
  }, tickMs);
  return { spans, [Symbol.dispose]: () => clearInterval(timer) };
};

/** Compares each value with the requests that the machine received. */
export const judgeReadings = (
  { layout, atMostMs, learningSeconds = 0 }: Pick<ReadOverFaultyLine, 'layout' | 'atMostMs' | 'learningSeconds'>,
  map: MachineMap,
  asked: readonly AskedQuestion[],
  { readings, channels, link, starved = [] }: Read,
): ReadReport => {
  const samples = readings.map(({ mono, values }) => ({ mono, values, channels }));
  const first = samples[0]?.mono ?? 0;
  const last = samples.at(-1)?.mono ?? 0;
  const times = readingTimes(map, asked);
  const learnt = (asked[0]?.at ?? 0) + learningSeconds * 1000;
  // The last reading may have been cut off by the end.
  const { sound, kept } = keptReadings(
    map,
    asked.filter(({ at }) => at < last && at >= learnt),
    samples,
  );
  // A late answer besides the tested fault would be a second fault.
  const fair = samples.filter(({ mono }) =>
    starved.every(([from, to]) => mono < from - aroundStarvedMs.before || mono > to + aroundStarvedMs.after),
  );
  return {
    wrong: fair.flatMap((sample) => wrongValues(map, layout, sample, times, atMostMs)),
    repeated: repeatedSamples(map, layout, samples),
    readings: samples.length,
    values: samples.reduce((sum, { values }) => sum + values.filter((value) => value !== null).length, 0),
    sound,
    kept,
    reachedHz: last > first ? ((samples.length - 1) * 1000) / (last - first) : 0,
    link,
  };
};

/** Reads a stamped machine with the agent's poller over a faulty line, and checks each value. */
export const readOverFaultyLine = async (run: ReadOverFaultyLine): Promise<ReadReport> => {
  const { kind, layout, faults, hz = 4, seed = 1, charactersPerSecond = 0 } = run;
  const folder = await mkdtemp(join(tmpdir(), 'roastery-faulty-line-'));
  try {
    await using line = await layFaultyLine({
      kind,
      bank: bankOf(layout),
      faults,
      seed,
      adapter: join(folder, 'adapter'),
      charactersPerSecond,
    });
    const map = mapOf(layout, line.link, { hz });
    const readings: Reading[] = [];
    using starvation = watchStarvation();
    const poller = startPoller({
      map,
      reading: (reading) => void readings.push(reading),
      linkChanged: () => undefined,
    });
    await sleep(run.seconds * 1000);
    const link = poller.link();
    await poller.stop();
    const read = {
      readings,
      channels: poller.channels,
      link,
      starved: run.withoutStarved === true ? starvation.spans : [],
    };
    return judgeReadings(run, map, line.asked, read);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
