import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  machineMapShape,
  parseAddress,
  type Channel,
  type Link,
  type MachineMap,
  type Output,
} from '@roastery/contract/machine-map';
import { createDecoder } from '@roastery/device-agent/core/decoder';
import { createBus } from '@roastery/device-agent/machine/bus';
import { createReader } from '@roastery/device-agent/machine/reader';
import type { EventName, RoastingMachine } from '@roastery/simulator/machine';
import { demoRoasterMap } from '@roastery/simulator/maps/demo-roaster';
import type { ConversationContext } from '@roastery/simulator/modbus/conversation';
import { noFaults } from '@roastery/simulator/modbus/faults';
import { listenOnLine, listenOnSocket } from '@roastery/simulator/modbus/listen';
import { answerRequest } from '@roastery/simulator/modbus/request';
import { createRandom } from '@roastery/simulator/model/random';
import { createRegisterFace } from '@roastery/simulator/register-face';
import { rawOf } from '@roastery/simulator/registers/channel-registers';
import { toWords } from '@roastery/simulator/registers/raw-words';
import { describe, expect, it } from 'vitest';
import { hasSerialCables, laySerialCable } from './serial-cable.ts';
import { repositoryRoot } from './shared-data.ts';

/**
 * Every map of the catalogue: the simulator fills its registers, and the agent's own reader reads them over real
 * Modbus: TCP as TCP, RTU with RTU's frames over a socket, ASCII over a pair of pseudo terminals.
 */
const folder = path.join(repositoryRoot(), 'api', 'catalogue', 'maps');
const files = await Promise.all(
  (await readdir(folder)).map(async (name) => {
    const written: unknown = JSON.parse(await readFile(path.join(folder, name), 'utf8'));
    return { name, written, map: machineMapShape.parse(written) };
  }),
);
const maps = files.map(({ map }) => map);
const hasPython = hasSerialCables();

/** What an instrument shows in three rounds, in the portal's unit: °C, %, Pa. */
const levels = (name: string, channel: Channel): readonly [number, number, number] => {
  if (channel.as === 'bool' || channel.unit === 'bool') return [0, 1, 0];
  if (channel.unit === '°C' || channel.unit === '°F') return [21.4, 187.3, 224.6];
  // Unsigned registers hold no pressure below zero.
  if (channel.unit === 'Pa' || channel.unit === 'mbar') return [0, 42, 87];
  if (name === 'drum_speed' || channel.unit === '%') return [0, 47, 100];
  return [1, 38, 60];
};

const isTableOfBits = (at: string): boolean => /[cd]:/.test(at);
const width = ({ at, as }: Pick<Channel, 'at' | 'as'>): 1 | 2 =>
  !isTableOfBits(at) && (as === 'u32' || as === 'i32' || as === 'f32' || as === 'bcd32') ? 2 : 1;

/** Half the finest step of a channel in the portal's unit: the best possible accuracy. */
const halfStep = (name: string, channel: Channel | Output, map: MachineMap, value: number): number => {
  const unit = { '°F': 1 / 1.8, mbar: 100, rpm: name === 'drum_speed' ? 100 / map.maxDrumRpm : 1 }[
    channel.unit as '°F'
  ];
  const step = channel.as === 'f32' ? Math.abs(value) * 2 ** -23 : Math.abs(channel.scale);
  return (step * (unit ?? 1)) / 2 + 2e-4;
};

interface BenchMachine extends RoastingMachine {
  show(values: Readonly<Record<string, number>>, raised: readonly EventName[]): void;
  readonly taken: Map<string, number>;
}

/** A machine on a test bench: its instruments show set values, and it records the values set at its outputs. */
const benchMachine = (): BenchMachine => {
  let values: Readonly<Record<string, number>> = {};
  let raised: ReadonlySet<EventName> = new Set();
  const taken = new Map<string, number>();
  return {
    timeSeconds: 0,
    phase: 'ready',
    roasts: 0,
    sampleIndex: undefined,
    advance: () => undefined,
    secondsToNextChange: () => undefined,
    readings: () => values,
    raisedEvents: () => raised,
    charge: () => false,
    drop: () => false,
    setOutput: (name, value) => taken.set(name, value).has(name),
    show(next, events) {
      values = next;
      raised = new Set(events);
    },
    taken,
  };
};

