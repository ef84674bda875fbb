import type { Sql } from '../db/sql.ts';
import { formatMultirange, parseMultirange, type SeqRange, type SeqRanges, withRange } from '../db/seq-ranges.ts';
import { endOfChunks } from './chunks.ts';
import { clockQuality, type ClockQuality, type WallClock } from './wall-clock.ts';

export interface RowState {
  /** Changes whenever the row is written. */
  readonly version: string;
  readonly committed: SeqRanges;
  readonly writtenAtMs: number;
}

/** A row in `recordings`, locked for the transaction, with its boots and column layouts. */
export interface Recording {
  readonly recordingId: string;
  readonly machineId: string;
  /** As stored in the row: chunks may continue its ranges. */
  row: RowState;
  committed: SeqRanges;
  /** Whether the row must be written because the chunks alone do not show the change. */
  isRowDue: boolean;
  /** Whether something new arrived for this recording. */
  isReceiving: boolean;
  /** Samples below this number were swept. Samples that arrive there are swept later. */
  readonly sweptSeq: number;
  readonly boots: Map<string, { bootNo: number; clock: WallClock | undefined }>;
  /** By `layoutKey` of the names that were sent. */
  readonly layouts: Map<string, Layout>;
  /** Keys of the map revisions in which bean and exhaust are exchanged, by a statement about the machine. */
  readonly exchanged: ReadonlySet<string>;
}

export interface Layout {
  readonly layoutNo: number;
  /** What the columns are: bean and exhaust may have been sent under each other's name. */
  readonly channels: readonly string[];
}

/** The entries of a stream that are stored in one recording. */
export interface StreamPart {
  readonly recording: Recording;
  readonly range: SeqRange;
}

export const layoutKey = (map: { id: string; rev: number }, channels: readonly string[]): string =>
  JSON.stringify([map.id, map.rev, channels]);

export const revisionKey = (map: { id: string; rev: number }): string => JSON.stringify([map.id, map.rev]);

/**
 * The row of an active stream is written once in this interval. Streams of a fleet that connected at the same time are
 * written at different times.
 */
const minWriteRowMs = 30_000;
const maxWriteRowMs = 60_000;

export const isRowDueAt = (recordingId: string, { writtenAtMs }: RowState, nowMs: number): boolean => {
  const share = Number.parseInt(recordingId.slice(-4), 16) / 0x1_00_00;
  return nowMs - writtenAtMs >= minWriteRowMs + share * (maxWriteRowMs - minWriteRowMs);
};

interface RecordingRow {
  readonly id: string;
  readonly machine_id: string;
  readonly committed: string;
  /** The number after the last sample of the chunks that continue `committed`. */
  readonly tail_end: number | null;
  readonly swept_seq: number;
  readonly last_received_at: string | null;
  /** Changes whenever the row is written. */
  readonly version: string;
}

/** By boot id. */
export type Boots = ReadonlyMap<string, { readonly bootNo: number; readonly clock: WallClock | undefined }>;

const readBoots = async (tx: Sql, ids: readonly string[]) => {
  const rows = await tx<
    { recording_id: string; boot_no: number; boot_id: string; wall_offset_ms: number; quality: number }[]
  >`
    SELECT recording_id, boot_no, boot_id, wall_offset_ms, quality FROM recording_boots
    WHERE recording_id = ANY(${[...ids]}::uuid[])`;
  const boots = new Map<string, Recording['boots']>();
  for (const row of rows) {
    const quality = Object.values(clockQuality).find((value) => value === row.quality) ?? clockQuality.received;
    const clock = { offsetMs: row.wall_offset_ms, quality: quality satisfies ClockQuality };
    const ofRecording = boots.get(row.recording_id) ?? new Map();
    boots.set(row.recording_id, ofRecording.set(row.boot_id, { bootNo: row.boot_no, clock }));
  }
  return boots;
};

interface StoredLayout {
  readonly recording_id: string;
  readonly layout_no: number;
  readonly map_id: string;
  readonly map_rev: number;
  readonly channels: string[];
  readonly sent: string[];
}

const readLayouts = async (tx: Sql, ids: readonly string[]) => {
  const rows = await tx<StoredLayout[]>`
    SELECT recording_id, layout_no, map_id, map_rev, channels, coalesce(sent_channels, channels) AS sent
    FROM recording_layouts WHERE recording_id = ANY(${[...ids]}::uuid[]) ORDER BY layout_no`;
  const layouts = new Map<string, Map<string, Layout>>();
  for (const { recording_id, layout_no: layoutNo, map_id, map_rev, channels, sent } of rows) {
    const ofRecording = layouts.get(recording_id) ?? new Map();
    const key = layoutKey({ id: map_id, rev: map_rev }, sent);
    layouts.set(recording_id, ofRecording.set(key, { layoutNo, channels }));
  }
  return layouts;
};

