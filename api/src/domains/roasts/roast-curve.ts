import type { CurveGap } from '@roastery/contract/curve-gaps';
import type { Datapoint, RecordedCurve } from '@roastery/contract/roasts';
import { rateOfRise } from '@roastery/roasting/rate-of-rise';
import type { SignedInUser } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { onClockOf, readBootClocks } from './boots.ts';
import { keepSamples, readSamples, type Samples } from './read-samples.ts';
import { readGaps } from './roast-gaps.ts';
import { visibleTo } from './roast-row.ts';

export interface CurveMargins {
  /** Seconds before charge and after drop. */
  readonly before: number;
  readonly after: number;
}

/** Columns of a roast that say which samples are its own. */
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

/** Highest rate a machine map allows: turns seconds into at most so many sequence numbers. */
const maxHz = 10;
/** Events share the sequence with samples; there are few. */
const spareSeqs = 100;
/** A roast without a drop is drawn for this long at most, s. */
const longestOpenSeconds = 7200;

interface Window {
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Which samples belong to the curve, as sequence numbers to read and as ms on the charge's clock to keep. */
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
  const toMs = chargeMs + longestOpenSeconds * 1000;
  const ended = row.status !== 'in_progress' && row.status_seq !== null && row.status_seq > chargeSeq;
  return { ...start, toSeq: ended ? (row.status_seq ?? 0) : chargeSeq + longestOpenSeconds * maxHz, toMs };
};

export interface Curve {
  readonly timeSeconds: number[];
  readonly channels: Samples['channels'];
  /** Where the samples come from, and which they are; undefined while there are none. */
  readonly source: (Pick<Samples, 'seq' | 'bootNo'> & { readonly recordingId: string }) | undefined;
}

/**
 * The samples of a roast on its own axis, seconds since charge. Undefined when there is no such roast for this person;
 * empty while there is no charge or no recording.
 */
export const readCurve = async (
  sql: Sql,
  user: SignedInUser,
  roastId: string,
  margins: CurveMargins,
): Promise<Curve | undefined> => {
  const [row] = await sql<WindowRow[]>`
    SELECT r.recording_id, r.status, r.status_seq, r.boot_no, r.charge_mono_ms, r.charge_seq, r.drop_mono_ms, r.drop_seq
    FROM roasts r WHERE r.id = ${roastId} AND ${visibleTo(sql, user)}`;
  if (row === undefined) return undefined;
  const { recording_id: recordingId, boot_no: bootNo, charge_mono_ms: chargeMs, charge_seq: chargeSeq } = row;
  if (recordingId === null || bootNo === null || chargeMs === null || chargeSeq === null) {
    return { timeSeconds: [], channels: new Map(), source: undefined };
  }
  const window = windowOf(row, chargeMs, chargeSeq, margins);
  const [clocks, samples] = await Promise.all([
    readBootClocks(sql, recordingId),
    readSamples(sql, recordingId, window.fromSeq, window.toSeq),
  ]);
  // A roast over a reboot goes on along the wall clock; within a boot the monotonic clock is exact.
  const ms = samples.monoMs.map((mono, index) => onClockOf(clocks, bootNo, samples.bootNo[index] ?? bootNo, mono));
  const within = keepSamples(samples, (index) => {
    const at = ms[index];
    return at !== undefined && at >= window.fromMs && at <= window.toMs;
  });
  const timeSeconds = ms.flatMap((at) =>
    at !== undefined && at >= window.fromMs && at <= window.toMs ? [Math.round(at - chargeMs) / 1000] : [],
  );
  return { timeSeconds, channels: within.channels, source: { recordingId, seq: within.seq, bootNo: within.bootNo } };
};

/** °C/min with two decimals: finer is noise, and half of the bytes. */
const roundRate = (rate: number | null): number | null => (rate === null ? null : Math.round(rate * 100) / 100);

const ratesOf = ({ timeSeconds, channels }: Curve): (number | null)[] =>
  rateOfRise(timeSeconds, channels.get('bean_temp') ?? timeSeconds.map(() => null)).map(roundRate);

/** Where a curve has no samples, and why. */
export const gapsOf = async (sql: Sql, { timeSeconds, source }: Curve): Promise<CurveGap[]> =>
  source === undefined ? [] : readGaps(sql, source.recordingId, { timeSeconds, ...source });

export const curveColumns = (curve: Curve, gaps: CurveGap[]): RecordedCurve => ({
  time_seconds: curve.timeSeconds,
  channels: Object.fromEntries(curve.channels),
  ror: ratesOf(curve),
  gaps,
});

export const curveDatapoints = (curve: Curve): Datapoint[] => {
  const rates = ratesOf(curve);
  const column = (name: string) => curve.channels.get(name);
  const bean = column('bean_temp');
  const exhaust = column('exhaust_temp');
  const front = column('burner_front_temp');
  const back = column('burner_back_temp');
  const heat = column('heat_power');
  const fan = column('fan_speed');
  const drum = column('drum_speed');
  return curve.timeSeconds.map((seconds, index) => ({
    time_seconds: seconds,
    bean_temp: bean?.[index] ?? null,
    exhaust_temp: exhaust?.[index] ?? null,
    burner_front_temp: front?.[index] ?? null,
    burner_back_temp: back?.[index] ?? null,
    ror: rates[index] ?? null,
    heat_power: heat?.[index] ?? null,
    fan_speed: fan?.[index] ?? null,
    drum_speed: drum?.[index] ?? null,
  }));
};
