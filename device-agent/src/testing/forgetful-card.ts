import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { maxHistoryStreams, type Ack, type Continues } from '@roastery/contract/mqtt';
import { createLogger } from '@roastery/runtime/logger';
import { untilQuiet } from '@roastery/testing/bytes-in-transit';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import type { Entry } from '../core/entry.ts';
import { RangeSet, type SeqRange } from '../core/ranges.ts';
import { createWallClock } from '../core/wall-clock.ts';
import { openJournal, type Journal } from '../journal/journal.ts';
import { scanRecords } from '../journal/record.ts';

const owner = 'a'.repeat(16);
export const boots = {
  first: '0a1b2c3d-0000-4000-8000-000000000001',
  second: '0a1b2c3d-0000-4000-8000-000000000002',
  third: '0a1b2c3d-0000-4000-8000-000000000003',
};
const roastId = '01900000-0000-7000-8000-000000000001';

/** A journal on the real disk in virtual time, at a moment of a boot. */
export const openOnCard = async (folder: string, boot: keyof typeof boots, mono: number) => {
  const time = createVirtualClock();
  const reading = {
    boot: boots[boot],
    mono,
    wall: 1.8e12 + Object.keys(boots).indexOf(boot) * 86_400_000 + mono,
    synced: true,
  };
  const journal = await openJournal({
    folder,
    capBytes: 1e9,
    clock: createWallClock(() => reading),
    time,
    log: createLogger('test', 'silent'),
    context: { boot: reading.boot, map: { id: 'demo', rev: 1 }, channels: ['bean_temp'] },
    state: () => undefined,
  });
  return Object.assign(journal, { time, end: () => time.run(journal.close()) });
};

export type CardJournal = Awaited<ReturnType<typeof openOnCard>>;

/** What an entry says, without its number. */
export const contentOf = (entry: Entry): string =>
  JSON.stringify(entry.kind === 'sample' ? [entry.context.boot, entry.mono, entry.values] : [entry.mono, entry.event]);

