import { machineMapShape, type MachineMapInput } from '@roastery/contract/machine-map';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lineMs, slowLineSentence } from '../core/line-pace.ts';
import { startScriptedServer } from '../testing/modbus-server.ts';
import { openLine, type OpenLine } from './line-port.ts';
import { startPoller } from './poller.ts';

/** 9600 baud, 8N1: ten bits a character. */
const characterMs = 1000 / 960;
const neighbours = Object.fromEntries(
  Array.from({ length: 16 }, (_, index) => [`t${index}`, { at: `h:${index + 1}` }]),
);
const scattered = Object.fromEntries(
  Array.from({ length: 7 }, (_, index) => [`t${index}`, { at: `h:${100 * (index + 1)}` }]),
);

/** Reads a machine at the end of a cable of 9600 baud for a minute. */
const readSlowly = async (channels: MachineMapInput['channels'], hz: number) => {
  const clock = createVirtualClock();
  const server = await startScriptedServer(
    'rtu',
    () => ({}),
    (address) => address,
    clock,
  );
  /** A line carries one character after the other. */
  const open: OpenLine = async (_link, deadlineMs, listener) => {
    const socket = { kind: 'rtu-over-tcp', host: '127.0.0.1', port: server.port } as const;
    const carry = (bytes: Buffer, arrive: (bytes: Buffer) => void): void =>
      void clock.after(bytes.length * characterMs, () => arrive(bytes));
    const port = await openLine(
      socket,
      deadlineMs,
      { ...listener, data: (bytes) => carry(bytes, (arrived) => listener.data(arrived)) },
      clock,
    );
    return { ...port, write: (bytes) => carry(bytes, (arrived) => port.write(arrived)) };
  };
  const map = machineMapShape.parse({
    v: 1,
    id: 'test',
    maker: 'T',
    model: 'T',
    hz,
    link: { kind: 'rtu', path: '/dev/ttyUSB0', baud: 9600 },
    channels: { bean_temp: { at: 'h:0', scale: 0.1 }, ...channels },
  });
  let readings = 0;
  const poller = startPoller({
    map,
    clock,
    reading: () => void (readings += 1),
    linkChanged: () => undefined,
    openLine: open,
  });
  onTestFinished(() => server.hangUp());
  await clock.advance(60_000);
  const { reachedHz } = poller.link();
  await clock.run(poller.stop());
  return { map, hz: readings / 60, reachedHz };
};

describe('a line of 9600 baud', () => {
  it('is read as often as the map requires where it can carry that: 17 neighbours, 4 times a second', async () => {
    const { map, hz, reachedHz } = await readSlowly(neighbours, 4);
    expect(hz).toBeGreaterThan(3.9);
    expect(reachedHz).toBeUndefined();
    expect(slowLineSentence(map)).toBeUndefined();
  });

  it('is read as fast as possible where the map requires more, and reports it', async () => {
    const { map, hz, reachedHz } = await readSlowly(scattered, 10);
    /** Readings a second that the line carries if no neighbours are read. */
    const atMostHz = 1000 / (lineMs(map) ?? Number.NaN);
    expect(atMostHz).toBeLessThan(10);
    expect(hz).toBeGreaterThan(atMostHz / 3);
    expect(hz).toBeLessThan(atMostHz);
    expect(slowLineSentence(map)).toMatch(/at most \d\.\d readings a second of this map, which asks for 10/);
    expect(Math.abs((reachedHz ?? 0) - hz)).toBeLessThan(0.5);
  });
});
