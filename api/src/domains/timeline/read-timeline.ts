import type { ParsedQuery } from '@roastery/contract/endpoint';
import {
  maxDiscardedRoasts,
  type DiscardedRoast,
  type getTimeline,
  type Timeline,
  type TimelineRoast,
} from '@roastery/contract/timeline';
import { maxTimelineDays, minTimelineSeconds } from '@roastery/contract/limits';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { invalid } from '../../http/app-error.ts';
import { requireMachine, roastAccess } from '../../identity/access.ts';
import { endedAt, isRecorded } from '../roasts/roast-row.ts';
import { readRecordedSpan } from '../../recordings/recordings.ts';
import { timelineGaps } from './timeline-gaps.ts';

/** With more roasts than this, windows are no longer distinguishable on any screen. */
const maxRoasts = 500;
const dayMs = 86_400_000;

const iso = (ms: number): string => new Date(ms).toISOString();

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The shown part of a recording that has only begun, ms. */
const minMs = 3_600_000;

/** The requested span; without one the day that ends with the newest sample, or its recorded part. */
const spanOf = ({ from, to }: { from?: string | undefined; to?: string | undefined }, recorded: Span): Span => {
  if (from === undefined && to === undefined) {
    return {
      fromMs: Math.min(recorded.toMs - minMs, Math.max(recorded.toMs - dayMs, recorded.fromMs)),
      toMs: recorded.toMs,
    };
  }
  const toMs = to === undefined ? Date.parse(from ?? '') + dayMs : Date.parse(to);
  const fromMs = from === undefined ? toMs - dayMs : Date.parse(from);
  if (toMs - fromMs < minTimelineSeconds * 1000) {
    throw invalid('to', `The span must be at least ${minTimelineSeconds} seconds long`);
  }
  if (toMs - fromMs > maxTimelineDays * dayMs) {
    throw invalid('to', `The span must be at most ${maxTimelineDays} days long`);
  }
  return { fromMs, toMs };
};

/** A roast within the span began at most this long before it: none takes longer. */
const maxRoastMs = 4 * 3_600_000;

const readRoasts = async (
  sql: Sql,
  { user }: UserContext,
  machineId: string,
  { fromMs, toMs }: Span,
): Promise<{ roasts: TimelineRoast[]; total: number }> => {
  const rows = await sql<(TimelineRoast & { total: number })[]>`
    SELECT r.*, count(*) OVER () AS total FROM (
      SELECT r.id, r.said_number, r.coffee_name, r.status,
             CASE WHEN ${isRecorded(sql)} THEN r.recording_id END AS recording_id,
             r.start_time AS "from", coalesce(${endedAt(sql)},
               CASE WHEN r.duration_seconds IS NOT NULL THEN r.start_time + make_interval(secs => r.duration_seconds) END)
               AS "to",
             CASE WHEN r.charge_seq IS NOT NULL OR r.recording_id IS NULL THEN r.start_time END AS charge_at,
             CASE WHEN r.drop_mono_ms IS NOT NULL THEN ${endedAt(sql)} END AS drop_at, r.made_by_hand
      FROM roasts r
      WHERE r.machine_id = ${machineId} AND ${roastAccess(sql, user)}
        AND r.start_time BETWEEN ${new Date(fromMs - maxRoastMs)} AND ${new Date(toMs)}) r
    WHERE coalesce(r."to", now()) >= ${new Date(fromMs)}
    ORDER BY r."from" DESC, r.id DESC LIMIT ${maxRoasts}`;
  return { roasts: rows.map(({ total: _total, ...roast }) => roast).reverse(), total: rows[0]?.total ?? 0 };
};

const readDiscarded = (
  sql: Sql,
  { user }: UserContext,
  machineId: string,
  { fromMs, toMs }: Span,
): Promise<DiscardedRoast[]> => sql<DiscardedRoast[]>`
  SELECT t.roast_id AS id, r.said_number, r.coffee_name, r.start_time AS "from", t.deleted_at AS discarded_at
    FROM roast_tombstones t CROSS JOIN LATERAL jsonb_populate_record(NULL::roasts, t.kept -> 'roast') r
   WHERE t.kept IS NOT NULL AND r.machine_id = ${machineId} AND ${roastAccess(sql, user)}
     AND r.start_time BETWEEN ${new Date(fromMs)} AND ${new Date(toMs)}
   ORDER BY r.start_time DESC, t.roast_id DESC LIMIT ${maxDiscardedRoasts}`;

/** The recording of a machine in a span, with its roasts. */
export const readTimeline = async (
  context: UserContext,
  machineId: string,
  query: ParsedQuery<typeof getTimeline>,
): Promise<Timeline> => {
  const { sql, user } = context;
  await requireMachine(sql, user, machineId, 'see');
  const nowMs = Date.now();
  const { recorded, span, recordings, steps } = await readRecordedSpan(
    sql,
    machineId,
    (all) => spanOf(query, all ?? { fromMs: nowMs, toMs: nowMs }),
    query.points,
  );
  const [{ roasts, total }, discarded] = await Promise.all([
    readRoasts(sql, context, machineId, span),
    readDiscarded(sql, context, machineId, span),
  ]);
  const shown = steps.filter((step) => step.last_ms >= span.fromMs && step.first_ms <= span.toMs);
  const hasBean = shown.filter((step) => step.low !== null);
  return {
    from: iso(span.fromMs),
    to: iso(span.toMs),
    first_at: recorded === undefined ? null : iso(recorded.fromMs),
    last_at: recorded === undefined ? null : iso(recorded.toMs),
    recordings: recordings.map(({ id, fromMs, toMs }) => ({ id, from: iso(fromMs), to: iso(toMs) })),
    curve: {
      at: hasBean.map((step) => Math.round(step.first_ms)),
      low: hasBean.map((step) => step.low),
      high: hasBean.map((step) => step.high),
    },
    gaps: await timelineGaps(sql, steps, span, query.points),
    roasts,
    roasts_total: total,
    discarded: [...discarded],
  };
};