const readExchanged = async (tx: Sql, ids: readonly string[]) => {
  const rows = await tx<{ recording_id: string; map_id: string; map_rev: number }[]>`
    SELECT r.id AS recording_id, e.map_id, e.map_rev
    FROM recordings r JOIN channel_exchanges e ON e.machine_id = r.machine_id AND e.is_exchanged
    WHERE r.id = ANY(${[...ids]}::uuid[])`;
  const exchanged = new Map<string, Set<string>>();
  for (const { recording_id: id, map_id, map_rev } of rows) {
    exchanged.set(id, (exchanged.get(id) ?? new Set()).add(revisionKey({ id: map_id, rev: map_rev })));
  }
  return exchanged;
};

const toRecording = (
  row: RecordingRow,
  boots: Recording['boots'],
  layouts: Recording['layouts'],
  exchanged: Recording['exchanged'],
): Recording => {
  const written = parseMultirange(row.committed);
  const last = written.at(-1);
  return {
    recordingId: row.id,
    machineId: row.machine_id,
    row: {
      version: row.version,
      committed: written,
      writtenAtMs: row.last_received_at === null ? 0 : Date.parse(row.last_received_at),
    },
    committed:
      row.tail_end === null || last === undefined
        ? written
        : withRange(written, { start: last.end, end: row.tail_end }),
    isRowDue: false,
    isReceiving: false,
    sweptSeq: row.swept_seq,
    boots,
    layouts,
    exchanged,
  };
};

/**
 * Reads what these recordings hold. This is a separate statement after the one that locked them: a statement that
 * waited for the lock does not see the changes it waited for.
 */
export const readRecordings = async (tx: Sql, ids: readonly string[]): Promise<Map<string, Recording>> => {
  // Pipelined on one connection.
  const [rows, boots, layouts, exchanged] = await Promise.all([
    readRows(tx, ids),
    readBoots(tx, ids),
    readLayouts(tx, ids),
    readExchanged(tx, ids),
  ]);
  const of = (id: string) =>
    [boots.get(id) ?? new Map(), layouts.get(id) ?? new Map(), exchanged.get(id) ?? new Set()] as const;
  return new Map(rows.map((row) => [row.id, toRecording(row, ...of(row.id))]));
};

const readRows = (tx: Sql, ids: readonly string[]) => tx<RecordingRow[]>`
    SELECT r.id, r.machine_id, r.committed::text AS committed, r.swept_seq, r.last_received_at, r.xmin::text AS version,
           ${endOfChunks(tx, tx`r.id`, tx`upper(r.committed)`)} AS tail_end
    FROM recordings r WHERE r.id = ANY(${[...ids]}::uuid[])`;

/** Writes the rows that are due. */
export const updateCommitted = async (tx: Sql, all: readonly Recording[], receivedAtMs: number): Promise<void> => {
  const recordings = all.filter(
    ({ recordingId, isRowDue, isReceiving, row }) =>
      isRowDue || (isReceiving && isRowDueAt(recordingId, row, receivedAtMs)),
  );
  if (recordings.length === 0) return;
  const committed = recordings.map((recording) => formatMultirange(recording.committed));
  const receiving = recordings.flatMap(({ recordingId, isReceiving }) => (isReceiving ? [recordingId] : []));
  const rows = await tx<{ id: string; version: string }[]>`
    UPDATE recordings r
    SET committed = seen.committed::int8multirange,
      last_received_at = CASE WHEN r.id = ANY(${receiving}::uuid[]) THEN ${new Date(receivedAtMs)}::timestamptz
        ELSE r.last_received_at END
    FROM unnest(${recordings.map(({ recordingId }) => recordingId)}::uuid[], ${committed}::text[]) AS seen (id, committed)
    WHERE r.id = seen.id RETURNING r.id, r.xmin::text AS version`;
  const versions = new Map(rows.map(({ id, version }) => [id, version]));
  for (const recording of recordings) {
    const { recordingId, row, isReceiving } = recording;
    recording.row = {
      version: versions.get(recordingId) ?? '',
      committed: recording.committed,
      writtenAtMs: isReceiving ? receivedAtMs : row.writtenAtMs,
    };
  }
};

export interface LayoutRow extends Layout {
  readonly recordingId: string;
  readonly map: { readonly id: string; readonly rev: number };
  /** The names as they were sent. */
  readonly sent: readonly string[];
}

export const writeLayouts = async (tx: Sql, layouts: readonly LayoutRow[]): Promise<void> => {
  for (const { recordingId, layoutNo, map, channels, sent } of layouts) {
    const isAsSent = channels.every((name, index) => name === sent[index]);
    await tx`
      INSERT INTO recording_layouts (recording_id, layout_no, map_id, map_rev, channels, sent_channels)
      VALUES (${recordingId}, ${layoutNo}, ${map.id}, ${map.rev}, ${[...channels]}::text[],
              ${isAsSent ? null : [...sent]}::text[])`;
  }
};
