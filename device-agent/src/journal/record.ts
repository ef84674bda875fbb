import { crc32, deflateSync, inflateSync } from 'node:zlib';
import type { JournalEvent } from '@roastery/contract/mqtt';
import type { ClockReading, RecordingContext } from '../core/entry.ts';
import type { RecordedState } from '../core/replay.ts';
import type { SeqRange } from '../core/ranges.ts';

/**
 * The format that this version writes, and the highest one it reads. An update may be rolled back, so a journal must be
 * readable by the previous version: a reader skips records of unknown kinds, and only a change that an older reader
 * would misunderstand raises this number. A release that writes a higher format has to follow one that reads it.
 */
export const journalFormat = 1;

/**
 * A record on disk: two magic bytes, length and CRC-32 of the payload (little endian), the payload as JSON. The magic
 * bytes let a reader resynchronise after damaged bytes.
 */
export type JournalRecord =
  | { readonly k: 'head'; readonly v: number; readonly epoch: string; readonly first: number }
  /**
   * `of`: the first sequence number of its segment, to which it applies as a whole; without it, only to the following
   * entries.
   */
  | ({ readonly k: 'context'; readonly of?: number } & RecordingContext)
  | ({ readonly k: 'clock' } & ClockReading)
  | { readonly k: 's'; readonly q: number; readonly m: number; readonly v: readonly (number | null)[] }
  | { readonly k: 'e'; readonly q: number; readonly m: number; readonly e: JournalEvent }
  | { readonly k: 'acked'; readonly ranges: readonly SeqRange[] }
  /** Entries that were dropped and reported by a gap event. */
  | { readonly k: 'gone'; readonly ranges: readonly SeqRange[] }
  | { readonly k: 'state'; readonly state: RecordedState };

/**
 * The form of a long record on disk: `z` is its JSON, deflated, in base64. Earlier versions skip it and resume from the
 * entries alone.
 */
interface PackedRecord {
  readonly k: 'packed';
  readonly z: string;
}
const packedFromBytes = 2048;
const maxUnpackedBytes = 4_194_304;

const magic = [0xa7, 0x4a] as const;
const headBytes = 10;
/** A tracker's state at 10 readings a second takes about 80 KB; a length far beyond it is damage. */
const maxPayloadBytes = 1_048_576;

const payloadOf = (record: JournalRecord): Buffer => {
  const json = Buffer.from(JSON.stringify(record));
  // Entries are never packed: every version must find them.
  if (record.k !== 'state' || json.length < packedFromBytes) return json;
  const packed: PackedRecord = { k: 'packed', z: deflateSync(json).toString('base64') };
  return Buffer.from(JSON.stringify(packed));
};

export const encodeRecord = (record: JournalRecord): Buffer => {
  const payload = payloadOf(record);
  const framed = Buffer.allocUnsafe(headBytes + payload.length);
  framed[0] = magic[0];
  framed[1] = magic[1];
  framed.writeUInt32LE(payload.length, 2);
  framed.writeUInt32LE(crc32(payload), 6);
  payload.copy(framed, headBytes);
  return framed;
};

/** Bytes that are not a record, and the index of the record after them (`records.length` for a damaged tail). */
export interface Damage {
  readonly from: number;
  readonly to: number;
  readonly beforeRecord: number;
  /** A record that was cut short while it was written: nothing that was ever synced is missing. */
  readonly torn: boolean;
}

export interface Scan {
  readonly records: readonly JournalRecord[];
  /** Where each record ends. */
  readonly ends: readonly number[];
  readonly damage: readonly Damage[];
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isRanges = (ranges: unknown): boolean =>
  Array.isArray(ranges) && ranges.every((range) => Array.isArray(range) && range.length === 2 && range.every(isCount));

/** The fields that a reader relies on, for each kind of record. Other kinds are those of a later version. */
const isSound: Readonly<Record<JournalRecord['k'], (record: Record<string, unknown>) => boolean>> = {
  head: ({ v, epoch, first }) => isCount(v) && typeof epoch === 'string' && isCount(first),
  context: ({ boot, map, channels }) => typeof boot === 'string' && isObject(map) && Array.isArray(channels),
  clock: ({ boot, mono, wall }) => typeof boot === 'string' && Number.isFinite(mono) && Number.isFinite(wall),
  s: ({ q, m, v }) => isCount(q) && Number.isFinite(m) && Array.isArray(v),
  e: ({ q, m, e }) => isCount(q) && Number.isFinite(m) && isObject(e) && typeof e['type'] === 'string',
  acked: ({ ranges }) => isRanges(ranges),
  gone: ({ ranges }) => isRanges(ranges),
  state: ({ state }) => isObject(state) && isObject(state['tracker']) && isObject(state['clock']),
};
const isKnownKind = (kind: unknown): kind is JournalRecord['k'] =>
  typeof kind === 'string' && Object.hasOwn(isSound, kind);

const unpacked = (z: string): Buffer | undefined => {
  try {
    return inflateSync(Buffer.from(z, 'base64'), { maxOutputLength: maxUnpackedBytes });
  } catch (error) {
    // Data that no version packed, or that is far too long.
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
};

/** The record in a payload; undefined for one that no version has written. */
const parsePayload = (payload: Buffer, isPacked = false): JournalRecord | undefined => {
  try {
    const record: unknown = JSON.parse(payload.toString());
    if (isObject(record) && record['k'] === 'packed') {
      const inner = isPacked || typeof record['z'] !== 'string' ? undefined : unpacked(record['z']);
      return inner && parsePayload(inner, true);
    }
    if (!isObject(record) || (isKnownKind(record['k']) && !isSound[record['k']](record))) return undefined;
    return record as unknown as JournalRecord;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

const recordAt = (bytes: Buffer, at: number): { record: JournalRecord; end: number } | undefined => {
  if (at + headBytes > bytes.length || bytes[at] !== magic[0] || bytes[at + 1] !== magic[1]) return undefined;
  const length = bytes.readUInt32LE(at + 2);
  const end = at + headBytes + length;
  // The checksum of nothing is 0: a head followed by zeros would pass it.
  if (length === 0 || length > maxPayloadBytes || end > bytes.length) return undefined;
  const payload = bytes.subarray(at + headBytes, end);
  if (crc32(payload) !== bytes.readUInt32LE(at + 6)) return undefined;
  const record = parsePayload(payload);
  return record && { record, end };
};

/** Whether the bytes from `at` on are the beginning of one record whose end was never written. */
const isTornRecord = (bytes: Buffer, at: number): boolean => {
  const left = bytes.length - at;
  if (bytes[at] !== magic[0] || (left > 1 && bytes[at + 1] !== magic[1])) return false;
  if (left < 6) return true;
  const length = bytes.readUInt32LE(at + 2);
  return length > 0 && length <= maxPayloadBytes && left < headBytes + length;
};

/** Reads all records with a valid checksum; bytes between them are reported, never thrown. */
export const scanRecords = (bytes: Buffer): Scan => {
  const records: JournalRecord[] = [];
  const ends: number[] = [];
  const damage: Damage[] = [];
  let at = 0;
  while (at < bytes.length) {
    const found = recordAt(bytes, at);
    if (found) {
      records.push(found.record);
      ends.push(found.end);
      at = found.end;
      continue;
    }
    const from = at;
    do at = bytes.indexOf(magic[0], at + 1);
    while (at !== -1 && !recordAt(bytes, at));
    if (at === -1) at = bytes.length;
    const torn = at === bytes.length && isTornRecord(bytes, from);
    damage.push({ from, to: at, beforeRecord: records.length, torn });
  }
  return { records, ends, damage };
};
