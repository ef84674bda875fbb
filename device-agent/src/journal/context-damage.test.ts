import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@roastery/runtime/logger';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWallClock } from '../core/wall-clock.ts';
import { openJournal, type Journal } from './journal.ts';
import { encodeRecord, type JournalRecord } from './record.ts';
import { readSegment } from './segment.ts';

const boot = '0a1b2c3d-0000-4000-8000-000000000001';
const layouts = [
  ['bean_temp', 'exhaust_temp'],
  ['exhaust_temp', 'bean_temp'],
  ['heat_power', 'bean_temp'],
] as const;
/** Each value contains its channel. */
const codes: Readonly<Record<string, number>> = { bean_temp: 1, exhaust_temp: 2, heat_power: 3 };
const perLayout = 8;
const samples = layouts.flatMap((channels, layout) =>
  Array.from({ length: perLayout }, (_, index) => ({
    seq: layout * perLayout + index,
    layout,
    values: channels.map((name) => codes[name] ?? 0),
  })),
);
const contextOf = (layout: number) => ({
  boot,
  map: { id: 'demo', rev: layout + 1 },
  channels: [...(layouts[layout] ?? [])],
});
const epoch = '0123456789abcdef';

/** A segment as versions in the field write it: contexts change in the middle of it. */
const ofEarlierVersion = (): Buffer => {
  const records: JournalRecord[] = [
    { k: 'head', v: 1, epoch, first: 0 },
    { k: 'context', ...contextOf(0) },
    { k: 'clock', boot, mono: 0, wall: 1.8e12, synced: true },
    { k: 'context', ...contextOf(0) },
    ...samples.flatMap(({ seq, layout, values }): JournalRecord[] => [
      ...(seq % perLayout === 0 && layout > 0 ? [{ k: 'context' as const, ...contextOf(layout) }] : []),
      { k: 's', q: seq, m: 1000 * seq, v: values },
    ]),
  ];
  return Buffer.concat(records.map(encodeRecord));
};

let folder: string;
let opened: Journal[];
const open = async (): Promise<Journal> => {
  const clock = createWallClock(() => ({ boot, mono: 1e6, wall: 1.8e12, synced: true }));
  const log = createLogger('test', 'silent');
  const journal = await openJournal({
    folder,
    capBytes: 1e9,
    clock,
    log,
    context: contextOf(0),
    state: () => undefined,
  });
  opened.push(journal);
  return journal;
};
const closeAll = async (): Promise<void> => {
  for (const journal of opened.splice(0)) await journal.close();
};
const segments = async (): Promise<string[]> => (await readdir(folder)).filter((name) => /^\d/.test(name)).sort();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'context-damage-'));
  opened = [];
});
afterEach(async () => {
  await closeAll();
  await rm(folder, { recursive: true, force: true });
});

/** Samples under a wrong name, and those that are neither present nor reported as missing. */
const check = (bytes: Buffer, first: number, last: number) => {
  const { entries, missing } = readSegment(bytes, { first, last });
  const present = new Set(entries.map(({ seq }) => seq));
  return {
    wrong: entries.filter(
      (entry) =>
        entry.kind === 'sample' &&
        entry.values.some((value, column) => value !== codes[entry.context.channels[column] ?? '']),
    ).length,
    unsaid: samples.filter(
      ({ seq }) =>
        seq >= first && seq <= last && !present.has(seq) && !missing.some(([from, to]) => seq >= from && seq <= to),
    ).length,
    lost: samples.filter(({ seq }) => seq >= first && seq <= last && !present.has(seq)).length,
  };
};
const damages = [
  ['a bit', (bytes: Buffer, at: number) => bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at)],
  ['a run of zeros', (bytes: Buffer, at: number) => bytes.fill(0, at, Math.min(bytes.length, at + 130))],
  ['the bytes before it', (bytes: Buffer, at: number) => bytes.copy(bytes, at, Math.max(0, at - 150), at)],
] as const;

