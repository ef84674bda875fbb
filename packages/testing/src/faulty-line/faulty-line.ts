import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { createRandom } from '@roastery/simulator/model/random';
import { SerialPort } from 'serialport';
import { laySerialCable, type SerialCable } from '../serial-cable.ts';

/** Shares of the answers that meet a fault, and what lateness is. */
export interface LineFaults {
  readonly late: number;
  readonly lost: number;
  readonly garbled: number;
  /** The connection is closed in the place of an answer. */
  readonly closed: number;
  /** A late answer comes after so many ms. */
  readonly lateMs: readonly [number, number];
}

/** What became of the answers so far. */
export type FaultCounts = Record<'sound' | 'late' | 'lost' | 'garbled' | 'closed', number>;

export interface FaultyLine extends AsyncDisposable {
  readonly counts: FaultCounts;
  /** The line is dead: its sockets are closed and refused, or its serial adapter is gone. */
  cut(): Promise<void>;
  /** It is there again, at the same address. */
  mend(): Promise<void>;
  setFaults(faults: LineFaults): void;
}

/** How many bytes from its front a fault may bend; a frame's payload is bent only where a checksum stands for it. */
type Bendable = (answer: Buffer) => number;
/** RTU: the CRC covers all. Modbus TCP: transaction, protocol, length, unit, function and byte count; the rest is TCP's to keep. */
const bendable: Record<'tcp' | 'rtu', Bendable> = { rtu: ({ length }) => length, tcp: () => 9 };

/** Stands between master and machine: what the master asks goes through, answers meet their faults. */
const joinFaultily = (
  master: Duplex,
  machine: Duplex,
  faults: () => LineFaults,
  random: ReturnType<typeof createRandom>,
  counts: FaultCounts,
  bend: Bendable,
): (() => void) => {
  const late = new Set<NodeJS.Timeout>();
  const end = (): void => {
    for (const timer of late) clearTimeout(timer);
    master.destroy();
    machine.destroy();
  };
  const send = (answer: Buffer): void => {
    if (master.writable) master.write(answer);
  };
  const meet = (answer: Buffer): void => {
    const now = faults();
    let dice = random.next();
    const isDue = (share: number): boolean => (dice -= share) < 0;
    if (isDue(now.late)) {
      counts.late += 1;
      const timer = setTimeout(
        () => {
          late.delete(timer);
          send(answer);
        },
        random.between(...now.lateMs),
      );
      late.add(timer);
    } else if (isDue(now.lost)) counts.lost += 1;
    else if (isDue(now.garbled)) {
      counts.garbled += 1;
      const bent = Buffer.from(answer);
      const at = Math.floor(random.between(0, Math.min(bend(answer), answer.length)));
      bent[at] = (bent[at] ?? 0) ^ (1 + Math.floor(random.between(0, 255)));
      send(bent);
    } else if (isDue(now.closed)) {
      counts.closed += 1;
      end();
    } else {
      counts.sound += 1;
      send(answer);
    }
  };
  master.on('data', (question: Buffer) => void machine.write(question));
  machine.on('data', meet);
  for (const stream of [master, machine]) stream.on('error', end).on('close', end);
  return end;
};

const noCounts = (): FaultCounts => ({ sound: 0, late: 0, lost: 0, garbled: 0, closed: 0 });

/** A faulty network between a Modbus TCP master and the machine at `machinePort`. `port` stays the same through cuts. */
export const layFaultyNetwork = async (
  machinePort: number,
  initial: LineFaults,
  seed = 1,
): Promise<FaultyLine & { readonly port: number }> => {
  let faults = initial;
  let server: Server | undefined;
  let port = 0;
  const counts = noCounts();
  const random = createRandom(seed);
  const joints = new Set<() => void>();
  const mend = async (): Promise<void> => {
    const listening = createServer({ noDelay: true }, (master) => {
      const machine = createConnection({ host: '127.0.0.1', port: machinePort, noDelay: true });
      const end = joinFaultily(master, machine, () => faults, random, counts, bendable.tcp);
      joints.add(end);
      master.on('close', () => joints.delete(end));
    });
    listening.listen(port, '127.0.0.1');
    await once(listening, 'listening');
    server = listening;
    ({ port } = listening.address() as AddressInfo);
  };
  const cut = async (): Promise<void> => {
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    server = undefined;
    for (const end of joints) end();
    await closed;
  };
  await mend();
  return { port, counts, cut, mend, setFaults: (next) => void (faults = next), [Symbol.asyncDispose]: cut };
};

/**
 * A faulty serial line between an RTU master, which opens `name`, and the machine that speaks RTU over a socket at
 * `machinePort`. A cut takes the adapter away, as pulling its plug does.
 */
export const layFaultySerialLine = async (
  machinePort: number,
  name: string,
  initial: LineFaults,
  seed = 1,
): Promise<FaultyLine> => {
  let faults = initial;
  let cable: SerialCable | undefined;
  let end: (() => void) | undefined;
  const counts = noCounts();
  const random = createRandom(seed);
  const mend = async (): Promise<void> => {
    cable = await laySerialCable({ names: [name, `${name}-far`] });
    const adapter = new SerialPort({ path: `${name}-far`, baudRate: 9600, autoOpen: false });
    await new Promise<void>((resolve, reject) => {
      adapter.open((error) => (error ? reject(error) : resolve()));
    });
    const machine = createConnection({ host: '127.0.0.1', port: machinePort, noDelay: true });
    // It has no socket that could be closed: its cuts are the plug.
    end = joinFaultily(adapter, machine, () => ({ ...faults, closed: 0 }), random, counts, bendable.rtu);
  };
  const cut = async (): Promise<void> => {
    end?.();
    end = undefined;
    await cable?.[Symbol.asyncDispose]();
    cable = undefined;
  };
  await mend();
  return { counts, cut, mend, setFaults: (next) => void (faults = next), [Symbol.asyncDispose]: cut };
};
