import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createBackoff, parseRetryAfter, pause, steadyMs, withBackoff, type FailedAttempt } from './backoff.ts';
import { ConfigError, readEnv } from './env.ts';
import { createLogGate } from './logger.ts';
import { uuidV7 } from './uuid.ts';

describe('readEnv', () => {
  const shape = z.object({ PORT: z.coerce.number().int().default(3000), API_URL: z.url() });
  it('uses defaults for empty values', () => {
    expect(readEnv(shape, { PORT: '', API_URL: 'http://127.0.0.1' })).toEqual({
      PORT: 3000,
      API_URL: 'http://127.0.0.1',
    });
  });
  it('names invalid variables in one line and never a value', () => {
    const secret = 'hunter2 not a url';
    expect(() => readEnv(shape, { API_URL: secret })).toThrow(ConfigError);
    expect(() => readEnv(shape, { API_URL: secret })).toThrow(/API_URL/);
    expect(() => readEnv(shape, { API_URL: secret })).not.toThrow(/hunter2/);
  });
});

describe('createBackoff', () => {
  it('doubles to its limit and starts again after a success', () => {
    const backoff = createBackoff(1000, 8000, () => 1);
    expect([1, 2, 3, 4, 5].map(() => backoff.nextMs())).toEqual([1000, 2000, 4000, 8000, 8000]);
    backoff.reset();
    expect(backoff.nextMs()).toBe(1000);
  });
  it('never waits less than half', () => {
    expect(createBackoff(1000, 8000, () => 0).nextMs()).toBe(500);
  });
  it('starts again after a connection that lasted, not after a short one', () => {
    const backoff = createBackoff(1000, 8000, () => 1);
    const short = [0, 1, steadyMs - 1].map((lastedMs) => backoff.nextMs({ lastedMs }));
    expect([...short, backoff.nextMs({ lastedMs: steadyMs })]).toEqual([1000, 2000, 4000, 1000]);
  });
  it('waits as long as Retry-After requires, up to ten minutes', () => {
    const backoff = createBackoff(1000, 8000, () => 0);
    expect(backoff.nextMs({ retryAfterMs: 90_000 })).toBe(90_000);
    expect(backoff.nextMs({ retryAfterMs: 1e9 })).toBe(600_000);
    expect(backoff.nextMs({ retryAfterMs: 1 })).toBe(2000);
  });
});

describe('parseRetryAfter', () => {
  it.each([
    ['120', 120_000],
    ['Sun, 22 Nov 2026 10:00:05 GMT', 5000],
    ['Sun, 22 Nov 2026 09:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s is %s ms', (header, ms) => expect(parseRetryAfter(header, Date.parse('2026-11-22T10:00:00Z'))).toBe(ms));
});

describe('withBackoff', () => {
  const limits = { minMs: 2, maxMs: 16 };
  const run = async (attempts: (FailedAttempt | { done: string })[], maxTries = Infinity) => {
    const pauses: number[] = [];
    const left = [...attempts];
    const done = await withBackoff<string>(async () => left.shift() ?? { done: 'spare' }, {
      limits,
      maxTries,
      random: () => 1,
      pausing: (ms) => pauses.push(ms),
    });
    return { done, pauses };
  };
  it('retries until it is done, with growing pauses up to the limit', async () => {
    const failures = Array.from({ length: 5 }, () => ({}));
    expect(await run([...failures, { done: 'yes' }])).toEqual({ done: 'yes', pauses: [2, 4, 8, 16, 16] });
  });
  it('gives up after maxTries', async () => {
    expect(await run([{}, {}, {}], 3)).toEqual({ done: undefined, pauses: [2, 4] });
  });
  it('keeps the delays of each kind of failure apart, and resets all after a connection that lasted', async () => {
    const other = { minMs: 3, maxMs: 30 };
    const { pauses } = await run([
      {},
      { limits: other },
      {},
      { limits: other },
      { lastedMs: steadyMs },
      { limits: other },
    ]);
    expect(pauses).toEqual([2, 3, 4, 6, 2, 3]);
  });
  it('does not reset after a connection that ended soon', async () => {
    const { pauses } = await run([{ lastedMs: 10 }, { lastedMs: 20_000 }, { lastedMs: 100 }]);
    expect(pauses).toEqual([2, 4, 8]);
  });
  it('ends when the signal aborts', async () => {
    const abort = new AbortController();
    const ended = withBackoff(async () => ({}), { limits: { minMs: 60_000, maxMs: 60_000 }, signal: abort.signal });
    abort.abort();
    expect(await ended).toBeUndefined();
  });
});

describe('pause', () => {
  it('ends at once when aborted', async () => {
    const abort = new AbortController();
    const paused = pause(60_000, abort.signal);
    abort.abort();
    await paused;
    await pause(60_000, abort.signal);
    expect(abort.signal.aborted).toBe(true);
  });
});

describe('createLogGate', () => {
  it('passes one line a minute and counts the rest', () => {
    let now = 0;
    const gate = createLogGate(60_000, () => now);
    expect(gate('a')).toBe(0);
    expect(gate('a')).toBeUndefined();
    expect(gate('b')).toBe(0);
    now = 60_000;
    expect(gate('a')).toBe(1);
  });
});

describe('uuidV7', () => {
  it('sorts by time and contains version and variant', () => {
    const ids = [1, 2, 1_800_000_000_000].map((ms) => uuidV7(ms));
    expect([...ids].sort()).toEqual(ids);
    expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
      true,
    );
  });
});
