import { forEachRow } from '../db/postgres-errors.ts';
import type { SeqRange } from '../db/seq-ranges.ts';
import type { Database, Sql } from '../db/sql.ts';
import { sealStreams } from './seal-chunks.ts';

export interface SampleRules {
  /** Samples outside every roast are kept for this long. */
  readonly keepSamplesDays: number;
}

/** Samples this far before charge and after drop belong to a roast. */
const marginMinutes = 30;
/** Highest rate a machine map allows: turns minutes into sequence numbers. */
const maxHz = 10;
/** A recording is swept when samples of a day have become old, not for each chunk. */
const sweepEveryDays = 1;
const marginSeqs = marginMinutes * 60 * maxHz;
/** The longest possible roast: a day at the highest rate. */
const maxRoastSeqs = 24 * 3600 * maxHz;
const maxChunksPerTransaction = 500;
const maxChunksPerRun = 5000;
const maxRecordingsPerRun = 200;

interface OldChunk {
  readonly first_seq: number;
  readonly end_seq: number;
  readonly received_at: string;
  readonly is_old: boolean;
}

const chunksFrom = (tx: Sql, recordingId: string, fromSeq: number, toSeq: number, rules: SampleRules) => tx<OldChunk[]>`
  SELECT first_seq, first_seq + cardinality(dt_ms) AS end_seq, received_at,
         received_at < now() - make_interval(days => ${rules.keepSamplesDays}) AS is_old
  FROM recording_chunks WHERE recording_id = ${recordingId} AND first_seq >= ${fromSeq} AND first_seq < ${toSeq}
  ORDER BY first_seq LIMIT ${maxChunksPerTransaction}`;

/**
 * Roasts that may contain samples between two sequence numbers: two index ranges, as long as there are roasts at that
 * time.
 */
const coversBetween = (tx: Sql, recordingId: string, fromSeq: number, toSeq: number) => tx<SeqRange[]>`
  SELECT coalesce(charge_seq, status_seq, 0) - ${marginSeqs} AS start,
         coalesce(drop_seq, status_seq, charge_seq, 0) + ${marginSeqs} AS end
  FROM roasts WHERE recording_id = ${recordingId}
    AND (charge_seq BETWEEN ${fromSeq - marginSeqs - maxRoastSeqs} AND ${toSeq + marginSeqs}
      OR charge_seq IS NULL AND status_seq BETWEEN ${fromSeq - marginSeqs} AND ${toSeq + marginSeqs}
      OR charge_seq IS NULL AND status_seq IS NULL)`;

/** Removes the old ones of these chunks that belong to no roast. */
const removeUncovered = async (tx: Sql, recordingId: string, chunks: readonly OldChunk[]): Promise<number> => {
  const [first, last] = [chunks[0], chunks.at(-1)];
  if (first === undefined || last === undefined) return 0;
  const covers = await coversBetween(tx, recordingId, first.first_seq, last.end_seq);
  const uncovered = chunks.filter(
    ({ first_seq, end_seq, is_old }) => is_old && !covers.some(({ start, end }) => end_seq > start && first_seq <= end),
  );
  if (uncovered.length > 0) {
    await tx`
      DELETE FROM recording_chunks
      WHERE recording_id = ${recordingId} AND first_seq = ANY(${uncovered.map((chunk) => chunk.first_seq)}::bigint[])`;
  }
  return uncovered.length;
};

interface Swept {
  readonly examined: number;
  readonly removed: number;
}
const sum = (a: Swept, b: Swept): Swept => ({ examined: a.examined + b.examined, removed: a.removed + b.removed });

