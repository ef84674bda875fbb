import type { ChannelUnit } from '@roastery/contract/channels';
import type { ColumnChoice, Upload, UploadChoices } from '@roastery/contract/imports';
import type { Mark } from '@roastery/roasting/marks';
import type { Reading } from '@roastery/roasting/curves/series';
import { formatDuration, type TemperatureUnit, type TimeUnit } from '@roastery/roasting/units';
import type { FileFacts } from '../../file-reading/restored-file.ts';
import { AppError } from '../../http/app-error.ts';
import { type FileMoment, instantOf } from './moments.ts';

/** Choices of a file with what the roastery knows besides: assigned columns of tables, by the key of their heads. */
export type ReadingChoices = UploadChoices & { readonly layouts?: KeptLayouts | undefined };
export type KeptLayouts = Readonly<Record<string, readonly ColumnChoice[]>>;

export interface ImportedChannel {
  /** Name in the recording: one of the known channels, or the file's own name in lower_snake_case. */
  readonly name: string;
  /** Its name in the file. */
  readonly label: string;
  readonly unit: ChannelUnit;
  /** As long as the times; null for missing readings. */
  readonly values: readonly Reading[];
}

export interface KnownUnit<U> {
  readonly value: U;
  readonly source: 'file' | 'guess' | 'person';
}

/** The file's facts about the roast besides its curve. */
export type ImportedFacts = FileFacts;

export const noFacts: ImportedFacts = {
  coffee_name: null,
  coffee_origin: null,
  coffee_process: null,
  machine_name: null,
  roasted_by: null,
  profile_name: null,
  roast_number: null,
  roast_level: null,
  batch_size_kg: null,
  end_weight_kg: null,
  color: null,
  cupping_score: null,
  notes: null,
};

/** The number in another program, as printed on that roastery's bags: `P5-` and 42. */
export interface ImportedBatch {
  readonly prefix: string;
  readonly number: number;
}

/** As printed on the bags: `P5-42`. */
export const batchName = (batch: ImportedBatch | null): string | null =>
  batch === null ? null : `${batch.prefix}${batch.number}`;

/** One roast as read from any format: °C, kg, seconds since the recording began. */
export interface ImportedRoast {
  /** Rising. */
  readonly timesSeconds: readonly number[];
  readonly channels: readonly ImportedChannel[];
  readonly marks: readonly Mark[];
  readonly facts: ImportedFacts;
  readonly batch: ImportedBatch | null;
  /** The program's id of the roast; all versions of its file have it. */
  readonly sourceId?: string | null;
  /** Time of second 0, ms since 1970; null if the file has none. */
  readonly recordedAtMs: number | null;
  /** The file states that time without a zone: it was read in the zone of the choices. */
  readonly isLocalTime: boolean;
  readonly temperatureUnit: KnownUnit<TemperatureUnit>;
  readonly timeUnit: KnownUnit<TimeUnit>;
  /** Without a charge, the program's times of the roast count from the start of the recording. */
  readonly countsFromStart?: boolean;
  /** The columns of a table of any program. */
  readonly table?: Upload['table'];
  /** Assumptions and omissions, one sentence each. */
  readonly warnings: readonly string[];
}

/** A file's time of second 0 in the chosen zone; without a choice in UTC. */
export const timeOfRecording = (
  moment: FileMoment | null,
  { time_zone: timeZone = 'UTC' }: UploadChoices,
): Pick<ImportedRoast, 'recordedAtMs' | 'isLocalTime'> =>
  moment === null
    ? { recordedAtMs: null, isLocalTime: false }
    : { recordedAtMs: instantOf(moment, timeZone), isLocalTime: moment.isLocal };

export const valuesOf = (roast: Pick<ImportedRoast, 'channels'>, name: string): readonly Reading[] | undefined =>
  roast.channels.find((channel) => channel.name === name)?.values;

/** More samples than a day at 2 Hz, or four hours at 10 Hz. Reading them must not delay other requests. */
export const maxSamples = 200_000;

/** Columns of a table, and curves of a recording. The richest real file has two dozen. */
export const maxColumns = 256;
/** Readings of all curves together: five curves of 200,000 samples. */
export const maxReadings = 2_000_000;

/** The file can't be imported; the sentence has the reason. */
export const refusedFile = (why: string): AppError => new AppError('validation', why);

/** A clock that does not run is a fault of the file, whatever its number of samples. */
export const refuseStandingTimes = (timesSeconds: readonly number[]): void => {
  const [first] = timesSeconds;
  if (first === undefined || timesSeconds.length < 2 || timesSeconds.some((time) => time !== first)) return;
  throw refusedFile(
    `All ${timesSeconds.length} samples of the file have the time ${formatDuration(first)}: its clock did not run, so it has no curve.`,
  );
};

/** True for a table whose columns a person has to assign first. */
export const lacksColumns = ({ table, timesSeconds }: Pick<ImportedRoast, 'table' | 'timesSeconds'>): boolean =>
  table !== undefined && table !== null && timesSeconds.length === 0;