describe('journal: damage to the contexts of samples', () => {
  it.each(damages)(
    'segment of an earlier version, %s at every offset: never a value under another name',
    (_what, damage) => {
      const intact = ofEarlierVersion();
      const sum = { wrong: 0, unsaid: 0, lost: 0 };
      for (let at = 0; at < intact.length; at++) {
        const bytes = Buffer.from(intact);
        damage(bytes, at);
        const { wrong, unsaid, lost } = check(bytes, 0, samples.length - 1);
        sum.wrong += wrong;
        sum.unsaid += unsaid;
        sum.lost += lost;
      }
      expect(sum).toMatchObject({ wrong: 0, unsaid: 0 });
      // Uncertain entries are quarantined; misplaced bytes make all of them uncertain.
      expect(sum.lost / intact.length).toBeLessThan(samples.length);
    },
  );

  it.each(damages)(
    'own segments, %s at every offset: never a value under another name, loses at most the damaged range',
    async (_what, damage) => {
      const journal = await open();
      for (const { layout, values } of samples) {
        journal.setContext(contextOf(layout));
        journal.appendSample(1000, values);
      }
      await closeAll();
      const names = await segments();
      expect(names).toHaveLength(layouts.length);
      for (const [layout, name] of names.entries()) {
        const intact = await readFile(join(folder, name));
        const [first, last] = [layout * perLayout, (layout + 1) * perLayout - 1];
        for (let at = 0; at < intact.length; at++) {
          const bytes = Buffer.from(intact);
          damage(bytes, at);
          const report = check(bytes, first, last);
          expect(report).toMatchObject({ wrong: 0, unsaid: 0 });
          expect(report.lost).toBeLessThanOrEqual(6);
        }
      }
    },
  );
});

const gapsOf = async (journal: Journal) => {
  await journal.flush();
  const gaps: unknown[] = [];
  for (const [from, to] of journal.waiting()) {
    for (let at = from; at <= to;) {
      const part = await journal.readPart(at, to);
      for (const entry of part.entries) if (entry.kind === 'event') gaps.push(entry.event);
      at = part.to + 1;
    }
  }
  return gaps;
};
const write = async (): Promise<Journal> => {
  const journal = await open();
  for (const { layout, values } of samples) {
    journal.setContext(contextOf(layout));
    journal.appendSample(1000, values);
  }
  await journal.flush();
  return journal;
};
const gap = (from: number, to: number) => ({ type: 'gap', from_seq: from, to_seq: to, reason: 'damaged' });

describe('journal: missing entries are reported', () => {
  it.each([0, 1, 2])('segment %d of three is missing at the start: its numbers are reported once', async (index) => {
    await write();
    await closeAll();
    await rm(join(folder, (await segments())[index] ?? ''));
    const journal = await open();
    const last = index === 2 ? [] : [gap(index * perLayout, (index + 1) * perLayout - 1)];
    expect(await gapsOf(journal)).toEqual(last);
    await closeAll();
    expect(await gapsOf(await open())).toEqual(last);
  });

  it('a folder deleted while it runs: closed entries are reported, the open segment is rewritten', async () => {
    const journal = await write();
    await rm(folder, { recursive: true });
    journal.appendSample(2000, [3, 1]);
    await journal.flush();
    await gapsOf(journal);
    expect(await gapsOf(journal)).toEqual([gap(0, perLayout - 1), gap(perLayout, 2 * perLayout - 1)]);
  });

  it.each(['', 'not an epoch', 'ffffffffffffffff\n'])(
    'an epoch file with "%s": the segments override it',
    async (text) => {
      const { epoch: before } = await write();
      await closeAll();
      await writeFile(join(folder, 'epoch'), text);
      const journal = await open();
      expect(journal.epoch).toBe(before);
      expect((await readFile(join(folder, 'epoch'), 'utf8')).trim()).toBe(before);
    },
  );

  it('an epoch that is a folder: the segments override it', async () => {
    const { epoch: before } = await write();
    await closeAll();
    await rm(join(folder, 'epoch'));
    await mkdir(join(folder, 'epoch'));
    const journal = await open();
    expect(journal.epochs()).toContain(before);
    journal.appendSample(3000, [1, 2]);
    await journal.flush();
    expect(journal.waiting(journal.epoch).length).toBeGreaterThan(0);
  });
});
