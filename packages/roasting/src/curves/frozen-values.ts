import { isReading, type Reading } from './series.ts';

/** The readings of one time by channel; a channel that is absent or null was not read. */
export type ChannelReadings = Readonly<Record<string, Reading>>;

/** How long a reading may stay the same before it counts as frozen. */
export interface FrozenLimit {
  readonly seconds: number;
  /** Another temperature must have moved by this much in that time, °C. */
  readonly othersMovedC: number;
}

/**
 * Measured from charge to drop of 59 recorded roasts (`frozen-values.test.ts`): while another temperature changed by 1
 * °C the bean temperature was constant for at most 18 s, and otherwise for at most 28 s, both on probes of whole
 * degrees. An exhaust temperature of whole degrees is constant for 38 s while the beans change by 13 °C, and for 82 s
 * while they change by 4 °C.
 */
export const frozenLimits: Readonly<Record<string, readonly FrozenLimit[]>> = {
  bean_temp: [
    { seconds: 30, othersMovedC: 2 },
    // Also when all readings stay the same, as when a controller answers from memory, or when there is no other probe.
    { seconds: 60, othersMovedC: 0 },
  ],
  exhaust_temp: [{ seconds: 60, othersMovedC: 10 }],
};

export interface FrozenChange {
  readonly channel: string;
  readonly isFrozen: boolean;
  /** When the value last changed, seconds since charge. It identifies the occurrence. */
  readonly sinceSeconds: number;
}

interface Held {
  value: number;
  sinceSeconds: number;
  isFrozen: boolean;
  /** Lowest and highest reading of every other temperature since then. */
  others: Map<string, { low: number; high: number }>;
}

export interface FrozenWatch {
  /** Adds the next readings. Returns channels that froze or change again. */
  push(seconds: number, values: ChannelReadings): FrozenChange[];
  /** For how long a channel has had the same value; null before its first reading. */
  heldSeconds(channel: string, seconds: number): number | null;
}

const isTemperature = (channel: string): boolean => channel.endsWith('_temp');

/** Records how far the other temperatures changed while this one was constant. */
const noteOthers = (held: Held, channel: string, values: ChannelReadings): void => {
  for (const [other, value] of Object.entries(values)) {
    if (other === channel || !isTemperature(other) || !isReading(value)) continue;
    const range = held.others.get(other);
    if (range === undefined) held.others.set(other, { low: value, high: value });
    else {
      range.low = Math.min(range.low, value);
      range.high = Math.max(range.high, value);
    }
  }
};

const maxMovedC = ({ others }: Held): number => {
  let most = 0;
  for (const { low, high } of others.values()) most = Math.max(most, high - low);
  return most;
};

/**
 * Follows the readings of one roast from its charge and returns the frozen temperatures. A missing reading does not
 * count as frozen.
 */
export function createFrozenWatch(): FrozenWatch {
  const channels = new Map<string, Held>();
  const pushChannel = (channel: string, value: number, seconds: number, values: ChannelReadings): FrozenChange[] => {
    const held = channels.get(channel);
    if (held === undefined || held.value !== value) {
      const next: Held = { value, sinceSeconds: seconds, isFrozen: false, others: new Map() };
      channels.set(channel, next);
      if (channel in frozenLimits) noteOthers(next, channel, values);
      return held?.isFrozen === true ? [{ channel, isFrozen: false, sinceSeconds: held.sinceSeconds }] : [];
    }
    const own = frozenLimits[channel];
    if (own === undefined) return [];
    noteOthers(held, channel, values);
    const heldFor = seconds - held.sinceSeconds;
    const movedC = maxMovedC(held);
    if (held.isFrozen || !own.some((limit) => heldFor >= limit.seconds && movedC >= limit.othersMovedC)) return [];
    held.isFrozen = true;
    return [{ channel, isFrozen: true, sinceSeconds: held.sinceSeconds }];
  };
  return {
    push: (seconds, values) =>
      Object.entries(values).flatMap(([channel, value]) =>
        isReading(value) ? pushChannel(channel, value, seconds, values) : [],
      ),
    heldSeconds(channel, seconds) {
      const held = channels.get(channel);
      return held === undefined ? null : seconds - held.sinceSeconds;
    },
  };
}
