import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Link, MachineMapInput } from '@roastery/contract/machine-map';
import { startAgent } from '@roastery/device-agent/agent';
import type { Entry } from '@roastery/device-agent/core/entry';
import { readSegment } from '@roastery/device-agent/journal/segment';
import { createLogger } from '@roastery/runtime/logger';
import {
  layFaultyNetwork,
  layFaultySerialLine,
  type FaultCounts,
  type FaultyLine,
  type LineFaults,
} from './faulty-line.ts';
import { monoMs, placeTag, readStamp, startStampedMachine } from './stamped-machine.ts';

const timing = { timeoutMs: 300, quietMs: 1000 };
const hz = 4;
/** 12 % late, 3 % lost, 2 % garbled, sockets closed now and then. Late is: after the deadline, within the quiet time. */
const faults: LineFaults = {
  late: 0.12,
  lost: 0.03,
  garbled: 0.02,
  closed: 0.005,
  lateMs: [timing.timeoutMs + 10, timing.timeoutMs + 0.8 * timing.quietMs],
};
const sound: LineFaults = { ...faults, late: 0, lost: 0, garbled: 0, closed: 0 };
/** How long the line is away each time it is cut, and sound after it: its return is the agent's to notice. */
const cutMs = 2500;
const soundMs = 5000;
/**
 * A value that was made this much before its sample, or after it, is another question's answer: every late one is older
 * than the deadline, and a reading whose last request fails lies half a deadline from its first.
 */
const staleMs = timing.timeoutMs + 100;

/**
 * Raw words travel through scale and offset into the journal. The input registers are read by two requests of one shape, so
 * that nothing but its place tells an answer to the one from an answer to the other.
 */
const maxHole = 8;
const channels = {
  bean_temp: { at: 'i:0', scale: 0.001 },
  exhaust_temp: { at: 'i:1', scale: 0.001, offset: -10 },
  drum_air: { at: 'i:12', as: 'u32', scale: 0.0001, unit: '' },
  burner_front_temp: { at: 'h:2', as: 'u32', scale: 0.0001, unit: '' },
  burner_back_temp: { at: 'h:8', as: 'u32', order: 'CDAB', scale: 0.0001, unit: '' },
  second_unit: { at: '2/i:3', scale: 0.1, unit: '' },
  lamp: { at: 'd:5', unit: 'bool' },
  door: { at: 'd:6', unit: 'bool' },
} as const satisfies MachineMapInput['channels'];
type ChannelName = keyof typeof channels;

const tag = { i: 'input', h: 'holding', d: 'discrete' } as const;
/** The words behind a value of the record, each with the place it must come from. */
const wordsBehind = (name: ChannelName, value: number): readonly { word: number; tag: number }[] => {
  const channel: { at: string; as?: string; order?: string; scale?: number; offset?: number } = channels[name];
  const [, unit = '1', letter = '', address = ''] = /^(?:(\d)\/)?([ihd]):(\d+)$/.exec(channel.at) ?? [];
  const place = (offset: number): number =>
    placeTag(Number(unit), tag[letter as keyof typeof tag], Number(address) + offset);
  const raw = Math.round((value - (channel.offset ?? 0)) / (channel.scale ?? 1));
  if (channel.as !== 'u32') return [{ word: raw, tag: place(0) }];
  const [high, low] = [Math.floor(raw / 65_536), raw % 65_536];
  const inOrder = channel.order === 'CDAB' ? [low, high] : [high, low];
  return inOrder.map((word, index) => ({ word, tag: place(index) }));
};

export interface FaultyLineReport {
  readonly samples: number;
  readonly values: number;
  /** Values of another register, or of another question. */
  readonly wrong: readonly string[];
  /** Samples that show the same moment as the one before: filled, not read. */
  readonly repeated: number;
  /** Share of the readings that a sound line would have given, without the time of the cuts. */
  readonly yieldShare: number;
  /** From each return of the line to the next sample, ms. */
  readonly backAfterMs: readonly number[];
  /** Samples within the cuts; a gap must be a gap. */
  readonly samplesInCuts: number;
  readonly longestGapMs: number;
  readonly counts: FaultCounts;
}

type Sample = Extract<Entry, { kind: 'sample' }>;

const wrongValues = ({ seq, mono, values, context }: Sample): string[] =>
  context.channels.flatMap((name, column) => {
    const value = values[column];
    if (value === null || value === undefined) return [];
    const known = name as ChannelName;
    if (known === 'lamp' || known === 'door') {
      return value === (known === 'lamp' ? 1 : 0) ? [] : [`sample ${seq}: ${name} ${value}`];
    }
    return wordsBehind(known, value).flatMap(({ word, tag: expected }) => {
      const stamp = readStamp(word);
      if (stamp.tag !== expected) return [`sample ${seq}: ${name} ${value} has place ${stamp.tag}, not ${expected}`];
      const away = stamp.awayMs(mono);
      return away > staleMs ? [`sample ${seq}: ${name} ${value} is ${Math.round(away)} ms from its moment`] : [];
    });
  });

