import { machineMapShape, type MachineMap, type MachineMapInput } from '@roastery/contract/machine-map';
import { startSimulator } from '@roastery/simulator/simulator';
import { hasSerialCables, laySerialCable } from '@roastery/testing/serial-cable';
import { until } from '@roastery/testing/until';
import { describe, expect, it } from 'vitest';
import { lineMs, slowLineSentence } from '../core/line-pace.ts';
import { startPoller } from './poller.ts';

/** 9600 baud, 8N1: ten bits a character. */
const charactersPerSecond = 960;
const neighbours = Object.fromEntries(
  Array.from({ length: 16 }, (_, index) => [`t${index}`, { at: `h:${index + 1}` }]),
);
const scattered = Object.fromEntries(
  Array.from({ length: 7 }, (_, index) => [`t${index}`, { at: `h:${100 * (index + 1)}` }]),
);

/** Readings a second that a line carries if the machine answers immediately and no neighbours are read. */
const atMostOf = (map: MachineMap): number => 1000 / (lineMs(map) ?? Number.NaN);

/** Readings a second over this many in a row. A busy computer delays the program that simulates the cable. */
const inARow = 25;
interface Pace {
  readonly hz: number;
  readonly reachedHz: number | undefined;
}

/** Reads a simulated machine at the end of a cable of 9600 baud, until the newest readings reach a sufficient pace. */
const readSlowly = async (
  channels: MachineMapInput['channels'],
  hz: number,
  willDo: (pace: Pace, map: MachineMap) => boolean,
) => {
  await using cable = await laySerialCable({ charactersPerSecond });
  const [far, path] = cable.ends;
  const mapOn = (end: string) =>
    machineMapShape.parse({
      v: 1,
      id: 'test',
      maker: 'T',
      model: 'T',
      hz,
      link: { kind: 'rtu', path: end, baud: 9600 },
      channels: { bean_temp: { at: 'h:0', scale: 0.1 }, ...channels },
    });
  await using simulator = await startSimulator({ map: mapOn(far) });
  const map = mapOn(path);
  const monos: number[] = [];
  const poller = startPoller({
    map,
    monoNow: () => performance.now(),
    reading: ({ mono }) => void monos.push(mono),
    linkChanged: () => undefined,
  });
  try {
    const pace = await until(
      'readings at that pace',
      () => {
        const [first, last] = [monos.at(-inARow), monos.at(-1)];
        if (first === undefined || last === undefined) return false;
        const now = { hz: ((inARow - 1) * 1000) / (last - first), reachedHz: poller.link().reachedHz };
        return willDo(now, map) && now;
      },
      { timeoutMs: 90_000 },
    );
    if (simulator.state().requests === 0) throw new Error('nothing came over the cable');
    return { map, ...pace };
  } finally {
    await poller.stop();
  }
};

const hasCables = hasSerialCables();
describe
  .skipIf(!hasCables)
  .concurrent(
    `a line of 9600 baud${hasCables ? '' : ' (skipped: needs python3 to make a pair of pseudo terminals)'}`,
    () => {
      it('is read as often as the map requires where it can carry that: 17 neighbours, 4 times a second', async () => {
        const { map } = await readSlowly(neighbours, 4, ({ hz, reachedHz }) => hz > 3.7 && reachedHz === undefined);
        expect(slowLineSentence(map)).toBeUndefined();
      }, 120_000);

      it('is read as fast as possible where the map requires more, and reports it', async () => {
        const { map, hz, reachedHz } = await readSlowly(
          scattered,
          10,
          (pace, of) => pace.hz > atMostOf(of) / 5 && Math.abs((pace.reachedHz ?? 0) - pace.hz) < 2,
        );
        expect(atMostOf(map)).toBeLessThan(10);
        expect(slowLineSentence(map)).toMatch(/at most \d\.\d readings a second of this map, which asks for 10/);
        expect(hz).toBeLessThan(10);
        expect(reachedHz).toBeLessThan(10);
      }, 120_000);
    },
  );
