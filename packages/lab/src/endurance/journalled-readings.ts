import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Entry } from '@roastery/device-agent/core/entry';
import { parseSegmentName, readSegment } from '@roastery/device-agent/journal/segment';
import { codeOf } from '@roastery/runtime/system-errors';
import { requestNumber } from '@roastery/simulator/simulator';
import type postgres from 'postgres';
import type { StreamRange } from './agent-statements.ts';

/** The place of a reading in a board's journal. */
export interface JournalPlace {
  readonly epoch: string;
  readonly seq: number;
}

const unlessGone = async <T>(work: Promise<T>, otherwise: T): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return otherwise;
    throw error;
  }
};

const pollIntervalMs = 20;
/** This many entries before and after a missing reading are shown with it. */
const tracedEntries = 30;

/**
 * Remembers the content of each segment of all streams of a running agent, also when the agent empties or deletes it.
 */
export const watchSegments = (journal: string) => {
  /** By file: two streams may use the same names. */
  const contents = new Map<string, { readonly state: string; readonly bytes: Buffer }>();
  const poll = async (): Promise<void> => {
    const names = await unlessGone(readdir(journal, { recursive: true }), []);
    for (const name of names.filter((path) => parseSegmentName(basename(path)))) {
      const path = join(journal, name);
      const found = await unlessGone(stat(path), undefined);
      if (!found || found.size === 0) continue;
      const key = `${found.ino}/${found.birthtimeMs}`;
      const state = `${found.size}/${found.mtimeMs}`;
      if (contents.get(key)?.state === state) continue;
      const bytes = await unlessGone(readFile(path), undefined);
      if (bytes && bytes.length > 0) contents.set(key, { state, bytes });
    }
  };
  let looking = Promise.resolve();
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    looking = poll().finally(() => (isLooking = false));
  }, pollIntervalMs);
  timer.unref();
  return {
    async stop(): Promise<void> {
      clearInterval(timer);
      await looking;
      await poll();
    },
    /** The places of the samples of numbered readings, by the number of the reading. */
    places(): Map<number, JournalPlace[]> {
      const places = new Map<number, JournalPlace[]>();
      for (const { bytes } of contents.values()) {
        const { epoch, entries } = readSegment(bytes);
        for (const entry of entries) {
          if (epoch === undefined || entry.kind !== 'sample') continue;
          const number = entry.values[entry.context.channels.indexOf(requestNumber)];
          if (typeof number === 'number')
            places.set(number, [...(places.get(number) ?? []), { epoch, seq: entry.seq }]);
        }
      }
      return places;
    },
    /** The content of every segment of a stream around a place: number, kind and reading of each entry. */
    around({ epoch, seq }: JournalPlace): string[][] {
      return [...contents.values()].flatMap(({ bytes }) => {
        const segment = readSegment(bytes);
        if (segment.epoch !== epoch) return [];
        const near = segment.entries.filter((entry) => Math.abs(entry.seq - seq) <= tracedEntries);
        return near.length === 0 ? [] : [near.map(entryWords)];
      });
    },
  };
};

const entryWords = (entry: Entry): string =>
  entry.kind === 'sample'
    ? `${entry.seq} reading ${entry.values[entry.context.channels.indexOf(requestNumber)] ?? 'without number'}`
    : `${entry.seq} ${JSON.stringify(entry.event)}`;

/** A gap at the server, for one stream of its recording. */
export interface ReportedGap {
  readonly epoch: string;
  /** The part of the gap that is the stream's own, and the whole gap in the numbers of the recording. */
  readonly own: readonly [from: number, to: number];
  readonly whole: readonly [from: number, to: number];
}

const holds = ([from, to]: readonly [number, number], seq: number): boolean => from <= seq && seq <= to;

/**
 * Whether the server has gaps for a reading. A reading that moved to the next stream of its recording, because the
 * disk failed, keeps its number and has a place in both: the gap is that of the later one. A stream may also continue
 * after another one has continued it: then a gap of the recording does not show which stream it belongs to, and the
 * board must have logged the loss for this stream.
 */
export const isReported = (
  places: readonly JournalPlace[],
  gaps: readonly ReportedGap[],
  droppedForRoom: readonly StreamRange[],
): boolean =>
  places.some(
    ({ epoch, seq }) =>
      gaps.some((gap) => gap.epoch === epoch && holds(gap.own, seq)) ||
      droppedForRoom.some((range) => range.epoch === epoch && holds([range.from, range.to], seq)),
  ) && places.every(({ epoch, seq }) => gaps.some((gap) => gap.epoch === epoch && holds(gap.whole, seq)));

/** The readings whose every place in the journal lies in a gap of a full disk at the server. */
export const readReported = async (
  sql: postgres.Sql,
  serial: string,
  places: ReadonlyMap<number, readonly JournalPlace[]>,
  droppedForRoom: readonly StreamRange[],
): Promise<Set<number>> => {
  const rows = await sql<{ epoch: string; own_from: string; own_to: string; from_seq: string; to_seq: string }[]>`
    SELECT p.epoch, greatest(n.from_seq, p.from_seq) AS own_from, least(n.to_seq, p.until_seq - 1) AS own_to,
      n.from_seq, n.to_seq
    FROM recording_notes n JOIN recordings r ON r.id = n.recording_id JOIN machines m ON m.id = r.machine_id
      JOIN stream_parts p ON p.recording_id = r.id
    WHERE m.serial_number = ${serial} AND n.kind = 'gap' AND n.reason = 'disk_full'`;
  const gaps = rows.map((row): ReportedGap => ({
    epoch: row.epoch,
    own: [Number(row.own_from), Number(row.own_to)],
    whole: [Number(row.from_seq), Number(row.to_seq)],
  }));
  return new Set(
    Array.from(places).flatMap(([number, found]) => (isReported(found, gaps, droppedForRoom) ? [number] : [])),
  );
};

/** The recordings of a board, their streams, chunks and gaps, and the refused messages: to trace a missing reading. */
export const readServerView = async (
  sql: postgres.Sql,
  serial: string,
): Promise<Record<'parts' | 'chunks' | 'notes' | 'quarantine', unknown>> => ({
  chunks: await sql`
    SELECT c.recording_id, c.first_seq::text, cardinality(c.dt_ms) AS samples, c.mono_ms::text, c.boot_no
    FROM recording_chunks c JOIN recordings r ON r.id = c.recording_id JOIN machines m ON m.id = r.machine_id
    WHERE m.serial_number = ${serial} ORDER BY c.recording_id, c.first_seq`,
  quarantine: await sql`
    SELECT reason, times, convert_from(payload, 'UTF8') AS payload FROM quarantine WHERE serial_number = ${serial}`,
  parts: await sql`
    SELECT p.epoch, p.recording_id, p.from_seq::text, p.until_seq::text, r.committed::text
    FROM stream_parts p JOIN recordings r ON r.id = p.recording_id JOIN machines m ON m.id = p.machine_id
    WHERE m.serial_number = ${serial} ORDER BY p.recording_id, p.from_seq`,
  notes: await sql`
    SELECT n.recording_id, n.event_seq::text, n.kind, n.from_seq::text, n.to_seq::text, n.reason
    FROM recording_notes n JOIN recordings r ON r.id = n.recording_id JOIN machines m ON m.id = r.machine_id
    WHERE m.serial_number = ${serial} ORDER BY n.recording_id, n.event_seq`,
});
