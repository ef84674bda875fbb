import { machineMapShape } from '@roastery/contract/machine-map';
import { requestNumber, startSimulator, type AnsweredRead } from '@roastery/simulator/simulator';
import { until } from '@roastery/testing/until';
import { expect, it } from 'vitest';
import { startPoller, type DroppedReading } from './poller.ts';

const mapAt = (port: number) =>
  machineMapShape.parse({
    v: 1,
    id: 'test',
    maker: 'T',
    model: 'T',
    hz: 10,
    link: { kind: 'tcp', host: '127.0.0.1', port },
    channels: { [requestNumber]: { at: 'i:0', unit: '%' }, bean_temp: { at: 'i:1', scale: 0.1 } },
  });
const busyMs = 500;
const busyFor = (ms: number): void => {
  for (const from = performance.now(); performance.now() - from < ms;);
};

it('poller: reports each reading that becomes no sample, with the duration of its answer', async () => {
  const answers: { number: number; monoMs: number }[] = [];
  const onAnswer = ({ words: [number = 0], monoMs }: AnsweredRead): void => {
    answers.push({ number, monoMs });
    // The process is not scheduled while an answer is in transit.
    if (answers.length % 4 === 0) busyFor(busyMs);
  };
  await using simulator = await startSimulator({ map: mapAt(5020), port: 0, onAnswer });
  const samples = new Set<number | null | undefined>();
  const dropped: DroppedReading[] = [];
  const poller = startPoller({
    map: mapAt(simulator.port ?? 0),
    monoNow: () => Number(process.hrtime.bigint()) / 1e6,
    reading: ({ values }) => void samples.add(values[0]),
    dropped: (reading) => void dropped.push(reading),
    linkChanged: () => undefined,
  });
  const wereBoth = () => samples.size >= 8 && dropped.length >= 3;
  try {
    await until('samples and dropped readings', wereBoth, { timeoutMs: 60_000 });
  } finally {
    await poller.stop();
  }
  const unnamed = answers.filter(
    ({ number, monoMs }) => !samples.has(number) && !dropped.some(({ from, to }) => monoMs >= from && monoMs <= to),
  );
  expect(unnamed).toEqual([]);
  expect(dropped.every(({ reason }) => reason !== '')).toBe(true);
});

it('poller: a reading that begins late delays the next one', async () => {
  await using simulator = await startSimulator({ map: mapAt(5020), port: 0 });
  const map = machineMapShape.parse({ ...mapAt(simulator.port ?? 0), hz: 4 });
  const monos: number[] = [];
  const poller = startPoller({
    map,
    monoNow: () => performance.now(),
    reading({ mono }) {
      monos.push(mono);
      // The process is not scheduled until shortly before the reading after the next one is due.
      if (monos.length % 2 === 1) setTimeout(() => busyFor(440), 20);
    },
    linkChanged: () => undefined,
  });
  try {
    await until('readings', () => Promise.resolve(monos.length >= 8), { timeoutMs: 60_000 });
  } finally {
    await poller.stop();
  }
  const gaps = monos.slice(1).map((mono, index) => mono - (monos[index] ?? mono));
  expect(Math.min(...gaps)).toBeGreaterThan(80);
});
