import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import type { MachineMapInput } from '@roastery/contract/machine-map';
import { machineMapShape } from '@roastery/contract/machine-map';
import { hasSerialCables, laySerialCable } from '@roastery/testing/serial-cable';
import { describe, expect, it } from 'vitest';
import { startSimulator, type Simulator } from './simulator.ts';

/** mbpoll is an independent Modbus master, on libmodbus. */
const hasMbpoll = spawnSync('mbpoll', ['-V']).error === undefined;
const needs = hasMbpoll ? '' : ' (skipped: needs mbpoll)';
const run = promisify(execFile);

const mapOn = (link: MachineMapInput['link']) =>
  machineMapShape.parse({
    v: 1,
    id: 'mbpoll',
    maker: 'Test',
    model: 'Test',
    link,
    channels: {
      bean_temp: { at: 'i:0', as: 'i16', scale: 0.1 },
      exhaust_temp: { at: 'h:10', as: 'f32', order: 'CDAB' },
      burner_front_temp: { at: 'h:12', as: 'f32', order: 'ABCD' },
      heat_power: { at: 'h:20', unit: '%' },
    },
    events: { charge: { when: 'd:3' }, drop: { when: 'c:5' } },
  });

/** Values as mbpoll prints them, by reference: `[10]: \t-12.3`. */
const poll = async (where: readonly string[], ...asked: string[]): Promise<number[]> => {
  const { stdout } = await run('mbpoll', ['-a', '1', '-0', '-1', '-q', '-o', '1', ...asked, ...where]);
  return [...stdout.matchAll(/^\[\d+\]:\s+(-?[\d.]+)/gm)].map(([, figure]) => Number(figure));
};

/** Everything as read by mbpoll; references are the addresses of the map. */
const pollAll = async (where: readonly string[]) => ({
  bean_temp: await poll(where, '-t', '3', '-r', '0'),
  // Little-endian words are its default, -B swaps them.
  exhaust_temp: await poll(where, '-t', '4:float', '-r', '10'),
  burner_front_temp: await poll(where, '-t', '4:float', '-B', '-r', '12'),
  heat_power: await poll(where, '-t', '4', '-r', '20'),
  charge: await poll(where, '-t', '1', '-r', '3'),
  drop: await poll(where, '-t', '0', '-r', '5'),
});
const shownBy = (simulator: Simulator) => {
  const { values } = simulator.state();
  const of = (name: string): number => values[name] ?? Number.NaN;
  return {
    bean_temp: [Math.round(of('bean_temp') * 10)],
    exhaust_temp: [expect.closeTo(of('exhaust_temp'), 2)],
    burner_front_temp: [expect.closeTo(of('burner_front_temp'), 2)],
    heat_power: [of('heat_power')],
    charge: [1],
    drop: [0],
  };
};

/** The values do not change: only the transmission is compared. */
const model = { timeFactor: 0.0001, model: { start: 'roasting', noise: 0 } } as const;

describe('mbpoll reads the values of the simulator', () => {
  it.skipIf(!hasMbpoll)(`over tcp${needs}`, async () => {
    await using simulator = await startSimulator({
      map: mapOn({ kind: 'tcp', host: '127.0.0.1' }),
      port: 0,
      ...model,
    });
    expect(await pollAll(['-m', 'tcp', '-p', String(simulator.port), '127.0.0.1'])).toEqual(shownBy(simulator));
  });

  const hasCables = hasSerialCables();
  it.skipIf(!hasMbpoll || !hasCables)(
    `on a serial line, rtu${needs || (hasCables ? '' : ' (skipped: needs python3 to make a pair of pseudo terminals)')}`,
    async () => {
      await using cable = await laySerialCable();
      const [machine, master] = cable.ends;
      await using simulator = await startSimulator({
        map: mapOn({ kind: 'rtu', path: machine, baud: 19_200 }),
        ...model,
      });
      expect(await pollAll(['-m', 'rtu', '-b', '19200', '-P', 'none', master])).toEqual(shownBy(simulator));
    },
  );
});
