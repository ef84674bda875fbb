import { createRequire } from 'node:module';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import type { ModbusRTU } from 'modbus-serial/ModbusRTU.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedServer, type Behaviour, type ScriptedRequest } from '../testing/modbus-server.ts';
import { createBus, type Bus } from './bus.ts';

/** Every register contains its address, so that a shifted answer can't pass for the right one. */
const valueAt = (address: number): number => (address * 37 + 11) % 65_536;
const timing = { timeoutMs: 60, quietMs: 150, gapMs: 0 };

/** A server and a bus of one test, both on a clock that stands still until the test advances it. */
const benchOf = async (
  framing: 'tcp' | 'rtu',
  behave: (request: ScriptedRequest) => Behaviour,
  over: Partial<typeof timing> = {},
) => {
  const clock = createVirtualClock();
  const server = await startScriptedServer(framing, behave, valueAt, clock);
  const kind = framing === 'tcp' ? 'tcp' : 'rtu-over-tcp';
  const bus: Bus = createBus({ kind, host: '127.0.0.1', port: server.port }, { ...timing, ...over }, clock);
  onTestFinished(async () => {
    bus.close();
    await server.hangUp();
  });
  return {
    clock,
    server,
    read: (request: Partial<Parameters<Bus['read']>[0]> = {}) =>
      clock.run(bus.read({ unit: 1, table: 'holding', start: 0, count: 1, ...request })),
  };
};

/**
 * 12 % late, 3 % lost, 2 % garbled, by a fixed seed. Over TCP the frame's head is damaged: a payload has no checksum
 * there.
 */
const faultyLine = (framing: 'tcp' | 'rtu'): (() => Behaviour) => {
  let seed = 5;
  const dice = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  return () => {
    const roll = dice();
    if (roll < 0.12) return { delayMs: 65 + dice() * 80 };
    if (roll < 0.15) return { lost: true };
    if (roll > 0.17) return {};
    return {
      garble(frame) {
        const bent = Buffer.from(frame);
        const at = framing === 'tcp' ? 4 + Math.floor(dice() * 5) : Math.floor(dice() * frame.length);
        bent[at] = (bent[at] ?? 0) ^ (1 + Math.floor(dice() * 255));
        return bent;
      },
    };
  };
};

/** Reads three places in turn, and counts the answers. */
const readRounds = async (
  rounds: number,
  readOnce: (start: number, count: number, round: number) => Promise<readonly number[] | undefined>,
) => {
  let right = 0;
  let wrong = 0;
  for (let round = 0; round < rounds; round++) {
    const [start, count] = [(round % 3) * 100, 4];
    const words = await readOnce(start, count, round);
    if (words?.length === count && words.every((word, index) => word === valueAt(start + index))) right += 1;
    else if (words) wrong += 1;
  }
  return { right, wrong };
};

describe.each(['tcp', 'rtu'] as const)('bus over %s', (framing) => {
  it('never returns a late, lost or garbled answer as a value', async () => {
    const { clock, read } = await benchOf(framing, faultyLine(framing));
    const { right, wrong } = await readRounds(400, async (start, count) => {
      await clock.advance(5);
      const answer = await read({ start, count });
      return answer.kind === 'data' ? answer.words : undefined;
    });
    expect(wrong).toBe(0);
    expect(right).toBeGreaterThan(40);
  });

  it('reads all four tables', async () => {
    const { server, read } = await benchOf(framing, () => ({}));
    for (const table of ['holding', 'input'] as const) {
      expect(await read({ table, start: 7, count: 2 })).toEqual({ kind: 'data', words: [valueAt(7), valueAt(8)] });
    }
    const bits = Array.from({ length: 10 }, (_, index) => valueAt(20 + index) % 2);
    for (const table of ['coil', 'discrete'] as const) {
      expect(await read({ table, start: 20, count: 10 })).toEqual({ kind: 'data', words: bits });
    }
    expect(server.requests.map(({ code }) => code)).toEqual([3, 4, 1, 2]);
  });

  it('keeps the connection through an exception', async () => {
    let refuse = true;
    const { server, read } = await benchOf(framing, () => (refuse ? { exception: 2 } : {}));
    expect(await read()).toEqual({ kind: 'exception', code: 2 });
    refuse = false;
    expect((await read()).kind).toBe('data');
    expect(server.connections()).toBe(1);
  });

  it('reads again within 5 s after a silent machine or its closed socket returns', async () => {
    const machine = { silent: true };
    const { clock, server, read } = await benchOf(framing, () => ({ lost: machine.silent }), { quietMs: 1000 });
    const untilData = async (): Promise<number> => {
      const from = clock.monotonic();
      while ((await read()).kind !== 'data') await clock.advance(50);
      return clock.monotonic() - from;
    };
    for (const end = clock.monotonic() + 6000; clock.monotonic() < end; await clock.advance(50))
      expect((await read()).kind).not.toBe('data');
    machine.silent = false;
    expect(await untilData()).toBeLessThan(5000);
    await server.hangUp();
    expect((await read()).kind).not.toBe('data');
    await clock.advance(500);
    await server.listen();
    expect(await untilData()).toBeLessThan(5000);
  });

  it('waits for the quiet time before it reconnects', async () => {
    let silent = true;
    const { clock, server, read } = await benchOf(framing, () => ({ lost: silent }), { quietMs: 400 });
    expect((await read()).kind).toBe('failed');
    const failedAt = clock.monotonic();
    silent = false;
    let answer = await read();
    expect(answer.kind).toBe('resting');
    let connectionsWhileQuiet = 0;
    while (answer.kind !== 'data') {
      if (clock.monotonic() - failedAt < 400) connectionsWhileQuiet = server.connections();
      await clock.advance(10);
      answer = await read();
    }
    expect(connectionsWhileQuiet).toBe(1);
    expect(clock.monotonic() - failedAt).toBeGreaterThanOrEqual(400);
    expect(server.connections()).toBeGreaterThan(1);
  });
});

