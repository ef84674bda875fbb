import type { SampleBatch } from '@roastery/contract/mqtt';
import { coveredBy, type SeqRange, type SeqRanges, withRange } from '../db/seq-ranges.ts';
import type { Sql } from '../db/sql.ts';
import {
  arrivingSamples,
  bareArray,
  cutPiece,
  indexedSamples,
  insertChunks,
  joinNeighbours,
  samplesIn,
} from '../recordings/chunks.ts';
import type { JournalMessage, KnownBatch } from './decode-batch.ts';
import {
  type Boots,
  claimOf,
  isRowDueAt,
  type Layout,
  layoutKey,
  rangeOf,
  type RowState,
} from '../recordings/recordings.ts';
import { endOfChunks } from '../recordings/newest-samples.ts';
import { keyOf, type Stream } from '../recordings/streams.ts';
import { betterClock, clockOf, latestOffsetOf } from '../recordings/wall-clock.ts';

/**
 * Nearly all batches only append to a stream whose machine, recording, boot, clock and column layout are known. They
 * are stored without reading these again. The cached head of a stream is valid only if the recording's row still has
 * the version with which it was read; Postgres checks that under the row's lock, and that the batch begins where the
 * stored samples end. So several instances may store one stream. All other batches are stored by `commit.ts`.
 */
export interface StreamHead {
  readonly serialNumber: string;
  readonly epoch: string;
  readonly machineId: string;
  readonly recordingId: string;
  /** The first number of the stream in its recording: above 0 for one that continues an earlier stream there. */
  readonly fromSeq: number;
  /** Whoever changes one of these fields writes the row in the same transaction. */
  readonly row: RowState;
  readonly sweptSeq: number;
  readonly boots: Boots;
  readonly layouts: ReadonlyMap<string, Layout>;
}

const maxHeads = 50_000;

/** The committed heads of streams; the oldest is removed first. */
export const createStreamHeads = () => {
  const heads = new Map<string, StreamHead>();
  return {
    get: (key: string): StreamHead | undefined => heads.get(key),
    /** After a commit. */
    remember(committed: readonly StreamHead[]): void {
      for (const head of committed) {
        heads.delete(streamKey(head));
        heads.set(streamKey(head), head);
      }
      for (const key of heads.keys()) {
        if (heads.size <= maxHeads) break;
        heads.delete(key);
      }
    },
  };
};
export type StreamHeads = ReturnType<typeof createStreamHeads>;

const streamKey = ({ serialNumber, epoch }: { serialNumber: string; epoch: string }): string =>
  `${epoch}/${serialNumber}`;

/** The batches of one stream that continue it. */
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

/** Whether a continuing stream has its own recording: entries of the earlier one may repeat in it. */
const isStoredApart = ({ continues }: Pick<SampleBatch, 'continues'>, fromSeq: number): boolean =>
  continues !== undefined && fromSeq === 0;

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
    end = rangeOf({ batch }).end;
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
 * of date. Includes those of an archived machine.
 */
const lockChanged = (tx: Sql, known: readonly StreamHead[]) => tx<{ id: string }[]>`
  WITH known AS (
    SELECT * FROM unnest(
      ${bareArray(known.map(({ recordingId }) => recordingId))}::uuid[], ${bareArray(known.map(({ row: { version } }) => version))}::text[],
      ${known.map(({ serialNumber }) => serialNumber)}::text[]) AS known (id, version, serial_number)),
  locked AS (
    SELECT r.id, r.xmin AS version, m.serial_number
    FROM known JOIN recordings r ON r.id = known.id JOIN machines m ON m.id = r.machine_id AND m.archived_at IS NULL
    ORDER BY r.machine_id, r.epoch
    FOR NO KEY UPDATE OF r)
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
export const appendSamples = async (tx: Sql, messages: readonly JournalMessage[], heads: StreamHeads) => {
  const { planned, known, rest } = planAppends(messages, heads);
  const receivedAtMs = messages[0]?.receivedAtMs ?? Date.now();
  if (planned.length === 0) return { appends: [], samples: 0, written: [], rest };
  // Pipelined on one connection.
  const answers = await Promise.all([
    lockChanged(tx, known),
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
      batches.map(({ batch, bootNo, layout }) => cutPiece(batch, rangeOf({ batch }), bootNo, layout.layoutNo)),
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
    covered: append.batches.map(({ batch, receivedAtMs }) => ({ ...rangeOf({ batch }), receivedAtMs })),
  })),
  machineIds: appends.map(({ head }) => head.machineId),
  stored: appends.flatMap(({ head: { recordingId }, batches }) =>
    batches.map(({ batch, bootNo, layout }) => ({
      recordingId,
      bootNo,
      range: rangeOf({ batch }),
      batch: { ...batch, ch: [...layout.channels] },
    })),
  ),
});

/**
 * The heads to cache for the streams of these batches: only of streams with a single part that has no end. Only the
 * current boots are kept, because a recording has thousands after years.
 */
export const headsOf = (known: readonly KnownBatch[], streams: ReadonlyMap<string, Stream>): StreamHead[] => {
  const heads = new Map<string, StreamHead>();
  for (const { machineId, batch, message } of known) {
    const { epoch, boot } = batch;
    const key = keyOf({ machineId, epoch });
    const [part, other] = streams.get(key) ?? [];
    if (part === undefined || other !== undefined || isStoredApart(batch, part.range.start)) continue;
    const { recordingId, row, sweptSeq, boots, layouts } = part.recording;
    if (part.range.end !== Number.MAX_SAFE_INTEGER || row.committed.length === 0) continue;
    const present = new Map(heads.get(key)?.boots);
    const ofBatch = boots.get(boot);
    if (ofBatch !== undefined) present.set(boot, ofBatch);
    const { serialNumber } = message;
    const fromSeq = part.range.start;
    heads.set(key, { serialNumber, epoch, machineId, recordingId, fromSeq, row, sweptSeq, boots: present, layouts });
  }
  return [...heads.values()];
};
