import type { ProbeBlock, ProbeWish } from '@roastery/contract/probe';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createBus } from '../machine/bus.ts';
import { startScriptedServer, type Behaviour, type ScriptedRequest } from '../testing/modbus-server.ts';
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

const bench = async (behave: (request: ScriptedRequest) => Behaviour, framing: 'tcp' | 'rtu' = 'tcp') => {
  const clock = createVirtualClock();
  const server = await startScriptedServer(framing, behave, (address) => (address * 37 + 11) % 65_536, clock);
  const kind = framing === 'tcp' ? ('tcp' as const) : ('rtu-over-tcp' as const);
  const bus = createBus({ kind, host: '127.0.0.1', port: server.port }, timing, clock);
  const stopping = new AbortController();
  onTestFinished(async () => {
    bus.close();
    await server.hangUp();
  });
  const blocks: ProbeBlock[] = [];
  const steps: ScanProgress[] = [];
  const scan = (wish: ProbeWish, perSecond = 2000) =>
    clock.run(
      scanRegisters({ bus, signal: stopping.signal, perSecond, clock }, wish, {
        found: (block) => blocks.push(block),
        progress: (step) => steps.push(step),
      }),
    );
  const addresses = (): number[] =>
    blocks.flatMap(({ start, words }) => words.map((_, index) => start + index)).toSorted((a, b) => a - b);
  return { clock, server, bus, stopping, blocks, steps, scan, addresses };
};

const has = ({ start, count }: ScriptedRequest, places: readonly number[]): boolean =>
  Array.from({ length: count }, (_, index) => start + index).every((address) => places.includes(address));

describe('register scan', () => {
  it('requests each address once, with functions 1 to 4 only, and watches with the same', async () => {
    const { clock, server, scan, blocks, bus, steps } = await bench(() => ({}));
    expect(await scan(wishFor({ usual_places: true }))).toEqual({ kind: 'done' });
    const stopping = new AbortController();
    clock.after(300, () => stopping.abort());
    const watch = { bus, signal: stopping.signal, perSecond: 2000, clock };
    await clock.run(watchRegisters(watch, blocks, 50, () => undefined));
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

  it('halves refused requests down to single existing registers, and skips a missing table', async () => {
    const there = [3, 17, 18, 40];
    const { server, scan, addresses, blocks } = await bench((request) => {
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

  it('sends requests no more often than allowed', async () => {
    const { clock, server, scan } = await bench(() => ({}));
    const began = clock.monotonic();
    await scan(wishFor({ tables: ['holding'], count: 320 }), 20);
    expect(clock.monotonic() - began).toBeGreaterThanOrEqual((server.requests.length - 1) * 50);
  });

  it('gives up a silent machine after a few requests', async () => {
    const { server, scan } = await bench(() => ({ lost: true }));
    expect(await scan(wishFor())).toMatchObject({
      kind: 'silent',
      reason: expect.stringMatching(/no answer|resting|80 ms/),
    });
    expect(server.requests.length).toBeLessThanOrEqual(8);
  });

  it('accepts no garbled or late answer as a value', async () => {
    let request = 0;
    const { scan, blocks } = await bench(() => {
      request += 1;
      if (request % 5 === 1) return { delayMs: 110 };
      if (request % 5 === 3)
        return { garble: (frame) => Buffer.from(frame.map((byte, at) => (at === 4 ? byte ^ 0x21 : byte))) };
      return {};
    }, 'rtu');
    await scan(wishFor({ tables: ['holding'], count: 96 }));
    expect(blocks.length).toBeGreaterThan(0);
    for (const { start, words } of blocks) {
      expect(words).toEqual(words.map((_, index) => (start + index) * 37 + 11));
    }
  });

  it('stops when its signal aborts', async () => {
    const { clock, scan, stopping, server } = await bench(() => ({}));
    clock.after(200, () => stopping.abort());
    expect(await scan(wishFor({ count: 2000 }), 20)).toEqual({ kind: 'stopped' });
    expect(server.requests.length).toBeLessThanOrEqual(5);
  });
});
