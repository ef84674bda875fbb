import type { Sql } from '../../db/sql.ts';

/** The recorded part of one boot of a board; wall times, ms. */
export interface BootSpan {
  readonly recording_id: string;
  readonly boot_no: number;
  readonly wall_offset_ms: number;
  readonly from_ms: number;
  readonly to_ms: number;
}

/** Every boot of a machine's board with samples, in order of time. Two index look-ups for each. */
export const readBoots = async (sql: Sql, machineId: string): Promise<BootSpan[]> => {
  const rows = await sql<BootSpan[]>`
    SELECT b.recording_id, b.boot_no, b.wall_offset_ms,
           b.wall_offset_ms + first.mono_ms AS from_ms, b.wall_offset_ms + last.mono_ms + last.lasts AS to_ms
    FROM recordings c JOIN recording_boots b ON b.recording_id = c.id
    CROSS JOIN LATERAL (
      SELECT k.mono_ms FROM recording_chunks k WHERE k.recording_id = b.recording_id AND k.boot_no = b.boot_no
      ORDER BY k.mono_ms LIMIT 1) first
    CROSS JOIN LATERAL (
      SELECT k.mono_ms, coalesce(k.dt_ms[cardinality(k.dt_ms)], 0) AS lasts FROM recording_chunks k
      WHERE k.recording_id = b.recording_id AND k.boot_no = b.boot_no ORDER BY k.mono_ms DESC LIMIT 1) last
    WHERE c.machine_id = ${machineId} AND c.source = 'agent'
    ORDER BY from_ms, b.recording_id, b.boot_no`;
  return [...rows];
};

/** The recordings of these boots in a span, whole, in order of time. */
export const recordingsOf = (boots: readonly BootSpan[], span: { readonly fromMs: number; readonly toMs: number }) => {
  const byId = new Map<string, { id: string; fromMs: number; toMs: number }>();
  for (const { recording_id: id, from_ms, to_ms } of boots) {
    const known = byId.get(id) ?? { id, fromMs: from_ms, toMs: to_ms };
    byId.set(id, { id, fromMs: Math.min(known.fromMs, from_ms), toMs: Math.max(known.toMs, to_ms) });
  }
  return [...byId.values()].filter(({ fromMs, toMs }) => toMs >= span.fromMs && fromMs <= span.toMs);
};
