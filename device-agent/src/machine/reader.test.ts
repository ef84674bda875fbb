import { machineMapShape, type MachineMapInput } from '@roastery/contract/machine-map';
import { describe, expect, it } from 'vitest';
import type { BusAnswer, BusRequest } from './bus.ts';
import { createReader } from './reader.ts';

const map = (over: Partial<MachineMapInput> = {}) =>
  machineMapShape.parse({
    v: 1,
    id: 'test',
    maker: 'T',
    model: 'T',
    link: { kind: 'tcp', host: '127.0.0.1' },
    channels: { bean_temp: { at: 'h:0' }, exhaust_temp: { at: 'h:1' }, fan_speed: { at: 'h:5', unit: '%' } },
    ...over,
  });
/** A line that answers each register with its address, unless specified otherwise. */
const line = (special: (request: BusRequest) => BusAnswer | undefined) => {
  const asked: string[] = [];
  return {
    asked,
    read(request: BusRequest): Promise<BusAnswer> {
      asked.push(`${request.unit}:${request.table}:${request.start}+${request.count}`);
      const words = Array.from({ length: request.count }, (_, index) => request.start + index);
      return Promise.resolve(special(request) ?? { kind: 'data', words });
    },
  };
};
const refused: BusAnswer = { kind: 'exception', code: 2 };
const covers = (request: BusRequest, address: number): boolean =>
  address >= request.start && address < request.start + request.count;

describe('reader', () => {
  it('reads neighbours in one request', async () => {
    const bus = line(() => undefined);
    const outcome = await createReader(map(), bus).read();
    expect(outcome).toMatchObject({ kind: 'reading', values: [0, 1, 5], qualities: ['ok', 'ok', 'ok'] });
    expect(bus.asked).toEqual(['1:holding:0+6']);
  });

  it('splits a refused request, remembers it, and returns null only for the missing address', async () => {
    let now = 0;
    const bus = line((request) => (covers(request, 1) || covers(request, 3) ? refused : undefined));
    const reader = createReader(map(), bus, () => now);
    let outcome = await reader.read();
    for (let round = 0; round < 3; round++) outcome = await reader.read();
    expect(outcome).toMatchObject({ kind: 'reading', values: [0, null, 5], qualities: ['ok', 'refused', 'ok'] });
    bus.asked.length = 0;
    await reader.read();
    expect(bus.asked).toEqual(['1:holding:0+1', '1:holding:5+1']);
    now = 61_000;
    bus.asked.length = 0;
    await reader.read();
    expect(bus.asked).toContain('1:holding:1+1');
  });

  it('reports silence, not a reading full of nulls, when no unit answers', async () => {
    const failed: BusAnswer = { kind: 'failed', reason: 'no answer within 300 ms' };
    expect(
      await createReader(
        map(),
        line(() => failed),
      ).read(),
    ).toEqual({
      kind: 'silence',
      reason: 'no answer within 300 ms',
    });
    const busy: BusAnswer = { kind: 'exception', code: 6 };
    expect(
      (
        await createReader(
          map(),
          line(() => busy),
        ).read()
      ).kind,
    ).toBe('silence');
  });

  it('continues with the other units while one rests', async () => {
    const twoUnits = map({ channels: { bean_temp: { at: 'h:0' }, exhaust_temp: { at: '2/h:1' } } });
    const bus = line(({ unit }) => (unit === 2 ? { kind: 'resting', reason: 'no answer' } : undefined));
    expect(await createReader(twoUnits, bus).read()).toMatchObject({
      kind: 'reading',
      values: [0, null],
      qualities: ['ok', 'unit_silent'],
    });
  });

  it('reads the bits that the machine raises at its events', async () => {
    const withEvents = map({ events: { charge: { when: 'd:284' }, drop: { when: 'h:7.2' } } });
    const bus = line(({ table }) => (table === 'discrete' ? { kind: 'data', words: [1] } : undefined));
    const outcome = await createReader(withEvents, bus).read();
    expect(outcome.kind === 'reading' && Object.fromEntries(outcome.bits)).toEqual({ charge: true, drop: true });
  });

  it('reads the beans first, and keeps them when the line breaks after them', async () => {
    const scattered = map({ channels: { air: { at: 'h:0' }, bean_temp: { at: 'i:9' } } });
    const bus = line(({ table }) => (table === 'holding' ? { kind: 'failed', reason: 'no answer' } : undefined));
    expect(await createReader(scattered, bus).read()).toMatchObject({
      kind: 'reading',
      values: [null, 9],
      qualities: ['unit_silent', 'ok'],
    });
    expect(bus.asked[0]).toBe('1:input:9+1');
  });

  it('repeats a request before it accepts a refusal, which a damaged byte can cause', async () => {
    let refusals = 1;
    const bus = line(() => (refusals-- > 0 ? refused : undefined));
    expect(await createReader(map(), bus).read()).toMatchObject({ kind: 'reading', values: [0, 1, 5] });
    expect(bus.asked).toHaveLength(2);
  });
});