/** Commits entries as ingest does: streams continue a recording, and repeats are ignored. */
export const createCommittingServer = () => {
  const recordings: Map<number, string>[] = [];
  interface StoredStream {
    readonly recording: Map<number, string>;
    readonly from: number;
    /** For its numbers that a later stream of the recording has used: the board has forgotten that one. */
    apart?: Map<number, string>;
  }
  const streams = new Map<string, StoredStream>();
  const gaps: { recording: Map<number, string>; range: SeqRange }[] = [];
  const conflicts: string[] = [];

  const begin = (epoch: string, from: number, recording = new Map<number, string>()) => {
    if (!recordings.includes(recording)) recordings.push(recording);
    const stream: StoredStream = { recording, from };
    streams.set(epoch, stream);
    return stream;
  };
  /** The first number of the next stream of a recording. */
  const nextAfter = (recording: Map<number, string>, seq: number): number => {
    const later = [...streams.values()].filter((other) => other.recording === recording && other.from > seq);
    return Math.min(Infinity, ...later.map(({ from }) => from));
  };
  const streamOf = (epoch: string, continues: Continues | undefined) => {
    const known = streams.get(epoch);
    if (known || !continues) return known ?? begin(epoch, 0);
    const { recording } = streams.get(continues.epoch) ?? begin(continues.epoch, 0);
    const until = nextAfter(recording, continues.seq);
    const isFree = [...recording.keys()].every((seq) => seq < continues.seq || seq >= until);
    return isFree ? begin(epoch, continues.seq, recording) : begin(epoch, 0);
  };
  const rangesOf = (epoch: string): [number, number][] => {
    const stream = streams.get(epoch);
    if (!stream) return [];
    const until = nextAfter(stream.recording, stream.from);
    const held = new RangeSet();
    for (const seq of stream.recording.keys()) if (seq >= stream.from && seq < until) held.add(seq, seq);
    for (const seq of stream.apart?.keys() ?? []) held.add(seq, seq);
    return held.ranges().map(([from, to]) => [from, to]);
  };

  return {
    recordings,
    conflicts,
    commit(epoch: string, continues: Continues | undefined, entries: readonly Entry[]): Ack {
      const stream = streamOf(epoch, continues);
      const until = nextAfter(stream.recording, stream.from);
      for (const entry of entries) {
        if (entry.seq >= until && !stream.apart) recordings.push((stream.apart = new Map()));
        const recording = (entry.seq >= until ? stream.apart : undefined) ?? stream.recording;
        const known = recording.get(entry.seq);
        if (known !== undefined && known !== contentOf(entry)) conflicts.push(`${epoch}/${entry.seq}`);
        recording.set(entry.seq, known ?? contentOf(entry));
        if (entry.kind !== 'event' || entry.event.type !== 'gap') continue;
        // Numbers before its own are those of the stream that it continues.
        const continued = continues && streams.get(continues.epoch);
        gaps.push({
          recording: continued?.recording ?? stream.recording,
          range: [entry.event.from_seq, entry.event.to_seq],
        });
      }
      return { v: 1, epoch, ranges: rangesOf(epoch) };
    },
    statement: (epoch: string): Ack => ({
      v: 1,
      epoch,
      ranges: rangesOf(epoch),
      through: Number.MAX_SAFE_INTEGER,
      owner,
    }),
    /**
     * Numbers up to the last one of the first recording that are in no entry of any recording, and those that its gaps name, also where
     * they are stored. A board that has forgotten a stream uses numbers of its recording again, which makes another recording.
     */
    holes(): { missing: RangeSet; named: RangeSet } {
      const [recording] = recordings;
      const missing = new RangeSet([[0, Math.max(...(recording?.keys() ?? []))]]);
      for (const seq of recordings.flatMap((one) => [...one.keys()])) missing.remove(seq, seq);
      const named = new RangeSet(gaps.filter((gap) => gap.recording === recording).map(({ range }) => range));
      return { missing, named };
    },
    values: (): string[] => recordings.flatMap((recording) => [...recording.values()]),
  };
};
export type CommittingServer = ReturnType<typeof createCommittingServer>;

/** More than any board here has to send. */
const mostBatches = 2000;

/** A connection: the server states its entries of each stream, and the board sends until everything is acknowledged. */
export const deliver = async (journal: Journal, server: CommittingServer): Promise<void> => {
  const listed = await journal.history();
  if (listed.length > maxHistoryStreams) throw new Error('more streams than a status may name');
  for (const { epoch } of listed) journal.hear(server.statement(epoch));
  for (let batches = 0; ; batches++) {
    if (batches > mostBatches) throw new Error('a batch is offered again after it was acknowledged');
    await journal.flush();
    const waiting = journal.epochs().flatMap((epoch) => journal.waiting(epoch).map((range) => ({ epoch, range })));
    const [next] = waiting;
    if (!next) return;
    const { entries, to } = await journal.readPart(...next.range, next.epoch);
    if (entries.length === 0)
      throw new Error(`${next.epoch} offers ${next.range.join('-')} up to ${to} without entries`);
    journal.hear(server.commit(next.epoch, journal.continues(next.epoch), entries));
  }
};

/** All files below a folder. */
export const snapshotOf = async (folder: string): Promise<Map<string, Buffer>> => {
  // Notes are written in the background.
  await untilQuiet();
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(relative(folder, path), await readFile(path));
  }
  return files;
};
export const restore = async (folder: string, files: ReadonlyMap<string, Buffer>): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, content] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
};

const samplesAfter = 4;

export interface Restart {
  readonly boot: keyof typeof boots;
  readonly mono: number;
  readonly isOnlineAtStart: boolean;
  /** Contents of entries that must be stored. */
  readonly kept: readonly string[];
  /** Recordings that the entries may lie in. */
  readonly recordings?: number;
  /** The card has forgotten a whole stream, whose numbers lie within the gap. */
  readonly isStreamForgotten?: boolean;
}

