import { formatMultirange, missingFrom, rangeOf, type SeqRange, withRange } from '../db/seq-ranges.ts';
import type { Sql } from '../db/sql.ts';
import { appended, appendSamples } from './appends.ts';
import type { BusyStreams, JournalMessage } from './arrived-entries.ts';
import { storedRanges } from './chunks.ts';
import { type Stored, storeBatches } from './store-batches.ts';
import { createStreamHeads } from './stream-heads.ts';
import { lockStreams, partsOf, type StreamKey } from './streams.ts';

export interface StoredEntries extends Omit<Stored, 'heads'> {
  /** To be called after the commit: later batches of the same streams are then stored by chunks alone. */
  readonly remember: () => void;
}

export interface StoringOptions {
  /** A message that was refused and is sent again, of this machine. */
  readonly again?: { readonly machineId: string } | undefined;
  /** Default: wait. */
  readonly busyStreams?: BusyStreams;
}

/** The heads known to this process. Only committed state is cached, and Postgres checks it before use. */
const cached = createStreamHeads();

/**
 * A refused message counted its entries as committed. Those that no chunk holds are uncommitted again; events are idempotent.
 */
const reopen = async (tx: Sql, { machineId, epoch }: StreamKey, range: SeqRange): Promise<void> => {
  const isStored = await tx`SELECT 1 FROM stream_parts WHERE machine_id = ${machineId} AND epoch = ${epoch}`;
  if (isStored.length === 0) return;
  const { streams } = await lockStreams(tx, [{ machineId, epoch, end: range.end }], 'wait');
  for (const { recording, range: part } of partsOf([...streams.values()].flat(), range)) {
    const chunks = await storedRanges(tx, recording.recordingId, part);
    const stored = chunks.reduce((ranges, chunk) => withRange(ranges, chunk), [] as readonly SeqRange[]);
    const open = formatMultirange(missingFrom(stored, part));
    await tx`UPDATE recordings r SET committed = committed_now(r) - ${open}::int8multirange WHERE r.id = ${recording.recordingId}`;
  }
};

/**
 * Stores the entries of boards within the caller's transaction, each once however often it arrives. The caller applies the
 * events to roasts.
 * @returns with the messages that it left because another transaction stores entries of their streams
 */
export const storeEntries = async (
  tx: Sql,
  messages: readonly JournalMessage[],
  { again, busyStreams = 'wait' }: StoringOptions = {},
): Promise<StoredEntries> => {
  if (again !== undefined) {
    for (const { decoded } of messages)
      if (decoded.ok) await reopen(tx, { ...again, epoch: decoded.batch.epoch }, rangeOf(decoded.batch));
    const { heads: _heads, ...all } = await storeBatches(tx, messages, busyStreams);
    return { ...all, remember: () => undefined };
  }
  const { appends, samples, written, rest } = await appendSamples(tx, messages, cached, busyStreams);
  const { acknowledgements, machineIds, stored } = appended(appends);
  const { heads, ...others } = await storeBatches(tx, rest, busyStreams);
  return {
    ...others,
    acknowledgements: [...acknowledgements, ...others.acknowledgements],
    samples: samples + others.samples,
    machineIds: [...new Set([...machineIds, ...others.machineIds])],
    stored: [...stored, ...others.stored],
    remember: () => cached.remember([...written, ...heads]),
  };
};