const readJournal = async (folder: string): Promise<Sample[]> => {
  const entries: Sample[] = [];
  for (const name of (await readdir(folder)).sort()) {
    for (const entry of readSegment(await readFile(join(folder, name))).entries) {
      if (entry.kind === 'sample') entries.push(entry);
    }
  }
  return entries.sort((a, b) => a.seq - b.seq);
};

export interface FaultyLineRun {
  readonly kind: 'tcp' | 'rtu';
  readonly seconds: number;
  /** The line is cut so often, spread over the time; each time takes 7.5 s of it. */
  readonly cuts: number;
  readonly seed?: number;
  /** Faults to meet; without them the line is sound but for the cuts. */
  readonly faulty?: boolean;
}

/**
 * Lets an agent record a stamped machine over a faulty line and examines its journal, value for value. RTU runs over a
 * real serial device of this machine and needs `hasSerialCables()`.
 */
export const recordOverFaultyLine = async (run: FaultyLineRun): Promise<FaultyLineReport> => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-faulty-line-'));
  const machine = await startStampedMachine(run.kind === 'tcp' ? 'tcp' : 'rtu-over-tcp');
  try {
    const { line, link } = await layLine(run, machine.port ?? 0, join(folder, 'usb-serial-adapter'));
    try {
      return await record(run, folder, line, link);
    } finally {
      await line[Symbol.asyncDispose]();
    }
  } finally {
    await machine.close();
    await rm(folder, { recursive: true, force: true });
  }
};

const record = async (run: FaultyLineRun, folder: string, line: FaultyLine, link: Link): Promise<FaultyLineReport> => {
  const map: MachineMapInput = {
    v: 1,
    id: 'stamped',
    maker: 'Test',
    model: 'Stamped',
    hz,
    ...timing,
    maxHole,
    link,
    channels,
  };
  await writeFile(join(folder, 'map.json'), JSON.stringify(map));
  const agent = await startAgent(
    {
      // Nobody is there: the journal keeps everything.
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
      line.setFaults(sound);
      await sleep(cutMs);
      await line.mend();
      away.push({ from, to: monoMs() });
      await sleep(soundMs);
      line.setFaults(run.faulty === false ? sound : faults);
    }
    await sleep(stretchMs);
  } finally {
    await agent.close();
  }
  return report(await readJournal(join(folder, 'data', 'journal')), began, away, line.counts);
};

const layLine = async (
  { kind, seed = 1, faulty = true }: FaultyLineRun,
  port: number,
  name: string,
): Promise<{ line: FaultyLine; link: Link }> => {
  const met = faulty ? faults : sound;
  if (kind === 'tcp') {
    const network = await layFaultyNetwork(port, met, seed);
    return { line: network, link: { kind, host: '127.0.0.1', port: network.port } };
  }
  const serial = await layFaultySerialLine(port, name, met, seed);
  return {
    line: serial,
    link: { kind, path: name, baud: 9600, dataBits: 8, parity: 'none', stopBits: 1 },
  };
};

const report = (
  samples: readonly Sample[],
  began: number,
  away: readonly { readonly from: number; readonly to: number }[],
  counts: FaultCounts,
): FaultyLineReport => {
  const beanStamp = ({ values, context }: Sample): number | undefined => {
    const value = values[context.channels.indexOf('bean_temp')];
    return value === null || value === undefined ? undefined : wordsBehind('bean_temp', value)[0]?.word;
  };
  const monos = samples.map(({ mono }) => mono);
  const ended = monoMs();
  const awayMs = away.reduce((sum, { from, to }) => sum + to - from, 0);
  return {
    samples: samples.length,
    values: samples.reduce((sum, { values }) => sum + values.filter((value) => value !== null).length, 0),
    wrong: samples.flatMap(wrongValues),
    repeated: samples.filter((sample, index) => {
      const before = samples[index - 1];
      const stamp = beanStamp(sample);
      return before !== undefined && stamp !== undefined && stamp === beanStamp(before);
    }).length,
    yieldShare: samples.length / (((ended - began - awayMs) / 1000) * hz),
    backAfterMs: away.map(({ to }) => (monos.find((mono) => mono > to) ?? Number.POSITIVE_INFINITY) - to),
    // The reading that was under way at the cut still counts.
    samplesInCuts: monos.filter((mono) => away.some(({ from, to }) => mono > from + timing.timeoutMs && mono < to))
      .length,
    longestGapMs: Math.max(...monos.map((mono, index) => mono - (monos[index - 1] ?? mono))),
    counts,
  };
};