/** Where two channels share registers, the later one in the map determines their content. */
const sharedRegisters = (map: MachineMap): Set<string> => {
  const placeOf = (at: string): string => {
    const { unit, table, address } = parseAddress(at, map.unit);
    return `${unit}/${table}/${address}`;
  };
  const places = [
    ...Object.values(map.channels).map(({ at }) => at),
    ...Object.values(map.events).flatMap((event) => event?.when ?? []),
  ].map(placeOf);
  const shared = Object.entries(map.channels).filter(
    ([, { at }]) => places.filter((place) => place === placeOf(at)).length > 1,
  );
  return new Set(shared.map(([name]) => name));
};

/** A request that writes registers, as any client on the line could send it (function 16). */
const writeRequest = (address: number, words: readonly number[]): Buffer => {
  const request = Buffer.alloc(6 + 2 * words.length);
  request[0] = 16;
  request.writeUInt16BE(address, 1);
  request.writeUInt16BE(words.length, 3);
  request[5] = 2 * words.length;
  for (const [index, word] of words.entries()) request.writeUInt16BE(word, 6 + 2 * index);
  return request;
};

const tryMap = async (
  map: MachineMap,
  link: Link,
  listen: (context: ConversationContext) => Promise<{ port: number | undefined; close(): Promise<void> }>,
): Promise<number> => {
  const machine = benchMachine();
  const face = createRegisterFace(machine, map, 'refuse');
  const context: ConversationContext = {
    bank: face.bank,
    faults: () => noFaults,
    random: createRandom(1),
    onRequest: () => undefined,
  };
  const listener = await listen(context);
  const there = link.kind === 'tcp' || link.kind === 'rtu-over-tcp' ? { ...link, port: listener.port ?? 0 } : link;
  const bus = createBus(there, { timeoutMs: 3000, quietMs: 0, gapMs: 0 });
  const reader = createReader({ ...map, maxHole: 0 }, bus);
  const shared = sharedRegisters(map);
  const signals = Object.entries(map.events).flatMap(([name, event]) =>
    event?.when === undefined ? [] : [name as EventName],
  );
  let compared = 0;
  try {
    for (const round of [0, 1, 2] as const) {
      const shown = Object.fromEntries(
        Object.entries(map.channels).map(([name, channel]) => [name, levels(name, channel)[round]]),
      );
      machine.show(shown, round === 1 ? signals : []);
      face.refresh([]);
      const outcome = await reader.read();
      if (outcome.kind !== 'reading') throw new Error(`${map.id}: ${outcome.reason}`);
      const inRegisters = face.shown();
      for (const [index, [name, channel]] of Object.entries(map.channels).entries()) {
        const place = `${map.id} ${name} in round ${round}`;
        expect(outcome.qualities[index], place).toBe('ok');
        const read = outcome.values[index] ?? Number.NaN;
        expect(read, place).toBeCloseTo(inRegisters[name] ?? Number.NaN, 3);
        if (shared.has(name)) continue;
        const set = shown[name] ?? Number.NaN;
        expect(Math.abs(read - set), `${place}: ${read} for ${set}`).toBeLessThanOrEqual(
          halfStep(name, channel, map, set),
        );
        compared += 1;
      }
      for (const name of signals) expect(outcome.bits.get(name), `${map.id} ${name}`).toBe(round === 1);
    }
    for (const [name, output] of Object.entries(map.outputs)) {
      if (output === undefined) continue;
      const at = parseAddress(output.at, map.unit);
      const decode = createDecoder(name, { ...output, range: undefined }, map);
      const [low, high] = output.range;
      for (const inUnit of [low, (low + high) / 2, high]) {
        const value = output.unit === 'rpm' && name === 'drum_speed' ? (inUnit / map.maxDrumRpm) * 100 : inUnit;
        const words = toWords(output.as, output.order ?? map.order, rawOf(name, output, value, map.maxDrumRpm));
        expect(answerRequest(face.bank, at.unit, writeRequest(at.address, words))[0]).toBe(16);
        const half = halfStep(name, output, map, value);
        const place = `${map.id} output ${name} at ${inUnit}`;
        expect(Math.abs((machine.taken.get(name) ?? Number.NaN) - value), place).toBeLessThanOrEqual(half);
        const answer = await bus.read({ unit: at.unit, table: at.table, start: at.address, count: words.length });
        if (answer.kind !== 'data') throw new Error(`${place}: ${answer.kind}`);
        expect(Math.abs((decode(answer.words, 0).value ?? Number.NaN) - value), place).toBeLessThanOrEqual(half);
        compared += 1;
      }
    }
    return compared;
  } finally {
    bus.close();
    await listener.close();
  }
};

