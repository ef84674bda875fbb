import type { SampleBatch } from '@roastery/contract/mqtt';
import { describe, expect, it } from 'vitest';
import { beginsWith, withBatch, withSample, withStream } from './shown-stream.ts';

const batch = (part: Partial<SampleBatch> = {}): SampleBatch => ({
  v: 1,
  k: 'samples',
  epoch: 'a',
  seq: 100,
  boot: 'boot',
  synced: true,
  t: 0,
  mono: 1_000_000,
  map: { id: 'rm30', rev: 1 },
  dt: [0, 1000],
  ch: ['bean_temp'],
  s: [[100, 101]],
  ...part,
});

describe('shown stream', () => {
  it('notes its newest sample, in any order of arrival', () => {
    const newest = withSample(beginsWith('a'), { seq: 9, boot: 'boot', mono: 9000 });
    expect(withSample(newest, { seq: 4, boot: 'boot', mono: 4000 })).toBe(newest);
    expect(withBatch(newest, batch(), null).stream).toMatchObject({ seq: 101, mono: 1_001_000 });
  });

  it('shows batches of the current stream only; an earlier one may still drain', () => {
    const second = withStream(beginsWith('a'), 'b');
    expect(withBatch(second, batch(), null)).toEqual({ stream: second, isShown: false });
    expect(withBatch(second, batch({ epoch: 'b' }), null).isShown).toBe(true);
  });

  it('follows a stream that continues it, but not back to an earlier one', () => {
    const next = withBatch(beginsWith('a'), batch({ epoch: 'b', continues: { epoch: 'a', seq: 90 } }), null);
    expect(next).toMatchObject({ stream: { epoch: 'b', earlier: new Set(['a']) }, isShown: true });
    const back = withBatch(next.stream, batch({ epoch: 'a', continues: { epoch: 'b', seq: 90 } }), null);
    expect(back).toEqual({ stream: next.stream, isShown: false });
  });

  it('begins with the first batch where the board has named no stream', () => {
    expect(withBatch(beginsWith(null), batch(), null)).toMatchObject({ stream: { epoch: 'a' }, isShown: true });
  });

  it('leaves out a backlog: before the roast, older than five minutes, or of another boot', () => {
    const newest = withSample(beginsWith('a'), { seq: 5000, boot: 'boot', mono: 2_000_000 });
    expect(withBatch(newest, batch(), null).isShown).toBe(false);
    expect(withBatch(newest, batch(), 1_050_000).isShown).toBe(true);
    expect(withBatch(newest, batch(), 1_070_000).isShown).toBe(false);
    expect(withBatch(newest, batch({ mono: 1_900_000 }), null).isShown).toBe(true);
    expect(withBatch(newest, batch({ mono: 1_900_000, boot: 'before' }), null).isShown).toBe(false);
  });
});
