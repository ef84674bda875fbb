import { randomBytes } from 'node:crypto';
import type { Continues } from '@roastery/contract/mqtt';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { Sql } from '../db/sql.ts';
import { readRecordings, type Recording, type StreamPart } from './recording-rows.ts';
import type { SeqRange } from '../db/seq-ranges.ts';
import type { BusyStreams } from './arrived-entries.ts';

/** The parts of a stream and their recordings: nearly always one part without an end. */
export type Stream = readonly StreamPart[];

export interface StreamKey {
  readonly machineId: string;
  readonly epoch: string;
}
/** A stream with arrived entries. */
export interface ArrivingStream extends StreamKey {
  /** The number after the last of these entries. */
  readonly end: number;
  readonly continues?: Continues | undefined;
}

export const keyOf = ({ machineId, epoch }: StreamKey): string => `${machineId}/${epoch}`;

/** The parts of these entries of a stream, by the recording that stores them. */
export const partsOf = (stream: Stream, { start, end }: SeqRange): StreamPart[] =>
  stream.flatMap(({ recording, range }, index) => {
    const part = { start: index === 0 ? start : Math.max(start, range.start), end: Math.min(end, range.end) };
    return part.end > part.start ? [{ recording, range: part }] : [];
  });

/**
 * The recordings that contain a gap reported by an entry of a stream, each once. Numbers before those that the stream
 * continues belong to the earlier stream. The first numbers of a diverted stream lie in another recording than its
 * last ones.
 */
export const partsOfGap = (
  streams: ReadonlyMap<string, Stream>,
  { machineId, epoch, continues }: StreamKey & Pick<ArrivingStream, 'continues'>,
  { start, end }: SeqRange,
): StreamPart[] => {
  const border = Math.min(end, continues?.seq ?? 0);
  const earlier = continues && streams.get(keyOf({ machineId, epoch: continues.epoch }));
  const own = streams.get(keyOf({ machineId, epoch })) ?? [];
  const found = earlier
    ? [...partsOf(openEnded(earlier), { start, end: border }), ...partsOf(own, { start: Math.max(start, border), end })]
    : partsOf(own, { start, end });
  const byRecording = new Map<Recording, SeqRange>();
  for (const { recording, range } of found) {
    const known = byRecording.get(recording) ?? range;
    byRecording.set(recording, { start: Math.min(known.start, range.start), end: Math.max(known.end, range.end) });
  }
  return Array.from(byRecording, ([recording, range]) => ({ recording, range }));
};

/**
 * Recordings that may hold entries of a part under the same numbers: earlier ones of a stream that was diverted, and
 * the one that the stream continues without being stored there.
 */
export const otherHolders = (
  streams: ReadonlyMap<string, Stream>,
  { machineId, epoch, continues }: StreamKey & Pick<ArrivingStream, 'continues'>,
  { recording, range }: StreamPart,
): StreamPart[] => {
  const own = streams.get(keyOf({ machineId, epoch })) ?? [];
  const before = own.slice(
    0,
    Math.max(
      0,
      own.findIndex((part) => part.recording === recording),
    ),
  );
  const continued = continues && streams.get(keyOf({ machineId, epoch: continues.epoch }));
  const start = Math.max(range.start, continues?.seq ?? 0);
  return [
    ...before.map((part) => ({ recording: part.recording, range })),
    ...partsOf(openEnded(continued ?? []), { start, end: range.end }),
  ].filter((part) => part.recording !== recording);
};

/** After the last part of a stream come the numbers of streams that continue it. */
const openEnded = (stream: Stream): Stream =>
  stream.map((part, index) =>
    index < stream.length - 1 ? part : { ...part, range: { ...part.range, end: Number.MAX_SAFE_INTEGER } },
  );

interface PartRow {
  readonly epoch: string;
  readonly id: string;
  readonly machine_id: string;
  readonly from_seq: number;
  readonly until_seq: number | null;
  /** Not locked: another transaction holds its recording, or has removed it. */
  readonly is_absent: boolean;
}

/** Rows are locked in one order everywhere, so that instances which share streams wait for each other instead of deadlocking. */
const lockParts = (tx: Sql, keys: readonly StreamKey[], busyStreams: BusyStreams) => tx<PartRow[]>`
  WITH parts AS (
    SELECT p.* FROM stream_parts p
    JOIN unnest(${keys.map((key) => key.machineId)}::uuid[], ${keys.map((key) => key.epoch)}::text[])
      AS wanted (machine_id, epoch) ON wanted.machine_id = p.machine_id AND wanted.epoch = p.epoch),
  locked AS (
    SELECT r.id FROM parts p JOIN recordings r ON r.id = p.recording_id
    ORDER BY r.machine_id, r.epoch, p.from_seq
    FOR NO KEY UPDATE OF r ${busyStreams === 'leave' ? tx`SKIP LOCKED` : tx``})
  SELECT epoch, recording_id AS id, machine_id, from_seq, until_seq, recording_id NOT IN (SELECT id FROM locked) AS is_absent
  FROM parts`;

const createRecordings = async (tx: Sql, keys: readonly StreamKey[]): Promise<void> => {
  await tx`
    INSERT INTO recordings (id, machine_id, epoch, source)
    SELECT id, machine_id, epoch, 'agent'
    FROM unnest(${keys.map(() => uuidV7())}::uuid[], ${keys.map((key) => key.machineId)}::uuid[],
                ${keys.map((key) => key.epoch)}::text[]) AS made (id, machine_id, epoch)
    ORDER BY machine_id, epoch
    ON CONFLICT (machine_id, epoch) DO NOTHING`;
};

