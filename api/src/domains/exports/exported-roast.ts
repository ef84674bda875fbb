import type { ChannelUnit } from '@roastery/contract/channels';
import type { Roast } from '@roastery/contract/roasts';
import type { MarkKind } from '@roastery/roasting/marks';
import type { RoastWindow } from '@roastery/roasting/curves/rate-of-rise';
import type { Reading } from '@roastery/roasting/curves/series';
import { ratesAlong } from '../roasts/curves/roast-curve.ts';

/** As a file writes it. */
export type WrittenUnit = ChannelUnit | '°F';

export interface ExportedChannel {
  /** Name in the recording. */
  readonly name: string;
  /** Its label; no two channels of a roast have the same. */
  readonly label: string;
  readonly unit: ChannelUnit;
  readonly values: readonly Reading[];
}

/** A roast with its whole recording, as every file format needs it. */
export interface ExportedRoast {
  readonly roast: Roast;
  /** Seconds since charge, rising; negative before it. */
  readonly timesSeconds: readonly number[];
  readonly channels: readonly ExportedChannel[];
  /** °C/min, as the roast page draws it. */
  readonly rates: readonly Reading[];
  /** Charge after the first sample, s. */
  readonly chargeSeconds: number;
  /** Moment of the first sample. */
  readonly recordedAtMs: number;
}

/** A channel as it is passed to the process that makes the file; NaN for missing readings. */
export type GatheredChannel = Omit<ExportedChannel, 'values'> & { readonly values: Float64Array };

/** A roast as it is passed to the process that makes the file: numbers as bytes are copied within a millisecond. */
export interface GatheredRoast extends Omit<ExportedRoast, 'timesSeconds' | 'channels' | 'rates'> {
  readonly timesSeconds: Float64Array;
  readonly channels: readonly GatheredChannel[];
  readonly window: RoastWindow;
}

export const packed = (values: readonly Reading[]): Float64Array => {
  const numbers = new Float64Array(values.length);
  // An iterator takes ten times as long.
  for (let index = 0; index < values.length; index++) numbers[index] = values[index] ?? Number.NaN;
  return numbers;
};

export const unpackRoast = ({ timesSeconds, channels: gathered, window, ...rest }: GatheredRoast): ExportedRoast => {
  const timeSeconds = [...timesSeconds];
  const channels = gathered.map(({ values, ...channel }) => ({
    ...channel,
    values: Array.from(values, (value): Reading => (Number.isNaN(value) ? null : value)),
  }));
  const bean = channels.find(({ name }) => name === 'bean_temp')?.values;
  return { ...rest, timesSeconds: timeSeconds, channels, rates: ratesAlong({ timeSeconds, window }, bean) };
};

/** Whole milliseconds, as the recording has them. */
export const sinceRecordingBegan = (
  { chargeSeconds }: Pick<ExportedRoast, 'chargeSeconds'>,
  roastSeconds: number,
): number => Math.round((roastSeconds + chargeSeconds) * 1000) / 1000;

/** The labels of marks in files and reports; the reader of uploads recognises these words. */
export const markName: Readonly<Record<MarkKind, string>> = {
  charge: 'Charge',
  turning_point: 'Turning Point',
  dry_end: 'Dry End',
  first_crack: 'First Crack',
  first_crack_end: 'First Crack End',
  second_crack: 'Second Crack',
  second_crack_end: 'Second Crack End',
  drop: 'Drop',
  cool_end: 'Cool End',
};
