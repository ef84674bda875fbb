import { randomBytes } from 'node:crypto';
import type { Continues } from '@roastery/contract/mqtt';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { Sql } from '../db/sql.ts';
import { formatMultirange, parseMultirange, type SeqRange, type SeqRanges, withRange } from './seq-ranges.ts';
import { clockQuality, type ClockQuality, type WallClock } from './wall-clock.ts';

/** A row in `recordings`, locked for the transaction, with its boots and column layouts. */
export interface Recording {
  readonly recordingId: string;
  readonly machineId: string;
  committed: SeqRanges;
  /** Whether the row must be written: it says what chunks alone do not say, or is a minute old. */
  isRowDue: boolean;
  /** Samples below it were swept: what arrives there is swept later. */
  readonly sweptSeq: number;
  readonly boots: Map<string, { bootNo: number; clock: WallClock | undefined }>;
  /** By `layoutKey`. */
  readonly layouts: Map<string, number>;
}

/** The entries of a stream that are stored in one recording. */
export interface StreamPart {
  readonly recording: Recording;
  readonly range: SeqRange;
}
/** The places of a stream: nearly always one part without an end. */
export type Stream = readonly StreamPart[];

export interface StreamKey {
  readonly machineId: string;
  readonly epoch: string;
}
/** A stream with arrived entries. */
export interface ArrivingStream extends StreamKey {
  /** After the last of these entries. */
  readonly end: number;
  readonly continues?: Continues | undefined;
}

export const keyOf = ({ machineId, epoch }: StreamKey): string => `${machineId}/${epoch}`;

export const layoutKey = (map: { id: string; rev: number }, channels: readonly string[]): string =>
  JSON.stringify([map.id, map.rev, channels]);

/** The parts of these entries of a stream, by the recording that stores them. */
export const partsOf = (stream: Stream, { start, end }: SeqRange): StreamPart[] =>
  stream.flatMap(({ recording, range }, index) => {
    const part = { start: index === 0 ? start : Math.max(start, range.start), end: Math.min(end, range.end) };
    return part.end > part.start ? [{ recording, range: part }] : [];
  });

interface PartRow {
  readonly epoch: string;
  readonly id: string;
  readonly machine_id: string;
  readonly from_seq: number;
  readonly until_seq: number | null;
}

/** Rows are locked in one order everywhere, so that instances which share streams wait for each other instead of deadlocking. */
const lockParts = (tx: Sql, keys: readonly StreamKey[]) => tx<PartRow[]>`
  SELECT p.epoch, r.id, r.machine_id, p.from_seq, p.until_seq
  FROM stream_parts p
  JOIN unnest(${keys.map((key) => key.machineId)}::uuid[], ${keys.map((key) => key.epoch)}::text[])
    AS wanted (machine_id, epoch) ON wanted.machine_id = p.machine_id AND wanted.epoch = p.epoch
  JOIN recordings r ON r.id = p.recording_id
  ORDER BY r.machine_id, r.epoch, p.from_seq
  FOR NO KEY UPDATE OF r`;

const createRecordings = async (tx: Sql, keys: readonly StreamKey[]): Promise<void> => {
  await tx`
    INSERT INTO recordings (id, machine_id, epoch, source)
    SELECT id, machine_id, epoch, 'agent'
    FROM unnest(${keys.map(() => uuidV7())}::uuid[], ${keys.map((key) => key.machineId)}::uuid[],
                ${keys.map((key) => key.epoch)}::text[]) AS made (id, machine_id, epoch)
    ORDER BY machine_id, epoch
    ON CONFLICT (machine_id, epoch) DO NOTHING`;
};

/** Stores a stream in the recording that it continues, unless other entries have its place there. */
const continueRecording = (tx: Sql, { machineId, epoch }: StreamKey, { epoch: continued, seq }: Continues) => tx`
  INSERT INTO continuing_streams (machine_id, epoch, from_seq, recording_id)
  SELECT p.machine_id, ${epoch}, ${seq}, p.recording_id
  FROM (SELECT * FROM stream_parts WHERE machine_id = ${machineId} AND epoch = ${continued} AND from_seq <= ${seq}
        ORDER BY from_seq DESC LIMIT 1) p
  JOIN recordings r ON r.id = p.recording_id
  WHERE isempty(committed_now(r) * int8multirange(int8range(${seq}, (
    SELECT min(o.from_seq) FROM continuing_streams o WHERE o.recording_id = r.id AND o.from_seq > ${seq}))))
  ON CONFLICT DO NOTHING`;

