import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { machineMapShape, type Link, type MachineMapInput } from '@roastery/contract/machine-map';
import { freePort } from '@roastery/stack/ports';
import { until } from '@roastery/testing/until';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createBus } from './bus.ts';
import { createReader, type ReadingOutcome } from './reader.ts';

/** Whether this program exists on this computer and succeeds. */
const works = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;
const pythonWithPymodbus = ['python3', '/usr/bin/python3'].find((python) =>
  works(
    python,
    '-c',
    'from pymodbus.transaction import ModbusAsciiFramer; from pymodbus.datastore import ModbusSlaveContext',
  ),
);
const hasSocat = works('socat', '-V');
const hasLibmodbus = works('gcc', '--version') && works('pkg-config', '--exists', 'libmodbus');
const source = (name: string): string => fileURLToPath(new URL(`../testing/${name}`, import.meta.url));

const orders = ['ABCD', 'CDAB', 'BADC', 'DCBA'] as const;
const doubles: MachineMapInput['channels'] = Object.fromEntries(
  orders.flatMap((order, block) => {
    const at = (offset: number): string => `h:${16 + 8 * block + offset}`;
    const name = order.toLowerCase();
    return [
      [`float_${name}`, { at: at(0), as: 'f32', order, unit: '' }],
      [`signed_${name}`, { at: at(2), as: 'i32', order, unit: '' }],
      [`unsigned_${name}`, { at: at(4), as: 'u32', order, scale: 0.001, unit: '' }],
      [`bcd_${name}`, { at: at(6), as: 'bcd32', order, scale: 0.01, unit: '' }],
    ] as const;
  }),
);
const channels: MachineMapInput['channels'] = {
  bean_temp: { at: 'h:4', as: 'i16', scale: 0.1 },
  exhaust_temp: { at: 'h:5', as: 'i16', scale: 0.1, unit: '°F' },
  no_probe: { at: 'h:6', as: 'i16', bad: [32_767] },
  too_hot: { at: 'h:7', range: [-20, 350] },
  unsigned: { at: 'h:0', unit: '' },
  signed: { at: 'h:1', as: 'i16', offset: 0.5, unit: '' },
  bcd: { at: 'h:2', as: 'bcd16', unit: '' },
  bit_0: { at: 'h:3.0', unit: 'bool' },
  bit_1: { at: 'h:3.1', unit: 'bool' },
  bit_15: { at: 'h:3.15', unit: 'bool' },
  input: { at: 'i:0', unit: '' },
  signed_input: { at: 'i:1', as: 'i16', unit: '' },
  coil_up: { at: 'c:10', unit: 'bool' },
  coil_down: { at: 'c:11', unit: 'bool' },
  switch_down: { at: 'd:20', unit: 'bool' },
  switch_up: { at: 'd:21', unit: 'bool' },
  other_unit: { at: '2/h:0', unit: '' },
  ...doubles,
};
const expected: Record<string, number | null> = {
  bean_temp: 215.3,
  exhaust_temp: 211,
  no_probe: null,
  too_hot: null,
  unsigned: 54_321,
  signed: -320.5,
  bcd: 1234,
  bit_0: 1,
  bit_1: 0,
  bit_15: 1,
  input: 777,
  signed_input: -1,
  coil_up: 1,
  coil_down: 0,
  switch_down: 0,
  switch_up: 1,
  other_unit: 4242,
  ...Object.fromEntries(
    orders.flatMap((order) => {
      const name = order.toLowerCase();
      return [
        [`float_${name}`, 215.3125],
        [`signed_${name}`, -123_456],
        [`unsigned_${name}`, 305_419.896],
        [`bcd_${name}`, 123_456.78],
      ];
    }),
  ),
};