describe('bus', () => {
  it('ignores a repeated answer', async () => {
    const { clock, read } = await benchOf('rtu', () => ({ twice: true }));
    const { right, wrong } = await readRounds(100, async (start, count) => {
      await clock.advance(10);
      const answer = await read({ start, count });
      return answer.kind === 'data' ? answer.words : undefined;
    });
    expect({ right, wrong }).toEqual({ right: 100, wrong: 0 });
  });

  it('uses a late answer only as a sign that the line is clean', async () => {
    let late = true;
    const { clock, server, read } = await benchOf('rtu', () => (late ? { delayMs: 600 } : {}), { quietMs: 10_000 });
    expect((await read()).kind).toBe('failed');
    const from = clock.monotonic();
    let answer = await read({ start: 100 });
    expect(answer.kind).toBe('resting');
    late = false;
    while (answer.kind !== 'data') {
      await clock.advance(10);
      answer = await read({ start: 100 });
    }
    expect(answer.words).toEqual([valueAt(100)]);
    expect(clock.monotonic() - from).toBeLessThan(9000);
    expect(server.connections()).toBe(1);
    late = true;
    const again = await read();
    expect(again.kind === 'failed' && again.reason).toMatch(/no answer within \d+ ms; one came after \d+ ms/);
  });

  it('retries at once after a damaged answer, and reads through an adapter that adds a byte', async () => {
    let answers = 0;
    // Each answer has a stray byte before it; every fifth is truncated.
    const garble = (frame: Buffer): Buffer => {
      answers += 1;
      return answers % 5 === 0 ? frame.subarray(0, 5) : Buffer.concat([Buffer.from([0]), frame]);
    };
    const { read } = await benchOf('rtu', () => ({ garble }), { timeoutMs: 1000, quietMs: 1000 });
    const outcomes: string[] = [];
    for (let round = 0; round < 20; round++) {
      const answer = await read({ start: round });
      outcomes.push(answer.kind === 'data' && answer.words[0] === valueAt(round) ? 'right' : answer.kind);
    }
    // The first answers with the stray byte are rejected until the byte is known as the line's own.
    expect(outcomes.slice(-15).filter((outcome) => outcome !== 'right')).toEqual([]);
  });

  it('gives up at once when the connection is closed during a request', async () => {
    const { clock, read } = await benchOf('tcp', () => ({ close: true }), { timeoutMs: 5000 });
    const from = clock.monotonic();
    expect((await read()).kind).toBe('failed');
    expect(clock.monotonic()).toBe(from);
  });

  it('rests a dead unit and continues reading the others', async () => {
    const { clock, server, read } = await benchOf('rtu', ({ unit }) => ({ lost: unit === 2 }), {
      timeoutMs: 300,
      quietMs: 400,
    });
    const counts = { 1: 0, 2: 0 };
    let rounds = 0;
    for (const end = clock.monotonic() + 4000; clock.monotonic() < end; await clock.advance(20)) {
      rounds += 1;
      for (const unit of [1, 2] as const) {
        const answer = await read({ unit, start: unit });
        if (answer.kind === 'data') counts[unit] += 1;
      }
    }
    expect(counts[2]).toBe(0);
    expect(counts[1]).toBeGreaterThan(rounds * 0.9);
    expect(server.connections(), 'the line is kept').toBe(1);
    // Requested less and less often: a dead unit costs the line little.
    expect(server.requests.filter(({ unit }) => unit === 2).length).toBeLessThan(8);
  });

  it('ignores the late answer of one unit while it reads another', async () => {
    const { clock, read } = await benchOf('rtu', ({ unit }) => (unit === 2 ? { delayMs: 75 } : {}));
    const { right, wrong } = await readRounds(200, async (start, count, round) => {
      await clock.advance(10);
      const answer = await read({ unit: round % 4 === 3 ? 2 : 1, start, count });
      return answer.kind === 'data' ? answer.words : undefined;
    });
    expect(wrong).toBe(0);
    expect(right).toBeGreaterThan(190);
  });

  it('wraps the library because the bare library returns a late answer for the next request', async () => {
    let late: Buffer | undefined;
    const { server } = await benchOf('rtu', () => ({
      // The answer to the first request arrives when the second is sent.
      garble(frame) {
        const sent = late ?? Buffer.alloc(0);
        late = frame;
        return sent;
      },
    }));
    const ModbusClass = createRequire(import.meta.url)('modbus-serial') as typeof ModbusRTU;
    const bare = new ModbusClass();
    await bare.connectTelnet('127.0.0.1', { port: server.port });
    onTestFinished(() => bare.close(() => undefined));
    bare.setID(1);
    bare.setTimeout(60);
    await expect(bare.readHoldingRegisters(0, 1)).rejects.toMatchObject({ message: 'Timed out' });
    bare.setTimeout(60_000);
    expect((await bare.readHoldingRegisters(100, 1)).data).toEqual([valueAt(0)]);
  });
});
