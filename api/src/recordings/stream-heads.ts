import type { SampleBatch } from '@roastery/contract/mqtt';
import type { KnownBatch } from './arrived-entries.ts';
import type { Boots, Layout, RowState } from './recording-rows.ts';
import { keyOf, type Stream } from './streams.ts';

/** What is known of a stream whose batches only append (`appends.ts`). */
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

export const streamKey = ({ serialNumber, epoch }: { serialNumber: string; epoch: string }): string =>
  `${epoch}/${serialNumber}`;

/** Whether a continuing stream has its own recording: entries of the earlier one may repeat in it. */
export const isStoredApart = ({ continues }: Pick<SampleBatch, 'continues'>, fromSeq: number): boolean =>
  continues !== undefined && fromSeq === 0;

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
