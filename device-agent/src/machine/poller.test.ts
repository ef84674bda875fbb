import { machineMapShape } from '@roastery/contract/machine-map';
import { createVirtualClock, type VirtualClock } from '@roastery/testing/virtual-clock';
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../testing/modbus-server.ts';
import { startPoller, type DroppedReading, type PollerParts } from './poller.ts';

/** A machine whose first register counts its answers, and a poller of it. */
const startReading = async (
  clock: VirtualClock,
  hz: number,
  parts: Pick<PollerParts, 'reading' | 'dropped'>,
  answered: (number: number) => void = () => undefined,
) => {
  let number = 0;
  const count = (): object => {
    answered((number += 1));
    return {};
  };
  const server = await startScriptedServer('tcp', count, (address) => (address === 0 ? number : 1850), clock);
  const map = machineMapShape.parse({
    v: 1,
    id: 'test',
    maker: 'T',
    model: 'T',
    hz,
    link: { kind: 'tcp', host: '127.0.0.1', port: server.port },
    channels: { answer: { at: 'i:0', unit: '%' }, bean_temp: { at: 'i:1', scale: 0.1 } },
  });
  const poller = startPoller({ ...parts, map, linkChanged: () => undefined, clock });
  onTestFinished(async () => {
    await clock.run(poller.stop());
    await server.hangUp();
  });
  return poller;
};

it('poller: reports each reading that becomes no sample, with the duration of its answer', async () => {
  const clock = createVirtualClock();
  const answers: { number: number; monoMs: number }[] = [];
  const samples = new Set<number | null | undefined>();
  const dropped: DroppedReading[] = [];
  const poller = await startReading(
    clock,
    10,
    { reading: ({ values }) => void samples.add(values[0]), dropped: (reading) => void dropped.push(reading) },
    (number) => {
      answers.push({ number, monoMs: clock.monotonic() });
      // The process is not scheduled while an answer is in transit.
      if (number % 4 === 0) clock.stall(500);
    },
  );
  await clock.advance(10_000);
  await clock.run(poller.stop());
  expect(samples.size).toBeGreaterThan(30);
  expect(dropped.length).toBeGreaterThan(10);
  const unnamed = answers.filter(
    ({ number, monoMs }) => !samples.has(number) && !dropped.some(({ from, to }) => monoMs >= from && monoMs <= to),
  );
  expect(unnamed).toEqual([]);
  expect(dropped.every(({ reason }) => reason !== '')).toBe(true);
});

it('poller: a reading that begins late delays the next one', async () => {
  const clock = createVirtualClock();
  const monos: number[] = [];
  await startReading(clock, 4, {
    reading({ mono }) {
      monos.push(mono);
      // The process is not scheduled until shortly before the reading after the next one is due.
      if (monos.length % 2 === 1) clock.after(20, () => clock.stall(440));
    },
  });
  await clock.advance(6000);
  const gaps = monos.slice(1).map((mono, index) => mono - (monos[index] ?? mono));
  expect(gaps.length).toBeGreaterThan(10);
  expect(Math.min(...gaps)).toBeGreaterThan(80);
});
