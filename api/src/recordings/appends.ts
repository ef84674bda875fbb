import type { SampleBatch } from '@roastery/contract/mqtt';
import { coveredBy, rangeOf, type SeqRange, type SeqRanges, withRange } from '../db/seq-ranges.ts';
import type { Sql } from '../db/sql.ts';
import type { BusyStreams, JournalMessage } from './arrived-entries.ts';
import {
  arrivingSamples,
  bareArray,
  cutPiece,
  endOfChunks,
  indexedSamples,
  insertChunks,
  joinNeighbours,
  samplesIn,
} from './chunks.ts';
import { claimOf } from './place-batch.ts';
import { isRowDueAt, type Layout, layoutKey } from './recording-rows.ts';
import { isStoredApart, type StreamHead, type StreamHeads, streamKey } from './stream-heads.ts';
import { betterClock, clockOf, latestOffsetOf } from './wall-clock.ts';

/**
 * The batches of one stream that continue it. Nearly all batches only append to a stream whose machine, recording, boot, clock and column layout are known. They
 * are stored without reading these again. The cached head of a stream is valid only if the recording's row still has
 * the version with which it was read; Postgres checks that under the row's lock, and that the batch begins where the
 * stored samples end. So several instances may store one stream. All other batches are stored by `store-batches.ts`.
 */
interface Append {
  readonly head: StreamHead;
  readonly batches: readonly {
    readonly batch: SampleBatch;
    readonly receivedAtMs: number;
    readonly bootNo: number;
    readonly layout: Layout;
  }[];
  readonly range: SeqRange;
}

const endOf = ({ row: { committed } }: StreamHead): number => committed.at(-1)?.end ?? 0;

/** Undefined if these batches need more than new chunks after the stored ones. */
const toAppend = (head: StreamHead, messages: readonly JournalMessage[]): Append | undefined => {
  const batches: Append['batches'][number][] = [];
  for (const { decoded, receivedAtMs } of messages) {
    if (!decoded.ok || decoded.batch.k !== 'samples') return undefined;
    const { batch } = decoded;
    if (isStoredApart(batch, head.fromSeq)) return undefined;
    const boot = head.boots.get(batch.boot);
    const layout = head.layouts.get(layoutKey(batch.map, batch.ch));
    if (boot?.clock === undefined || layout === undefined) return undefined;
    const claim = claimOf(batch, receivedAtMs);
    if (betterClock(boot.clock, clockOf(claim), latestOffsetOf(claim)) !== boot.clock) return undefined;
    batches.push({ batch, receivedAtMs, bootNo: boot.bootNo, layout });
  }
  if (batches.length > 1) batches.sort((one, other) => one.batch.seq - other.batch.seq);
  const start = batches[0]?.batch.seq ?? 0;
  if (start < endOf(head) || start < head.sweptSeq) return undefined;
  let end = start;
  for (const { batch } of batches) {
    if (batch.seq !== end) return undefined;
    end = rangeOf(batch).end;
  }
  return { head, batches, range: { start, end } };
};

/**
 * Separates messages that only continue streams from the rest. `known`: the heads of all streams, which are locked
 * together.
 */
const planAppends = (messages: readonly JournalMessage[], heads: StreamHeads) => {
  const byStream = new Map<string, JournalMessage[]>();
  const rest: JournalMessage[] = [];
  for (const message of messages) {
    const { serialNumber, decoded } = message;
    const epoch = decoded.ok ? decoded.batch.epoch : decoded.claims?.epoch;
    if (epoch === undefined) {
      rest.push(message);
      continue;
    }
    const key = streamKey({ serialNumber, epoch });
    const ofStream = byStream.get(key);
    if (ofStream === undefined) byStream.set(key, [message]);
    else ofStream.push(message);
  }
  const planned: { append: Append; messages: readonly JournalMessage[] }[] = [];
  const known: StreamHead[] = [];
  for (const [key, ofStream] of byStream) {
    const head = heads.get(key);
    const append = head && toAppend(head, ofStream);
    if (head !== undefined) known.push(head);
    if (append === undefined) rest.push(...ofStream);
    else planned.push({ append, messages: ofStream });
  }
  return { planned, known, rest };
};

/**
 * Locks the rows of known streams, in the order of `lockStreams`, and returns the recordings whose cached head is out
 * of date. Includes those of an archived machine, and those that are left because they are busy.
 */
const lockChanged = (tx: Sql, known: readonly StreamHead[], busyStreams: BusyStreams) => tx<{ id: string }[]>`
  WITH known AS (
    SELECT * FROM unnest(
      ${bareArray(known.map(({ recordingId }) => recordingId))}::uuid[], ${bareArray(known.map(({ row: { version } }) => version))}::text[],
      ${known.map(({ serialNumber }) => serialNumber)}::text[]) AS known (id, version, serial_number)),
  locked AS (
    SELECT r.id, r.xmin AS version, m.serial_number
    FROM known JOIN recordings r ON r.id = known.id JOIN machines m ON m.id = r.machine_id AND m.archived_at IS NULL
    ORDER BY r.machine_id, r.epoch
    FOR NO KEY UPDATE OF r ${busyStreams === 'leave' ? tx`SKIP LOCKED` : tx``})
  SELECT id FROM known
  WHERE NOT EXISTS (SELECT FROM locked WHERE locked.id = known.id AND locked.version = known.version::xid
    AND locked.serial_number = known.serial_number)`;