/**
 * Stores a stream in the recording that it continues, unless other entries are stored under its numbers there. Writes the row
 * too, so that instances with a head of the earlier stream (`appends.ts`) read its end again.
 */
const continueRecording = (tx: Sql, { machineId, epoch }: StreamKey, { epoch: continued, seq }: Continues) => tx`
  WITH continued AS (
  INSERT INTO continuing_streams (machine_id, epoch, from_seq, recording_id)
  SELECT p.machine_id, ${epoch}, ${seq}, p.recording_id
  FROM (SELECT * FROM stream_parts WHERE machine_id = ${machineId} AND epoch = ${continued} AND from_seq <= ${seq}
        ORDER BY from_seq DESC LIMIT 1) p
  JOIN recordings r ON r.id = p.recording_id
  WHERE isempty(committed_now(r) * int8multirange(int8range(${seq}, (
    SELECT min(o.from_seq) FROM continuing_streams o WHERE o.recording_id = r.id AND o.from_seq > ${seq}))))
  ON CONFLICT DO NOTHING RETURNING recording_id)
  UPDATE recordings SET last_received_at = last_received_at WHERE id IN (SELECT recording_id FROM continued)`;

/**
 * A board continued a stream whose numbers another stream has also continued: it was restarted while its disk failed.
 * From there on the stream has its own recording, so that neither hides the other.
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

/** The streams themselves and those that they continue, each once. */
const keysOf = (streams: readonly ArrivingStream[]): StreamKey[] => {
  const continued = streams.flatMap(({ machineId, continues }) =>
    continues ? [{ machineId, epoch: continues.epoch }] : [],
  );
  return [...new Map([...streams, ...continued].map((key) => [keyOf(key), key])).values()];
};

/** Locks the recordings of these streams and creates those that are new; returns the keys of those that it leaves. */
export const lockStreams = async (
  tx: Sql,
  arriving: readonly ArrivingStream[],
  busyStreams: BusyStreams,
): Promise<{ readonly streams: ReadonlyMap<string, Stream>; readonly busy: ReadonlySet<string> }> => {
  const all = distinct(arriving);
  if (all.length === 0) return { streams: new Map(), busy: new Set() };
  const rows = await lockParts(tx, keysOf(all), busyStreams);
  const held = new Set(busyStreams === 'leave' ? rows.filter((row) => row.is_absent).map(keyOfRow) : []);
  const isBusy = (stream: ArrivingStream): boolean => keysOf([stream]).some((key) => held.has(keyOf(key)));
  const wanted = all.filter((stream) => !isBusy(stream));
  const lock = async () => byStream(await lockParts(tx, keysOf(wanted), 'wait'));
  // Those of a busy stream are not used.
  let parts = byStream(rows);
  const isNew = wanted.filter((stream) => !parts.has(keyOf(stream)));
  if (isNew.length > 0) {
    const roots = isNew.map(({ machineId, epoch, continues }) => ({ machineId, epoch: continues?.epoch ?? epoch }));
    await createRecordings(tx, roots);
    parts = await lock();
    for (const stream of isNew)
      if (stream.continues && !parts.has(keyOf(stream))) await continueRecording(tx, stream, stream.continues);
    if (isNew.some(({ continues }) => continues)) parts = await lock();
    const alone = isNew.filter((stream) => !parts.has(keyOf(stream)));
    if (alone.length > 0) {
      await createRecordings(tx, alone);
      parts = await lock();
    }
  }
  /** The end of its last part, when some of its entries lie after it. */
  const endOfParts = (stream: ArrivingStream): number | undefined => {
    const last = parts.get(keyOf(stream))?.at(-1) ?? missingStream();
    return last.until_seq === null || stream.end <= last.until_seq ? undefined : last.until_seq;
  };
  for (const stream of wanted) {
    if (endOfParts(stream) === undefined) continue;
    // A transaction that this one waited for may have diverted it.
    parts = await lock();
    const fromSeq = endOfParts(stream);
    if (fromSeq === undefined) continue;
    await divertStream(tx, stream, fromSeq);
    parts = await lock();
  }
  return { streams: await toStreams(tx, parts), busy: new Set(all.filter(isBusy).map(keyOf)) };
};

const keyOfRow = ({ machine_id: machineId, epoch }: PartRow): string => keyOf({ machineId, epoch });

/** Their locked parts in order of sequence numbers. */
const byStream = (rows: readonly PartRow[]): Map<string, PartRow[]> => {
  const parts = new Map<string, PartRow[]>();
  for (const row of rows) {
    if (row.is_absent) continue;
    const key = keyOfRow(row);
    const known = parts.get(key);
    if (known === undefined) parts.set(key, [row]);
    else known.push(row);
  }
  for (const ofStream of parts.values()) ofStream.sort((one, other) => one.from_seq - other.from_seq);
  return parts;
};

const missingStream = (): never => {
  throw new Error('a locked stream is missing');
};

const toStreams = async (tx: Sql, parts: ReadonlyMap<string, readonly PartRow[]>): Promise<Map<string, Stream>> => {
  const ids = new Set([...parts.values()].flatMap((ofStream) => ofStream.map(({ id }) => id)));
  const recordings = await readRecordings(tx, [...ids]);
  return new Map(
    Array.from(parts, ([key, ofStream]) => [
      key,
      ofStream.map(({ id, from_seq: start, until_seq: end }) => ({
        recording: recordings.get(id) ?? missingStream(),
        range: { start, end: end ?? Number.MAX_SAFE_INTEGER },
      })),
    ]),
  );
};
