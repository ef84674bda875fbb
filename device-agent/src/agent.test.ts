import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineMapShape, type MachineMapInput } from '@roastery/contract/machine-map';
import type { JournalEvent } from '@roastery/contract/mqtt';
import { ConfigError } from '@roastery/runtime/env';
import { createLogger, type Logger } from '@roastery/runtime/logger';
import { createVirtualClock, type VirtualClock } from '@roastery/testing/virtual-clock';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startAgent, type Agent } from './agent.ts';
import { channelFile, registersOf } from './channel-watch.ts';
import type { AgentConfig } from './config.ts';
import { planOf } from './testing/roast-plan.ts';
import { startScriptedServer, type ScriptedServer } from './testing/modbus-server.ts';
import { startTestServer, type TestServer } from './testing/test-server.ts';

const log = createLogger('test', 'silent');
const serial = 'RM30-7';
let time: VirtualClock;
let dataDir: string;
let server: TestServer;
let machine: ScriptedServer;
let agents: Agent[];
/** The machine's registers: bean temperature in tenths, and the bits of its events. */
let face: { beans: number; charge: boolean; drop: boolean; silent: boolean };

const mapOf = (over: Partial<MachineMapInput> = {}): MachineMapInput => ({
  v: 1,
  id: 'scripted',
  maker: 'Test',
  model: 'Test',
  hz: 10,
  timeoutMs: 500,
  quietMs: 100,
  link: { kind: 'tcp', host: '127.0.0.1', port: machine.port },
  channels: { bean_temp: { at: 'i:0', as: 'i16', scale: 0.1 }, exhaust_temp: { at: 'i:1', as: 'i16', bad: [32_767] } },
  events: { charge: { when: 'd:0' }, drop: { when: 'd:1' } },
  ...over,
});
const start = async (over: Partial<AgentConfig> = {}, own = mapOf(), to: Logger = log): Promise<Agent> => {
  await writeFile(over.machineMapPath ?? join(dataDir, 'map.json'), JSON.stringify(own));
  const agent = await startAgent(
    {
      apiUrl: 'http://127.0.0.1:9/api/v1',
      machineSerial: serial,
      machineToken: 'token',
      firmwareVersion: '1.0.0',
      machineMapPath: join(dataDir, 'map.json'),
      dataDir,
      mqttUrl: server.url,
      mqttCa: undefined,
      journalCapBytes: 1e8,
      logLevel: 'silent',
      statusHost: '127.0.0.1',
      statusPort: undefined,
      ...over,
    },
    to,
    time,
  );
  agents.push(agent);
  return agent;
};
const stop = async (agent: Agent): Promise<void> => {
  agents = agents.filter((other) => other !== agent);
  await time.run(agent.close());
};
const journalled = (): JournalEvent[] =>
  [...server.committed.values()].filter((value): value is JournalEvent => Object.hasOwn(Object(value), 'type'));
const begun = () => journalled().filter((event) => event.type === 'roast' && event.state === 'in_progress');
const roastStates = (): string[] => journalled().flatMap((event) => (event.type === 'roast' ? [event.state] : []));

const signalsAsked = (): number => machine.requests.filter(({ code }) => code === 2).length;
/** Waits for this many more requests for the machine's signals. */
const readings = async (count: number): Promise<void> => {
  const from = signalsAsked();
  await expect.poll(time.passing(signalsAsked)).toBeGreaterThan(from + count);
};

beforeEach(async () => {
  time = createVirtualClock();
  dataDir = await mkdtemp(join(tmpdir(), 'agent-'));
  agents = [];
  face = { beans: 2000, charge: false, drop: false, silent: false };
  machine = await startScriptedServer(
    'tcp',
    () => ({ lost: face.silent }),
    (address, { code }) => {
      const onDiscreteInputs = [face.charge, face.drop];
      const onInputRegisters = [face.beans, 32_767];
      return code === 2 ? Number(onDiscreteInputs[address]) : (onInputRegisters[address] ?? 0);
    },
    time,
  );
  server = await startTestServer(serial);
});
afterEach(async () => {
  for (const agent of agents) await time.run(agent.close());
  await machine.hangUp();
  await server.kill();
  await rm(dataDir, { recursive: true, force: true });
});

