import type { ClockReading, Entry, RecordingContext } from '../core/entry.ts';
import { RangeSet, type SeqRange } from '../core/ranges.ts';
import type { RecordedState } from '../core/replay.ts';
import { journalFormat, scanRecords, type Damage, type JournalRecord, type Scan } from './record.ts';

/** Whether a segment holds part of a roast: those are dropped last when the disk is full. */
export type SegmentContent = 'roast' | 'idle';

/** A closed segment: its name describes its content, so that a start only needs to read the newest ones. */
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
  /** In order of their sequence numbers, each once. */
  readonly entries: readonly Entry[];
  readonly clocks: readonly ClockReading[];
  /** The newest record of the entries that the server has committed. */
  readonly acked: readonly SeqRange[];
  /** The newest record of dropped entries; undefined if there is none, as in segments of earlier versions. */
  readonly gone: readonly SeqRange[] | undefined;
  /** The newest state of the roast tracker. */
  readonly state: RecordedState | undefined;
  readonly damage: readonly Damage[];
  /** Sequence numbers that are lost to damage, or whose meaning is unknown. */
  readonly missing: readonly SeqRange[];
  /** Highest sequence number of any record, including one that can't be interpreted: it must not be used again. */
  readonly highest: number | undefined;
  /** Bytes after the last entry that may have held more entries, which may have been sent. */
  readonly unsureBytes: number;
  /** Entries whose bytes are whole, but whose context is missing. */
  readonly withoutContext: number;
}

/** The entries according to the name of a segment. */
export interface SegmentBounds {
  readonly first?: number;
  readonly last?: number;
}

type EntryRecord = Extract<JournalRecord, { k: 's' | 'e' }>;
type ContextRecord = Extract<JournalRecord, { k: 'context' }>;

const contextOf = ({ boot, map, channels }: ContextRecord): RecordingContext => ({ boot, map, channels });
export const isSameContext = (a: RecordingContext, b: RecordingContext): boolean =>
  a === b || JSON.stringify([a.boot, a.map, a.channels]) === JSON.stringify([b.boot, b.map, b.channels]);

/** The context of a segment with exactly one; undefined where its records disagree about it. */
const onlyContext = (own: readonly ContextRecord[], first: number | undefined): RecordingContext | undefined => {
  const ofThis = own.filter(({ of }) => of === first);
  const [candidate, ...others] = ofThis.length > 0 ? ofThis : own;
  return candidate && others.every((other) => isSameContext(candidate, other)) ? contextOf(candidate) : undefined;
};

/** No record of a context or of an entry is smaller. */
const minContextBytes = 100;
export const minEntryBytes = 39;

/**
 * Contexts of a segment of an earlier version, which apply from their position on. After damage that may have hidden
 * another one, a context only applies if the next one is the same again: each change of a map has its own revision.
 */
const createContextSearch = ({ records, damage }: Scan) => {
  const places = records.flatMap((record, index) => (record.k === 'context' ? [{ index, record }] : []));
  return (at: number, hidden: number): RecordingContext | undefined => {
    const before = places.findLast(({ index }) => index < at);
    if (!before) return undefined;
    const damagedBytes = damage.reduce(
      (sum, { from, to, beforeRecord }) => (beforeRecord > before.index && beforeRecord <= at ? sum + to - from : sum),
      0,
    );
    if (damagedBytes - hidden * minEntryBytes < minContextBytes) return contextOf(before.record);
    const after = places.find(({ index }) => index > at);
    return after && isSameContext(before.record, after.record) ? contextOf(before.record) : undefined;
  };
};

const isStray = (seq: number, lowest = 0, highest = Infinity): boolean => seq < lowest || seq > highest;

/** Whether each record is there once and in its position: a misplaced block shows as a repeat. */
const isInOrder = (records: readonly JournalRecord[], lowest?: number, last?: number): boolean => {
  let newest = -1;
  let heads = 0;
  for (const record of records) {
    if (record.k === 'head') heads += 1;
    if (!isEntry(record)) continue;
    if (record.q <= newest || isStray(record.q, lowest, last)) return false;
    newest = record.q;
  }
  return heads <= 1;
};

/**
 * Parses the bytes of a segment into entries. Damaged, misplaced or repeated bytes cost only their own entries; an
 * entry whose context is not certain counts as missing.
 */
