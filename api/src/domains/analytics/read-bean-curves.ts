import type { Sql } from '../../db/sql.ts';
import { readClocks, readSamples, type Samples } from '../../recordings/recordings.ts';
import { windowOf, type WindowRow } from '../roasts/curves/roast-curve.ts';
import { secondCurve, type SecondCurve } from './curve-band.ts';

/** A roast with the fields that locate its samples. */
export type Recorded = WindowRow & { readonly id: string };

interface Wanted {
  readonly recordingId: string;
  readonly bootNo: number;
  readonly chargeMs: number;
  readonly window: ReturnType<typeof windowOf>;
}

const wantedOf = (row: Recorded): Wanted | undefined => {
  const { recording_id: recordingId, boot_no: bootNo, charge_mono_ms: chargeMs, charge_seq: chargeSeq } = row;
  if (recordingId === null || bootNo === null || chargeMs === null || chargeSeq === null) return undefined;
  return { recordingId, bootNo, chargeMs, window: windowOf(row, chargeMs, chargeSeq, { before: 0, after: 0 }) };
};

const assemble = async (
  sql: Sql,
  { recordingId, bootNo, chargeMs, window }: Wanted,
  samples: Samples,
  channels: readonly string[],
): Promise<SecondCurve[]> => {
  // A roast during which its board was restarted. Most have one boot.
  const others = samples.bootNo.filter((boot) => boot !== bootNo);
  const clocks = await readClocks(sql, recordingId, others.length === 0 ? [] : [bootNo, ...others]);
  const columns = channels.map((name) => samples.channels.get(name) ?? []);
  const timeSeconds: number[] = [];
  const values = channels.map((): (number | null)[] => []);
  for (const [index, ms] of samples.monoMs.entries()) {
    const at = clocks.onClockOf(bootNo, samples.bootNo[index] ?? bootNo, ms);
    if (at === undefined || at < window.fromMs || at > window.toMs) continue;
    timeSeconds.push(Math.round(at - chargeMs) / 1000);
    for (const [place, of] of values.entries()) of.push(columns[place]?.[index] ?? null);
  }
  return values.map((of) => secondCurve(timeSeconds, of));
};

/**
 * Bean temperatures of several roasts, second by second after charge, in the order of the roasts: one or two queries
 * for all of them. Empty where nothing was recorded.
 */
export const readBeanCurves = async (sql: Sql, roasts: readonly Recorded[]): Promise<SecondCurve[]> => {
  const curves = await readCurves(sql, roasts, ['bean_temp']);
  return curves.map(([bean = []]) => bean);
};

/** The same of several channels, in their order. */
export const readCurves = async (
  sql: Sql,
  roasts: readonly Recorded[],
  channels: readonly string[],
): Promise<SecondCurve[][]> => {
  const wanted = roasts.map(wantedOf);
  const present = wanted.filter((one): one is Wanted => one !== undefined);
  if (present.length === 0) return roasts.map(() => []);
  const ranges = present.map(({ recordingId, window }) => ({ recordingId, ...window }));
  const curves: SecondCurve[][] = [];
  for await (const samples of readSamples(sql, ranges, channels)) {
    const one = present[curves.length];
    if (one !== undefined) curves.push(await assemble(sql, one, samples, channels));
  }
  let next = 0;
  return wanted.map((one) => (one === undefined ? [] : (curves[next++] ?? [])));
};