/**
 * Recordings whose stored samples do not end where these begin. This is a separate statement: one that waited for a
 * lock does not see the changes it waited for.
 */
const findMisfits = (tx: Sql, appends: readonly Append[]) => tx<{ id: string }[]>`
  SELECT id FROM unnest(
    ${bareArray(appends.map(({ head }) => head.recordingId))}::uuid[], ${bareArray(appends.map(({ head }) => endOf(head)))}::bigint[],
    ${bareArray(appends.map(({ range }) => range.start))}::bigint[]) AS append (id, committed_end, first_seq)
  WHERE first_seq <> coalesce(${endOfChunks(tx, tx`append.id`, tx`append.committed_end`)}, committed_end)`;

/** Writes the rows that are due. Returns their new heads. */
const writeRows = async (tx: Sql, appends: readonly Append[], receivedAtMs: number): Promise<StreamHead[]> => {
  const due = appends.filter(({ head }) => isRowDueAt(head.recordingId, head.row, receivedAtMs));
  if (due.length === 0) return [];
  const written = await tx<{ id: string; version: string }[]>`
    UPDATE recordings r
    SET committed = r.committed + int8multirange(int8range(upper(r.committed), due.end_seq)),
      last_received_at = ${new Date(receivedAtMs)}::timestamptz
    FROM unnest(${due.map(({ head }) => head.recordingId)}::uuid[], ${due.map(({ range }) => range.end)}::bigint[])
      AS due (id, end_seq)
    WHERE r.id = due.id RETURNING r.id, r.xmin::text AS version`;
  const versions = new Map(written.map(({ id, version }) => [id, version]));
  return due.flatMap((append) => {
    const version = versions.get(append.head.recordingId);
    if (version === undefined) return [];
    return [{ ...append.head, row: { version, committed: committedBy(append), writtenAtMs: receivedAtMs } }];
  });
};

/** All stored entries of the stream after this append. */
const committedBy = ({ head, range }: Append): SeqRanges =>
  withRange(head.row.committed, { start: endOf(head), end: range.end });

/** Stores messages that only continue known streams, within the caller's transaction. `rest`: the other messages. */
export const appendSamples = async (
  tx: Sql,
  messages: readonly JournalMessage[],
  heads: StreamHeads,
  busyStreams: BusyStreams,
) => {
  const { planned, known, rest } = planAppends(messages, heads);
  const receivedAtMs = messages[0]?.receivedAtMs ?? Date.now();
  if (planned.length === 0) return { appends: [], samples: 0, written: [], rest };
  // Pipelined on one connection.
  const answers = await Promise.all([
    lockChanged(tx, known, busyStreams),
    findMisfits(
      tx,
      planned.map(({ append }) => append),
    ),
  ]);
  const changed = new Set(answers.flatMap((rows) => rows.map(({ id }) => id)));
  const appends: Append[] = [];
  for (const { append, messages: ofStream } of planned)
    if (changed.has(append.head.recordingId)) rest.push(...ofStream);
    else appends.push(append);
  const chunks = appends.flatMap(({ head: { recordingId }, batches }) =>
    joinNeighbours(
      batches.map(({ batch, bootNo, layout }) => cutPiece(batch, rangeOf(batch), bootNo, layout.layoutNo)),
      arrivingSamples,
    ).map((run) => ({ recordingId, run, inTimeIndex: samplesIn(run) >= indexedSamples })),
  );
  await insertChunks(tx, chunks, receivedAtMs);
  const written = await writeRows(tx, appends, receivedAtMs);
  return { appends, samples: chunks.reduce((sum, { run }) => sum + samplesIn(run), 0), written, rest };
};

/** What is committed by appends alone. */
export const appended = (appends: readonly Append[]) => ({
  acknowledgements: appends.map((append) => ({
    serialNumber: append.head.serialNumber,
    epoch: append.head.epoch,
    ranges: coveredBy(committedBy(append), { start: append.head.fromSeq, end: append.range.end }),
    covered: append.batches.map(({ batch, receivedAtMs }) => ({ ...rangeOf(batch), receivedAtMs })),
  })),
  machineIds: appends.map(({ head }) => head.machineId),
  stored: appends.flatMap(({ head: { recordingId }, batches }) =>
    batches.map(({ batch, bootNo, layout }) => ({
      recordingId,
      bootNo,
      range: rangeOf(batch),
      batch: { ...batch, ch: [...layout.channels] },
    })),
  ),
});