/**
 * A board continued a stream whose numbers another stream has continued too: it was restarted while its disk failed. From there
 * on the stream has a recording of its own, so that neither hides the other.
 */
const divertStream = async (tx: Sql, { machineId, epoch }: StreamKey, fromSeq: number): Promise<void> => {
  const id = uuidV7();
  await tx`
    INSERT INTO recordings (id, machine_id, epoch, source)
    VALUES (${id}, ${machineId}, ${randomBytes(8).toString('hex')}, 'agent')`;
  await tx`
    INSERT INTO continuing_streams (machine_id, epoch, from_seq, recording_id)
    VALUES (${machineId}, ${epoch}, ${fromSeq}, ${id})`;
};

/** One entry for each stream, with the last number that arrived and the stream that it continues. */
const distinct = (arriving: readonly ArrivingStream[]): ArrivingStream[] => {
  const byKey = new Map<string, ArrivingStream>();
  for (const stream of arriving) {
    const known = byKey.get(keyOf(stream));
    byKey.set(keyOf(stream), {
      ...stream,
      end: Math.max(stream.end, known?.end ?? 0),
      continues: stream.continues ?? known?.continues,
    });
  }
  return [...byKey.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
};

/** Locks the recordings of these streams and creates those that are new. */
export const lockStreams = async (
  tx: Sql,
  arriving: readonly ArrivingStream[],
  receivedAtMs: number,
): Promise<Map<string, Stream>> => {
  const wanted = distinct(arriving);
  const continued = wanted.flatMap(({ machineId, continues }) =>
    continues ? [{ machineId, epoch: continues.epoch }] : [],
  );
  let rows = await lockParts(tx, [...wanted, ...continued]);
  const isThere = (key: StreamKey): boolean =>
    rows.some((row) => row.machine_id === key.machineId && row.epoch === key.epoch);
  const reload = async (): Promise<void> => void (rows = await lockParts(tx, [...wanted, ...continued]));

  const isNew = wanted.filter((stream) => !isThere(stream));
  if (isNew.length > 0) {
    const roots = isNew.map(({ machineId, epoch, continues }) => ({ machineId, epoch: continues?.epoch ?? epoch }));
    await createRecordings(tx, roots);
    await reload();
    for (const stream of isNew)
      if (stream.continues && !isThere(stream)) await continueRecording(tx, stream, stream.continues);
    if (isNew.some(({ continues }) => continues)) await reload();
    const alone = isNew.filter((stream) => !isThere(stream));
    if (alone.length > 0) {
      await createRecordings(tx, alone);
      await reload();
    }
  }
  for (const stream of wanted) {
    const parts = rows.filter((row) => row.machine_id === stream.machineId && row.epoch === stream.epoch);
    const last = parts.reduce((a, b) => (b.from_seq > a.from_seq ? b : a), parts[0] ?? missingStream());
    if (last.until_seq === null || stream.end <= last.until_seq) continue;
    await divertStream(tx, stream, last.until_seq);
    await reload();
  }
  return toStreams(tx, rows, receivedAtMs);
};

const missingStream = (): never => {
  throw new Error('a locked stream is missing');
};

/** The row of a stream that sends is written this often. */
const writeRowMs = 60_000;

interface RecordingRow {
  readonly id: string;
  readonly machine_id: string;
  readonly committed: string;
  /** After the last sample of the chunks that continue `committed`. */
  readonly tail_end: number | null;
  readonly swept_seq: number;
  readonly last_received_at: string | null;
}

const toRecording = (row: RecordingRow, receivedAtMs: number): Recording => {
  const written = parseMultirange(row.committed);
  const last = written.at(-1);
  return {
    recordingId: row.id,
    machineId: row.machine_id,
    committed:
      row.tail_end === null || last === undefined
        ? written
        : withRange(written, { start: last.end, end: row.tail_end }),
    isRowDue: row.last_received_at === null || receivedAtMs - Date.parse(row.last_received_at) >= writeRowMs,
    sweptSeq: row.swept_seq,
    boots: new Map(),
    layouts: new Map(),
  };
};

/** Reads what these recordings hold. A statement after the one that locked them: a waiting one does not see what it waited for. */
const readRecordings = async (
  tx: Sql,
  ids: readonly string[],
  receivedAtMs: number,
): Promise<Map<string, Recording>> => {
  // Pipelined on one connection.
  const [rows, boots, layouts] = await Promise.all([
    tx<RecordingRow[]>`
      SELECT r.id, r.machine_id, r.committed::text AS committed, r.swept_seq, r.last_received_at,
             (SELECT c.first_seq + cardinality(c.dt_ms) FROM recording_chunks c
              WHERE c.recording_id = r.id AND c.first_seq >= upper(r.committed)
              ORDER BY c.first_seq DESC LIMIT 1) AS tail_end
      FROM recordings r WHERE r.id = ANY(${[...ids]}::uuid[])`,
    tx<{ recording_id: string; boot_no: number; boot_id: string; wall_offset_ms: number; quality: number }[]>`
      SELECT recording_id, boot_no, boot_id, wall_offset_ms, quality FROM recording_boots
      WHERE recording_id = ANY(${[...ids]}::uuid[])`,
    tx<{ recording_id: string; layout_no: number; map_id: string; map_rev: number; channels: string[] }[]>`
      SELECT recording_id, layout_no, map_id, map_rev, channels FROM recording_layouts
      WHERE recording_id = ANY(${[...ids]}::uuid[])`,
  ]);
  const recordings = new Map(rows.map((row) => [row.id, toRecording(row, receivedAtMs)]));
  for (const row of boots) {
    const quality = Object.values(clockQuality).find((value) => value === row.quality) ?? clockQuality.received;
    const clock = { offsetMs: row.wall_offset_ms, quality: quality satisfies ClockQuality };
    recordings.get(row.recording_id)?.boots.set(row.boot_id, { bootNo: row.boot_no, clock });
  }
  for (const row of layouts) {
    const key = layoutKey({ id: row.map_id, rev: row.map_rev }, row.channels);
    recordings.get(row.recording_id)?.layouts.set(key, row.layout_no);
  }
  return recordings;
};

const toStreams = async (tx: Sql, rows: readonly PartRow[], receivedAtMs: number): Promise<Map<string, Stream>> => {
  const recordings = await readRecordings(tx, [...new Set(rows.map(({ id }) => id))], receivedAtMs);
  const streams = new Map<string, StreamPart[]>();
  for (const row of rows) {
    const key = keyOf({ machineId: row.machine_id, epoch: row.epoch });
    const parts = streams.get(key) ?? [];
    const recording = recordings.get(row.id) ?? missingStream();
    parts.push({ recording, range: { start: row.from_seq, end: row.until_seq ?? Number.MAX_SAFE_INTEGER } });
    streams.set(
      key,
      parts.sort((a, b) => a.range.start - b.range.start),
    );
  }
  return streams;
};

const quotedTexts = (texts: readonly string[]): string => `{${texts.map((text) => `"${text}"`).join(',')}}`;

/** Writes the rows that are due. */
export const updateCommitted = async (tx: Sql, all: readonly Recording[], receivedAtMs: number): Promise<void> => {
  const recordings = all.filter(({ isRowDue }) => isRowDue);
  if (recordings.length === 0) return;
  const committed = quotedTexts(recordings.map((recording) => formatMultirange(recording.committed)));
  await tx`
    UPDATE recordings r
    SET committed = seen.committed::int8multirange, last_received_at = ${new Date(receivedAtMs)}::timestamptz
    FROM unnest(${recordings.map((recording) => recording.recordingId)}::uuid[], ${committed}::text[]) AS seen (id, committed)
    WHERE r.id = seen.id`;
};

export interface LayoutRow {
  readonly recordingId: string;
  readonly layoutNo: number;
  readonly map: { readonly id: string; readonly rev: number };
  readonly channels: readonly string[];
}

export const writeLayouts = async (tx: Sql, layouts: readonly LayoutRow[]): Promise<void> => {
  for (const { recordingId, layoutNo, map, channels } of layouts) {
    await tx`
      INSERT INTO recording_layouts (recording_id, layout_no, map_id, map_rev, channels)
      VALUES (${recordingId}, ${layoutNo}, ${map.id}, ${map.rev}, ${[...channels]}::text[])`;
  }
};