export const readSegment = (bytes: Buffer, bounds: SegmentBounds = {}): SegmentData => {
  const scan = scanRecords(bytes);
  const { records, ends, damage } = scan;
  const head = records.find((record) => record.k === 'head');
  const lowest = bounds.first ?? head?.first;
  const own = records.filter((record): record is ContextRecord => record.k === 'context' && record.of !== undefined);
  const only = onlyContext(own, head?.first ?? lowest);
  const searchContext = createContextSearch(scan);
  const damagedBefore = new Set(damage.map(({ beforeRecord }) => beforeRecord));

  const found = new Map<number, { entry: Entry | undefined; behindDamage: boolean }>();
  const clocks: ClockReading[] = [];
  let acked: readonly SeqRange[] = [];
  let gone: readonly SeqRange[] | undefined;
  let state: RecordedState | undefined;
  let highest: number | undefined;
  let hidden = 0;
  let isDamaged = false;
  const isDisordered = !isInOrder(records, lowest, bounds.last);
  let entriesEnd = 0;
  for (const [index, record] of records.entries()) {
    isDamaged ||= damagedBefore.has(index);
    if (record.k === 'clock') clocks.push(record);
    else if (record.k === 'acked') acked = record.ranges;
    else if (record.k === 'gone') gone = record.ranges;
    else if (record.k === 'state') state = record.state;
    if (!isEntry(record)) continue;
    if (isStray(record.q, lowest, bounds.last) || found.has(record.q)) continue;
    if (isDamaged && highest !== undefined) hidden += Math.max(0, record.q - highest - 1);
    // A misplaced block may cover a change of context, if there can be one.
    const context = own.length > 0 ? only : isDisordered ? undefined : searchContext(index, hidden);
    found.set(record.q, { entry: context && toEntry(record, context), behindDamage: isDamaged });
    if (record.q >= (highest ?? 0)) entriesEnd = ends[index] ?? entriesEnd;
    highest = Math.max(highest ?? 0, record.q);
    isDamaged = false;
  }
  const seqs = [...found.keys()].sort((a, b) => a - b);
  const entries = seqs.flatMap((seq) => found.get(seq)?.entry ?? []);
  const isHarmed = damage.length > 0 || isDisordered;
  // A record that was cut short is the end of the written data, but only if everything before it is whole.
  const isCutShort = damage.length === 1 && damage[0]?.torn === true && !isDisordered;
  const isEndUnsure = isDisordered || damage.some(({ to }) => to > entriesEnd);
  const missing = new RangeSet();
  let expected = lowest;
  for (const seq of seqs) {
    const { entry, behindDamage } = found.get(seq) ?? {};
    // A number may have been left out on purpose, if the records around it are whole.
    const isHole = behindDamage === true || isDisordered || (expected === lowest && isHarmed);
    if (expected !== undefined && seq > expected && isHole) missing.add(expected, seq - 1);
    if (!entry) missing.add(seq, seq);
    expected = seq + 1;
  }
  if (bounds.last !== undefined) missing.add(expected ?? bounds.first ?? 0, bounds.last);
  return {
    epoch: head?.epoch,
    entries,
    clocks,
    acked,
    gone,
    state,
    damage,
    missing: missing.ranges(),
    highest,
    unsureBytes: isEndUnsure && !isCutShort ? bytes.length - entriesEnd : 0,
    withoutContext: seqs.length - entries.length,
  };
};

/** A journal of a later version may hold kinds of records that this one does not know. */
const isEntry = (record: JournalRecord): record is EntryRecord => record.k === 's' || record.k === 'e';

/** The format of a segment that this version can't read; undefined when it can. */
export const laterFormat = (bytes: Buffer): number | undefined =>
  scanRecords(bytes)
    .records.map((record) => (record.k === 'head' ? record.v : journalFormat))
    .find((format) => format > journalFormat);

/** Undefined for a sample that does not have one value for each channel: it was read with another context. */
const toEntry = (record: EntryRecord, context: RecordingContext): Entry | undefined => {
  if (record.k === 'e') return { kind: 'event', seq: record.q, mono: record.m, context, event: record.e };
  if (record.v.length !== context.channels.length) return undefined;
  return { kind: 'sample', seq: record.q, mono: record.m, context, values: record.v };
};

/** Whether entries belong to a roast: those with a mark or a roast event do. */
export const holdsRoast = (entries: readonly Entry[]): boolean =>
  entries.some((entry) => entry.kind === 'event' && (entry.event.type === 'mark' || entry.event.type === 'roast'));
