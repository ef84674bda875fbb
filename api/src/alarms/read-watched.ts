import type { AlarmColour } from '@roastery/contract/alarms';
import type { AlarmCondition, WatchedRule } from '@roastery/roasting/alarm-rules';
import type { MarkKind } from '@roastery/roasting/marks';
import { type Reading, valueAt } from '@roastery/roasting/curves/series';
import type { Sql } from '../db/sql.ts';
import { effectiveMarks } from '../domains/roasts/marks/effective-marks.ts';
import { type BootClocks, findPlace, readClocks, readSamples, type Samples } from '../recordings/recordings.ts';
import { readMarkEntries } from '../domains/roasts/life/recompute-roast.ts';
import { windowOf } from '../domains/roasts/curves/roast-curve.ts';
import { timedMarks } from '../domains/roasts/curves/roast-window.ts';

export interface RoastRow {
  readonly id: string;
  readonly machine_id: string;
  readonly recording_id: string;
  readonly status: string;
  readonly boot_no: number;
  readonly charge_mono_ms: number;
  readonly charge_seq: number;
  readonly drop_mono_ms: number | null;
  readonly drop_seq: number | null;
  readonly status_seq: number | null;
  readonly start_time: string;
  readonly profile_id: string | null;
  /** Of its recording: changes when bean and exhaust are exchanged. */
  readonly layouts_rev: number;
  /** It arrived just now: a roast that has ended was backfilled as a whole. */
  readonly is_new: boolean;
}

/** A rule with the actions of its alarm. */
export interface RoastRule extends WatchedRule {
  readonly message: string;
  readonly colour: AlarmColour;
  readonly sound: boolean;
  readonly push: boolean;
}

/** The data that the evaluation of a roast needs besides its samples. */
export interface WatchedRoast {
  readonly row: RoastRow;
  /** Seconds since charge. */
  readonly marks: readonly { readonly kind: MarkKind; readonly timeSeconds: number }[];
  /** Infinite while there is no drop. */
  readonly dropSeconds: number;
  readonly rules: readonly RoastRule[];
  readonly clocks: BootClocks;
  readonly referenceAt: (seconds: number) => Reading;
}

/** A roast that was stored less than this before, minutes, is new. */
const newMinutes = 10;

/** Roasts with a charge on a board's recording: these, or all running ones. */
export const readRoastRows = async (sql: Sql, ids: readonly string[] | 'running'): Promise<RoastRow[]> => {
  const rows = await sql<RoastRow[]>`
    SELECT r.id, r.machine_id, r.recording_id, r.status, r.boot_no, r.charge_mono_ms, r.charge_seq, r.drop_mono_ms, r.drop_seq,
           r.status_seq, r.start_time, r.profile_id,
           (SELECT c.layouts_rev FROM recordings c WHERE c.id = r.recording_id) AS layouts_rev,
           NOT r.made_by_hand AND r.created_at > now() - make_interval(mins => ${newMinutes}) AS is_new
    FROM roasts r
    WHERE ${ids === 'running' ? sql`r.status = 'in_progress'` : sql`r.id = ANY(${[...ids]}::uuid[])`}
      AND r.machine_id IS NOT NULL AND r.recording_id IS NOT NULL AND r.boot_no IS NOT NULL
      AND r.charge_mono_ms IS NOT NULL AND r.charge_seq IS NOT NULL
    ORDER BY r.start_time, r.id`;
  return [...rows];
};

/** Samples after the end of a roast are not part of it. */
export const lastSeqOf = (row: RoastRow): number =>
  row.status === 'in_progress'
    ? Number.MAX_SAFE_INTEGER
    : windowOf(row, row.charge_mono_ms, row.charge_seq, { before: 0, after: 0 }).toSeq;

/** The end of the entries that follow this one without a gap; undefined where some are missing. */
export const endOfComplete = async (sql: Sql, recordingId: string, seq: number): Promise<number | undefined> => {
  const parts = await sql<{ from: number; until: number }[]>`
    SELECT lower(part) AS "from", upper(part) AS until
    FROM recordings r, unnest(committed_now(r)) AS part WHERE r.id = ${recordingId} AND upper(part) > ${seq}`;
  const [part] = parts;
  return parts.length === 1 && part !== undefined && part.from <= seq ? part.until : undefined;
};

/** At 10 Hz ten minutes: some milliseconds of work. */
const pageSeqs = 6000;

/** Samples in pages, so that hours of them are neither held as a whole nor parsed at once. A page may repeat samples. */
export async function* samplePages(
  sql: Sql,
  recordingId: string,
  fromSeq: number,
  toSeq: number,
): AsyncGenerator<Samples> {
  const newest = await findPlace(sql, [recordingId], 'newest');
  const lastSeq = Math.min(toSeq, newest?.at_seq ?? -1);
  for (let from = Math.max(0, fromSeq); from <= lastSeq;) {
    const page = await readSamples(sql, { recordingId, fromSeq: from, toSeq: Math.min(lastSeq, from + pageSeqs) });
    yield page;
    from = Math.max(from + pageSeqs, page.seq.at(-1) ?? 0) + 1;
  }
}

