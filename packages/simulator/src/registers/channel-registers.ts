import {
  parseAddress,
  type Channel,
  type MachineMap,
  type Output,
  type RegisterAddress,
} from '@roastery/contract/machine-map';
import { fromChannelUnit, inChannelUnit } from '../model/machine-readings.ts';
import type { RegisterBank } from './register-bank.ts';
import { fromWords, nearestRaw, toWords, wordsOf } from './raw-words.ts';

type Scaled = Pick<Channel, 'as' | 'scale' | 'offset' | 'unit'> & { readonly bad?: readonly number[] | undefined };
type MapFigures = Pick<MachineMap, 'order' | 'unit' | 'maxDrumRpm'>;

/**
 * The raw value of a value in °C or %: the reverse of unit, offset and scale, rounded to the encoding's resolution. A
 * reading never becomes a raw value that means "no probe".
 */
export const rawOf = (name: string, channel: Scaled, value: number, maxDrumRpm: number): number => {
  const exact = (inChannelUnit(name, value, channel.unit, maxDrumRpm) - channel.offset) / channel.scale;
  // 185.95 ÷ 0.1 is 1859.4999… in floating point: rounding to twelve digits corrects it.
  const raw = nearestRaw(channel.as, Number(exact.toPrecision(12)));
  return channel.bad?.includes(raw) === true ? nearestRaw(channel.as, raw > 0 ? raw - 1 : raw + 1) : raw;
};

/** The value that an agent should decode: °C or %, to four decimals. */
export const valueOf = (name: string, channel: Scaled, raw: number, maxDrumRpm: number): number =>
  Math.round(fromChannelUnit(name, raw * channel.scale + channel.offset, channel.unit, maxDrumRpm) * 1e4) / 1e4;

/**
 * The raw value of a probe without a value: the map's own "bad" value, else NaN (floats), else a value outside the
 * map's range. Undefined when the map has none; then the register keeps its last value.
 */
export const missingRaw = (channel: Channel): number | undefined => {
  const bad = channel.bad?.find((raw) => nearestRaw(channel.as, raw) === raw);
  if (bad !== undefined) return bad;
  if (channel.as === 'f32') return Number.NaN;
  if (channel.range === undefined) return undefined;
  const [low, high] = channel.range;
  return [nearestRaw(channel.as, Number.MAX_VALUE), nearestRaw(channel.as, -Number.MAX_VALUE)].find((raw) => {
    const shown = raw * channel.scale + channel.offset;
    return shown < low || shown > high;
  });
};

const isBitTable = (address: RegisterAddress): boolean => address.table === 'coil' || address.table === 'discrete';

/** Writes one channel's reading into the bank; null means that the probe has no value. */
export const showReading = (
  bank: RegisterBank,
  map: MapFigures,
  name: string,
  channel: Channel,
  value: number | null,
): void => {
  const at = parseAddress(channel.at, map.unit);
  if (isBitTable(at)) return bank.set(at.unit, at.table, at.address, value !== null && value >= 0.5 ? 1 : 0);
  if (at.bit !== undefined) {
    return bank.setBit(at.unit, at.table, at.address, at.bit, value !== null && value >= 0.5);
  }
  const raw = value === null ? missingRaw(channel) : rawOf(name, channel, value, map.maxDrumRpm);
  if (raw === undefined) return;
  for (const [index, word] of toWords(channel.as, channel.order ?? map.order, raw).entries()) {
    bank.set(at.unit, at.table, at.address + index, word);
  }
};

/** The value that a correct reader decodes: °C or % to four decimals, null for "no probe" or out of range. */
export const shownReading = (bank: RegisterBank, map: MapFigures, name: string, channel: Channel): number | null => {
  const at = parseAddress(channel.at, map.unit);
  const words = [bank.get(at.unit, at.table, at.address), bank.get(at.unit, at.table, at.address + 1)];
  const raw =
    at.bit === undefined ? fromWords(channel.as, channel.order ?? map.order, words) : ((words[0] ?? 0) >> at.bit) & 1;
  if (raw === undefined || channel.bad?.includes(raw) === true) return null;
  const shown = raw * channel.scale + channel.offset;
  if (channel.range !== undefined && (shown < channel.range[0] || shown > channel.range[1])) return null;
  return valueOf(name, channel, raw, map.maxDrumRpm);
};

/** The value, in °C or %, that was written to an output's registers; clamped to its range. Undefined when invalid. */
export const writtenValue = (bank: RegisterBank, map: MapFigures, name: string, output: Output): number | undefined => {
  const at = parseAddress(output.at, map.unit);
  const words = [bank.get(at.unit, at.table, at.address), bank.get(at.unit, at.table, at.address + 1)];
  const raw = fromWords(output.as, output.order ?? map.order, words);
  if (raw === undefined) return undefined;
  const [low, high] = output.range;
  const shown = Math.min(high, Math.max(low, raw * output.scale + output.offset));
  return fromChannelUnit(name, shown, output.unit, map.maxDrumRpm);
};

/** Writes an output's set point to its own registers, as a machine does before the first write. */
export const showOutput = (bank: RegisterBank, map: MapFigures, name: string, output: Output, value: number): void => {
  const at = parseAddress(output.at, map.unit);
  const raw = rawOf(name, output, value, map.maxDrumRpm);
  for (const [index, word] of toWords(output.as, output.order ?? map.order, raw).entries()) {
    bank.set(at.unit, at.table, at.address + index, word);
  }
};

/** Number of registers of an output. */
export const outputWords = (output: Output): 1 | 2 => wordsOf(output.as);

/** Creates a channel's registers, so that they can be read before its first value. */
export const layOut = (bank: RegisterBank, map: MapFigures, channel: Channel): void => {
  const at = parseAddress(channel.at, map.unit);
  const words = isBitTable(at) || at.bit !== undefined ? 1 : wordsOf(channel.as);
  for (let index = 0; index < words; index++) {
    bank.set(at.unit, at.table, at.address + index, bank.get(at.unit, at.table, at.address + index));
  }
};
