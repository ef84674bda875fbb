import { machineMapShape, type MachineMapInput } from '@roastery/contract/machine-map';
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

/** Reads a simulated machine at the end of a cable of 9600 baud, until so many readings are in. */
const readSlowly = async (channels: MachineMapInput['channels'], hz: number, readings: number) => {
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
    await until('the readings', () => monos.length >= readings, { timeoutMs: 30_000 });
    const tookMs = (monos.at(-1) ?? 0) - (monos[0] ?? 0);
    if (simulator.state().requests === 0) throw new Error('nothing came over the cable');
    return { map, hz: ((monos.length - 1) * 1000) / tookMs, reachedHz: poller.link().reachedHz };
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
      it('is read as often as the map asks where it can carry that: 17 neighbours, 4 times a second', async () => {
        const { map, hz, reachedHz } = await readSlowly(neighbours, 4, 25);
        expect(slowLineSentence(map)).toBeUndefined();
        expect(reachedHz).toBeUndefined();
        expect(hz).toBeGreaterThan(3.7);
      });

      it('is read as fast as it can where the map asks for more, and says so', async () => {
        const { map, hz, reachedHz } = await readSlowly(scattered, 10, 25);
        const atMost = 1000 / (lineMs(map) ?? Number.NaN);
        expect(atMost).toBeLessThan(10);
        expect(slowLineSentence(map)).toMatch(/at most \d\.\d readings a second of this map, which asks for 10/);
        expect(hz).toBeLessThan(10);
        // A third of what the wire could carry if the machine answered at once and no neighbours were read along.
        expect(hz).toBeGreaterThan(atMost / 3);
        expect(reachedHz).toBeLessThan(10);
        expect(Math.abs((reachedHz ?? 0) - hz)).toBeLessThan(2);
      });
    },
  );