interface RuleRow {
  readonly id: string;
  readonly machine_id: string | null;
  readonly profile_id: string | null;
  readonly condition: AlarmCondition;
  readonly armed_after: MarkKind;
  readonly message: string;
  readonly colour: AlarmColour;
  readonly sound: boolean;
  readonly push: boolean;
  readonly changed_at: string;
}

/** The rules that are enabled for the machines and recipes of these roasts. */
export const readRules = async (sql: Sql, rows: readonly RoastRow[]): Promise<RuleRow[]> => {
  const rules = await sql<RuleRow[]>`
    SELECT id, machine_id, profile_id, condition, armed_after, message, colour, sound, push, changed_at FROM alarm_rules
    WHERE is_enabled AND (machine_id = ANY(${rows.map((row) => row.machine_id)}::uuid[])
      OR profile_id = ANY(${rows.flatMap((row) => row.profile_id ?? [])}::uuid[]))
    ORDER BY created_at, id`;
  return [...rules];
};

const rulesOf = (row: RoastRow, rules: readonly RuleRow[]): RoastRule[] =>
  rules
    .filter(
      (rule) => rule.machine_id === row.machine_id || (rule.profile_id !== null && rule.profile_id === row.profile_id),
    )
    .map(({ id, condition, armed_after: armedAfter, message, colour, sound, push, changed_at }) => ({
      id,
      condition,
      armedAfter,
      message,
      colour,
      sound,
      push,
      fromSeconds: (Date.parse(changed_at) - Date.parse(row.start_time)) / 1000,
    }));

const noReference = (): Reading => null;

/**
 * Bean temperature of the recipe's reference roast over the time since charge: the chosen one, else the highest-scoring
 * one.
 */
const readReference = async (sql: Sql, row: RoastRow): Promise<(seconds: number) => Reading> => {
  const [reference] = await sql<(RoastRow & { drop_seq: number })[]>`
    SELECT r.recording_id, r.boot_no, r.charge_mono_ms, r.charge_seq, r.drop_seq FROM profiles p
    JOIN roasts r ON r.id = coalesce(p.reference_roast_id, (
      SELECT b.id FROM roasts b WHERE b.profile_id = p.id AND b.status = 'completed' AND b.cupping_score IS NOT NULL
      ORDER BY b.cupping_score DESC, b.start_time DESC LIMIT 1))
    WHERE p.id = ${row.profile_id} AND r.id <> ${row.id} AND r.recording_id IS NOT NULL AND r.boot_no IS NOT NULL
      AND r.charge_mono_ms IS NOT NULL AND r.charge_seq IS NOT NULL AND r.drop_seq IS NOT NULL`;
  if (reference === undefined) return noReference;
  const { recording_id: id, boot_no: boot, charge_mono_ms: charge } = reference;
  const { charge_seq: fromSeq, drop_seq: toSeq } = reference;
  const samples = await readSamples(sql, { recordingId: id, fromSeq, toSeq });
  const clocks = await readClocks(sql, id, [boot, ...samples.bootNo]);
  const bean = samples.channels.get('bean_temp') ?? [];
  const placed = samples.monoMs.flatMap((mono, index) => {
    const at = clocks.onClockOf(boot, samples.bootNo[index] ?? boot, mono);
    return at === undefined ? [] : [{ seconds: (at - charge) / 1000, temp: bean[index] ?? null }];
  });
  const times = placed.map(({ seconds }) => seconds);
  const temps = placed.map(({ temp }) => temp);
  return (seconds) => valueAt(times, temps, seconds);
};

/** The roast as it is now. `before`: the earlier reading; the reference is read only once. */
export const readWatchedRoast = async (
  sql: Sql,
  row: RoastRow,
  allRules: readonly RuleRow[],
  before: WatchedRoast | undefined,
): Promise<WatchedRoast> => {
  const rules = rulesOf(row, allRules);
  const needsReference = rules.some(({ condition }) => condition.kind === 'reference_distance');
  const known = before?.row.profile_id === row.profile_id ? before.referenceAt : noReference;
  const [entries, clocks, referenceAt] = await Promise.all([
    readMarkEntries(sql, row.id, row.recording_id),
    readClocks(sql, row.recording_id),
    needsReference && known === noReference && row.profile_id !== null ? readReference(sql, row) : known,
  ]);
  // A drop before the charge belongs to the previous roast.
  const marks = timedMarks(effectiveMarks(entries), clocks).filter(
    ({ kind, timeSeconds }) => kind !== 'drop' || timeSeconds > 0,
  );
  const dropSeconds = marks.find(({ kind }) => kind === 'drop')?.timeSeconds ?? Number.POSITIVE_INFINITY;
  return { row, marks, dropSeconds, rules, clocks, referenceAt };
};
