import { forEachRow } from '../db/postgres-errors.ts';
import type { Database, Sql } from '../db/sql.ts';
import { insertChunks, joinNeighbours, type SamplePiece, sealedSamples } from './chunks.ts';
import { type ChunkRow, numbersOf } from './read-samples.ts';

/**
 * Sealing: the chunks of an online board are small because it sends a few samples a second. Small chunks cost twice
 * the disk space and many rows per curve. When a range of a stream is complete, its small chunks are merged; the
 * samples and the keys of the first chunks do not change. Every chunk of the range is in the index by time then. The
 * stream's row is locked, so ingest sees the state before or after.
 */

/** The newest part is not sealed: batches of it may still arrive. */
const openSeqs = 2 * sealedSamples;
/** One transaction seals this many sequence numbers, in about 50 ms. */
const maxSeqsPerTransaction = 10 * sealedSamples;
const maxStreamsPerRun = 200;

interface ReceivedChunk extends ChunkRow {
  received_at: string;
  in_time_index: boolean;
}

const pieceOf = (row: ChunkRow): SamplePiece => {
  const dtMs = numbersOf(row.dt).map((ms) => ms ?? 0);
  const values = numbersOf(row.values);
  const columns = Array.from({ length: values.length / dtMs.length }, (_, channel) =>
    values.slice(channel * dtMs.length, (channel + 1) * dtMs.length),
  );
  return { firstSeq: row.first_seq, bootNo: row.boot_no, layoutNo: row.layout_no, monoMs: row.mono_ms, dtMs, columns };
};

/** Seals the next range of one stream. Returns by how many the number of chunks fell. */
const sealNext = async (tx: Sql, recordingId: string): Promise<number> => {
  const [stream] = await tx<{ sealed_seq: number; start: number; last_seq: number }[]>`
    SELECT sealed_seq, greatest(sealed_seq, swept_seq) AS start, coalesce(upper(committed), 0) AS last_seq FROM recordings
    WHERE id = ${recordingId} FOR NO KEY UPDATE`;
  if (stream === undefined) return 0;
  const { start } = stream;
  const end = Math.min(start + maxSeqsPerTransaction, stream.last_seq - openSeqs);
  if (end <= start) return 0;
  const rows = await tx<ReceivedChunk[]>`
    SELECT first_seq, boot_no, layout_no, mono_ms, dt_ms::text AS dt, values::text AS "values", received_at, in_time_index
    FROM recording_chunks
    WHERE recording_id = ${recordingId} AND first_seq >= ${start} AND first_seq < ${end}
    ORDER BY first_seq`;
  await tx`UPDATE recordings SET sealed_seq = ${end} WHERE id = ${recordingId}`;
  // Runs of one chunk are unchanged.
  const runs = joinNeighbours(rows.map(pieceOf), sealedSamples).filter((run) => run.length > 1);
  const gone = new Set(runs.flatMap((run) => run.map((piece) => piece.firstSeq)));
  const unindexed = rows.filter((row) => !row.in_time_index && !gone.has(row.first_seq)).map((row) => row.first_seq);
  // Sweeping may have left chunks of roasts before `start`.
  if (unindexed.length > 0 || start > stream.sealed_seq) {
    await tx`
      UPDATE recording_chunks SET in_time_index = true
      WHERE recording_id = ${recordingId} AND NOT in_time_index
        AND (first_seq = ANY(${unindexed}::bigint[]) OR first_seq >= ${stream.sealed_seq} AND first_seq < ${start})`;
  }
  if (runs.length === 0) return 0;
  await tx`
    DELETE FROM recording_chunks WHERE recording_id = ${recordingId} AND first_seq = ANY(${[...gone]}::bigint[])`;
  const newest = Math.max(...rows.map((row) => Date.parse(row.received_at)));
  await insertChunks(
    tx,
    runs.map((run) => ({ recordingId, run, inTimeIndex: true })),
    newest,
  );
  return gone.size - runs.length;
};

/** Seals streams that are due, each in its own transaction. Returns by how many the number of chunks fell. */
export const sealStreams = async (sql: Database): Promise<number> => {
  const due = await sql<{ id: string }[]>`
    SELECT id FROM recordings
    WHERE source = 'agent' AND upper(committed) - sealed_seq > ${openSeqs + sealedSamples}
    ORDER BY last_received_at LIMIT ${maxStreamsPerRun}`;
  let fewer = 0;
  await forEachRow(due, async ({ id }) => {
    fewer += await sql.begin((tx) => sealNext(tx, id));
  });
  return fewer;
};
