import { parseAddress, type Channel, type Encoding, type MachineMap } from '@roastery/contract/machine-map';
import { coldestC, fToC, hottestC } from '@roastery/roasting/units';
import { rawValue } from '@roastery/contract/raw-value';

/** Why a channel has no value: `bad` is the machine's own "no probe", `refused` a Modbus exception. */
export type Quality = 'ok' | 'bad' | 'out_of_range' | 'not_a_number' | 'refused' | 'unit_silent';

export interface DecodedValue {
  /** In the unit of the portal: °C, %, …; null unless the quality is `ok`. */
  readonly value: number | null;
  readonly quality: Quality;
}

/** Answer of a unit, registers or bits (0 and 1), from the item's own address on. */
export type Decode = (words: ArrayLike<number>, offset: number) => DecodedValue;

/** The contract refuses values beyond this: no roaster has them. */
const limit = 1e6;
/** Four decimals are finer than any probe and keep `2153 × 0.1` from being sent as 215.30000000000001. */
const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;

/**
 * Values that controllers send for a broken or missing probe, if the map defines none: the ends of the number range. At
 * two decimals they would pass for 327.67 and 655.35 °C.
 */
const noProbe: Partial<Record<Encoding, readonly number[]>> = {
  u16: [0x7fff, 0x8000, 0xffff],
  i16: [0x7fff, -0x8000],
  u32: [0x7fff_ffff, 0x8000_0000, 0xffff_ffff],
  i32: [0x7fff_ffff, -0x8000_0000],
};

const toPortalUnit = (name: string, channel: Channel, map: Pick<MachineMap, 'maxDrumRpm'>) => {
  if (channel.unit === '°F') return fToC;
  if (channel.unit === 'mbar') return (mbar: number) => mbar * 100;
  if (channel.unit === 'rpm' && name === 'drum_speed') return (rpm: number) => (rpm / map.maxDrumRpm) * 100;
  return (value: number) => value;
};

/** The unit of a channel's decoded values. */
export const portalUnit = (name: string, channel: Pick<Channel, 'unit'>): Channel['unit'] => {
  if (channel.unit === '°F') return '°C';
  return channel.unit === 'rpm' && name === 'drum_speed' ? '%' : channel.unit;
};

const without = (quality: Exclude<Quality, 'ok'>): DecodedValue => ({ value: null, quality });
export const refusedValue = without('refused');
export const silentValue = without('unit_silent');

/** Builds the decoder of one channel: raw → `bad` → scale and offset → range in the map's unit → unit of the portal. */
export const createDecoder = (
  name: string,
  channel: Channel,
  map: Pick<MachineMap, 'order' | 'maxDrumRpm'>,
): Decode => {
  const { table, bit } = parseAddress(channel.at, 0);
  // Coils and discrete inputs arrive as 0 and 1: the same as bit 0 of a register.
  const shift = table === 'coil' || table === 'discrete' ? 0 : bit;
  const order = channel.order ?? map.order;
  const isTemperature = channel.unit === '°C' || channel.unit === '°F';
  const bad = new Set(channel.bad ?? (isTemperature ? noProbe[channel.as] : undefined) ?? []);
  // Without a range in the map, the range of a probe applies.
  const isPlausible = (value: number): boolean =>
    isTemperature && channel.range === undefined ? value >= coldestC && value <= hottestC : Math.abs(value) <= limit;
  const convert = toPortalUnit(name, channel, map);
  return (words, offset) => {
    const first = words[offset];
    if (first === undefined) return without('not_a_number');
    const raw = shift === undefined ? rawValue(channel.as, order, first, words[offset + 1] ?? 0) : (first >> shift) & 1;
    if (raw === undefined) return without('not_a_number');
    if (bad.has(raw)) return without('bad');
    const measured = raw * channel.scale + channel.offset;
    if (channel.range && (measured < channel.range[0] || measured > channel.range[1])) return without('out_of_range');
    const value = rounded(convert(measured));
    return isPlausible(value) ? { value, quality: 'ok' } : without('out_of_range');
  };
};
