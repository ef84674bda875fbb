import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@roastery/runtime/logger';
import { memoryFolder } from '@roastery/testing/shared-data';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RangeSet } from '../core/ranges.ts';
import { createWallClock } from '../core/wall-clock.ts';
import { openJournal, type Journal } from './journal.ts';
import { encodeRecord } from './record.ts';

/** Cases for each of the five kinds; 400 together. */
const tails = 80;
const samples = 60;
const boot = '0a1b2c3d-0000-4000-8000-000000000001';
const valueOf = (seq: number): number => 20 + seq / 8;

let folder: string;
/** The segment of a board that lost its power, byte for byte. */
let intact: Buffer;
let name: string;
beforeAll(async () => {
  folder = await mkdtemp(join(memoryFolder ?? tmpdir(), 'damaged-tails-'));
  const place = join(folder, 'intact');
  const journal = await open(place);
  for (let seq = 0; seq < samples; seq++) journal.appendSample(1000 * seq, [valueOf(seq)]);
  await journal.flush();
  name = (await readdir(place)).find((file) => /^\d/.test(file)) ?? '';
  intact = await readFile(join(place, name));
  await journal.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Its time stands still: an opening that waits for anything but its files never ends. */
async function open(place: string): Promise<Journal> {
  const clock = createWallClock(() => ({ boot, mono: 1e6, wall: 1.8e12, synced: true }));
  const context = { boot, map: { id: 'demo', rev: 1 }, channels: ['bean_temp'] };
  const log = createLogger('test', 'silent');
  const time = createVirtualClock();
  return openJournal({ folder: place, capBytes: 1e9, clock, time, log, context, state: () => undefined });
}

/** The same damage in every run. */
const seeded = (seed: number) => (below: number) => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};
type Random = ReturnType<typeof seeded>;

/** Returns the remaining bytes, and the range in which they differ from the written ones. */
type Damage = (bytes: Buffer, random: Random) => { bytes: Buffer; from: number; to: number };
const overwritten = (bytes: Buffer, from: number, by: Buffer) => {
  by.copy(bytes, from);
  return { bytes, from, to: Math.min(bytes.length, from + by.length) };
};
const damages: readonly (readonly [string, Damage])[] = [
  ['cut off', (bytes, random) => ({ bytes: bytes.subarray(0, random(bytes.length)), from: 0, to: 0 })],
  [
    'with a flipped bit',
    (bytes, random) => {
      const at = random(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
      return { bytes, from: at, to: at + 1 };
    },
  ],
  ['with a run of zeros', (bytes, random) => overwritten(bytes, random(bytes.length), Buffer.alloc(1 + random(600)))],
  [
    'with a block of something else',
    (bytes, random) => {
      const block = Buffer.from(Array.from({ length: 512 }, () => random(256)));
      return overwritten(bytes, Math.floor(random(bytes.length) / 512) * 512, block);
    },
  ],
  [
    'that goes on with rubbish',
    (bytes, random) => {
      const rubbish = Buffer.from(Array.from({ length: 1 + random(300) }, () => random(256)));
      return { bytes: Buffer.concat([bytes, rubbish]), from: bytes.length, to: bytes.length + rubbish.length };
    },
  ],
];

const readAll = async (journal: Journal) => {
  const entries = [];
  for (const [from, to] of journal.waiting()) {
    for (let at = from; at <= to;) {
      const read = await journal.read(at, to);
      if (read.length === 0) break;
      entries.push(...read);
      at = (read.at(-1)?.seq ?? to) + 1;
    }
  }
  return entries;
};

/** The position of a sample in the segment. */
const placeOf = (seq: number): { start: number; end: number } => {
  const record = encodeRecord({ k: 's', q: seq, m: 1000 * seq, v: [valueOf(seq)] });
  const start = intact.indexOf(record);
  if (start < 0) throw new Error(`sample ${seq} is not in the segment`);
  return { start, end: start + record.length };
};

const openDamaged = async (bytes: Buffer): Promise<{ journal: Journal; place: string; next: number }> => {
  const place = join(folder, 'damaged');
  await rm(place, { recursive: true, force: true });
  await mkdir(place);
  await writeFile(join(place, name), bytes);
  const journal = await open(place);
  const next = journal.appendSample(1e6, [999]);
  await journal.flush();
  return { journal, place, next };
};

describe('a journal whose end is', () => {
  it.each(damages)('%s: opens again, loses only the damaged entries, and reports them', async (_what, damage) => {
    const random = seeded(17);
    const seqs = Array.from({ length: samples }, (_, seq) => seq);
    const places = seqs.map(placeOf);
    const heads = [...intact.toString('latin1').matchAll(/"k":"context"/g)].map(({ index }) => index);
    expect(heads).toHaveLength(2);
    for (let round = 0; round < tails; round++) {
      const { bytes, from, to } = damage(Buffer.from(intact), random);
      const { journal, place, next } = await openDamaged(bytes);
      const entries = await readAll(journal);
      const keptAside = await readdir(join(place, 'quarantine')).catch(() => []);
      await journal.close();

      const present = new Map(
        entries.flatMap((entry) => (entry.kind === 'sample' ? [[entry.seq, entry.values[0]]] : [])),
      );
      const said = new RangeSet(
        entries.flatMap((entry) =>
          entry.kind === 'event' && entry.event.type === 'gap'
            ? [[entry.event.from_seq, entry.event.to_seq] as const]
            : [],
        ),
      );
      const isCovered = (start: number, end: number) => end > bytes.length || (start < to && end > from);
      // Without any context the columns are unknown: the segment is quarantined.
      const isReadable = heads.some((at) => !isCovered(at - 80, at + 160));
      const isCutOff = bytes.length < intact.length;
      const untouched = seqs.filter((seq) => isReadable && !isCovered(places[seq]?.start ?? 0, places[seq]?.end ?? 0));
      expect({
        untouchedAndLost: untouched.filter((seq) => !present.has(seq)),
        invented: seqs.filter((seq) => seq !== next && present.has(seq) && present.get(seq) !== valueOf(seq)),
        goesOn: present.get(next),
        // A file that ends earlier may never have been longer; its lost entries may have been sent.
        usesNumbersTwice: !isCutOff && next < samples,
        goneAndNotSaid: seqs.filter((seq) => !isCutOff && !present.has(seq) && !said.has(seq)),
        keptAside: isCutOff || keptAside.length > 0,
      }).toEqual({
        untouchedAndLost: [],
        invented: [],
        goesOn: 999,
        usesNumbersTwice: false,
        goneAndNotSaid: [],
        keptAside: true,
      });
    }
  });
});
