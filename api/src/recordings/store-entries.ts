import { formatMultirange, missingFrom, rangeOf, type SeqRange, withRange } from '../db/seq-ranges.ts';
import type { Sql } from '../db/sql.ts';
import { appended, appendSamples } from './appends.ts';
import type { JournalMessage } from './arrived-entries.ts';
import { storedRanges } from './chunks.ts';
import { type Stored, storeBatches } from './store-batches.ts';
import { createStreamHeads } from './stream-heads.ts';
import { lockStreams, partsOf, type StreamKey } from './streams.ts';

export interface StoredEntries extends Omit<Stored, 'heads'> {
  /** To be called after the commit: later batches of the same streams are then stored by chunks alone. */
  readonly remember: () => void;
}

/** The heads known to this process. Only committed state is cached, and Postgres checks it before use. */
const cached = createStreamHeads();

/**
 * A refused message counted its entries as committed. Those that no chunk holds are uncommitted again; events are idempotent.
 */
const reopen = async (tx: Sql, { machineId, epoch }: StreamKey, range: SeqRange): Promise<void> => {
  const isStored = await tx`SELECT 1 FROM stream_parts WHERE machine_id = ${machineId} AND epoch = ${epoch}`;
  if (isStored.length === 0) return;
  const stream = (await lockStreams(tx, [{ machineId, epoch, end: range.end }])).values();
  for (const { recording, range: part } of partsOf([...stream].flat(), range)) {
    const chunks = await storedRanges(tx, recording.recordingId, part);
    const stored = chunks.reduce((ranges, chunk) => withRange(ranges, chunk), [] as readonly SeqRange[]);
    const open = formatMultirange(missingFrom(stored, part));
    await tx`UPDATE recordings r SET committed = committed_now(r) - ${open}::int8multirange WHERE r.id = ${recording.recordingId}`;
  }
};

/**
 * Stores the entries of boards within the caller's transaction, each once however often it arrives. The caller applies the
 * events to roasts.
 * @param again a message that was refused and is sent again, of this machine
 */
export const storeEntries = async (
  tx: Sql,
  messages: readonly JournalMessage[],
  again?: { readonly machineId: string },
): Promise<StoredEntries> => {
  if (again !== undefined) {
    for (const { decoded } of messages)
      if (decoded.ok) await reopen(tx, { ...again, epoch: decoded.batch.epoch }, rangeOf(decoded.batch));
    const { heads: _heads, ...all } = await storeBatches(tx, messages);
    return { ...all, remember: () => undefined };
  }
  const { appends, samples, written, rest } = await appendSamples(tx, messages, cached);
  const { acknowledgements, machineIds, stored } = appended(appends);
  const { heads, ...others } = await storeBatches(tx, rest);
  return {
    ...others,
    acknowledgements: [...acknowledgements, ...others.acknowledgements],
    samples: samples + others.samples,
    machineIds: [...new Set([...machineIds, ...others.machineIds])],
    stored: [...stored, ...others.stored],
    remember: () => cached.remember([...written, ...heads]),
  };
};
