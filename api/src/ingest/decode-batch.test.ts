import { gzipSync } from 'node:zlib';
import { sampleBatchShape, type SampleBatch } from '@roastery/contract/mqtt';
import { describe, expect, it } from 'vitest';
import { decodeBatch, readSampleBatch } from './decode-batch.ts';
import { createSharedDecoder } from './shared-decoder.ts';

const good = {
  v: 1,
  k: 'samples',
  epoch: '00112233445566aa',
  seq: 7,
  boot: 'b6a1a3c8-0000-4000-8000-000000000000',
  synced: true,
  t: 1_790_000_000_000,
  mono: 5000,
  map: { id: 'demo', rev: 1 },
  dt: [0, 250, 250, 501],
  ch: ['bean_temp', 'heat_power'],
  s: [
    [100.5, null, -0.1, 1e6],
    [0, 50, 100, null],
  ],
} satisfies SampleBatch;

/** Everything a hostile or broken board may put in place of a part. */
const oddities: unknown[] = [
  undefined,
  null,
  0,
  -1,
  1.5,
  1e7,
  -1e7,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  'x',
  true,
  {},
  [],
  [[]],
  [null],
  ['bean_temp'],
  ['bean_temp', 'bean_temp'],
  JSON.stringify(good.map),
  JSON.stringify(good.ch),
  [0, 250, 249, 501],
  [0, 250, 250],
  [0, 250, 250, 86_400_001],
  [0, 1, 2, 3.5],
  [[1, 2, 3, 4]],
  [
    [1, 2, 3, 4],
    [1, 2, 3],
  ],
  [
    [1, 2, 3, 4],
    [1, 2, 3, 'x'],
  ],
  [
    [1, 2, 3, 4],
    [1, 2, 3, 1e7],
  ],
  Array.from({ length: 601 }, (_, n) => n),
];

describe('decodeBatch', () => {
  it('accepts exactly what the contract’s shape accepts', () => {
    expect(readSampleBatch(good)).toEqual(good);
    for (const key of [...Object.keys(good), 'extra']) {
      for (const oddity of oddities) {
        const changed = { ...good, [key]: oddity };
        const byShape = sampleBatchShape.safeParse(changed);
        expect([key, oddity, readSampleBatch(changed)]).toEqual([
          key,
          oddity,
          byShape.success ? byShape.data : undefined,
        ]);
      }
    }
    for (const value of oddities) expect(readSampleBatch(value)).toBeUndefined();
    const fromNewerAgent = { ...good, extra: 1, map: { ...good.map, extra: 1 } };
    expect(readSampleBatch(fromNewerAgent)).toEqual(good);
    expect(sampleBatchShape.parse(fromNewerAgent)).toEqual(good);
  });

  it('reads gzip', () => {
    expect(decodeBatch(gzipSync(JSON.stringify(good)))).toEqual({ ok: true, batch: good });
  });

  it('returns the reason of a refusal and the claimed entries', () => {
    const claims = { epoch: good.epoch, range: { start: 7, end: 11 } };
    expect(decodeBatch(Buffer.from(JSON.stringify({ ...good, ch: ['bean_temp'] })))).toEqual({
      ok: false,
      reason: 's: s needs one column per channel in ch',
      claims,
    });
    expect(decodeBatch(Buffer.from(JSON.stringify({ ...good, k: 'sample' })))).toEqual({
      ok: false,
      reason: 'k must be "samples" or "events"',
      claims,
    });
    expect(decodeBatch(Buffer.from('null'))).toEqual({ ok: false, reason: 'k must be "samples" or "events"' });
    expect(decodeBatch(Buffer.alloc(0)).ok).toBe(false);
    expect(decodeBatch(gzipSync(Buffer.alloc(5 * 1024 * 1024)))).toEqual({
      ok: false,
      reason: 'unpacks to more than 4 MB',
    });
  });

  it('never throws, and returns the claimed entries, for any value in any field', () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const hostile = ['{"length":{"toString":1}}', '{"toString":1}', '{"__proto__":1}', '1e400', '"\\ud800"', deep];
    const text = JSON.stringify({ ...good, ev: [] });
    for (const key of Object.keys({ ...good, ev: [] })) {
      for (const kind of ['samples', 'events']) {
        for (const value of hostile) {
          const rest = { ...(JSON.parse(text) as Record<string, unknown>), k: kind, [key]: undefined };
          const payload = Buffer.from(`${JSON.stringify(rest).slice(0, -1)},${JSON.stringify(key)}:${value}}`);
          const decoded = decodeBatch(payload);
          const isIgnored = kind === 'samples' && key === 'ev';
          expect(decoded, `${kind} ${key} ${value.slice(0, 40)}`).toMatchObject({ ok: isIgnored });
          if (isIgnored) continue;
          const start = !decoded.ok && decoded.claims?.range.start;
          expect(start, key).toBe(key === 'epoch' || key === 'seq' ? undefined : 7);
        }
      }
    }
  });
});

const payloadOf = (seq: number): Buffer => gzipSync(JSON.stringify({ ...good, seq }));

describe('createSharedDecoder', () => {
  it('decodes a watched board’s batch once: ingest stores what its watchers were sent', () => {
    const decoder = createSharedDecoder();
    const [first, second] = [payloadOf(1), payloadOf(5)];
    const sent = [decoder.forWatchers(first), decoder.forWatchers(second)];
    // Ingest copies what it queues.
    expect(decoder.forStorage(Buffer.from(second))).toBe(sent[1]);
    expect(decoder.forStorage(Buffer.from(first))).toBe(sent[0]);
    expect(decoder.decodings).toBe(2);
  });

  it('keeps nothing after that, and decodes a batch without watchers', () => {
    const decoder = createSharedDecoder();
    const payload = payloadOf(1);
    const sent = decoder.forWatchers(payload);
    decoder.forStorage(payload);
    const again = decoder.forStorage(payload);
    expect(again).toEqual(sent);
    expect(again).not.toBe(sent);
  });

  it('drops the oldest where another instance stores them', () => {
    const decoder = createSharedDecoder(1000);
    const payloads = Array.from({ length: 20 }, (_, n) => payloadOf(4 * n));
    const sent = payloads.map((payload) => decoder.forWatchers(payload));
    const stored = payloads.map((payload) => decoder.forStorage(payload));
    expect(stored).toEqual(sent);
    expect(stored[0]).not.toBe(sent[0]);
    expect(stored.at(-1)).toBe(sent.at(-1));
  });
});
