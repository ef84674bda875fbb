import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { maxHistoryStreams } from '@roastery/contract/mqtt';
import { untilQuiet } from '@roastery/testing/bytes-in-transit';
import { memoryFolder } from '@roastery/testing/shared-data';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  contentOf,
  createCommittingServer,
  deliver,
  entriesBefore,
  openOnCard,
  recordCard,
  recordRoast,
  restartOn,
  restore,
  snapshotOf,
  type CardJournal,
  type CommittingServer,
  type Cut,
} from '../testing/forgetful-card.ts';
import { restartAtRandom } from '../testing/random-restarts.ts';

let folder: string;
let card: string;
beforeEach(async () => {
  folder = await mkdtemp(join(memoryFolder ?? tmpdir(), 'forgetful-card-'));
  card = join(folder, 'card');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const findAll = async (findFaults: (cut: Cut) => Promise<string[]>, cuts: readonly Cut[]) => {
  const found: { cut: Cut; faults: string[] }[] = [];
  for (const cut of cuts) {
    const faults = await findFaults(cut);
    if (faults.length > 0) found.push({ cut, faults });
  }
  return found;
};
const without = (files: Map<string, Buffer>, of: RegExp) => new Map([...files].filter(([name]) => !of.test(name)));
const only = (files: Map<string, Buffer>, of: RegExp) => new Map([...files].filter(([name]) => of.test(name)));

const kills = maxHistoryStreams + 4;
const foldersOf = async (): Promise<number> => (await readdir(join(card, 'streams')).catch(() => [])).length;
/** Starts, records a reading, and does something before it is killed. */
const startAndKill = async (start: number, work: (journal: CardJournal) => Promise<void>): Promise<void> => {
  const journal = await openOnCard(card, 'first', 1e6 + start * 60_000);
  if (start === 0) journal.hear(createCommittingServer().statement(journal.epoch));
  journal.appendSample(1e6 + start * 60_000, [start]);
  await work(journal);
  await untilQuiet();
};
const storedReadings = (server: CommittingServer): number =>
  server.values().filter((content) => /,\[\d\d?\]\]$/.test(content)).length;

describe('journal on a card that forgot entries which the server has', () => {
  it('cut after each record: loses nothing, names each gap', async () => {
    const { ends, findFaults } = await recordCard(card);
    const cuts = ends.flatMap((bytes, index) =>
      [0, 1, 5, entriesBefore].map((acknowledged): Cut => ({
        bytes,
        acknowledged,
        isOnlineAtStart: (index + acknowledged) % 2 === 0,
        isNewBoot: (index + acknowledged) % 3 > 0,
      })),
    );
    expect(await findAll(findFaults, cuts)).toEqual([]);
  });

  it('cut within records: loses nothing, names each gap', async () => {
    const { size, findFaults } = await recordCard(card);
    const cuts = Array.from({ length: Math.floor(size / 61) }, (_, index): Cut => ({
      bytes: index * 61,
      acknowledged: index % (entriesBefore + 1),
      isOnlineAtStart: index % 2 === 0,
      isNewBoot: index % 3 > 0,
    }));
    expect(await findAll(findFaults, cuts)).toEqual([]);
  });

  const losses: readonly {
    what: string;
    /** The files of the first process before and after its end, and of the second one at its beginning and end. */
    forget: (files: Record<'first' | 'closed' | 'begun' | 'second', Map<string, Buffer>>) => Map<string, Buffer>;
    recordings?: number;
    isStreamForgotten?: boolean;
  }[] = [
    { what: 'nothing', forget: ({ second }) => second },
    { what: 'the newest segment', forget: ({ second }) => without(second, /streams\/.*\.open$/) },
    { what: 'the newest stream', forget: ({ second }) => without(second, /streams/), isStreamForgotten: true },
    {
      what: 'the newest notes of the newest stream',
      forget: ({ begun, second }) => new Map([...second, ...only(begun, /streams\/.*stream\.json$/)]),
    },
    { what: 'the notes of the newest stream', forget: ({ second }) => without(second, /streams\/.*stream\.json$/) },
    { what: 'the notes of the first stream', forget: ({ second }) => without(second, /^stream\.json$/) },
    { what: 'the segments of the first stream', forget: ({ second }) => without(second, /^\d{16}/) },
    {
      what: 'what it wrote in its newest segment',
      forget: ({ begun, second }) => new Map([...second, ...only(begun, /streams\/.*\.open$/)]),
    },
    { what: 'the epoch of the newest stream', forget: ({ second }) => without(second, /streams\/.*epoch$/) },
    { what: 'the epoch of the first stream', forget: ({ second }) => without(second, /^epoch$/) },
    { what: 'all since an older image', forget: ({ first }) => first, isStreamForgotten: true },
    { what: 'all since an image of a closed journal', forget: ({ closed }) => closed, isStreamForgotten: true },
    { what: 'every segment', forget: ({ second }) => without(second, /\d{16}/), recordings: 2 },
    { what: 'everything', forget: () => new Map(), recordings: 2 },
  ];
  const cases = losses.flatMap((loss) =>
    (['second', 'third'] as const).flatMap((boot) =>
      [true, false].map((isOnlineAtStart) => ({ ...loss, boot, isOnlineAtStart })),
    ),
  );
  it.for(cases)(
    'forgot $what, started in its $boot boot, online at the start: $isOnlineAtStart',
    async ({ forget, boot, isOnlineAtStart, recordings = 1, isStreamForgotten = false }) => {
      const server = createCommittingServer();
      const before = await openOnCard(card, 'first', 1e6);
      const entries = [...(await recordRoast(before, 1e6))];
      await deliver(before, server);
      const first = await snapshotOf(card);
      await before.end();
      const closed = await snapshotOf(card);
      await restore(card, first);
      const journal = await openOnCard(card, 'second', 20_000);
      const begun = await snapshotOf(card);
      entries.push(...(await recordRoast(journal, 20_000)));
      await deliver(journal, server);
      const second = await snapshotOf(card);
      await journal.end();
      await restore(card, forget({ first, closed, begun, second }));
      const kept = entries.map(contentOf);
      const restart = { boot, mono: 60_000, isOnlineAtStart, kept, recordings, isStreamForgotten };
      expect(await restartOn(card, server, restart)).toEqual([]);
    },
  );

  it('without a stated owner, as from a server that knows no continuing streams: the stream goes on after skipped numbers', async () => {
    const server = createCommittingServer();
    const before = await openOnCard(card, 'first', 1e6);
    const { epoch } = before;
    for (let value = 0; value < 5; value++) before.appendSample(1e6 + value * 1000, [value]);
    await before.flush();
    server.commit(epoch, undefined, await before.read(0, 4));
    const files = await snapshotOf(card);
    await before.end();
    const [segment = '', bytes = Buffer.alloc(0)] = [...files].find(([name]) => name.endsWith('.open')) ?? [];
    await restore(card, files.set(segment, bytes.subarray(0, -100)));

    const journal = await openOnCard(card, 'second', 20_000);
    expect(journal.epoch).toBe(epoch);
    const fresh = journal.appendSample(20_000, [100]);
    await journal.flush();
    for (const [from, to] of journal.waiting()) server.commit(epoch, undefined, await journal.read(from, to));
    expect(server.conflicts).toEqual([]);
    expect(server.values().filter((content) => content.endsWith(',[100]]'))).toHaveLength(1);
    const { missing, named } = server.holes();
    expect(missing.ranges()).toEqual([[5, fresh - 2]]);
    expect(named.covers(5, fresh - 2)).toBe(true);
    await journal.end();
  });

  it('without a stated owner, and forgot all of its entries: uses no number again', async () => {
    const server = createCommittingServer();
    const before = await openOnCard(card, 'first', 1e6);
    const { epoch } = before;
    for (let value = 0; value < 5; value++) before.appendSample(1e6 + value * 1000, [value]);
    await before.flush();
    server.commit(epoch, undefined, await before.read(0, 4));
    const files = await snapshotOf(card);
    await before.end();
    const segment = [...files.keys()].find((name) => name.endsWith('.open')) ?? '';
    await restore(card, files.set(segment, Buffer.alloc(0)));

    const journal = await openOnCard(card, 'first', 1e6 + 20_000);
    journal.appendSample(1e6 + 20_000, [100]);
    await deliver(journal, server);
    expect(server.conflicts).toEqual([]);
    expect(server.values().filter((content) => content.endsWith(',[100]]'))).toHaveLength(1);
    await journal.end();
  });

  it.for(Array.from({ length: 6 }, (_, seed) => seed + 1))('restarted at random (seed %d)', async (seed) => {
    expect(await restartAtRandom(folder, seed, 6)).toEqual([]);
  });

  it('delivered before it was killed: a second start finds nothing that it still owes', async () => {
    const server = createCommittingServer();
    const before = await openOnCard(card, 'first', 1e6);
    await recordRoast(before, 1e6);
    const files = await snapshotOf(card);
    await before.end();
    await restore(card, files);
    const journal = await openOnCard(card, 'second', 20_000);
    await deliver(journal, server);
    const { named } = server.holes();
    const killed = await snapshotOf(card);
    await journal.end();
    await restore(card, killed);
    const again = await openOnCard(card, 'second', 20_500);
    await deliver(again, server);
    expect(server.holes().named.within(0, named.last()?.[1] ?? 0)).toEqual(named.ranges());
    await again.end();
  });
});

describe('journal of a board that is killed again and again', () => {
  it('delivers in between: keeps as many streams as the status names', async () => {
    const server = createCommittingServer();
    for (let start = 0; start < kills; start++)
      await startAndKill(start, async (journal) => {
        await deliver(journal, server);
        // Acknowledgements are noted.
        await journal.time.advance(500);
      });
    expect(await foldersOf()).toBeLessThanOrEqual(maxHistoryStreams);
    expect(server.recordings).toHaveLength(1);
    expect(storedReadings(server)).toBe(kills);
  });

  it('without a connection: keeps as many streams, and delivers all of them later', async () => {
    const server = createCommittingServer();
    for (let start = 0; start < kills; start++) await startAndKill(start, (journal) => journal.flush());
    expect(await foldersOf()).toBeLessThanOrEqual(maxHistoryStreams);
    expect(await restartOn(card, server, { boot: 'second', mono: 1e6, isOnlineAtStart: true, kept: [] })).toEqual([]);
    expect(storedReadings(server)).toBe(kills);
  });

  it('closed each time: continues one stream without a gap', async () => {
    const server = createCommittingServer();
    for (let start = 0; start < 5; start++) {
      const journal = await openOnCard(card, 'first', 1e6 + start * 60_000);
      journal.appendSample(1e6 + start * 60_000, [start]);
      await deliver(journal, server);
      await journal.end();
    }
    expect(await foldersOf()).toBe(0);
    expect(server.holes().missing.ranges()).toEqual([]);
    expect(server.holes().named.ranges()).toEqual([]);
  });
});