describe('agent', () => {
  it('agent: warns once before its token goes to a broker without encryption', async () => {
    const lines: Record<string, unknown>[] = [];
    const kept = pino(
      { level: 'warn' },
      { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) },
    );
    await start({ mqttUrl: 'mqtt://broker.invalid:1883' }, mapOf(), kept);
    const warnings = () => lines.filter(({ msg }) => msg === 'uplink: broker connection not encrypted');
    await expect.poll(time.passing(() => warnings().length)).toBe(1);
    expect(warnings()[0]?.['warning']).toMatch(/broker\.invalid:1883 is not encrypted .*token/);
    await start({ dataDir: join(dataDir, 'other'), machineMapPath: join(dataDir, 'map.json') }, mapOf(), kept);
    await expect.poll(time.passing(() => server.statuses.length)).toBeGreaterThan(0);
    expect(warnings()).toHaveLength(1);
  });

  it('publishes live readings and journals the same values', async () => {
    await start();
    await expect.poll(time.passing(() => server.live.length)).toBeGreaterThan(5);
    face.beans = 2153;
    await expect.poll(time.passing(() => server.live.at(-1)?.values)).toEqual({ bean_temp: 215.3, exhaust_temp: null });
    const { epoch, seq } = server.live.at(-1) ?? {};
    await expect
      .poll(time.passing(() => server.committed.get(`${epoch}/${seq}`)))
      .toMatchObject({ values: [215.3, null] });
    expect(server.statuses.at(-1)).toMatchObject({ machine_link: 'ok', firmware_version: '1.0.0', epoch });
  });

  it('reports a missing probe and a silent machine in its status', async () => {
    await start();
    const detail = () => server.statuses.at(-1);
    await expect.poll(time.passing(() => detail()?.machine_link_detail)).toMatch(/exhaust_temp: bad/);
    face.silent = true;
    await expect.poll(time.passing(() => detail())).toMatchObject({ machine_link: 'failing' });
    const silentFrom = server.live.length;
    await time.advance(2000);
    // A gap stays a gap.
    expect(server.live.length).toBe(silentFrom);
    face.silent = false;
    await expect.poll(time.passing(() => detail())).toMatchObject({ machine_link: 'ok' });
  });

  it('stops cleanly: the whole journal is delivered and the status is offline', async () => {
    const agent = await start();
    await expect.poll(time.passing(() => server.live.length)).toBeGreaterThan(12);
    const from = time.monotonic();
    await stop(agent);
    expect(time.monotonic() - from).toBeLessThan(10_000);
    const shown = server.live.map(({ epoch, seq }) => `${epoch}/${seq}`);
    expect(shown.filter((key) => !server.committed.has(key))).toEqual([]);
    expect(server.statuses.at(-1)).toMatchObject({ online: false });
  });

  it('refuses a data folder that another agent uses', async () => {
    const agent = await start();
    await expect(start()).rejects.toThrow(ConfigError);
    await stop(agent);
    await start();
  });

  it('starts without a network, and sends the backlog when there is one', async () => {
    await server.kill();
    await start();
    await time.advance(1500);
    await server.listen();
    await expect.poll(time.passing(() => server.committed.size)).toBeGreaterThan(12);
    expect(Math.min(...server.arrivals)).toBe(0);
  });
});

