import type { RegisterTable } from '@roastery/contract/machine-map';
import { noFaults } from '@roastery/simulator/modbus/faults';
import { listenOnSocket } from '@roastery/simulator/modbus/listen';
import { createRandom } from '@roastery/simulator/model/random';
import type { RegisterBank } from '@roastery/simulator/registers/register-bank';

/**
 * A machine whose every register says where it is and when it was read: six bits of place, ten bits of hundredths of a
 * second. A value that belongs to another register, or to an earlier question, gives itself away.
 */

/** Units 1 and 2, holding and input registers, addresses 0 to 15: 64 places, each with its own tag. */
export const placeTag = (unit: number, table: RegisterTable, address: number): number =>
  (((unit - 1) & 1) << 5) | ((table === 'input' ? 1 : 0) << 4) | (address & 15);

/** ms of CLOCK_MONOTONIC, the clock that the agent's journal has. */
export const monoMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

const stampMs = 10;
const stamps = 1024;
const stampedWord = (tag: number): number => (tag << 10) | (Math.floor(monoMs() / stampMs) % stamps);

export interface Stamp {
  readonly tag: number;
  /** How far from `monoMs` the word was made, ms; the shorter way round, since stamps begin anew after 10 s. */
  awayMs(mono: number): number;
  readonly ticks: number;
}

/** Takes a register's word apart. */
export const readStamp = (word: number): Stamp => {
  const ticks = word & (stamps - 1);
  return {
    tag: word >> 10,
    ticks,
    awayMs(mono) {
      const ahead = (((ticks - mono / stampMs) % stamps) + stamps) % stamps;
      return Math.min(ahead, stamps - ahead) * stampMs;
    },
  };
};

const readOnly = (): never => {
  throw new Error('a stamped machine takes no writes');
};
const stampedBank: RegisterBank = {
  hasUnit: (unit) => unit === 1 || unit === 2,
  read: (unit, table, address, count) =>
    Array.from({ length: count }, (_, index) =>
      // Bits have no room for a stamp: they are up where the address is odd.
      table === 'coil' || table === 'discrete'
        ? (address + index) % 2
        : stampedWord(placeTag(unit, table, address + index)),
    ),
  get: (unit, table, address) => stampedWord(placeTag(unit, table, address)),
  write: readOnly,
  set: readOnly,
  setBit: readOnly,
  allowWrite: readOnly,
  onWrite: readOnly,
};

/** Starts it on a port of its own; `rtu-over-tcp` is what the far end of a serial line speaks. */
export const startStampedMachine = (kind: 'tcp' | 'rtu-over-tcp') =>
  listenOnSocket(kind, '127.0.0.1', 0, {
    bank: stampedBank,
    faults: () => noFaults,
    random: createRandom(1),
    onRequest: () => undefined,
  });
