import { gunzipSync } from 'node:zlib';
import { channelNameShape } from '@roastery/contract/channels';
import {
  continuesShape,
  entryCount,
  eventBatchShape,
  maxBatchEntries,
  type SampleBatch,
  sampleBatchShape,
} from '@roastery/contract/mqtt';
import { describeRefusal, parseShape } from '@roastery/contract/parse-shape';
import { z } from 'zod';
import type { SeqRange } from '../db/seq-ranges.ts';
import type { Decoded } from '../recordings/recordings.ts';

const { shape } = sampleBatchShape;

const maxDtMs = 86_400_000;
const maxReading = 1e6;

type Fields = Readonly<Record<string, unknown>>;

const isRisingTimes = (value: unknown): value is number[] => {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxBatchEntries) return false;
  let before = 0;
  for (const ms of value as unknown[]) {
    if (typeof ms !== 'number' || !Number.isInteger(ms) || ms < before || ms > maxDtMs) return false;
    before = ms;
  }
  return true;
};

const isColumns = (value: unknown, columns: number, length: number): value is (number | null)[][] => {
  if (!Array.isArray(value) || value.length !== columns) return false;
  for (const column of value as unknown[]) {
    if (!Array.isArray(column) || column.length !== length) return false;
    for (const reading of column as unknown[]) {
      if (reading === null) continue;
      if (typeof reading !== 'number' || !(reading >= -maxReading && reading <= maxReading)) return false;
    }
  }
  return true;
};

/**
 * Cache of values that the shape accepted: heads hardly change from one batch of a board to the next. `keyOf` returns
 * undefined for other values: only small, flat values may become keys.
 */
const createAccepted = (keyOf: (value: unknown) => string | undefined, accepts: (value: unknown) => boolean) => {
  const accepted = new Set<string>();
  return (value: unknown): boolean => {
    const key = keyOf(value);
    if (key === undefined) return false;
    if (accepted.has(key)) return true;
    if (!accepts(value)) return false;
    // Names come from boards: hostile ones must not fill the memory.
    if (accepted.size >= 10_000) accepted.clear();
    if (key.length < 4000) accepted.add(key);
    return true;
  };
};
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const textKey = (value: unknown): string | undefined => (isText(value) ? value : undefined);
const mapKey = (value: unknown): string | undefined => {
  if (!isFields(value)) return undefined;
  const { id, rev } = value;
  return isText(id) && typeof rev === 'number' ? `${rev} ${id}` : undefined;
};
const channelsKey = (value: unknown): string | undefined =>
  Array.isArray(value) && value.every(isText) ? JSON.stringify(value) : undefined;

const isEpoch = createAccepted(textKey, (value) => parseShape(shape.epoch, value).success);
const isBoot = createAccepted(textKey, (value) => parseShape(shape.boot, value).success);
const isMap = createAccepted(mapKey, (value) => parseShape(shape.map, value).success);
const isChannels = createAccepted(
  channelsKey,
  (value) =>
    Array.isArray(value) &&
    parseShape(shape.ch, value).success &&
    new Set(value).size === value.length &&
    value.every((name) => parseShape(channelNameShape, name).success),
);

const isMillis = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 8.64e15;

const isHead = (batch: Fields): batch is Fields & Omit<SampleBatch, 'dt' | 's' | 'continues'> =>
  batch['v'] === 1 &&
  batch['k'] === 'samples' &&
  typeof batch['synced'] === 'boolean' &&
  typeof batch['seq'] === 'number' &&
  Number.isSafeInteger(batch['seq']) &&
  batch['seq'] >= 0 &&
  isMillis(batch['t']) &&
  isMillis(batch['mono']) &&
  isEpoch(batch['epoch']) &&
  isBoot(batch['boot']) &&
  isMap(batch['map']) &&
  isChannels(batch['ch']);

/**
 * Accepts exactly what `sampleBatchShape` accepts, ten times as fast: all samples of all boards pass here (a test
 * compares both). Undefined: the batch is invalid; parse it with the shape for the reason.
 */
export const readSampleBatch = (value: unknown): SampleBatch | undefined => {
  if (!isFields(value) || !isHead(value)) return undefined;
  const { epoch, seq, boot, synced, t, mono, map, dt, ch, s, continues: continued } = value;
  if (!isRisingTimes(dt) || !isColumns(s, ch.length, dt.length)) return undefined;
  const continues = continued === undefined ? undefined : parseShape(continuesShape, continued).data;
  // Field by field: like the shape, this drops fields that a newer agent adds.
  return {
    v: 1,
    k: 'samples',
    epoch,
    seq,
    boot,
    synced,
    t,
    mono,
    ...(continues === undefined ? {} : { continues }),
    map: { id: map.id, rev: map.rev },
    dt,
    ch,
    s,
  };
};

/** 600 entries of 64 channels are under 400 KB as JSON; more than this is an error or an attack. */
const maxJsonBytes = 4 * 1024 * 1024;

const gzipMagic = (payload: Buffer): boolean => payload[0] === 0x1f && payload[1] === 0x8b;

/** The head of a batch with an unchecked body. */
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown error');

const decode = (payload: Buffer): Decoded => {
  let json = payload;
  if (gzipMagic(payload)) {
    try {
      json = gunzipSync(payload, { maxOutputLength: maxJsonBytes });
    } catch (error) {
      const tooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
      return refuse(tooLarge ? 'unpacks to more than 4 MB' : `damaged gzip: ${messageOf(error)}`);
    }
  }
  if (json.length > maxJsonBytes) return refuse('longer than 4 MB');
  let value: unknown;
  try {
    value = JSON.parse(json.toString('utf8'));
  } catch (error) {
    return refuse(`not JSON: ${messageOf(error)}`);
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
 * Reads a journal message: JSON, plain or gzipped. Returns the batch, or the reason of the refusal and the claimed
 * entries. Never throws; never decompresses more than 4 MB.
 */
export const decodeBatch = (payload: Buffer): Decoded => {
  try {
    return decode(payload);
  } catch (error) {
    // Deep nesting overflows the stack, for example.
    return refuse(`cannot be read: ${messageOf(error)}`);
  }
};

const valueBytes = 24;
const eventBytes = 600;

/** Estimated memory of a decoded batch: each value is its own object. */
export const decodedBytes = (decoded: Decoded): number => {
  if (!decoded.ok) return 0;
  const { batch } = decoded;
  return batch.k === 'samples' ? batch.dt.length * (batch.ch.length + 1) * valueBytes : batch.ev.length * eventBytes;
};