describe('agent and the map that the server pushes', () => {
  it('uses another map after the end of the roast, and stores it for the next start', async () => {
    const agent = await start();
    await expect.poll(time.passing(() => server.live.length)).toBeGreaterThan(2);
    face.charge = true;
    await expect.poll(time.passing(roastStates)).toEqual(['in_progress']);
    const pushed = mapOf({
      rev: 2,
      channels: { bean_temp: { at: 'i:0', scale: 0.1 }, drum_pressure: { at: 'i:0', unit: 'Pa' } },
    });
    server.tell('config', { v: 1, rev: 7, map: pushed });
    await expect.poll(time.passing(() => server.statuses.at(-1)?.config)).toMatchObject({ rev: 7, state: 'waiting' });
    expect(server.statuses.at(-1)?.map).toEqual({ id: 'scripted', rev: 1 });
    expect(server.live.at(-1)?.values).not.toHaveProperty('drum_pressure');
    face.drop = true;
    await expect.poll(time.passing(() => server.live.at(-1)?.values)).toMatchObject({ drum_pressure: 2000 });
    await expect.poll(time.passing(roastStates)).toEqual(['in_progress', 'completed']);
    const told = () => server.statuses.at(-1);
    await expect.poll(time.passing(told)).toMatchObject({ config: { rev: 7, state: 'running' }, map: { rev: 2 } });
    await stop(agent);
    expect(JSON.parse(await readFile(join(dataDir, 'machine-map.json'), 'utf8'))).toMatchObject({ rev: 2 });
    const lines = server.live.length;
    await start();
    await expect.poll(time.passing(() => server.live.length)).toBeGreaterThan(lines);
    expect(server.live.at(-1)?.values).toHaveProperty('drum_pressure');
  });

  it('reports roasts that look exchanged with its map, until that is exchanged', async () => {
    const state = { v: 1, read_by: registersOf(machineMapShape.parse(mapOf())), roasts: 2 };
    await writeFile(channelFile(dataDir), JSON.stringify(state));
    await start();
    const said = () => server.statuses.at(-1);
    await expect
      .poll(time.passing(() => said()?.channels_exchanged))
      .toEqual({ roasts: 2, map: { id: 'scripted', rev: 1 } });
    const exchanged = {
      bean_temp: { at: 'i:1', as: 'i16' },
      exhaust_temp: { at: 'i:0', as: 'i16', scale: 0.1 },
    } as const;
    server.tell('config', { v: 1, rev: 3, map: mapOf({ rev: 2, channels: exchanged }) });
    await expect.poll(time.passing(said)).toMatchObject({ map: { rev: 2 }, channels_exchanged: null });
  });

  it('reads at the rate that is set for the board, and reports why it refuses a map', async () => {
    const agent = await start();
    const told = () => server.statuses.at(-1)?.config;
    await expect.poll(time.passing(() => server.live.length)).toBeGreaterThan(2);
    server.tell('config', { v: 1, rev: 3, map: null, hz: 1 });
    await expect.poll(time.passing(told)).toMatchObject({ rev: 3, state: 'running' });
    const from = server.live.length;
    await expect.poll(time.passing(() => server.live.length)).toBeGreaterThan(from + 2);
    const [one, other] = server.live.slice(-2);
    expect((other?.mono ?? 0) - (one?.mono ?? 0)).toBeGreaterThan(800);

    server.tell('config', { v: 1, rev: 4, map: { ...mapOf(), channels: {} } });
    await expect
      .poll(time.passing(told))
      .toMatchObject({ rev: 4, state: 'refused', reason: expect.stringMatching(/bean_temp/) });
    // A config older than the current one changes nothing.
    server.tell('config', { v: 1, rev: 2, map: mapOf({ rev: 9 }) });
    server.tell('config', { v: 1, rev: 5, map: null });
    await expect.poll(time.passing(told)).toMatchObject({ rev: 5, state: 'running' });
    expect(server.statuses.at(-1)?.map).toEqual({ id: 'scripted', rev: 1 });

    await stop(agent);
    await start({ machineMapPath: join(dataDir, 'own.json') }, mapOf({ rev: 6 }));
    server.statuses.length = 0;
    await expect.poll(time.passing(() => server.statuses.length)).toBeGreaterThan(0);
    server.tell('config', { v: 1, rev: 6, map: mapOf({ rev: 2 }) });
    await expect
      .poll(time.passing(told))
      .toMatchObject({ rev: 6, state: 'refused', reason: expect.stringMatching(/revision 6/) });
  });
});

describe('agent and plans', () => {
  const outputs: MachineMapInput['outputs'] = {
    heat_power: { at: 'h:0', range: [0, 100] },
    fan_speed: { at: 'h:1', range: [0, 100] },
    drum_speed: { at: 'h:2', unit: 'rpm', range: [0, 100] },
  };

  it('keeps plans without a network and through a restart, and follows them without writing to the machine', async () => {
    const [first, second] = [planOf(1), planOf(2)];
    const first1 = await start({}, mapOf({ outputs }));
    await expect.poll(time.passing(() => server.live.length)).toBeGreaterThan(2);
    server.tell('plan', { v: 1, plans: [first, second] });
    await expect
      .poll(time.passing(() => server.statuses.at(-1)?.plan))
      .toEqual({ id: first.id, roast_id: null, recipe_revision: 3 });
    await server.kill();
    await stop(first1);

    const again = await start({}, mapOf({ outputs }));
    await readings(3);
    face.charge = true;
    await readings(3);
    await stop(again);
    const third = await start({}, mapOf({ outputs }));
    await server.listen();
    await expect.poll(time.passing(begun)).toMatchObject([{ plan_id: first.id }]);
    const roastId = server.live.at(-1)?.roast?.id ?? '';
    await expect
      .poll(time.passing(() => server.statuses.at(-1)?.plan))
      .toEqual({ id: first.id, roast_id: roastId, recipe_revision: 3 });
    // The server does not know of the charge yet: its outdated message does not restore the plan.
    server.tell('plan', { v: 1, plans: [first, second] });
    // Every step of the plan becomes due and passes.
    const roastedMs = () => (server.live.at(-1)?.mono ?? 0) - (server.live.at(-1)?.roast?.charge_mono ?? 0);
    await expect.poll(time.passing(roastedMs)).toBeGreaterThan(2500);
    face.drop = true;
    await expect.poll(time.passing(roastStates)).toEqual(['in_progress', 'completed']);
    await expect
      .poll(time.passing(() => server.statuses.at(-1)?.plan))
      .toMatchObject({ id: second.id, roast_id: null });
    server.tell('plan', { v: 1, plans: [] });
    await expect.poll(time.passing(() => server.statuses.at(-1)?.plan)).toBeNull();
    await stop(third);
    const asked = new Set(machine.requests.map(({ code }) => code));
    expect(asked, 'function codes on the wire: reading only').toEqual(new Set([2, 4]));
  });
});
