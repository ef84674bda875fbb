import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createBackoff, pause } from './backoff.ts';
import { ConfigError, readEnv } from './env.ts';
import { createLogGate } from './logger.ts';
import { uuidV7 } from './uuid.ts';

describe('readEnv', () => {
  const shape = z.object({ PORT: z.coerce.number().int().default(3000), API_URL: z.url() });
  it('takes defaults for empty values', () => {
    expect(readEnv(shape, { PORT: '', API_URL: 'http://127.0.0.1' })).toEqual({
      PORT: 3000,
      API_URL: 'http://127.0.0.1',
    });
  });
  it('names what is wrong in one line and never the value', () => {
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
  it('lets one line a minute through and counts the rest', () => {
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
  it('sorts by time and carries version and variant', () => {
    const ids = [1, 2, 1_800_000_000_000].map((ms) => uuidV7(ms));
    expect([...ids].sort()).toEqual(ids);
    expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
      true,
    );
  });
});
