import type { CurveGap } from '@roastery/contract/roast-curves';
import { rateOfRise, type RoastWindow } from '@roastery/roasting/curves/rate-of-rise';
import type { SignedInUser } from '../../../http/server-context.ts';
import type { Database, Sql } from '../../../db/sql.ts';
import { roastAccess } from '../../../identity/access.ts';
import { readOrigin } from '../marks/places.ts';
import { type Column, openSamples, type Place, readClocks, type Samples } from '../../../recordings/recordings.ts';
import { holesOf, readGaps } from './roast-gaps.ts';

export interface CurveMargins {
  /** Seconds before charge and after drop. */
  readonly before: number;
  readonly after: number;
}

/** Columns of a roast that locate its samples. */
export interface WindowRow {
  recording_id: string | null;
  status: string;
  status_seq: number | null;
  boot_no: number | null;
  charge_mono_ms: number | null;
  charge_seq: number | null;
  drop_mono_ms: number | null;
  drop_seq: number | null;
}

/** Highest rate of a machine map: converts seconds into a maximum number of sequence numbers. */
const maxHz = 10;
/** Events share the sequence with samples; there are few. */
const spareSeqs = 100;
/** A roast without a drop is drawn for this long at most, s. */
const maxOpenSeconds = 7200;

interface Window {
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The samples of the curve, as sequence numbers to read and as ms on the charge's clock to keep. */
export const windowOf = (
  row: Omit<WindowRow, 'recording_id' | 'boot_no'>,
  chargeMs: number,
  chargeSeq: number,
  { before, after }: CurveMargins,
): Window => {
  const start = { fromSeq: chargeSeq - before * maxHz, fromMs: chargeMs - before * 1000 };
  if (row.drop_mono_ms !== null && row.drop_seq !== null) {
    return { ...start, toSeq: row.drop_seq + after * maxHz + spareSeqs, toMs: row.drop_mono_ms + after * 1000 };
  }
  const toMs = chargeMs + maxOpenSeconds * 1000;
  const ended = row.status !== 'in_progress' && row.status_seq !== null && row.status_seq > chargeSeq;
  return { ...start, toSeq: ended ? (row.status_seq ?? 0) : chargeSeq + maxOpenSeconds * maxHz, toMs };
};

/** The part of a recording that a roast without a charge shows, s: enough to find charge and drop. */
const stretch = { before: 180, after: 1200 };

const stretchOf = ({ mono_ms: ms, at_seq: seq }: Place, { before, after }: CurveMargins): Window => ({
  fromSeq: seq - (stretch.before + before) * maxHz - spareSeqs,
  toSeq: seq + (stretch.after + after) * maxHz + spareSeqs,
  fromMs: ms - (stretch.before + before) * 1000,
  toMs: ms + (stretch.after + after) * 1000,
});

/** The samples of a roast with this origin of its times. */
export const windowFrom = (zero: Place, row: WindowRow, margins: CurveMargins): Window =>
  row.charge_seq === null ? stretchOf(zero, margins) : windowOf(row, zero.mono_ms, zero.at_seq, margins);

/** The origin of a roast's times: its charge, else where one was first reported. */
export const zeroOf = async (sql: Sql, roastId: string, row: WindowRow): Promise<Place | undefined> => {
  const { boot_no, charge_mono_ms: mono_ms, charge_seq: at_seq } = row;
  if (boot_no !== null && mono_ms !== null && at_seq !== null) return { boot_no, mono_ms, at_seq };
  return row.recording_id === null ? undefined : readOrigin(sql, roastId);
};

const noWindow: RoastWindow = { chargeSeconds: null, dropSeconds: null };

/** The samples of a roast on its own axis, seconds since charge (without one, since its origin). */
export interface Curve {
  readonly timeSeconds: number[];
  /** From charge to drop on that axis. */
  readonly window: RoastWindow;
  readonly channels: ReadonlyMap<string, Column>;
  /** The source of the samples, and their range; undefined without samples. */
  readonly source: (Pick<Samples, 'seq' | 'bootNo'> & { readonly recordingId: string }) | undefined;
}

/** A curve with its times; its channels follow one after another, bean temperature first if there is one. */
export interface OpenedCurve extends Omit<Curve, 'channels'> {
  readonly channels: ReadonlyMap<string, Promise<Column>>;
  /** More than 20 minutes at the highest rate, or an hour at a usual one. */
  readonly isLong: boolean;
}

/** From this size on reading column by column is faster. */
const longFromSeqs = 12_000;
/** Those of an export of a whole file, which may have any number of samples. */
const wideMarginSeconds = 3600;

/**
 * Opens the curve of a roast. Undefined when there is no such roast for this person; empty while there is no recording.
 * A roast without a charge shows the recording around the time where its charge was first reported.
 * @param only the channels to read; all of them when not given
 */
export const openCurve = async (
  sql: Database,
  user: SignedInUser,
  roastId: string,
  margins: CurveMargins,
  only?: readonly string[],
): Promise<OpenedCurve | undefined> => {
  const [row] = await sql<WindowRow[]>`
    SELECT r.recording_id, r.status, r.status_seq, r.boot_no, r.charge_mono_ms, r.charge_seq, r.drop_mono_ms, r.drop_seq
    FROM roasts r WHERE r.id = ${roastId} AND ${roastAccess(sql, user)}`;
  if (row === undefined) return undefined;
  const { recording_id: recordingId } = row;
  const zero = await zeroOf(sql, roastId, row);
  if (recordingId === null || zero === undefined) {
    return { timeSeconds: [], window: noWindow, channels: new Map(), source: undefined, isLong: false };
  }
  const { boot_no: bootNo, mono_ms: chargeMs, at_seq: chargeSeq } = zero;
  const window = windowFrom(zero, row, margins);
  const isLong = (row.drop_seq ?? chargeSeq) - chargeSeq > longFromSeqs;
  const mayBeLong = isLong || margins.before + margins.after > wideMarginSeconds;
  const range = { recordingId, fromSeq: window.fromSeq, toSeq: window.toSeq };
  const samples = await openSamples(sql, range, { isLong: mayBeLong, only });
  const isOneBoot = samples.bootNo.every((boot) => boot === bootNo);
  const clocks = await readClocks(sql, recordingId, isOneBoot ? [] : [bootNo, ...samples.bootNo]);
  const timeSeconds: number[] = [];
  const kept: number[] = [];
  for (let index = 0; index < samples.seq.length; index++) {
    // A roast across a reboot continues by the wall clock; within a boot the monotonic clock is exact.
    const ms = clocks.onClockOf(bootNo, samples.bootNo[index] ?? bootNo, samples.monoMs[index] ?? 0);
    if (ms === undefined || ms < window.fromMs || ms > window.toMs) continue;
    kept.push(index);
    timeSeconds.push(Math.round(ms - chargeMs) / 1000);
  }
  const pick = <T>(column: T[]): T[] =>
    kept.length === column.length ? column : kept.map((index) => column[index] as T);
  const channels = new Map(
    Array.from(samples.channels, ([name, column]) => {
      const within = column.then(pick);
      // The consumer of the column gets its error; the column may stay unread.
      within.catch(() => undefined);
      return [name, within] as const;
    }),
  );
  return {
    timeSeconds,
    window:
      row.charge_seq === null
        ? noWindow
        : {
            chargeSeconds: 0,
            dropSeconds: row.drop_mono_ms === null ? null : Math.round(row.drop_mono_ms - chargeMs) / 1000,
          },
    channels,
    source: { recordingId, seq: pick(samples.seq), bootNo: pick(samples.bootNo) },
    isLong,
  };
};

/** The whole of an opened curve. */
export const wholeCurve = async ({ channels, ...opened }: OpenedCurve): Promise<Curve> => {
  const columns = await Promise.all(Array.from(channels, async ([name, column]) => [name, await column] as const));
  const { timeSeconds, window, source } = opened;
  return { timeSeconds, window, channels: new Map(columns), source };
};

/** The gaps of a curve, with their reasons. */
export const gapsOf = async (
  sql: Sql,
  { timeSeconds, source }: Pick<Curve, 'timeSeconds' | 'source'>,
): Promise<CurveGap[]> =>
  source === undefined ? [] : readGaps(sql, source.recordingId, holesOf({ timeSeconds, ...source }));

/** °C/min with two decimals: finer values are noise, and half of the bytes. */
const roundRate = (rate: number | null): number | null => (rate === null ? null : Math.round(rate * 100) / 100);

/** The rate of rise at each time, °C/min, from charge to drop; null throughout without a bean temperature. */
export const ratesAlong = (
  { timeSeconds, window }: Pick<OpenedCurve, 'timeSeconds' | 'window'>,
  bean: Column | undefined,
): Column => rateOfRise(timeSeconds, bean ?? timeSeconds.map(() => null), window).map(roundRate);

/** The same as soon as the bean temperature was read, while Postgres prints the other channels. */
export const ratesOnceRead = async (curve: OpenedCurve): Promise<Column> =>
  ratesAlong(curve, await curve.channels.get('bean_temp'));