let folder: string;
const running = new Set<ChildProcess>();
const start = (command: string, args: readonly string[]): void => {
  const child = spawn(command, args, { stdio: 'ignore' });
  running.add(child);
};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'foreign-peers-'));
  if (hasLibmodbus) {
    const flags = spawnSync('pkg-config', ['--cflags', '--libs', 'libmodbus'], { encoding: 'utf8' }).stdout;
    const made = spawnSync(
      'gcc',
      ['-o', join(folder, 'libmodbus'), source('libmodbus-server.c'), ...flags.trim().split(/\s+/)],
      {
        encoding: 'utf8',
      },
    );
    if (made.status !== 0) throw new Error(`the libmodbus server does not compile: ${made.stderr}`);
  }
});
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A serial line by socat; returns the agent's end, the other is `…-machine`. */
const laySerialLine = async (): Promise<string> => {
  const [near, far] = [join(folder, 'line'), join(folder, 'line-machine')];
  await rm(near, { force: true });
  await rm(far, { force: true });
  start('socat', [`pty,raw,echo=0,link=${near}`, `pty,raw,echo=0,link=${far}`]);
  await until('socat to lay the line', () => existsSync(near) && existsSync(far));
  return near;
};

const isWhole = (outcome: ReadingOutcome): boolean =>
  outcome.kind === 'reading' &&
  outcome.qualities.every((quality) => quality !== 'refused' && quality !== 'unit_silent');

/** Reads with the agent's own reader until every address was requested; those between them are refused and split. */
const readAll = async (link: Link, wanted: MachineMapInput['channels']): Promise<Record<string, number | null>> => {
  const map = machineMapShape.parse({
    v: 1,
    id: 'peer',
    maker: 'T',
    model: 'T',
    timeoutMs: 500,
    quietMs: 200,
    link,
    channels: wanted,
  });
  const bus = createBus(map.link, map);
  try {
    const reader = createReader(map, bus);
    const outcome = await until(
      'the agent to read the peer',
      async () => {
        const read = await reader.read();
        return isWhole(read) && read;
      },
      { timeoutMs: 30_000, everyMs: 20 },
    );
    if (outcome.kind !== 'reading') throw new Error('no reading');
    return Object.fromEntries(reader.channels.map((name, column) => [name, outcome.values[column] ?? null]));
  } finally {
    bus.close();
  }
};

const without = (name: string, from: Record<string, number | null>) =>
  Object.fromEntries(Object.entries(from).filter(([key]) => key !== name));
const serial = { baud: 19_200, dataBits: 8, parity: 'none', stopBits: 1 } as const;

const needsPymodbus = pythonWithPymodbus === undefined ? ' (skipped: needs python3-pymodbus 3.0)' : '';
const needsLibmodbus = hasLibmodbus ? '' : ' (skipped: needs gcc and libmodbus-dev)';
const needsSocat = hasSocat ? '' : ' (skipped: needs socat)';

describe('the agent reads every type, word order and table as written by', () => {
  it.skipIf(pythonWithPymodbus === undefined).each(['tcp', 'rtu-over-tcp'] as const)(
    `pymodbus over %s${needsPymodbus}`,
    async (kind) => {
      const port = await freePort();
      start(pythonWithPymodbus ?? '', [source('pymodbus-server.py'), kind, String(port)]);
      expect(await readAll({ kind, host: '127.0.0.1', port }, channels)).toEqual(expected);
    },
  );

  it.skipIf(pythonWithPymodbus === undefined || !hasSocat).each(['rtu', 'ascii'] as const)(
    `pymodbus on a serial line, %s${needsPymodbus || needsSocat}`,
    async (kind) => {
      const path = await laySerialLine();
      start(pythonWithPymodbus ?? '', [source('pymodbus-server.py'), kind, `${path}-machine`]);
      expect(await readAll({ kind, path, ...serial }, channels)).toEqual(expected);
    },
  );

  it.skipIf(!hasLibmodbus)(`libmodbus over tcp${needsLibmodbus}`, async () => {
    const port = await freePort();
    start(join(folder, 'libmodbus'), ['tcp', String(port)]);
    expect(await readAll({ kind: 'tcp', host: '127.0.0.1', port }, channels)).toEqual(expected);
  });

  it.skipIf(!hasLibmodbus || !hasSocat)(`libmodbus on a serial line, rtu${needsLibmodbus || needsSocat}`, async () => {
    const path = await laySerialLine();
    start(join(folder, 'libmodbus'), ['rtu', `${path}-machine`]);
    // On a serial line it is one unit.
    const { other_unit: _other, ...ofOneUnit } = channels;
    expect(await readAll({ kind: 'rtu', path, ...serial }, ofOneUnit)).toEqual(without('other_unit', expected));
  });
});
