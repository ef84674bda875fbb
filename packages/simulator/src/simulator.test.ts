import { createConnection } from 'node:net';
import { once } from 'node:events';
import { machineMapShape } from '@roastery/contract/machine-map';
import ModbusClient from 'modbus-serial';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { afterEach, describe, expect, it } from 'vitest';
import { demoRoasterMap } from './maps/demo-roaster.ts';
import type { FaultsInput } from './modbus/faults.ts';
import { startSimulator, type Simulator, type SimulatorConfig } from './simulator.ts';

// modbus-serial is the independent peer: a value that it reads was encoded correctly.
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const start = async (config: Partial<SimulatorConfig> = {}): Promise<Simulator> => {
  const simulator = await startSimulator({ map: demoRoasterMap(), port: 0, ...config });
  closing.push(() => simulator.close());
  return simulator;
};
const connect = async (simulator: Simulator, over: 'tcp' | 'rtu-over-tcp' = 'tcp', unit = 1): Promise<ModbusClient> => {
  const client = new ModbusClient();
  const port = simulator.port ?? 0;
  if (over === 'tcp') await client.connectTCP('127.0.0.1', { port });
  else await client.connectTelnet('127.0.0.1', { port });
  client.setID(unit);
  client.setTimeout(60_000);
  closing.push(async () => client.destroy(() => undefined));
  return client;
};
/** From now on it gives up a request without a fitting answer soon. */
const giveUpSoon = (client: ModbusClient): void => client.setTimeout(100);
/** Bytes of one answer to a hand-made request. */
const ask = async (simulator: Simulator, request: number[]): Promise<Buffer> => {
  const socket = createConnection({ host: '127.0.0.1', port: simulator.port ?? 0 });
  socket.write(Buffer.from(request));
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return bytes;
};

