import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import ModbusClient from 'modbus-serial';
import { afterEach, describe, expect, it } from 'vitest';
import { demoRoasterMap } from './maps/demo-roaster.ts';
import { startSimulator } from './simulator.ts';

/** Two pseudo terminals joined like the ends of a cable. Node has no way to make them, Python's standard library has. */
const cable = `
import os, pty, select, sys, tty
masters, names, keep = [], [], []
for _ in range(2):
    master, slave = pty.openpty()
    tty.setraw(slave)
    masters.append(master); names.append(os.ttyname(slave)); keep.append(slave)
print(" ".join(names), flush=True)
while True:
    ready, _, _ = select.select(masters + [0], [], [])
    if 0 in ready and not os.read(0, 1): sys.exit(0)
    for end in ready:
        if end != 0: os.write(masters[1 - masters.index(end)], os.read(end, 4096))
`;
const hasPython = spawnSync('python3', ['-c', 'import pty, tty']).status === 0;
const skipped = hasPython ? '' : ' (skipped: needs python3 to make a pair of pseudo terminals)';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
const layCable = async (): Promise<[string, string]> => {
  const python = spawn('python3', ['-c', cable], { stdio: ['pipe', 'pipe', 'inherit'] });
  closing.push(async () => {
    python.stdin.end();
    await once(python, 'exit');
  });
  const [line] = (await once(createInterface({ input: python.stdout }), 'line')) as [string];
  const [machine, client] = line.split(' ');
  if (machine === undefined || client === undefined) throw new Error(`no pseudo terminals: ${line}`);
  return [machine, client];
};

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
    client.setTimeout(500);

    const { data } = await client.readInputRegisters(0, 8);
    expect((data[0] ?? 0) / 10).toBeCloseTo(simulator.state().values['bean_temp'] ?? Number.NaN, 6);
    expect((await client.readDiscreteInputs(0, 3)).data[0]).toBe(true);
    await client.writeRegisters(0, [123, 456, 600]);
    expect((await client.readHoldingRegisters(0, 3)).data).toEqual([123, 456, 600]);
    await expect(client.readInputRegisters(50, 1)).rejects.toMatchObject({ modbusCode: 2 });
    // A bus is silent for a slave that isn't there.
    client.setID(7);
    await expect(client.readInputRegisters(0, 1)).rejects.toMatchObject({ errno: 'ETIMEDOUT' });
    client.setID(1);
    simulator.setFaults({ wrongCheckProbability: 1 });
    await expect(client.readInputRegisters(0, 1)).rejects.toBeDefined();
    simulator.setFaults({});
    expect((await client.readInputRegisters(0, 8)).data).toHaveLength(8);
  });

  it('says so when the line can not be opened', async () => {
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
