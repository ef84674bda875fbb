import { entryCount, journalBatchShape, type JournalBatch, type JournalEvent } from '@roastery/contract/mqtt';
import { describe, expect, it } from 'vitest';
import { cutBatch } from './batch.ts';
import type { Entry, RecordingContext } from './entry.ts';
import { createWallClock } from './wall-clock.ts';

const boot = '0a1b2c3d-0000-4000-8000-000000000001';
const context: RecordingContext = { boot, map: { id: 'demo', rev: 1 }, channels: ['bean_temp', 'exhaust_temp'] };
const clock = createWallClock(() => ({ boot, mono: 100_000, wall: 1_800_000_100_000, synced: true }));
const epoch = '0123456789abcdef';
const sample = (seq: number, over: Partial<Entry> = {}): Entry =>
  ({ kind: 'sample', seq, mono: 1000 + seq * 250, context, values: [200 + seq, null], ...over }) as Entry;
const started: JournalEvent = { type: 'start', agent_version: '1' };
const event = (seq: number): Entry => ({ kind: 'event', seq, mono: 1000 + seq * 250, context, event: started });

const cutAll = (entries: readonly Entry[]): JournalBatch[] => {
  const batches: JournalBatch[] = [];
  let rest = entries;
  for (let cut = cutBatch(rest, epoch, clock); cut; cut = cutBatch(rest, epoch, clock)) {
    batches.push(journalBatchShape.parse(cut.batch));
    const { to } = cut;
    rest = rest.filter(({ seq }) => seq > to);
  }
  return batches;
};

describe('cutBatch', () => {
  it('creates columns, with times by the current clock', () => {
    const [batch] = cutAll([sample(0), sample(1)]);
    expect(batch).toEqual({
      v: 1,
      k: 'samples',
      epoch,
      seq: 0,
      boot,
      synced: true,
      t: 1_800_000_001_000,
      mono: 1000,
      map: { id: 'demo', rev: 1 },
      dt: [0, 250],
      ch: ['bean_temp', 'exhaust_temp'],
      s: [
        [200, 201],
        [null, null],
      ],
    });
  });

  it('keeps the order of samples and events in one sequence', () => {
    const batches = cutAll([sample(0), sample(1), event(2), event(3), sample(4)]);
    expect(batches.map((batch) => [batch.k, batch.seq, entryCount(batch)])).toEqual([
      ['samples', 0, 2],
      ['events', 2, 2],
      ['samples', 4, 1],
    ]);
  });

  it('ends a batch where numbers are missing, columns change or the board was restarted', () => {
    const other: RecordingContext = { ...context, map: { id: 'demo', rev: 2 } };
    const reboot: RecordingContext = { ...context, boot: '0a1b2c3d-0000-4000-8000-000000000002' };
    const entries = [sample(0), sample(2), sample(3, { context: other }), sample(4, { context: reboot, mono: 5 })];
    expect(cutAll(entries).map((batch) => [batch.seq, entryCount(batch)])).toEqual([
      [0, 1],
      [2, 1],
      [3, 1],
      [4, 1],
    ]);
  });

  it('contains at most 600 entries', () => {
    const batches = cutAll(Array.from({ length: 1300 }, (_, seq) => sample(seq)));
    expect(batches.map(entryCount)).toEqual([600, 600, 100]);
  });

  it('marks times of an unknown earlier boot as unreliable', () => {
    const old: RecordingContext = { ...context, boot: 'ffffffff-0000-4000-8000-000000000009' };
    const [batch] = cutAll([sample(0, { context: old })]);
    expect(batch).toMatchObject({ synced: false, t: 0 });
  });
});

describe('wall clock', () => {
  it('corrects earlier times of this boot once the clock is set', () => {
    let now = { boot, mono: 5000, wall: 86_400_000, synced: false };
    const wallClock = createWallClock(() => now);
    expect(wallClock.at(boot, 4000)).toEqual({ t: 86_399_000, synced: false });
    now = { boot, mono: 6000, wall: 1_800_000_000_000, synced: true };
    expect(wallClock.at(boot, 4000)).toEqual({ t: 1_799_999_998_000, synced: true });
  });
  it('prefers a synchronised reading of an earlier boot', () => {
    const wallClock = createWallClock(() => ({ boot, mono: 0, wall: 0, synced: false }));
    wallClock.learn({ boot: 'aaaaaaaa', mono: 1000, wall: 50_000, synced: true });
    wallClock.learn({ boot: 'aaaaaaaa', mono: 9000, wall: 1, synced: false });
    expect(wallClock.at('aaaaaaaa', 2000)).toEqual({ t: 51_000, synced: true });
  });
});
