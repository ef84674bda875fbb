import { gunzipSync } from 'node:zlib';
import { entryCount, eventBatchShape, sampleBatchShape, type JournalBatch } from '@roastery/contract/mqtt';
import { describeRefusal, parseShape } from '@roastery/contract/parse-shape';
import { z } from 'zod';
import { readSampleBatch } from './sample-columns.ts';
import type { SeqRange } from './seq-ranges.ts';

/** 600 entries of 64 channels are under 400 KB as JSON; anything beyond this is a mistake or an attack. */
const maxJsonBytes = 4 * 1024 * 1024;

export type Decoded =
  | { readonly ok: true; readonly batch: JournalBatch }
  | {
      readonly ok: false;
      /** For a person: what was wrong with it. */
      readonly reason: string;
      /** Which entries of which stream it claimed to be, as far as it says so: they are acknowledged as refused. */
      readonly claims?: { readonly epoch: string; readonly range: SeqRange };
    };

const gzipMagic = (payload: Buffer): boolean => payload[0] === 0x1f && payload[1] === 0x8b;

/** The head of a batch whose body may be anything. */
const claimShape = z.object({
  epoch: sampleBatchShape.shape.epoch,
  seq: sampleBatchShape.shape.seq,
  dt: z.unknown().optional(),
  ev: z.unknown().optional(),
});

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

const claimsOf = (value: unknown): { epoch: string; range: SeqRange } | undefined => {
  const claim = parseShape(claimShape, value);
  if (!claim.success) return undefined;
  const { epoch, seq, dt, ev } = claim.data;
  const count = Math.max(lengthOf(dt), lengthOf(ev), 1);
  if (!Number.isSafeInteger(seq + count)) return undefined;
  return { epoch, range: { start: seq, end: seq + count } };
};

const refuse = (reason: string, claims?: { epoch: string; range: SeqRange }): Decoded => ({
  ok: false,
  reason: reason.slice(0, 500),
  ...(claims === undefined ? {} : { claims }),
});

const decode = (payload: Buffer): Decoded => {
  let json = payload;
  if (gzipMagic(payload)) {
    try {
      json = gunzipSync(payload, { maxOutputLength: maxJsonBytes });
    } catch (error) {
      const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      return refuse(tooLarge ? 'unpacks to more than 4 MB' : `damaged gzip: ${(error as Error).message}`);
    }
  }
  if (json.length > maxJsonBytes) return refuse('longer than 4 MB');
  let value: unknown;
  try {
    value = JSON.parse(json.toString('utf8'));
  } catch (error) {
    return refuse(`not JSON: ${(error as Error).message}`);
  }
  const kind = typeof value === 'object' && value !== null && 'k' in value ? value.k : undefined;
  if (kind !== 'samples' && kind !== 'events') {
    return refuse('k must be "samples" or "events"', claimsOf(value));
  }
  const samples = kind === 'samples' ? readSampleBatch(value) : undefined;
  if (samples !== undefined && Number.isSafeInteger(samples.seq + entryCount(samples))) {
    return { ok: true, batch: samples };
  }
  const parsed = parseShape<typeof sampleBatchShape | typeof eventBatchShape>(
    kind === 'samples' ? sampleBatchShape : eventBatchShape,
    value,
  );
  if (!parsed.success) return refuse(describeRefusal(parsed), claimsOf(value));
  const batch = parsed.data;
  if (!Number.isSafeInteger(batch.seq + entryCount(batch))) return refuse('seq is too large');
  return { ok: true, batch };
};

/**
 * Reads a journal message: JSON, plain or gzipped. Answers the batch, or why it is none and which entries it claimed.
 * Never throws; never unpacks more than 4 MB.
 */
export const decodeBatch = (payload: Buffer): Decoded => {
  try {
    return decode(payload);
  } catch (error) {
    // Nesting without end, for one, exhausts the stack wherever the value is walked.
    return refuse(`cannot be read: ${error instanceof Error ? error.message : 'unknown error'}`);
  }
};

const valueBytes = 24;
const eventBytes = 600;

/** About what a decoded batch costs in memory: each value is an object of its own. */
export const decodedBytes = (decoded: Decoded): number => {
  if (!decoded.ok) return 0;
  const { batch } = decoded;
  return batch.k === 'samples' ? batch.dt.length * (batch.ch.length + 1) * valueBytes : batch.ev.length * eventBytes;
};
