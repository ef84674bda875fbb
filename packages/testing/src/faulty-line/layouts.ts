import {
  machineMapShape,
  parseAddress,
  type Link,
  type MachineMap,
  type MachineMapInput,
} from '@roastery/contract/machine-map';
import { createStampedBank, readStamp, tagInRow, tagInTables, type TagOf } from './stamped-machine.ts';

/** The layout of a map on a stamped machine. */
export interface Layout {
  readonly tagOf: TagOf;
  readonly limits: Pick<MachineMapInput, 'maxHole' | 'maxRegisters'>;
  readonly channels: MachineMapInput['channels'];
}

const rowEvery = (step: number): MachineMapInput['channels'] =>
  Object.fromEntries(
    Array.from({ length: 64 / step }, (_, index) => [
      index === 0 ? 'bean_temp' : `register_${index * step}`,
      { at: `h:${index * step}`, scale: 0.001, unit: index === 0 ? '°C' : '' },
    ]),
  );

export const layouts = {
  /** Two units, three tables, wide values: six requests, two of one shape. */
  tables: {
    tagOf: tagInTables,
    limits: { maxHole: 8 },
    channels: {
      // Raw words pass through scale and offset into the journal.
      bean_temp: { at: 'i:0', scale: 0.001 },
      exhaust_temp: { at: 'i:1', scale: 0.001, offset: -10 },
      drum_air: { at: 'i:12', as: 'u32', scale: 0.0001, unit: '' },
      burner_front_temp: { at: 'h:2', as: 'u32', scale: 0.0001, unit: '' },
      burner_back_temp: { at: 'h:8', as: 'u32', order: 'CDAB', scale: 0.0001, unit: '' },
      second_unit: { at: '2/i:3', scale: 0.1, unit: '' },
      lamp: { at: 'd:5', unit: 'bool' },
      door: { at: 'd:6', unit: 'bool' },
    },
  },
  /** Eight requests for one register each; only their address distinguishes their answers. */
  single: { tagOf: tagInRow, limits: { maxHole: 0 }, channels: rowEvery(8) },
  /** The same on a machine that gives one register at a time, so that all answers have one length. */
  strict: { tagOf: tagInRow, limits: { maxHole: 0, maxRegisters: 1 }, channels: rowEvery(8) },
  /** All 64 registers of a machine that has no others: one request, always of one length. */
  block: { tagOf: tagInRow, limits: { maxRegisters: 64 }, channels: rowEvery(1) },
} as const satisfies Record<string, Layout>;
export type LayoutName = keyof typeof layouts;

export const bankOf = (name: LayoutName, steadyMs?: number) => createStampedBank(layouts[name].tagOf, steadyMs);

export const mapOf = (name: LayoutName, link: Link, over: Partial<MachineMapInput>): MachineMap =>
  machineMapShape.parse({
    v: 1,
    id: 'stamped',
    maker: 'Test',
    model: 'Stamped',
    link,
    ...layouts[name].limits,
    channels: layouts[name].channels,
    ...over,
  });

/** One value of the record with the words behind it. */
export interface WordBehind {
  readonly word: number;
  /** The address that it must come from. */
  readonly tag: number | undefined;
}

export const wordsBehind = (map: MachineMap, tagOf: TagOf, name: string, value: number): WordBehind[] => {
  const channel = map.channels[name];
  if (channel === undefined) throw new Error(`no channel ${name}`);
  const { unit, table, address } = parseAddress(channel.at, map.unit);
  const raw = Math.round((value - channel.offset) / channel.scale);
  if (channel.as !== 'u32') return [{ word: raw, tag: tagOf(unit, table, address) }];
  const [high, low] = [Math.floor(raw / 65_536), raw % 65_536];
  const inOrder = channel.order === 'CDAB' ? [low, high] : [high, low];
  return inOrder.map((word, index) => ({ word, tag: tagOf(unit, table, address + index) }));
};

export interface StampedSample {
  readonly mono: number;
  readonly channels: readonly string[];
  readonly values: readonly (number | null)[];
}

/** Where no reading of the machine is known: less than the time between two readings at 4 Hz. */
const staleMs = 230;
/** No value is further from the time of its sample, whatever the machine does. */
export const misdatedMs = 500;
/** Stamps are hundredths of a second. */
const stampMs = 15;
/** An answer takes a while: a sample may be this much later than the last request of its reading. */
const answerMs = 60;

/** From the first to the last request of a reading, as the machine received them. */
export interface ReadingTime {
  readonly from: number;
  readonly to: number;
}

/**
 * Errors of a sample: values of other registers, and of other readings than its own. A value is created when the
 * machine is read, so its stamp lies among the requests of the sample's reading.
 */
export const wrongValues = (
  map: MachineMap,
  layout: LayoutName,
  sample: StampedSample,
  readings: readonly ReadingTime[] = [],
  atMostMs = staleMs,
): string[] => {
  const { mono } = sample;
  const reading = readings.find(({ from, to }) => mono >= from - stampMs && mono <= to + answerMs);
  return sample.channels.flatMap((name, column) => {
    const value = sample.values[column];
    if (value === null || value === undefined) return [];
    const where = `at ${Math.round(mono)}: ${name} ${value}`;
    const { table, address } = parseAddress(map.channels[name]?.at ?? '', map.unit);
    if (table === 'coil' || table === 'discrete') return value === address % 2 ? [] : [where];
    return wordsBehind(map, layouts[layout].tagOf, name, value).flatMap(({ word, tag }) => {
      const stamp = readStamp(word);
      if (stamp.tag !== tag) return [`${where} has place ${stamp.tag}, not ${tag}`];
      const made = stamp.near(mono);
      const isOwn = reading && made >= reading.from - stampMs && made <= reading.to + stampMs;
      const away = Math.round(Math.abs(made - mono));
      return away > (isOwn ? Math.max(misdatedMs, atMostMs) : atMostMs)
        ? [`${where} is ${away} ms from its moment`]
        : [];
    });
  });
};

/** Samples whose bean temperature was created at the time of the previous one: the machine was read once for both. */
export const repeatedSamples = (map: MachineMap, layout: LayoutName, samples: readonly StampedSample[]): number => {
  const beanWords = samples.map(({ values, channels }) => {
    const value = values[channels.indexOf('bean_temp')];
    return value === null || value === undefined
      ? undefined
      : wordsBehind(map, layouts[layout].tagOf, 'bean_temp', value)[0]?.word;
  });
  return beanWords.filter((word, index) => index > 0 && word !== undefined && word === beanWords[index - 1]).length;
};