describe('the demo machine over Modbus', () => {
  it.each(['tcp', 'rtu-over-tcp'] as const)('shows its readings over %s', async (kind) => {
    const map = demoRoasterMap({ link: { kind, host: '127.0.0.1', port: 502 } });
    const simulator = await start({ map, timeFactor: 0.001, model: { start: 'roasting', noise: 0 } });
    const client = await connect(simulator, kind);
    const { data } = await client.readInputRegisters(0, 8);
    const shown = simulator.state().values;
    expect((data[0] ?? 0) / 10).toBeCloseTo(shown['bean_temp'] ?? Number.NaN, 6);
    expect((data[6] ?? 0) / 10).toBeCloseTo(shown['drum_speed'] ?? Number.NaN, 6);
    expect(((data[7] ?? 0) - 0x1_0000) / 10).toBeCloseTo(shown['drum_pressure'] ?? Number.NaN, 6);
    expect(shown['drum_pressure']).toBeLessThan(0);
    expect((await client.readDiscreteInputs(0, 3)).data.slice(0, 3)).toEqual([true, false, false]);
  });

  it('roasts automatically: charge, first crack and drop raise their bits, and the next batch clears them', async () => {
    const clock = createVirtualClock();
    const simulator = await start({ clock, timeFactor: 400, refreshMs: 10, record: true, model: { seed: 2 } });
    await clock.until('the second roast', () => simulator.state().roasts === 2, 10_000);
    const bits = simulator
      .record()
      .map(({ events }) =>
        ['charge', 'first_crack', 'drop'].filter((name) => events.some((event) => event === name)).join(),
      );
    const changes = bits.filter((bit, index) => bit !== bits[index - 1]);
    expect(changes).toEqual(['', 'charge', 'charge,first_crack', 'drop', 'charge']);
  });

  it('charges within 20 s of its start', async () => {
    const clock = createVirtualClock();
    const simulator = await start({ clock });
    await clock.until('the charge', () => simulator.state().phase === 'roasting', 20_000);
    expect(simulator.state().machineSeconds).toBeLessThan(20.5);
  });

  it('follows its written outputs: no burner, no heat', async () => {
    const clock = createVirtualClock();
    const model = { start: 'roasting', roastedSeconds: 200 } as const;
    const simulator = await start({ clock, timeFactor: 50, refreshMs: 10, model });
    const client = await connect(simulator);
    await client.writeRegister(0, 0);
    await client.writeRegisters(1, [900, 300]);
    await clock.until('the heat to be off', () => (simulator.state().values['heat_power'] ?? 100) < 0.5, 5000);
    expect(simulator.state().values['fan_speed']).toBeCloseTo(90, 0);
    expect(simulator.state().values['drum_speed']).toBeCloseTo(30, 0);
    const { bean_temp: then } = simulator.state().values;
    await clock.until('colder beans', () => (simulator.state().values['bean_temp'] ?? 999) < (then ?? 0) - 5, 30_000);
    expect((await client.readHoldingRegisters(0, 3)).data).toEqual([0, 900, 300]);
  });

  it('accepts several requests at once and answers each', async () => {
    const simulator = await start();
    const socket = createConnection({ host: '127.0.0.1', port: simulator.port ?? 0 });
    closing.push(async () => void socket.destroy());
    let bytes = Buffer.alloc(0);
    socket.on('data', (more: Buffer) => (bytes = Buffer.concat([bytes, more])));
    socket.write(Buffer.from([1, 2, 3, 4, 5].flatMap((id) => [0, id, 0, 0, 0, 6, 1, 4, 0, 0, 0, 1])));
    await expect.poll(() => bytes.length).toBe(5 * 11);
    expect([0, 1, 2, 3, 4].map((index) => bytes[index * 11 + 1])).toEqual([1, 2, 3, 4, 5]);
  });

  it.each([
    ['unknown function', [43, 14, 1, 0, 0], 1],
    ['an address it does not have', [4, 0, 200, 0, 1], 2],
    ['a range that runs out of it', [4, 0, 6, 0, 3], 2],
    ['no register at all', [4, 0, 0, 0, 0], 3],
    ['more than 125 registers', [4, 0, 0, 0, 126], 3],
    ['a write to a reading', [6, 0, 9, 0, 1], 2],
    ['a coil that is neither on nor off', [5, 0, 0, 0x12, 0], 3],
    ['a write whose count and length differ', [16, 0, 0, 0, 2, 2, 0, 1], 3],
  ])('refuses %s', async (_, pdu, exception) => {
    const simulator = await start();
    const answer = await ask(simulator, [0, 1, 0, 0, 0, pdu.length + 1, 1, ...pdu]);
    expect([...answer.subarray(7)]).toEqual([(pdu[0] ?? 0) | 0x80, exception]);
  });

  it('answers for a missing unit like a gateway', async () => {
    const answer = await ask(await start(), [0, 1, 0, 0, 0, 6, 9, 4, 0, 0, 0, 1]);
    expect([...answer.subarray(6)]).toEqual([9, 0x84, 11]);
  });

  it('closes a connection that is not Modbus', async () => {
    const simulator = await start();
    const socket = createConnection({ host: '127.0.0.1', port: simulator.port ?? 0 });
    socket.write('GET / HTTP/1.1\r\n\r\n');
    await once(socket, 'close');
    expect(socket.bytesRead).toBe(0);
  });

  it('has several units; registers between known ones read as zero or are refused', async () => {
    const map = machineMapShape.parse({
      ...demoRoasterMap(),
      outputs: {},
      channels: {
        bean_temp: { at: '3/h:100', as: 'u16' },
        exhaust_temp: { at: '4/h:7', as: 'u16' },
        other: { at: '3/h:104' },
      },
      events: {},
    });
    const lenient = await connect(await start({ map }), 'tcp', 3);
    expect((await lenient.readHoldingRegisters(100, 5)).data.slice(1, 4)).toEqual([0, 0, 0]);
    lenient.setID(4);
    expect((await lenient.readHoldingRegisters(7, 1)).data[0]).toBeGreaterThan(100);
    const strict = await connect(await start({ map, holes: 'refuse' }), 'tcp', 3);
    await expect(strict.readHoldingRegisters(100, 5)).rejects.toMatchObject({ modbusCode: 2 });
    expect((await strict.readHoldingRegisters(100, 1)).data[0]).toBeGreaterThan(100);
  });

  it('charges and drops by the writes in the map', async () => {
    const map = machineMapShape.parse({
      ...demoRoasterMap(),
      events: { charge: { on: [['h:71', 20]] }, drop: { on: [['h:71', 4], { wait: 100 }] } },
    });
    const simulator = await start({ map, model: { autoCharge: false } });
    const client = await connect(simulator);
    await client.writeRegister(71, 4);
    expect(simulator.state().phase).toBe('preheating');
    await client.writeRegister(71, 20);
    expect(simulator.state().phase).toBe('roasting');
    await client.writeRegister(71, 4);
    expect(simulator.state().phase).toBe('cooling');
  });
});

const faulty = async (
  faults: FaultsInput,
  over: 'tcp' | 'rtu-over-tcp' = 'tcp',
  config: Partial<SimulatorConfig> = {},
) => {
  const map = demoRoasterMap({ link: { kind: over, host: '127.0.0.1', port: 502 } });
  const simulator = await start({ map, timeFactor: 0.001, model: { noise: 0 }, ...config });
  const client = await connect(simulator, over);
  await client.readInputRegisters(0, 1);
  simulator.setFaults(faults);
  return { simulator, client };
};

