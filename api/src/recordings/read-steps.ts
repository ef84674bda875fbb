import type { Sql } from '../db/sql.ts';
import { unindexedChunks } from './find-place.ts';
import { valuesAt } from './read-samples.ts';
import type { BootSpan } from './boot-spans.ts';

/** The samples read for one step of a span; wall times, ms. */
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
  /** Number of samples read. */
  readonly samples: number;
}

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The boots within a span, and the nearest one on each side: between them and the span lies a gap. */
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

/** Of a step of this length, ms, every reading is read; of longer ones fewer, since a pixel can't show them. */
const everyReadingMs = 15_000;
const maxSkipped = 10;

/** Steps of adjacent chunks as one, in order of time. */
const joined = (parts: readonly Step[]): Step[] => {
  const steps: Step[] = [];
  for (const part of parts.toSorted((a, b) => a.first_ms - b.first_ms)) {
    const last = steps.at(-1);
    if (
      last === undefined ||
      last.step !== part.step ||
      last.boot_no !== part.boot_no ||
      last.recording_id !== part.recording_id
    ) {
      steps.push(part);
      continue;
    }
    steps[steps.length - 1] = {
      ...last,
      last_ms: Math.max(last.last_ms, part.last_ms),
      last_seq: Math.max(last.last_seq, part.last_seq),
      low: either(last.low, part.low, Math.min),
      high: either(last.high, part.high, Math.max),
      samples: last.samples + part.samples,
    };
  }
  return steps;
};

const either = (a: number | null, b: number | null, pick: (a: number, b: number) => number): number | null =>
  a === null ? b : b === null ? a : pick(a, b);

/**
 * Lowest and highest bean temperature of each step of a span that has samples, in order of time. Each step reads one
 * chunk, the one that covers its beginning; if none does, also the next one, which ends the gap. Chunks that are not
 * indexed are read once, and each step finds its place among them by a binary search.
 */
export const readSteps = async (sql: Sql, boots: readonly BootSpan[], span: Span, points: number): Promise<Step[]> => {
  const around = bootsAround(boots, span);
  if (around.length === 0) return [];
  const stepMs = (span.toMs - span.fromMs) / points;
  const every = Math.min(maxSkipped, Math.max(1, Math.floor(stepMs / everyReadingMs)));
  const withUnindexed = around.filter((boot) => boot.has_unindexed).map((boot) => boot.recording_id);
  const rows = await sql<Step[]>`
    WITH boots AS (
      SELECT * FROM unnest(
        ${around.map((boot) => boot.recording_id)}::uuid[], ${around.map((boot) => boot.boot_no)}::smallint[],
        ${around.map((boot) => boot.wall_offset_ms)}::bigint[],
        ${around.map((boot) => boot.from_ms)}::float8[], ${around.map((boot) => boot.to_ms)}::float8[]
      ) AS b (recording_id, boot_no, wall_offset_ms, from_ms, to_ms)
    ), probes AS (
      -- The begin of every step that the boot covers, and one beyond on each side.
      SELECT b.*, (${span.fromMs}::float8 + step * ${stepMs}::float8 - b.wall_offset_ms)::bigint AS mono
      FROM boots b CROSS JOIN LATERAL generate_series(
        least(${points}, greatest(0, floor((b.from_ms - ${span.fromMs}) / ${stepMs})))::int,
        least(${points}, greatest(0, ceil((b.to_ms - ${span.fromMs}) / ${stepMs})))::int) AS step
    ), unindexed AS MATERIALIZED (
      SELECT recording_id, boot_no, array_agg(first_seq ORDER BY mono_ms, first_seq) AS first_seqs,
             array_agg(mono_ms ORDER BY mono_ms, first_seq) AS monos, array_agg(end_ms ORDER BY mono_ms, first_seq) AS ends
      FROM (${unindexedChunks(sql, sql`r.id = ANY(${withUnindexed}::uuid[])`)}) c GROUP BY 1, 2
    ), found AS (
      SELECT DISTINCT p.recording_id, p.boot_no, p.wall_offset_ms, k.first_seq
      FROM probes p
      LEFT JOIN unindexed u ON u.recording_id = p.recording_id AND u.boot_no = p.boot_no
      CROSS JOIN LATERAL (SELECT coalesce(width_bucket(p.mono, u.monos), 0) AS last) before
      LEFT JOIN LATERAL (
        SELECT * FROM (
          (SELECT c.first_seq, c.mono_ms, c.mono_ms + c.dt_ms[cardinality(c.dt_ms)] AS end_ms FROM recording_chunks c
           WHERE c.recording_id = p.recording_id AND c.boot_no = p.boot_no AND c.in_time_index AND c.mono_ms <= p.mono
           ORDER BY c.mono_ms DESC LIMIT 1)
          UNION ALL
          SELECT u.first_seqs[before.last], u.monos[before.last], u.ends[before.last] WHERE before.last > 0) c
        ORDER BY mono_ms DESC LIMIT 1) covering ON true
      LEFT JOIN LATERAL (
        SELECT * FROM (
          (SELECT c.first_seq, c.mono_ms FROM recording_chunks c
           WHERE c.recording_id = p.recording_id AND c.boot_no = p.boot_no AND c.in_time_index AND c.mono_ms > p.mono
             AND (covering.end_ms IS NULL OR covering.end_ms < p.mono)
           ORDER BY c.mono_ms LIMIT 1)
          UNION ALL
          SELECT u.first_seqs[before.last + 1], u.monos[before.last + 1]
          WHERE before.last < cardinality(u.monos) AND (covering.end_ms IS NULL OR covering.end_ms < p.mono)) c
        ORDER BY mono_ms LIMIT 1) next ON true
      CROSS JOIN LATERAL (VALUES (covering.first_seq), (next.first_seq)) AS k (first_seq)
      WHERE k.first_seq IS NOT NULL
    )
    SELECT f.recording_id, f.boot_no, s.*
    FROM found f
    JOIN recording_chunks c ON c.recording_id = f.recording_id AND c.first_seq = f.first_seq
    JOIN recording_layouts l ON l.recording_id = c.recording_id AND l.layout_no = c.layout_no
    CROSS JOIN LATERAL (SELECT array_position(l.channels, 'bean_temp') AS place, cardinality(c.dt_ms) AS n,
                               (f.wall_offset_ms + c.mono_ms)::float8 AS wall) at
    CROSS JOIN LATERAL (
      SELECT greatest(-1, least(${points}, floor((at.wall + t.dt - ${span.fromMs}) / ${stepMs})))::int AS step,
             at.wall + min(t.dt) AS first_ms, at.wall + max(t.dt) AS last_ms, c.first_seq + min(t.nr) - 1 AS first_seq,
             c.first_seq + max(t.nr) - 1 AS last_seq, min(t.bean) AS low, max(t.bean) AS high, count(*) AS samples
      FROM unnest(c.dt_ms, ${valuesAt(sql, sql`at.place`)}) WITH ORDINALITY AS t (dt, bean, nr)
      WHERE t.nr <= at.n AND (t.nr % ${every} = 0 OR t.nr = 1 OR t.nr = at.n)
      GROUP BY 1) s`;
  return joined(rows);
};