/** Sweeps a recording from the end of the last sweep. It locks the recording's row, as ingest does. */
const sweepRecording = async (tx: Sql, recordingId: string, rules: SampleRules): Promise<Swept> => {
  const [recording] = await tx<{ swept_seq: number }[]>`
    SELECT swept_seq FROM recordings WHERE id = ${recordingId} FOR NO KEY UPDATE`;
  if (recording === undefined) return { examined: 0, removed: 0 };
  const chunks = await chunksFrom(tx, recordingId, recording.swept_seq, Number.MAX_SAFE_INTEGER, rules);
  const young = chunks.findIndex(({ is_old }) => !is_old);
  const old = young < 0 ? chunks : chunks.slice(0, young);
  const next = chunks[young] ?? (chunks.length < maxChunksPerTransaction ? undefined : chunks.at(-1));
  await tx`
    UPDATE recordings r
    SET swept_seq = ${old.at(-1)?.end_seq ?? recording.swept_seq},
        unswept_since = coalesce(${next?.received_at ?? null}::timestamptz, now()),
        -- Removed samples stay committed.
        committed = committed_now(r)
    WHERE id = ${recordingId}`;
  return { examined: old.length, removed: await removeUncovered(tx, recordingId, old) };
};

/** Sweeps a range again that was swept before. */
const sweepAgain = async (tx: Sql, rules: SampleRules): Promise<Swept | undefined> => {
  const [due] = await tx<{ recording_id: string; from_seq: number; to_seq: number }[]>`
    DELETE FROM sample_sweeps WHERE ctid = (
      SELECT ctid FROM sample_sweeps
      WHERE received_at < now() - make_interval(days => ${rules.keepSamplesDays}) ORDER BY received_at LIMIT 1)
    RETURNING recording_id, from_seq, to_seq`;
  if (due === undefined) return undefined;
  const id = due.recording_id;
  const [recording] = await tx<{ swept_seq: number }[]>`
    SELECT swept_seq FROM recordings WHERE id = ${id} FOR NO KEY UPDATE`;
  const toSeq = Math.min(due.to_seq, recording?.swept_seq ?? 0);
  const chunks = await chunksFrom(tx, id, due.from_seq, toSeq, rules);
  const last = chunks.at(-1);
  if (chunks.length === maxChunksPerTransaction && last !== undefined) {
    await tx`INSERT INTO sample_sweeps VALUES (${id}, ${last.end_seq}, ${due.to_seq}, '-infinity')`;
  }
  return { examined: chunks.length, removed: await removeUncovered(tx, id, chunks) };
};

/**
 * Removes old samples that belong to no roast, a limited number per run. Samples that were examined once are not read
 * again, so the cost of a run depends only on the samples that became old since the last one. Returns the number of
 * removed chunks.
 */
export const removeOldSamples = async (sql: Database, rules: SampleRules): Promise<number> => {
  let total: Swept = { examined: 0, removed: 0 };
  while (total.examined < maxChunksPerRun) {
    const swept = await sql.begin((tx) => sweepAgain(tx, rules));
    if (swept === undefined) break;
    total = sum(total, swept);
  }
  const due = await sql<{ id: string }[]>`
    SELECT id FROM recordings
    WHERE unswept_since < now() - make_interval(days => ${rules.keepSamplesDays + sweepEveryDays})
    ORDER BY unswept_since LIMIT ${maxRecordingsPerRun}`;
  await forEachRow(due, async ({ id }) => {
    if (total.examined >= maxChunksPerRun) return;
    total = sum(total, await sql.begin((tx) => sweepRecording(tx, id, rules)));
  });
  return total.removed;
};

/** Merges small chunks of streams, and removes old samples that belong to no roast: a failure of one does not stop the other. */
export const sweepRecordings = async (
  sql: Database,
  rules: SampleRules,
): Promise<{ readonly sealed: number; readonly removed: number }> => {
  const [sealing] = await Promise.allSettled([sealStreams(sql)]);
  const removed = await removeOldSamples(sql, rules);
  if (sealing.status === 'rejected') throw sealing.reason;
  return { sealed: sealing.value, removed };
};

/** All samples of a recording. The caller has locked its row. */
export const deleteSamples = async (tx: Sql, recordingId: string | null): Promise<void> => {
  await tx`DELETE FROM recording_chunks WHERE recording_id = ${recordingId}`;
};