describe('faults on demand', () => {
  it('silence, and recovery', async () => {
    const { simulator, client } = await faulty({ silence: true });
    giveUpSoon(client);
    await expect(client.readInputRegisters(0, 1)).rejects.toMatchObject({ errno: 'ETIMEDOUT' });
    expect(simulator.state().requests).toBe(2);
    simulator.setFaults({});
    expect((await (await connect(simulator)).readInputRegisters(0, 1)).data).toHaveLength(1);
  });
  it('a silent unit beside a working one', async () => {
    const map = machineMapShape.parse({
      ...demoRoasterMap(),
      outputs: {},
      channels: { bean_temp: { at: '1/h:0' }, exhaust_temp: { at: '2/h:0' } },
    });
    const simulator = await start({ map, faults: { deadUnits: [2] } });
    const client = await connect(simulator);
    expect((await client.readHoldingRegisters(0, 1)).data).toHaveLength(1);
    client.setID(2);
    giveUpSoon(client);
    await expect(client.readHoldingRegisters(0, 1)).rejects.toMatchObject({ errno: 'ETIMEDOUT' });
  });
  it('late answers', async () => {
    const clock = createVirtualClock();
    const { client } = await faulty({ lateProbability: 1, lateMs: 150 }, 'tcp', { clock });
    const asked = clock.monotonic();
    await clock.run(client.readInputRegisters(0, 1));
    expect(clock.monotonic() - asked).toBe(150);
  });
  it('exceptions', async () => {
    const { client } = await faulty({ exceptionProbability: 1, exceptionCode: 6 });
    await expect(client.readInputRegisters(0, 1)).rejects.toMatchObject({ modbusCode: 6 });
  });
  it('a wrong transaction id', async () => {
    const { client } = await faulty({ wrongTransactionProbability: 1 });
    giveUpSoon(client);
    await expect(client.readInputRegisters(0, 1)).rejects.toMatchObject({ errno: 'ETIMEDOUT' });
  });
  it('a wrong CRC', async () => {
    const { client } = await faulty({ wrongCheckProbability: 1 }, 'rtu-over-tcp');
    await expect(client.readInputRegisters(0, 1)).rejects.toMatchObject({ message: 'CRC error' });
  });
  it.each([
    ['garbledProbability', 'rtu-over-tcp'],
    ['cutShortProbability', 'rtu-over-tcp'],
    ['garbledProbability', 'tcp'],
    ['cutShortProbability', 'tcp'],
    ['wrongLengthProbability', 'tcp'],
  ] as const)('%s over %s', async (fault, kind) => {
    const { client, simulator } = await faulty({}, kind);
    const right = (await client.readInputRegisters(0, 1)).data;
    simulator.setFaults({ [fault]: 1 });
    giveUpSoon(client);
    const answer = await client.readInputRegisters(0, 1).then(
      ({ data }) => data,
      () => 'no answer',
    );
    expect(answer).not.toEqual(right);
  });
  it('answers that are sometimes lost', async () => {
    let answers = 0;
    const { client } = await faulty({ lossProbability: 0.5 }, 'tcp', { onAnswer: () => void (answers += 1) });
    giveUpSoon(client);
    for (let index = 0; index < 30; index++) await client.readInputRegisters(0, 1).catch(() => undefined);
    expect(answers).toBeGreaterThan(5);
    expect(answers).toBeLessThan(25);
  });
  it('closed connections, refused connections, and recovery', async () => {
    const { simulator, client } = await faulty({ closeProbability: 1 });
    const closed = new Promise<void>((resolve) => client.on('close', () => resolve()));
    client.readInputRegisters(0, 1).catch(() => undefined);
    await closed;
    simulator.setFaults({ refuseConnections: true });
    const refused = createConnection({ host: '127.0.0.1', port: simulator.port ?? 0 });
    refused.on('error', () => undefined);
    await once(refused, 'close');
    simulator.setFaults({});
    expect((await (await connect(simulator)).readInputRegisters(0, 1)).data).toHaveLength(1);
  });
  it('a broken probe', async () => {
    const { simulator, client } = await faulty({ brokenProbes: ['bean_temp'] });
    expect((await client.readInputRegisters(0, 1)).data).toEqual([32_767]);
    expect(simulator.state().values['bean_temp']).toBeNull();
    expect(simulator.state().values['exhaust_temp']).toBeGreaterThan(50);
  });
  it('reports an unknown fault', async () => {
    const { simulator } = await faulty({});
    expect(() => simulator.setFaults({ lossProbability: 2 })).toThrow(/lossProbability/);
    expect(() => simulator.setFaults({ slence: true } as FaultsInput)).toThrow(/slence/);
  });
});
