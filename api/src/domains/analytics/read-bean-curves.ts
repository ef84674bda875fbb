import type { Sql } from '../../db/sql.ts';
import { type BootClocks, onClockOf } from '../roasts/marks/places.ts';
import { nextTurn } from '@roastery/runtime/turns';
import { numbersOf } from '../roasts/curves/read-samples.ts';
import { windowOf, type WindowRow } from '../roasts/curves/roast-curve.ts';
import { secondCurve, type SecondCurve } from './curve-band.ts';

/** A roast with the fields that locate its samples. */
export type Recorded = WindowRow & { readonly id: string };

interface ChunkRow {
  place: number;
  boot_no: number;
  mono_ms: number;
  dt: string;
  bean: string | null;
}

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

/** Only the bean temperature of each chunk: a sixth of its data. */
const beanChunks = (sql: Sql, wanted: readonly Wanted[]) => sql<ChunkRow[]>`
  SELECT w.place, c.boot_no, c.mono_ms, c.dt_ms::text AS dt,
         c."values"[(b.at - 1) * cardinality(c.dt_ms) + 1 : b.at * cardinality(c.dt_ms)]::text AS bean
    FROM unnest(${wanted.map(({ recordingId }) => recordingId)}::uuid[],
                ${wanted.map(({ window }) => Math.max(0, Math.floor(window.fromSeq)))}::bigint[],
                ${wanted.map(({ window }) => Math.floor(window.toSeq))}::bigint[])
         WITH ORDINALITY AS w (recording_id, from_seq, to_seq, place)
    CROSS JOIN LATERAL (
      SELECT coalesce((SELECT max(f.first_seq) FROM recording_chunks f
                        WHERE f.recording_id = w.recording_id AND f.first_seq <= w.from_seq), w.from_seq) AS seq) start
    JOIN recording_chunks c ON c.recording_id = w.recording_id AND c.first_seq BETWEEN start.seq AND w.to_seq
    JOIN recording_layouts l ON l.recording_id = c.recording_id AND l.layout_no = c.layout_no
    CROSS JOIN LATERAL (SELECT array_position(l.channels, 'bean_temp') AS at) b
   ORDER BY w.place, c.first_seq`;

interface Boot {
  readonly recordingId: string;
  readonly bootNo: number;
}

/** The boots whose clocks must be compared: a roast during which its board was restarted. Most have one boot. */
const bootsToCompare = (wanted: readonly Wanted[], chunks: readonly ChunkRow[]): Boot[] =>
  chunks.flatMap(({ place, boot_no: bootNo }) => {
    const one = wanted[place - 1];
    if (one === undefined || one.bootNo === bootNo) return [];
    return [one, { recordingId: one.recordingId, bootNo }];
  });

const readClocks = async (sql: Sql, boots: readonly Boot[]): Promise<ReadonlyMap<string, BootClocks>> => {
  if (boots.length === 0) return new Map();
  const rows = await sql<{ recording_id: string; boot_no: number; wall_offset_ms: number; quality: number }[]>`
    SELECT DISTINCT b.recording_id, b.boot_no, b.wall_offset_ms, b.quality
      FROM unnest(${boots.map(({ recordingId }) => recordingId)}::uuid[], ${boots.map(({ bootNo }) => bootNo)}::smallint[])
             AS w (recording_id, boot_no)
      JOIN recording_boots b ON b.recording_id = w.recording_id AND b.boot_no = w.boot_no`;
  const clocks = new Map<string, Map<number, { offsetMs: number; quality: number }>>();
  for (const { recording_id: id, boot_no: boot, wall_offset_ms: offsetMs, quality } of rows) {
    clocks.set(id, (clocks.get(id) ?? new Map<number, never>()).set(boot, { offsetMs, quality }));
  }
  return clocks;
};

/** Assembled in one turn of the event loop, about a millisecond. */
const curvesAtOnce = 5;

const assemble = (
  { bootNo, chargeMs, window }: Wanted,
  chunks: readonly ChunkRow[],
  clocks: BootClocks,
): SecondCurve => {
  const timeSeconds: number[] = [];
  const beanTempC: (number | null)[] = [];
  for (const chunk of chunks) {
    const bean = chunk.bean === null ? [] : numbersOf(chunk.bean);
    for (const [index, ms] of numbersOf(chunk.dt).entries()) {
      const at = onClockOf(clocks, bootNo, chunk.boot_no, chunk.mono_ms + (ms ?? 0));
      if (at === undefined || at < window.fromMs || at > window.toMs) continue;
      timeSeconds.push(Math.round(at - chargeMs) / 1000);
      beanTempC.push(bean[index] ?? null);
    }
  }
  return secondCurve(timeSeconds, beanTempC);
};

/**
 * Bean temperatures of several roasts, second by second after charge, in the order of the roasts: one or two queries
 * for all of them. Empty where nothing was recorded.
 */
export const readBeanCurves = async (sql: Sql, roasts: readonly Recorded[]): Promise<SecondCurve[]> => {
  const wanted = roasts.map(wantedOf);
  const present = wanted.filter((one): one is Wanted => one !== undefined);
  if (present.length === 0) return roasts.map(() => []);
  const chunks = await beanChunks(sql, present);
  const clocks = await readClocks(sql, bootsToCompare(present, chunks));
  const byPlace = new Map<number, ChunkRow[]>();
  for (const chunk of chunks) {
    const known = byPlace.get(chunk.place);
    if (known === undefined) byPlace.set(chunk.place, [chunk]);
    else known.push(chunk);
  }
  const curves: SecondCurve[] = [];
  for (const [index, one] of present.entries()) {
    if (index % curvesAtOnce === 0) await nextTurn();
    curves.push(assemble(one, byPlace.get(index + 1) ?? [], clocks.get(one.recordingId) ?? new Map<number, never>()));
  }
  let next = 0;
  return wanted.map((one) => (one === undefined ? [] : (curves[next++] ?? [])));
};
