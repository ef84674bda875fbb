import type { ProbeBlock, ProbeWish } from '@roastery/contract/probe';
import { pause } from '@roastery/runtime/backoff';
import { describe, it, type TestContext } from 'vitest';
import { createBus } from '../machine/bus.ts';
import { startScriptedServer, type Behaviour, type ScriptedRequest } from '../testing/modbus-server.ts';
import { findLine } from './find-line.ts';
import { scanRegisters, mergeBlocks, watchRegisters, type ScanProgress } from './scan-registers.ts';

const timing = { timeoutMs: 80, quietMs: 100, gapMs: 0 };
const wishFor = (over: Partial<ProbeWish> = {}): ProbeWish => ({
  units: [1],
  tables: ['holding', 'input', 'coil', 'discrete'],
  from: 0,
  count: 64,
  usual_places: false,
  ...over,
});

const bench = async (
  onTestFinished: TestContext['onTestFinished'],
  behave: (request: ScriptedRequest) => Behaviour,
  framing: 'tcp' | 'rtu' = 'tcp',
) => {
  const server = await startScriptedServer(framing, behave, (address) => (address * 37 + 11) % 65_536);
  const kind = framing === 'tcp' ? ('tcp' as const) : ('rtu-over-tcp' as const);
  const link = { kind, host: '127.0.0.1', port: server.port };
  const bus = createBus(link, timing);
  const stopping = new AbortController();
  onTestFinished(async () => {
    bus.close();
    await server.hangUp();
  });
  const blocks: ProbeBlock[] = [];
  const steps: ScanProgress[] = [];
  const scan = (wish: ProbeWish, perSecond = 2000) =>
    scanRegisters({ bus, signal: stopping.signal, perSecond }, wish, {
      found: (block) => blocks.push(block),
      progress: (step) => steps.push(step),
    });
  const addresses = (): number[] =>
    blocks.flatMap(({ start, words }) => words.map((_, index) => start + index)).toSorted((a, b) => a - b);
  return { server, link, bus, stopping, blocks, steps, scan, addresses };
};

const has = ({ start, count }: ScriptedRequest, places: readonly number[]): boolean =>
  Array.from({ length: count }, (_, index) => start + index).every((address) => places.includes(address));

describe.concurrent('register scan', () => {
  it('requests each address once, with functions 1 to 4 only, and watches with the same', async ({
    onTestFinished,
    expect,
  }) => {
    const { server, scan, blocks, bus, steps } = await bench(onTestFinished, () => ({}));
    expect(await scan(wishFor({ usual_places: true }))).toEqual({ kind: 'done' });
    const stop = AbortSignal.timeout(300);
    await watchRegisters({ bus, signal: stop, perSecond: 2000 }, blocks, 50, () => undefined);
    expect(new Set(server.requests.map(({ code }) => code))).toEqual(new Set([1, 2, 3, 4]));
    expect(Math.max(...server.requests.map(({ count }) => count))).toBeLessThanOrEqual(128);
    const asked = new Map<string, number>();
    for (const { table, start, words } of blocks) {
      for (const [index] of words.entries()) {
        const key = `${table} ${start + index}`;
        asked.set(key, (asked.get(key) ?? 0) + 1);
      }
    }
    expect([...asked.values()].every((times) => times === 1)).toBe(true);
    expect(steps.at(-1)).toMatchObject({ asked: steps.at(-1)?.of, found: asked.size });
  });

  it('halves refused requests down to single existing registers, and skips a missing table', async ({
    onTestFinished,
    expect,
  }) => {
    const there = [3, 17, 18, 40];
    const { server, scan, addresses, blocks } = await bench(onTestFinished, (request) => {
      if (request.code !== 3) return { exception: 1 };
      return has(request, there) ? {} : { exception: 2 };
    });
    expect(await scan(wishFor())).toEqual({ kind: 'done' });
    expect(addresses()).toEqual(there);
    expect(blocks.flatMap(({ words }) => words)).toEqual(there.map((address) => address * 37 + 11));
    expect(server.requests.filter(({ code }) => code !== 3)).toHaveLength(3);
    const merged = mergeBlocks(blocks);
    expect(merged.map(({ start, words }) => [start, words.length])).toEqual([
      [3, 1],
      [17, 2],
      [40, 1],
    ]);
  });

  it('sends requests no more often than allowed', async ({ onTestFinished, expect }) => {
    const { scan } = await bench(onTestFinished, () => ({}));
    const began = performance.now();
    await scan(wishFor({ tables: ['holding'], count: 320 }), 20);
    expect(performance.now() - began).toBeGreaterThan(9 * 50 - 20);
  });

  it('gives up a silent machine after a few requests', async ({ onTestFinished, expect }) => {
    const { server, scan } = await bench(onTestFinished, () => ({ lost: true }));
    expect(await scan(wishFor())).toMatchObject({
      kind: 'silent',
      reason: expect.stringMatching(/no answer|resting|80 ms/),
    });
    expect(server.requests.length).toBeLessThanOrEqual(8);
  });

  it('accepts no garbled or late answer as a value', async ({ onTestFinished, expect }) => {
    let request = 0;
    const { scan, blocks } = await bench(
      onTestFinished,
      () => {
        request += 1;
        if (request % 5 === 1) return { delayMs: 110 };
        if (request % 5 === 3)
          return { garble: (frame) => Buffer.from(frame.map((byte, at) => (at === 4 ? byte ^ 0x21 : byte))) };
        return {};
      },
      'rtu',
    );
    await scan(wishFor({ tables: ['holding'], count: 96 }));
    expect(blocks.length).toBeGreaterThan(0);
    for (const { start, words } of blocks) {
      expect(words).toEqual(words.map((_, index) => (start + index) * 37 + 11));
    }
  });

  it('stops when its signal aborts', async ({ onTestFinished, expect }) => {
    const { scan, stopping, server } = await bench(onTestFinished, () => ({}));
    const scanning = scan(wishFor({ count: 2000 }), 20);
    await pause(200);
    stopping.abort();
    expect(await scanning).toEqual({ kind: 'stopped' });
    expect(server.requests.length).toBeLessThan(10);
  });

  it('finds the unit that answers', async ({ onTestFinished, expect }) => {
    const { link, stopping, server } = await bench(onTestFinished, ({ unit }) => ({ lost: unit !== 3 }));
    const found = await findLine(link, [1], stopping.signal, () => undefined);
    expect(found?.units).toEqual([3]);
    expect(server.requests.every(({ code }) => code === 3)).toBe(true);
  });
});
