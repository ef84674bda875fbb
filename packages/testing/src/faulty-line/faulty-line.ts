import type { Link } from '@roastery/contract/machine-map';
import type { Clock } from '@roastery/runtime/clock';
import type { ConversationContext } from '@roastery/simulator/modbus/conversation';
import { faultsShape, isSound, type Faults, type FaultsInput } from '@roastery/simulator/modbus/faults';
import { listenOnLine, listenOnSocket, type ModbusListener } from '@roastery/simulator/modbus/listen';
import { createRandom } from '@roastery/simulator/model/random';
import type { RegisterBank } from '@roastery/simulator/registers/register-bank';
import { laySerialCable, type SerialCable } from '../serial-cable.ts';
import { monoMs } from './stamped-machine.ts';

/** A request as the machine received it, and whether its answer met no fault. */
export interface AskedQuestion {
  readonly at: number;
  /** Unit, function and first address. */
  readonly unit: number;
  readonly code: number;
  readonly start: number;
  readonly isSound: boolean;
}

export interface StampedMachine {
  readonly bank: RegisterBank;
  readonly faults: FaultsInput;
  readonly seed?: number | undefined;
  /** Of the delays. */
  readonly clock?: Clock;
}

/** The registers of a machine, and the requests it received. */
export const createFaultyMachine = ({ bank, faults: first, seed = 1, clock }: StampedMachine) => {
  let faults: Faults = faultsShape.parse(first);
  const asked: AskedQuestion[] = [];
  const context: ConversationContext = {
    bank,
    faults: () => faults,
    random: createRandom(seed),
    ...(clock === undefined ? {} : { clock }),
    onRequest: () => undefined,
    onFate: ({ unit, pdu }, fate) =>
      void asked.push({ at: monoMs(), unit, code: pdu[0] ?? 0, start: pdu.readUInt16BE(1), isSound: isSound(fate) }),
  };
  return { context, asked, setFaults: (next: FaultsInput) => void (faults = faultsShape.parse(next)) };
};

/** A machine at the end of a faulty line, at one address through all cuts. */
export interface FaultyLine extends AsyncDisposable {
  readonly link: Link;
  readonly asked: readonly AskedQuestion[];
  /** The line is dead: its sockets are closed and refused, or its serial adapter is gone. */
  cut(): Promise<void>;
  /** It is back, at the same address. */
  mend(): Promise<void>;
  setFaults(faults: FaultsInput): void;
}

export interface FaultyLineOptions extends StampedMachine {
  readonly kind: Link['kind'];
  /** Name of the serial adapter that the master opens. */
  readonly adapter: string;
  /** How fast a serial line is; default: at once. */
  readonly charactersPerSecond?: number;
}

/** Creates it. Serial lines need `hasSerialCables()`. */
export const layFaultyLine = async (options: FaultyLineOptions): Promise<FaultyLine> => {
  const { kind, adapter } = options;
  const { context, asked, setFaults } = createFaultyMachine(options);
  let port = 0;
  let listener: ModbusListener | undefined;
  let cable: SerialCable | undefined;
  const onLine = (path: string): Extract<Link, { kind: 'rtu' | 'ascii' }> => ({
    kind: kind === 'ascii' ? 'ascii' : 'rtu',
    path,
    baud: 9600,
    dataBits: 8,
    parity: 'none',
    stopBits: 1,
  });
  const mend = async (): Promise<void> => {
    if (kind === 'tcp' || kind === 'rtu-over-tcp') {
      listener = await listenOnSocket(kind, '127.0.0.1', port, context);
      port = listener.port ?? 0;
      return;
    }
    const { charactersPerSecond = 0 } = options;
    cable = await laySerialCable({ names: [adapter, `${adapter}-far`], charactersPerSecond });
    listener = await listenOnLine(onLine(`${adapter}-far`), context);
  };
  const cut = async (): Promise<void> => {
    await listener?.close();
    listener = undefined;
    await cable?.[Symbol.asyncDispose]();
    cable = undefined;
  };
  await mend();
  return {
    link: kind === 'tcp' || kind === 'rtu-over-tcp' ? { kind, host: '127.0.0.1', port } : onLine(adapter),
    asked,
    cut,
    mend,
    setFaults,
    [Symbol.asyncDispose]: cut,
  };
};
