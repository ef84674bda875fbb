import { hasSerialCables, laySerialCable } from '@roastery/testing/serial-cable';
import ModbusClient from 'modbus-serial';
import { afterEach, describe, expect, it } from 'vitest';
import { demoRoasterMap } from './maps/demo-roaster.ts';
import { startSimulator } from './simulator.ts';

const hasPython = hasSerialCables();
const skipped = hasPython ? '' : ' (skipped: needs python3 to make a pair of pseudo terminals)';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
const layCable = async (): Promise<readonly [string, string]> => {
  const cable = await laySerialCable();
  closing.push(async () => cable[Symbol.asyncDispose]());
  return cable.ends;
};

/** How long it waits for an answer. */
const giveUpAfter = (client: ModbusClient, ms: number): void => client.setTimeout(ms);

describe('the demo machine on a serial line', () => {
  it.skipIf(!hasPython).each(['rtu', 'ascii'] as const)(`answers %s${skipped}`, async (kind) => {
    const [machinePath, clientPath] = await layCable();
    const map = demoRoasterMap({
      link: { kind, path: machinePath, baud: 19_200, dataBits: 8, parity: 'none', stopBits: 1 },
    });
    const simulator = await startSimulator({ map, timeFactor: 0.001, model: { start: 'roasting', noise: 0 } });
    closing.push(() => simulator.close());
    expect(simulator.port).toBeUndefined();
    const client = new ModbusClient();
    if (kind === 'rtu') await client.connectRTUBuffered(clientPath, { baudRate: 19_200 });
    else await client.connectAsciiSerial(clientPath, { baudRate: 19_200 });
    closing.push(() => new Promise((resolve) => client.close(resolve)));
    client.setID(1);

    const { data } = await client.readInputRegisters(0, 8);
    expect((data[0] ?? 0) / 10).toBeCloseTo(simulator.state().values['bean_temp'] ?? Number.NaN, 6);
    expect((await client.readDiscreteInputs(0, 3)).data[0]).toBe(true);
    await client.writeRegisters(0, [123, 456, 600]);
    expect((await client.readHoldingRegisters(0, 3)).data).toEqual([123, 456, 600]);
    await expect(client.readInputRegisters(50, 1)).rejects.toMatchObject({ modbusCode: 2 });
    // A bus does not respond for a missing slave.
    client.setID(7);
    giveUpAfter(client, 100);
    await expect(client.readInputRegisters(0, 1)).rejects.toMatchObject({ errno: 'ETIMEDOUT' });
    client.setID(1);
    simulator.setFaults({ wrongCheckProbability: 1 });
    await expect(client.readInputRegisters(0, 1)).rejects.toBeDefined();
    simulator.setFaults({});
    giveUpAfter(client, 60_000);
    expect((await client.readInputRegisters(0, 8)).data).toHaveLength(8);
  });

  it('reports a line that cannot be opened', async () => {
    const link = {
      kind: 'rtu',
      path: '/dev/no-such-line',
      baud: 9600,
      dataBits: 8,
      parity: 'none',
      stopBits: 1,
    } as const;
    await expect(startSimulator({ map: demoRoasterMap({ link }) })).rejects.toThrow(/no-such-line/);
  });
});
