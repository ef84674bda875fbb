import type { Database, Sql } from '../db/sql.ts';
import { joinNeighbours, sealedSamples, type SamplePiece } from './sample-pieces.ts';
import { insertChunks } from './store-samples.ts';

/**
 * A board that is online sends a few samples a second, so its chunks are small: twice the disk and many rows to read for
 * one curve. Once a stretch of a stream is complete its small chunks are put together, in the same samples and the same
 * keys of the first ones; the stream's row is held meanwhile, so ingest never sees it half done.
 */

/** The newest part stays as it is: batches of it may still be on their way. */
const openSeqs = 2 * sealedSamples;
/** One transaction holds a stream's row for this many sequence numbers at most, some 50 ms. */
const seqsAtOnce = 10 * sealedSamples;
const streamsAtOnce = 200;

interface ChunkRow {
  first_seq: number;
  boot_no: number;
  layout_no: number;
  mono_ms: number;
  dt: string;
  values: string;
  received_at: string;
}

const numbersOf = (text: string): (number | null)[] =>
  JSON.parse(`[${text.slice(1, -1).replaceAll('NULL', 'null')}]`) as (number | null)[];

const pieceOf = (row: ChunkRow): SamplePiece => {
  const dtMs = numbersOf(row.dt).map((ms) => ms ?? 0);
  const values = numbersOf(row.values);
  const columns = Array.from({ length: values.length / dtMs.length }, (_, channel) =>
    values.slice(channel * dtMs.length, (channel + 1) * dtMs.length),
  );
  return { firstSeq: row.first_seq, bootNo: row.boot_no, layoutNo: row.layout_no, monoMs: row.mono_ms, dtMs, columns };
};

/** Seals the next stretch of one stream. Answers how many chunks went. */
const sealNext = async (tx: Sql, recordingId: string): Promise<number> => {
  const [stream] = await tx<{ sealed_seq: number; last_seq: number }[]>`
    SELECT sealed_seq, coalesce(upper(committed), 0) AS last_seq FROM recordings
    WHERE id = ${recordingId} FOR NO KEY UPDATE`;
  if (stream === undefined) return 0;
  const end = Math.min(stream.sealed_seq + seqsAtOnce, stream.last_seq - openSeqs);
  if (end <= stream.sealed_seq) return 0;
  const rows = await tx<ChunkRow[]>`
    SELECT first_seq, boot_no, layout_no, mono_ms, dt_ms::text AS dt, values::text AS "values", received_at
    FROM recording_chunks
    WHERE recording_id = ${recordingId} AND first_seq >= ${stream.sealed_seq} AND first_seq < ${end}
    ORDER BY first_seq`;
  await tx`UPDATE recordings SET sealed_seq = ${end} WHERE id = ${recordingId}`;
  // Runs of one chunk are as large as they get: they stay untouched.
  const runs = joinNeighbours(rows.map(pieceOf), sealedSamples).filter((run) => run.length > 1);
  if (runs.length === 0) return 0;
  const gone = runs.flatMap((run) => run.map((piece) => piece.firstSeq));
  await tx`
    DELETE FROM recording_chunks WHERE recording_id = ${recordingId} AND first_seq = ANY(${gone}::bigint[])`;
  const newest = Math.max(...rows.map((row) => Date.parse(row.received_at)));
  await insertChunks(
    tx,
    runs.map((run) => ({ recordingId, run })),
    newest,
  );
  return gone.length - runs.length;
};

/** Seals what is due, each stream in a transaction of its own. Answers how many chunks fewer there are. */
export const sealStreams = async (sql: Database): Promise<number> => {
  const due = await sql<{ id: string }[]>`
    SELECT id FROM recordings
    WHERE source = 'agent' AND upper(committed) - sealed_seq > ${openSeqs + sealedSamples}
    ORDER BY last_received_at LIMIT ${streamsAtOnce}`;
  let fewer = 0;
  for (const { id } of due) fewer += await sql.begin((tx) => sealNext(tx, id));
  return fewer;
};
