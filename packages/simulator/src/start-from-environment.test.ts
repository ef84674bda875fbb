import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { createLogger } from '@roastery/runtime/logger';
import ModbusClient from 'modbus-serial';
import { afterAll, describe, expect, it } from 'vitest';
import { takeControlLines } from './control-lines.ts';
import { demoRoasterMap } from './maps/demo-roaster.ts';
import { startFromEnvironment } from './start-from-environment.ts';
import { startSimulator } from './simulator.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'simulator-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  const full = path.join(folder, name);
  writeFileSync(full, text);
  return full;
};
const log = createLogger('simulator', 'silent');
const start = (env: NodeJS.ProcessEnv) => startFromEnvironment({ LOG_LEVEL: 'silent', ...env }, log);

const alog =
  "{'mode': 'C', 'timex': [0.0, 1.0], 'temp1': [210.0, 211.0], 'temp2': [183.4, 183.0], 'timeindex': [-1, 0, 0, 0, 0, 0, 0, 0]}";

describe('the simulator started from its environment', () => {
  it('is the demo machine by default, and records its registers', async () => {
    const record = path.join(folder, 'record.jsonl');
    const simulator = await start({ SIM_PORT: '0', SIM_START: 'roasting', SIM_RECORD: record, TIME_FACTOR: '10' });
    const client = new ModbusClient();
    await client.connectTCP('127.0.0.1', { port: simulator.port ?? 0 });
    client.setID(1);
    expect((await client.readDiscreteInputs(0, 1)).data[0]).toBe(true);
    await expect.poll(() => readFileSync(record, 'utf8').split('\n').length).toBeGreaterThan(3);
    client.destroy(() => undefined);
    await simulator.close();
    const [first] = readFileSync(record, 'utf8')
      .split('\n')
      .map((line) => (line === '' ? {} : JSON.parse(line)));
    expect(first).toMatchObject({
      events: expect.arrayContaining(['charge']),
      values: { bean_temp: expect.any(Number) },
    });
    expect(first.atMs, 'ms since 1970').toBeGreaterThan(Date.UTC(2026, 0));
  });

  it('plays a recording through a given map', async () => {
    const map = {
      ...demoRoasterMap(),
      channels: { bean_temp: { at: 'h:30', as: 'f32', order: 'CDAB' } },
      outputs: {},
      events: {},
    };
    const simulator = await start({
      SIM_PORT: '0',
      SIM_MAP: file('map.json', JSON.stringify(map)),
      SIM_REPLAY: file('roast.alog', alog),
      SIM_REPLAY_LEAD: '60',
    });
    const client = new ModbusClient();
    await client.connectTCP('127.0.0.1', { port: simulator.port ?? 0 });
    client.setID(1);
    const { buffer } = await client.readHoldingRegisters(30, 2);
    expect(Buffer.from([...buffer.subarray(2), ...buffer.subarray(0, 2)]).readFloatBE()).toBeCloseTo(183.4, 4);
    client.destroy(() => undefined);
    await simulator.close();
  });

  it.each([
    [{ TIME_FACTOR: 'fast' }, /TIME_FACTOR/],
    [{ SIM_START: 'warm' }, /SIM_START/],
    [{ SIM_REPLAY: file('short.alog', alog), SIM_REPLAY_FROM: '60' }, /SIM_REPLAY_FROM: the recording ends at 1 s/],
    [{ SIM_MAP: '/no/such/map.json' }, /SIM_MAP \/no\/such\/map.json can't be read: ENOENT/],
    [{ SIM_MAP: file('broken.json', '{') }, /is not JSON/],
    [
      {
        SIM_MAP: file('wrong.json', JSON.stringify({ ...demoRoasterMap(), channels: { bean_temp: { at: '40001' } } })),
      },
      /write "h:0"/,
    ],
    [{ SIM_REPLAY: file('no.alog', 'import os') }, /SIM_REPLAY .*no Artisan roast/],
    [{ FAULTS: '{"silenc":true}' }, /FAULTS: .*silenc/],
    [{ FAULTS: 'silence' }, /FAULTS is not JSON/],
  ])('stops with one line for %o', async (env, sentence) => {
    const refused = start({ SIM_PORT: '0', ...env });
    await expect(refused).rejects.toThrow(sentence);
    await expect(refused).rejects.toMatchObject({ name: 'ConfigError', message: expect.not.stringContaining('\n') });
  });

  it('reports the port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(start({ SIM_PORT: String(port) })).rejects.toThrow(`port ${port} is in use`);
    other.close();
  });
});

describe('control lines', () => {
  it('control the machine, and invalid ones change nothing', async () => {
    await using simulator = await startSimulator({ map: demoRoasterMap(), port: 0, model: { autoCharge: false } });
    const input = new PassThrough();
    const stop = takeControlLines(input, simulator, log);
    input.write('{"do":"charge"}\n');
    await expect.poll(() => simulator.state().phase).toBe('roasting');
    input.write('nonsense\n{"do":"explode"}\n{"faults":{"brokenProbes":["bean_temp"]}}\n');
    await expect.poll(() => simulator.state().values['bean_temp']).toBeNull();
    expect(simulator.state().phase).toBe('roasting');
    input.write('{"faults":{}}\n{"timeFactor":500}\n');
    await expect.poll(() => simulator.state().machineSeconds).toBeGreaterThan(100);
    input.write('{"do":"drop"}\n');
    await expect.poll(() => simulator.state().phase).toBe('cooling');
    stop();
  });
});
