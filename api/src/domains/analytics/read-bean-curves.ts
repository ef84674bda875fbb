import type { Sql } from '../../db/sql.ts';
import { type BootClocks, onClockOf, readClocksOf } from '../../recordings/boot-clocks.ts';
import { type ChannelChunk, readChannelChunks } from '../../recordings/read-channel-chunks.ts';
import { nextTurn } from '@roastery/runtime/turns';
import { numbersOf } from '../../recordings/read-samples.ts';
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

/** The boots whose clocks must be compared: a roast during which its board was restarted. Most have one boot. */
const bootsToCompare = (wanted: readonly Wanted[], chunks: readonly ChannelChunk[]) =>
  chunks.flatMap(({ place, boot_no: bootNo }) => {
    const one = wanted[place - 1];
    if (one === undefined || one.bootNo === bootNo) return [];
    return [one, { recordingId: one.recordingId, bootNo }];
  });

/** Assembled in one turn of the event loop, about a millisecond. */
const curvesAtOnce = 5;

const assemble = (
  { bootNo, chargeMs, window }: Wanted,
  chunks: readonly ChannelChunk[],
  clocks: BootClocks,
  channels: readonly string[],
): SecondCurve[] => {
  const timeSeconds: number[] = [];
  const values = channels.map((): (number | null)[] => []);
  for (const chunk of chunks) {
    const columns = chunk.columns.map((column) => (column === null ? [] : numbersOf(column)));
    for (const [index, ms] of numbersOf(chunk.dt).entries()) {
      const at = onClockOf(clocks, bootNo, chunk.boot_no, chunk.mono_ms + (ms ?? 0));
      if (at === undefined || at < window.fromMs || at > window.toMs) continue;
      timeSeconds.push(Math.round(at - chargeMs) / 1000);
      for (const [place, of] of values.entries()) of.push(columns[place]?.[index] ?? null);
    }
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
  const windows = present.map(({ recordingId, window }) => ({ recordingId, ...window }));
  const chunks = await readChannelChunks(sql, windows, channels);
  const clocks = await readClocksOf(sql, bootsToCompare(present, chunks));
  const byPlace = new Map<number, ChannelChunk[]>();
  for (const chunk of chunks) {
    const known = byPlace.get(chunk.place);
    if (known === undefined) byPlace.set(chunk.place, [chunk]);
    else known.push(chunk);
  }
  const curves: SecondCurve[][] = [];
  for (const [index, one] of present.entries()) {
    if (index % curvesAtOnce === 0) await nextTurn();
    const clock = clocks.get(one.recordingId) ?? new Map<number, never>();
    curves.push(assemble(one, byPlace.get(index + 1) ?? [], clock, channels));
  }
  let next = 0;
  return wanted.map((one) => (one === undefined ? [] : (curves[next++] ?? [])));
};
