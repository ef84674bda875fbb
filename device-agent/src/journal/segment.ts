import type { ClockReading, Entry, RecordingContext } from '../core/entry.ts';
import type { SeqRange } from '../core/ranges.ts';
import type { RecordedState } from '../core/replay.ts';
import { journalFormat, scanRecords, type Damage, type JournalRecord } from './record.ts';

/** Whether a segment holds part of a roast: those go last when the disk is full. */
export type SegmentContent = 'roast' | 'idle';

/** A closed segment: its name says what is in it, so that a start needs to read the newest ones only. */
export interface SealedSegment {
  readonly path: string;
  readonly first: number;
  readonly last: number;
  readonly content: SegmentContent;
  readonly bytes: number;
}

const digits = (seq: number): string => String(seq).padStart(16, '0');
/** A segment that is being written. */
export const openName = (first: number): string => `${digits(first)}.open`;
export const sealedName = (first: number, last: number, content: SegmentContent): string =>
  `${digits(first)}-${digits(last)}.${content}`;

export type SegmentName =
  | { readonly state: 'open'; readonly first: number }
  | { readonly state: 'sealed'; readonly first: number; readonly last: number; readonly content: SegmentContent };

export const parseSegmentName = (name: string): SegmentName | undefined => {
  const open = /^(\d{16})\.open$/.exec(name);
  if (open) return { state: 'open', first: Number(open[1]) };
  const sealed = /^(\d{16})-(\d{16})\.(roast|idle)$/.exec(name);
  if (!sealed) return undefined;
  const content = sealed[3] === 'roast' ? 'roast' : 'idle';
  return { state: 'sealed', first: Number(sealed[1]), last: Number(sealed[2]), content };
};

export interface SegmentData {
  readonly epoch: string | undefined;
  readonly entries: readonly Entry[];
  readonly clocks: readonly ClockReading[];
  /** The newest record of what the server has committed. */
  readonly acked: readonly SeqRange[];
  /** The newest state of the roast tracker. */
  readonly state: RecordedState | undefined;
  readonly damage: readonly Damage[];
  /** Sequence numbers that lie between entries that are there, behind damaged bytes. */
  readonly missing: readonly SeqRange[];
  /** Highest sequence number of any record, of one that can't be understood too: it must not be used again. */
  readonly highest: number | undefined;
}

/** What all samples of a segment have in common, when it says so once or always the same. */
const onlyContext = (records: readonly JournalRecord[]): RecordingContext | undefined => {
  const contexts = records.filter((record) => record.k === 'context');
  const [{ k: _, ...first } = { k: undefined }] = contexts;
  const isOnly = contexts.every((context) => JSON.stringify(context) === JSON.stringify(contexts[0]));
  return isOnly && 'boot' in first ? first : undefined;
};

/**
 * Turns the bytes of a segment into entries. Where damage took the context at its beginning, one that is repeated later
 * serves; entries without any can't be read and count as missing.
 */
export const readSegment = (bytes: Buffer): SegmentData => {
  const { records, damage } = scanRecords(bytes);
  const entries: Entry[] = [];
  const clocks: ClockReading[] = [];
  const missing: SeqRange[] = [];
  const damagedBefore = new Set(damage.map(({ beforeRecord }) => beforeRecord));
  const repeated = onlyContext(records);
  let context: RecordingContext | undefined;
  let highest: number | undefined;
  let epoch: string | undefined;
  let acked: readonly SeqRange[] = [];
  let state: RecordedState | undefined;
  let expected: number | undefined;
  let damaged = false;
  for (const [index, record] of records.entries()) {
    damaged ||= damagedBefore.has(index);
    if (record.k === 'head') [epoch, expected] = [record.epoch, record.first];
    else if (record.k === 'context') context = { boot: record.boot, map: record.map, channels: record.channels };
    else if (record.k === 'clock') clocks.push(record);
    else if (record.k === 'acked') acked = record.ranges;
    else if (record.k === 'state') state = record.state;
    else if (isEntry(record)) {
      highest = Math.max(highest ?? 0, record.q);
      context ??= repeated;
      if (!context) {
        damaged = true;
        continue;
      }
      const entry = toEntry(record, context);
      if (damaged && expected !== undefined && record.q > expected) missing.push([expected, record.q - 1]);
      damaged = false;
      expected = record.q + 1;
      entries.push(entry);
    }
  }
  return { epoch, entries, clocks, acked, state, damage, missing, highest };
};

/** A journal of a later version may hold kinds of records that this one doesn't know. */
const isEntry = (record: JournalRecord): record is Extract<JournalRecord, { k: 's' | 'e' }> =>
  record.k === 's' || record.k === 'e';

/** The format of a segment that this version can't read; undefined when it can. */
export const laterFormat = (bytes: Buffer): number | undefined =>
  scanRecords(bytes)
    .records.map((record) => (record.k === 'head' ? record.v : journalFormat))
    .find((format) => format > journalFormat);

const toEntry = (record: Extract<JournalRecord, { k: 's' | 'e' }>, context: RecordingContext): Entry =>
  record.k === 's'
    ? { kind: 'sample', seq: record.q, mono: record.m, context, values: record.v }
    : { kind: 'event', seq: record.q, mono: record.m, context, event: record.e };

/** Whether entries belong to a roast: those with a mark or a roast event do. */
export const holdsRoast = (entries: readonly Entry[]): boolean =>
  entries.some((entry) => entry.kind === 'event' && (entry.event.type === 'mark' || entry.event.type === 'roast'));
