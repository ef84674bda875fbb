import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@roastery/runtime/logger';
import { volume } from '@roastery/testing/endurance/volume';
import { memoryFolder } from '@roastery/testing/shared-data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RangeSet } from '../core/ranges.ts';
import { createWallClock } from '../core/wall-clock.ts';
import { openJournal, type Journal } from './journal.ts';
import { encodeRecord, scanRecords } from './record.ts';

const boot = '0a1b2c3d-0000-4000-8000-000000000001';
const samples = 6;
const sector = 512;
const valueOf = (seq: number): number => 20 + seq / 8;

let folder: string;
/** A sealed segment and one that was being written, byte for byte. */
const intact = new Map<string, Buffer>();

const open = (place: string): Promise<Journal> =>
  openJournal({
    folder: place,
    capBytes: 1e9,
    clock: createWallClock(() => ({ boot, mono: 1e6, wall: 1.8e12, synced: true })),
    log: createLogger('test', 'silent'),
    context: { boot, map: { id: 'demo', rev: 1 }, channels: ['bean_temp'] },
    state: () => undefined,
  });

const segmentsIn = async (place: string): Promise<string[]> =>
  (await readdir(place)).filter((name) => /^\d+(-\d+)?\.\w+$/.test(name)).sort();

beforeAll(async () => {
  folder = await mkdtemp(join(memoryFolder ?? tmpdir(), 'damaged-everywhere-'));
  const place = join(folder, 'intact');
  for (let part = 0; part < 2; part++) {
    const journal = await open(place);
    for (let seq = part * samples; seq < (part + 1) * samples; seq++) journal.appendSample(1000 * seq, [valueOf(seq)]);
    await journal.flush();
    // A process that was killed: the next start closes its segment, the last one stays open.
    for (const name of await segmentsIn(place)) intact.set(name, await readFile(join(place, name)));
    await journal.close();
  }
  for (const name of intact.keys()) if (name.endsWith('.open') && /^0+\.open$/.test(name)) intact.delete(name);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The same bytes in every run. */
const seeded = (seed: number) => (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed >>> 24;
};
const over = (bytes: Buffer, at: number, block: Buffer): Buffer => {
  const damaged = Buffer.from(bytes);
  block.copy(damaged, at);
  return damaged;
};
type Damage = (bytes: Buffer, at: number) => Buffer;
/** The damage to the bytes from an offset on, and whether it is tried at every offset or at every fourth. */
const damages: readonly (readonly [what: string, damage: Damage, step?: number])[] = [
  ['zeros to its end', (bytes, at) => over(bytes, at, Buffer.alloc(bytes.length - at))],
  [
    'zeros instead of its end, and longer',
    (bytes, at) => Buffer.concat([bytes.subarray(0, at), Buffer.alloc(sector)]),
    4,
  ],
  ['a sector of zeros', (bytes, at) => over(bytes, at, Buffer.alloc(sector)), 4],
  ['one byte of zeros', (bytes, at) => over(bytes, at, Buffer.alloc(1)), 4],
  ['ones', (bytes, at) => over(bytes, at, Buffer.alloc(sector, 0xff))],
  ['random bytes', (bytes, at) => over(bytes, at, Buffer.from(Array.from({ length: 64 }, seeded(at + 1))))],
  ['the sector before it once more', (bytes, at) => over(bytes, at, bytes.subarray(Math.max(0, at - sector), at))],
  ['a later sector too early', (bytes, at) => over(bytes, at, bytes.subarray(at + 200, at + 200 + sector)), 4],
  ['its end', (bytes, at) => bytes.subarray(0, at)],
];

const readAll = async (journal: Journal) => {
  const found = [];
  for (const [from, to] of journal.waiting()) {
    for (let at = from; at <= to;) {
      const read = await journal.read(at, to);
      if (read.length === 0) break;
      found.push(...read);
      at = (read.at(-1)?.seq ?? to) + 1;
    }
  }
  return found;
};

/** Samples that are whole in the bytes of all segments and have a context. */
const readableIn = (files: ReadonlyMap<string, Buffer>): Set<number> => {
  const readable = new Set<number>();
  for (const bytes of files.values()) {
    const { records } = scanRecords(bytes);
    if (!records.some(({ k }) => k === 'context')) continue;
    for (let seq = 0; seq < 2 * samples; seq++) {
      if (bytes.includes(encodeRecord({ k: 's', q: seq, m: 1000 * seq, v: [valueOf(seq)] }))) readable.add(seq);
    }
  }
  return readable;
};

describe('journal: damage at every offset of every segment', () => {
  it.for(damages.map(([what, damage, step = 1]) => ({ what, damage, step })))(
    '$what: starts, sends readable entries, reports each gap',
    { timeout: 240_000 },
    async ({ what, damage, step }) => {
      const seqs = Array.from({ length: 2 * samples }, (_, seq) => seq);
      expect([...intact.keys()]).toHaveLength(2);
      const wrong: unknown[] = [];
      for (const [name, bytes] of intact) {
        for (let at = 0; at < bytes.length; at += step * volume(1, 7)) {
          const place = join(folder, 'damaged');
          await rm(place, { recursive: true, force: true });
          await mkdir(place);
          const files = new Map(intact).set(name, damage(bytes, at));
          for (const [file, content] of files) await writeFile(join(place, file), content);
          const report = await (async () => {
            const journal = await open(place);
            const next = journal.appendSample(1e6, [999]);
            await journal.flush();
            // Damage is reported when it is found: while the journal is read.
            await readAll(journal);
            await journal.flush();
            const entries = await readAll(journal);
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
            const readable = readableIn(files);
            // The file that was being written may never have been longer.
            const isCut = what === 'its end' && name.endsWith('.open');
            return {
              readableAndLost: seqs.filter((seq) => readable.has(seq) && !present.has(seq)),
              invented: [...present].filter(([seq, value]) => seq !== next && value !== valueOf(seq)),
              goesOn: present.get(next),
              goneAndNotSaid: isCut ? [] : seqs.filter((seq) => !present.has(seq) && !said.has(seq)),
              saidAndThere: seqs.filter((seq) => present.has(seq) && said.has(seq)),
            };
          })().catch((error: unknown) => String(error));
          const good = { readableAndLost: [], invented: [], goesOn: 999, goneAndNotSaid: [], saidAndThere: [] };
          if (JSON.stringify(report) !== JSON.stringify(good)) wrong.push({ name, at, report });
        }
      }
      expect(wrong.length, JSON.stringify(wrong.slice(0, 3))).toBe(0);
    },
  );
});
