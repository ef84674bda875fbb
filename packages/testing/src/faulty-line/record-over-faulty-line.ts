import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Link, MachineMap } from '@roastery/contract/machine-map';
import { startAgent } from '@roastery/device-agent/agent';
import type { Entry } from '@roastery/device-agent/core/entry';
import { readSegment } from '@roastery/device-agent/journal/segment';
import { createLogger } from '@roastery/runtime/logger';
import type { FaultsInput } from '@roastery/simulator/modbus/faults';
import { layFaultyLine, type FaultyLine } from './faulty-line.ts';
import { keptReadings, readingTimes } from './kept-readings.ts';
import {
  bankOf,
  mapOf,
  misdatedMs,
  repeatedSamples,
  wrongValues,
  type LayoutName,
  type StampedSample,
} from './layouts.ts';
import { monoMs } from './stamped-machine.ts';

const hz = 4;
/** Every fault, together one of twenty answers; delays up to a second. */
const share = 0.005;
export const everyFault: FaultsInput = {
  lossProbability: share,
  lateProbability: share,
  lateMs: [10, 1000],
  earlyProbability: share,
  repeatAtOnceProbability: share,
  repeatProbability: share,
  repeatMs: [1, 1000],
  joinProbability: share,
  joinMs: 1000,
  cutShortProbability: share,
  garbledProbability: share,
  otherUnitProbability: share,
  otherFunctionProbability: share,
};
/** How long the line is cut each time, and sound after it: the agent must notice its return. */
const cutMs = 2500;
const soundMs = 5000;

export interface FaultyLineReport {
  readonly samples: number;
  readonly values: number;
  /** Values of another register, or of another request. */
  readonly wrong: readonly string[];
  /** Samples from the same time as the previous one. */
  readonly repeated: number;
  /** Readings whose every answer was sound, and those of them that are completely in the record. */
  readonly sound: number;
  readonly kept: number;
  /** Share of the readings that a sound line would have given, without the time of the cuts. */
  readonly yieldShare: number;
  /** From each return of the line to the next sample, ms. */
  readonly backAfterMs: readonly number[];
  /** Samples within the cuts; a gap must be a gap. */
  readonly samplesInCuts: number;
  readonly longestGapMs: number;
  /** Answers that met a fault. */
  readonly faulty: number;
}

interface Sample extends StampedSample {
  readonly seq: number;
}

const isSample = (entry: Entry): entry is Extract<Entry, { kind: 'sample' }> => entry.kind === 'sample';
const readJournal = async (folder: string): Promise<Sample[]> => {
  const samples: Sample[] = [];
  for (const name of (await readdir(folder)).sort()) {
    for (const { seq, mono, values, context } of readSegment(await readFile(join(folder, name))).entries.filter(
      isSample,
    ))
      samples.push({ seq, mono, values, channels: context.channels });
  }
  return samples.sort((a, b) => a.seq - b.seq);
};

export interface FaultyLineRun {
  readonly kind: Link['kind'];
  readonly layout?: LayoutName;
  readonly seconds: number;
  /** The line is cut this often, spread over the time; each cut takes 7.5 s of it. */
  readonly cuts: number;
  readonly seed?: number;
}

/**
 * Makes an agent record a stamped machine over a faulty line and checks its journal, value for value. RTU and ASCII run
 * over a real serial device of this machine and need `hasSerialCables()`.
 */
export const recordOverFaultyLine = async (run: FaultyLineRun): Promise<FaultyLineReport> => {
  const { kind, layout = 'tables', seed = 1 } = run;
  const folder = await mkdtemp(join(tmpdir(), 'roastery-faulty-line-'));
  try {
    await using line = await layFaultyLine({
      kind,
      bank: bankOf(layout),
      faults: everyFault,
      seed,
      adapter: join(folder, 'usb-serial-adapter'),
    });
    return await record(run, layout, folder, line);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const record = async (
  run: FaultyLineRun,
  layout: LayoutName,
  folder: string,
  line: FaultyLine,
): Promise<FaultyLineReport> => {
  const map = mapOf(layout, line.link, { hz });
  await writeFile(join(folder, 'map.json'), JSON.stringify(map));
  const agent = await startAgent(
    {
      // Nothing listens there: the journal keeps everything.
      apiUrl: 'http://127.0.0.1:9/api/v1',
      machineSerial: 'FAULTY-1',
      machineToken: 'token',
      firmwareVersion: '1.0.0',
      machineMapPath: join(folder, 'map.json'),
      dataDir: join(folder, 'data'),
      mqttUrl: 'mqtt://127.0.0.1:9',
      mqttCa: undefined,
      journalCapBytes: 1e9,
      logLevel: 'silent',
      statusHost: '127.0.0.1',
      statusPort: undefined,
    },
    createLogger('agent', 'silent'),
  );
  const began = monoMs();
  const away: { from: number; to: number }[] = [];
  try {
    const stretchMs = Math.max(1000, (run.seconds * 1000 - run.cuts * (cutMs + soundMs)) / (run.cuts + 1));
    for (let cut = 0; cut < run.cuts; cut++) {
      await sleep(stretchMs);
      await line.cut();
      const from = monoMs();
      line.setFaults({});
      await sleep(cutMs);
      await line.mend();
      away.push({ from, to: monoMs() });
      await sleep(soundMs);
      line.setFaults(everyFault);
    }
    await sleep(stretchMs);
  } finally {
    await agent.close();
  }
  return report(map, layout, await readJournal(join(folder, 'data', 'journal')), began, away, line);
};

const report = (
  map: MachineMap,
  layout: LayoutName,
  samples: readonly Sample[],
  began: number,
  away: readonly { readonly from: number; readonly to: number }[],
  line: FaultyLine,
): FaultyLineReport => {
  const monos = samples.map(({ mono }) => mono);
  const last = monos.at(-1) ?? 0;
  const times = readingTimes(map, line.asked);
  const ended = monoMs();
  const awayMs = away.reduce((sum, { from, to }) => sum + to - from, 0);
  const { sound, kept } = keptReadings(
    map,
    line.asked.filter(({ at }) => at < last),
    samples,
  );
  return {
    samples: samples.length,
    values: samples.reduce((sum, { values }) => sum + values.filter((value) => value !== null).length, 0),
    // The delays of this computer count too: that no value is from the reading before is tested in virtual time.
    wrong: samples.flatMap((sample) => wrongValues(map, layout, sample, times, misdatedMs)),
    repeated: repeatedSamples(map, layout, samples),
    sound,
    kept,
    yieldShare: samples.length / (((ended - began - awayMs) / 1000) * hz),
    backAfterMs: away.map(({ to }) => (monos.find((mono) => mono > to) ?? Number.POSITIVE_INFINITY) - to),
    // The reading in progress at the cut still counts.
    samplesInCuts: monos.filter((mono) => away.some(({ from, to }) => mono > from + map.timeoutMs && mono < to)).length,
    longestGapMs: Math.max(...monos.map((mono, index) => mono - (monos[index - 1] ?? mono))),
    faulty: line.asked.filter(({ isSound }) => !isSound).length,
  };
};