/** Starts on a card, records, and delivers. Returns what is wrong: nothing when nothing is lost without a word. */
export const restartOn = async (folder: string, server: CommittingServer, restart: Restart): Promise<string[]> => {
  const { boot, mono, isOnlineAtStart, kept, recordings = 1, isStreamForgotten = false } = restart;
  const journal = await openOnCard(folder, boot, mono);
  if (isOnlineAtStart) await deliver(journal, server);
  for (let value = 0; value < samplesAfter; value++) journal.appendSample(mono + value * 1000, [1000 + value]);
  await journal.flush();
  await deliver(journal, server);
  await journal.end();

  const stored = server.values();
  const values = Array.from({ length: samplesAfter }, (_, value) => `,[${1000 + value}]]`);
  const { missing, named } = server.holes();
  const facts: readonly (readonly [fault: string, isFault: boolean])[] = [
    ['a new reading was never stored', !values.every((value) => stored.some((one) => one.endsWith(value)))],
    ['an old entry was never stored', !kept.every((content) => stored.includes(content))],
    ['an entry was stored twice', new Set(stored).size !== stored.length],
    [`numbers with two contents: ${server.conflicts.join()}`, server.conflicts.length > 0],
    [`${server.recordings.length} recordings`, server.recordings.length > recordings],
    [
      `gaps name ${named.ranges().join(' ')}, missing are ${missing.ranges().join(' ')}`,
      isStreamForgotten
        ? missing.ranges().some((range) => !named.covers(...range))
        : named.ranges().join() !== missing.ranges().join(),
    ],
  ];
  return facts.flatMap(([fault, isFault]) => (isFault ? [fault] : []));
};

const samplesBefore = 9;
/** Entries of the first process: its samples and the beginning of a roast. */
export const entriesBefore = samplesBefore + 1;

/** Records like a board that knows its server, without delivering anything. */
export const recordRoast = async (journal: Journal, mono: number): Promise<readonly Entry[]> => {
  journal.hear({ v: 1, epoch: journal.epoch, ranges: [], through: Number.MAX_SAFE_INTEGER, owner });
  await journal.flush();
  const first = journal.appendSample(mono, [mono]);
  journal.appendEvent(mono, { type: 'roast', roast_id: roastId, state: 'in_progress' });
  for (let value = 1; value < samplesBefore; value++) journal.appendSample(mono + value * 1000, [mono + value]);
  await journal.flush();
  return journal.read(first, first + samplesBefore);
};

export interface Cut {
  /** Bytes that the card kept of its newest segment. */
  readonly bytes: number;
  /** How many entries the server had acknowledged. */
  readonly acknowledged: number;
  readonly isOnlineAtStart: boolean;
  /** A power cut; else the process was killed. */
  readonly isNewBoot: boolean;
}

/** The card of a board that was killed in a roast: recorded once, and restored with a shorter segment for each cut. */
export const recordCard = async (folder: string) => {
  const first = await openOnCard(folder, 'first', 1e6);
  const { epoch } = first;
  const entries = await recordRoast(first, 1e6);
  const files = await snapshotOf(folder);
  await first.end();
  const segment = [...files.keys()].find((name) => name.endsWith('.open')) ?? '';
  const whole = files.get(segment) ?? Buffer.alloc(0);
  /** The bytes after each whole record. */
  const { ends } = scanRecords(whole);

  const findFaults = async ({ bytes, acknowledged, isOnlineAtStart, isNewBoot }: Cut): Promise<string[]> => {
    const card = `${folder}-cut`;
    await restore(card, new Map(files).set(segment, whole.subarray(0, bytes)));
    const server = createCommittingServer();
    if (acknowledged > 0) server.commit(epoch, undefined, entries.slice(0, acknowledged));
    const readable = ends.filter((end) => end <= bytes).length - (ends.length - entriesBefore);
    return restartOn(card, server, {
      boot: isNewBoot ? 'second' : 'first',
      mono: isNewBoot ? 20_000 : 1e6 + 30_000,
      isOnlineAtStart,
      kept: entries.slice(0, Math.max(readable, acknowledged)).map(contentOf),
    });
  };
  return { size: whole.length, ends, findFaults };
};
