import type { SampleBatch } from '@roastery/contract/mqtt';

/** The stream of a machine that its watchers see, with its newest sample: a backfill after a lost connection starts there. */
export interface ShownStream {
  readonly epoch: string | null;
  readonly seq: number;
  readonly boot: string | undefined;
  /** ms since boot. */
  readonly mono: number;
  /** Streams before it. They may still drain, and are not shown. */
  readonly earlier: ReadonlySet<string>;
}

/** Journal samples that are older than the newest reading by more than this are not shown. */
const windowMs = 5 * 60_000;
const beforeChargeMs = 60_000;

export const beginsWith = (epoch: string | null): ShownStream => ({
  epoch,
  seq: -1,
  boot: undefined,
  mono: 0,
  earlier: new Set(),
});

export const withStream = (stream: ShownStream, epoch: string): ShownStream => {
  if (epoch === stream.epoch) return stream;
  const earlier = new Set(stream.epoch === null ? stream.earlier : [...stream.earlier, stream.epoch]);
  earlier.delete(epoch);
  return { ...beginsWith(epoch), earlier };
};

export const withSample = (stream: ShownStream, sample: Pick<ShownStream, 'seq' | 'boot' | 'mono'>): ShownStream =>
  sample.seq > stream.seq ? { ...stream, seq: sample.seq, boot: sample.boot, mono: sample.mono } : stream;

/**
 * The stream after a batch of the journal, and whether the batch is shown: one of the current stream and boot that is not older
 * than what a page shows. A batch that continues the current stream begins the next one.
 * @param chargeMono of the running roast
 */
export const withBatch = (
  stream: ShownStream,
  batch: SampleBatch,
  chargeMono: number | null,
): { readonly stream: ShownStream; readonly isShown: boolean } => {
  const mono = batch.mono + (batch.dt.at(-1) ?? 0);
  const continuesIt = batch.continues?.epoch === stream.epoch && !stream.earlier.has(batch.epoch);
  const current = stream.epoch === null || continuesIt ? withStream(stream, batch.epoch) : stream;
  if (batch.epoch !== current.epoch) return { stream: current, isShown: false };
  const next = withSample(current, { seq: batch.seq + batch.dt.length - 1, boot: batch.boot, mono });
  const from = chargeMono === null ? next.mono - windowMs : chargeMono - beforeChargeMs;
  return { stream: next, isShown: batch.boot === next.boot && mono >= from };
};
