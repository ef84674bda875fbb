import type { Sql } from '../../db/sql.ts';
import type { BootSpan } from './boot-spans.ts';

/** The samples of one step of a span that were read; wall times, ms. */
export interface Step {
  readonly recording_id: string;
  readonly boot_no: number;
  /** Below 0 and above the last: the nearest samples outside of the span. */
  readonly step: number;
  readonly first_ms: number;
  readonly last_ms: number;
  readonly first_seq: number;
  readonly last_seq: number;
  readonly low: number | null;
  readonly high: number | null;
  /** How many were read. */
  readonly samples: number;
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The boots that reach into a span, and the nearest one on each side: between them and the span lies a gap. */
const bootsAround = (boots: readonly BootSpan[], { fromMs, toMs }: Span): BootSpan[] => {
  const within = boots.filter((boot) => boot.to_ms >= fromMs && boot.from_ms <= toMs);
  let before: BootSpan | undefined;
  let after: BootSpan | undefined;
  for (const boot of boots) {
    if (boot.to_ms < fromMs && (before === undefined || boot.to_ms > before.to_ms)) before = boot;
    if (boot.from_ms > toMs && (after === undefined || boot.from_ms < after.from_ms)) after = boot;
  }
  return [before, ...within, after].filter((boot) => boot !== undefined);
};

/**
 * Lowest and highest bean temperature of each step of a span that has samples, in the order of time. Each step reads at
 * most two chunks: the one that covers its begin and the first one that begins in it.
 */
export const readSteps = async (sql: Sql, boots: readonly BootSpan[], span: Span, points: number): Promise<Step[]> => {
  const around = bootsAround(boots, span);
  if (around.length === 0) return [];
  const stepMs = (span.toMs - span.fromMs) / points;
  const rows = await sql<Step[]>`
    WITH boots AS (
      SELECT * FROM unnest(
        ${around.map((boot) => boot.recording_id)}::uuid[], ${around.map((boot) => boot.boot_no)}::smallint[],
        ${around.map((boot) => boot.wall_offset_ms)}::bigint[],
        ${around.map((boot) => boot.from_ms)}::float8[], ${around.map((boot) => boot.to_ms)}::float8[]
      ) AS b (recording_id, boot_no, wall_offset_ms, from_ms, to_ms)
    ), probes AS (
      -- The begin of every step that the boot covers, and one beyond on each side.
      SELECT b.*, ${span.fromMs}::float8 + step * ${stepMs}::float8 - b.wall_offset_ms AS mono
      FROM boots b CROSS JOIN LATERAL generate_series(
        least(${points}, greatest(0, floor((b.from_ms - ${span.fromMs}) / ${stepMs})))::int,
        least(${points}, greatest(0, ceil((b.to_ms - ${span.fromMs}) / ${stepMs})))::int) AS step
    ), found AS (
      SELECT DISTINCT p.recording_id, p.boot_no, p.wall_offset_ms, k.first_seq
      FROM probes p CROSS JOIN LATERAL (
        (SELECT c.first_seq FROM recording_chunks c
         WHERE c.recording_id = p.recording_id AND c.boot_no = p.boot_no AND c.mono_ms <= p.mono::bigint
         ORDER BY c.mono_ms DESC LIMIT 1)
        UNION ALL
        (SELECT c.first_seq FROM recording_chunks c
         WHERE c.recording_id = p.recording_id AND c.boot_no = p.boot_no AND c.mono_ms > p.mono::bigint
         ORDER BY c.mono_ms LIMIT 1)) k
    )
    SELECT f.recording_id, f.boot_no,
           greatest(-1, least(${points}, floor((s.wall - ${span.fromMs}) / ${stepMs})))::int AS step,
           min(s.wall) AS first_ms, max(s.wall) AS last_ms, min(s.seq) AS first_seq, max(s.seq) AS last_seq,
           min(s.bean) AS low, max(s.bean) AS high, count(*) AS samples
    FROM found f
    JOIN recording_chunks c ON c.recording_id = f.recording_id AND c.first_seq = f.first_seq
    JOIN recording_layouts l ON l.recording_id = c.recording_id AND l.layout_no = c.layout_no
    CROSS JOIN LATERAL (SELECT array_position(l.channels, 'bean_temp') AS place, cardinality(c.dt_ms) AS n) at
    CROSS JOIN LATERAL (
      SELECT (f.wall_offset_ms + c.mono_ms + t.dt)::float8 AS wall, c.first_seq + t.nr - 1 AS seq, t.bean
      FROM unnest(c.dt_ms, c."values"[(at.place - 1) * at.n + 1 : at.place * at.n]) WITH ORDINALITY AS t (dt, bean, nr)
      WHERE t.nr <= at.n) s
    GROUP BY f.recording_id, f.boot_no, step
    ORDER BY first_ms, f.recording_id`;
  return [...rows];
};