describe('the catalogue of machine maps', () => {
  it('has one map for every machine, named like its file, with its source and verification', () => {
    expect(maps.length).toBeGreaterThan(150);
    expect(new Set(maps.map(({ maker, model }) => `${maker} ${model}`)).size).toBe(maps.length);
    for (const { name, map } of files) {
      expect(name).toBe(`${map.id}.json`);
      expect(map.source, map.id).toBeTruthy();
      // None of them was verified on real hardware.
      expect(map.verified, map.id).toBe('simulator');
    }
  });

  it('has valid registers: none beyond the table, none partly overlapping another', () => {
    for (const map of maps) {
      const taken = new Map<string, string>();
      for (const [name, channel] of Object.entries(map.channels)) {
        const { unit, table, address } = parseAddress(channel.at, map.unit);
        const words = width(channel);
        expect(address + words, `${map.id} ${name}`).toBeLessThanOrEqual(65_536);
        for (let word = 0; word < words; word++) {
          const key = `${unit}/${table}/${address + word}`;
          const whole = `${address} ${words}`;
          expect(taken.get(key) ?? whole, `${map.id} ${name} at ${key}`).toBe(whole);
          taken.set(key, whole);
        }
        expect(channel.scale, `${map.id} ${name}`).not.toBe(0);
      }
      for (const [name, output] of Object.entries(map.outputs)) {
        expect(['holding', 'coil'], `${map.id} ${name}`).toContain(parseAddress(output?.at ?? '', map.unit).table);
        expect(output?.range[0], `${map.id} ${name}`).toBeLessThan(output?.range[1] ?? Number.NaN);
      }
    }
    const sevenBits = maps.filter(({ link }) => link.kind === 'rtu' && link.dataBits !== 8);
    expect(sevenBits.map(({ id }) => id)).toEqual([]);
  });

  it('has RM7, RM15 and RM30 with the layout of the demo machine', () => {
    for (const model of ['RM7', 'RM15', 'RM30'] as const) {
      const map = maps.find(({ id }) => id === model.toLowerCase());
      const demo = demoRoasterMap({ model });
      expect(map?.channels).toEqual(demo.channels);
      expect(map?.events).toEqual(demo.events);
      expect(map?.capacityKg).toBe(Number(model.slice(2)));
    }
  });

  const onSockets = maps.filter(({ link }) => link.kind !== 'ascii');
  const onAscii = maps.filter(({ link }) => link.kind === 'ascii');

  it('is read by the agent as simulated, each channel and each output, over TCP and RTU', async () => {
    let compared = 0;
    for (const map of onSockets) {
      const kind = map.link.kind === 'tcp' ? 'tcp' : 'rtu-over-tcp';
      const link: Link = { kind, host: '127.0.0.1', port: 1 };
      compared += await tryMap(map, link, (context) => listenOnSocket(kind, '127.0.0.1', 0, context));
    }
    console.log(`${onSockets.length} maps, ${compared} values compared`);
    expect(compared).toBeGreaterThan(1500);
  });

  const skipped = hasPython ? '' : ' (skipped: needs python3 to make a pair of pseudo terminals)';
  it.skipIf(!hasPython)(
    `is read by the agent as simulated, over ASCII on a serial line${skipped}`,
    async () => {
      await using cable = await laySerialCable();
      const [machineEnd, boardEnd] = cable.ends;
      for (const map of onAscii) {
        if (map.link.kind !== 'ascii') continue;
        const link = { ...map.link, path: machineEnd };
        const compared = await tryMap(map, { ...link, path: boardEnd }, (context) => listenOnLine(link, context));
        expect(compared, map.id).toBeGreaterThan(3);
      }
      expect(onAscii.length).toBeGreaterThan(5);
    },
    60_000,
  );
});
