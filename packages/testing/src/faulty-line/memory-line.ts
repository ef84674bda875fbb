import { Duplex } from 'node:stream';
import type { Link } from '@roastery/contract/machine-map';
import { LinkError, type OpenLine } from '@roastery/device-agent/machine/line-port';
import { createAsciiFraming } from '@roastery/simulator/modbus/ascii-framing';
import { converse, type ConversationContext } from '@roastery/simulator/modbus/conversation';
import { createMbapFraming } from '@roastery/simulator/modbus/mbap-framing';
import { createRtuFraming } from '@roastery/simulator/modbus/rtu-framing';
import { createRandom } from '@roastery/simulator/model/random';

const framings: Record<Link['kind'], () => ReturnType<typeof createRtuFraming>> = {
  tcp: createMbapFraming,
  'rtu-over-tcp': () => createRtuFraming(),
  rtu: () => createRtuFraming(),
  ascii: createAsciiFraming,
};
/** This share of pieces arrives in two parts, the second one this much later. */
const splitShare = 0.1;
const splitMs = 1;

/** The delay of a request on a busy processor or network. */
export interface HeldUp {
  readonly share: number;
  readonly ms: readonly [number, number];
}

export interface MemoryLine {
  readonly kind: Link['kind'];
  /** The registers of the machine at its end. */
  readonly context: ConversationContext;
  /** From one end to the other. */
  readonly travelMs: number;
  readonly seed: number;
  readonly heldUp?: HeldUp | undefined;
  /** Cuts and restores the line; without it the line is never cut. */
  readonly cutter?: LineCutter | undefined;
}

export type LineCutter = ReturnType<typeof createLineCutter>;

/** A line that can be cut: its connection breaks, and no other can be opened until it is restored. */
export const createLineCutter = () => {
  const broken = new Set<() => void>();
  let isCut = false;
  return {
    isCut: (): boolean => isCut,
    onCut: (work: () => void): void => void broken.add(work),
    cut(): void {
      isCut = true;
      for (const work of broken) work();
      broken.clear();
    },
    mend: (): void => void (isCut = false),
  };
};

/**
 * A line between the agent and a simulated machine within this process, so that it can be read in virtual time. Bytes
 * take their time, arrive in order, and some of them in two parts.
 */
export const layMemoryLine = ({ kind, context, travelMs, seed, heldUp, cutter }: MemoryLine): OpenLine => {
  const random = createRandom(seed);
  return (_link, _deadlineMs, listener) => {
    if (cutter?.isCut()) return Promise.reject(new LinkError('the line is cut'));
    let isOpen = true;
    /** One direction. */
    const carry = (arrive: (bytes: Buffer) => void, late?: HeldUp) => {
      let freeAt = 0;
      const deliver = (bytes: Buffer, extraMs: number): void => {
        freeAt = Math.max(freeAt, performance.now() + travelMs + extraMs);
        setTimeout(() => {
          if (isOpen) arrive(bytes);
        }, freeAt - performance.now());
      };
      return (bytes: Buffer): void => {
        const cut = random.chance(splitShare) ? Math.floor(random.between(1, bytes.length)) : bytes.length;
        deliver(bytes.subarray(0, cut), late && random.chance(late.share) ? Math.round(random.between(...late.ms)) : 0);
        if (cut < bytes.length) deliver(bytes.subarray(cut), splitMs);
      };
    };
    const toMaster = carry((bytes) => listener.data(bytes));
    const machine = new Duplex({
      read: () => undefined,
      write(bytes: Buffer, _encoding, done) {
        toMaster(bytes);
        done();
      },
    });
    const toMachine = carry((bytes) => void machine.push(bytes), heldUp);
    machine.once('close', () => {
      if (!isOpen) return;
      isOpen = false;
      listener.closed();
    });
    cutter?.onCut(() => machine.destroy());
    converse(machine, framings[kind](), context);
    return Promise.resolve({
      write: toMachine,
      close() {
        isOpen = false;
        machine.destroy();
      },
    });
  };
};
