import type { RegisterTable } from '@roastery/contract/machine-map';
import { illegalDataAddress, ModbusException, type RegisterBank } from '@roastery/simulator/registers/register-bank';

/**
 * A machine whose every register contains its address and the time of reading: six bits of address, ten bits of
 * hundredths of a second. A value of another register, or of an earlier request, is recognised.
 */

/** The index of a register among 64; undefined where the machine has none. */
export type TagOf = (unit: number, table: RegisterTable, address: number) => number | undefined;

/** Units 1 and 2, holding and input registers, addresses 0 to 15. */
export const tagInTables: TagOf = (unit, table, address) =>
  unit > 2 ? undefined : (((unit - 1) & 1) << 5) | ((table === 'input' ? 1 : 0) << 4) | (address & 15);
/** Holding registers 0 to 63 of unit 1, and no others. */
export const tagInRow: TagOf = (unit, table, address) =>
  unit === 1 && table === 'holding' && address < 64 ? address : undefined;

/** ms of CLOCK_MONOTONIC, the clock that the agent's journal has. */
export const monoMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

const stampMs = 10;
const stamps = 1024;
/** The registers of a steady machine change one after the other, so that some answers are new and others are not. */
const phaseMs = 370;
const stampedWord = (tag: number, steadyMs: number): number => {
  const changedAt = monoMs() - ((monoMs() + tag * phaseMs) % steadyMs);
  return (tag << 10) | (Math.floor(Math.max(0, changedAt) / stampMs) % stamps);
};

export interface Stamp {
  readonly tag: number;
  /** When the word was created, `monoMs`; the time nearest to `mono`. */
  near(mono: number): number;
  /** How far from `monoMs` the word was created, ms; modulo 10 s, after which stamps repeat. */
  awayMs(mono: number): number;
  readonly ticks: number;
}

/** Decodes a register's word. */
export const readStamp = (word: number): Stamp => {
  const ticks = word & (stamps - 1);
  const near = (mono: number): number => {
    const ahead = (((ticks - mono / stampMs) % stamps) + stamps) % stamps;
    return mono + (ahead > stamps / 2 ? ahead - stamps : ahead) * stampMs;
  };
  return {
    tag: word >> 10,
    ticks,
    near,
    awayMs: (mono) => Math.abs(near(mono) - mono),
  };
};

const readOnly = (): never => {
  throw new Error('a stamped machine takes no writes');
};

/** @param steadyMs how long each word stays the same */
export const createStampedBank = (tagOf: TagOf, steadyMs = stampMs): RegisterBank => {
  const wordAt = (unit: number, table: RegisterTable, address: number): number => {
    // Bits have no room for a stamp: they are set where the address is odd.
    if (table === 'coil' || table === 'discrete') return address % 2;
    const tag = tagOf(unit, table, address);
    if (tag === undefined) throw new ModbusException(illegalDataAddress);
    return stampedWord(tag, steadyMs);
  };
  return {
    hasUnit: (unit) => tagOf(unit, 'holding', 0) !== undefined,
    read: (unit, table, address, count) =>
      Array.from({ length: count }, (_, index) => wordAt(unit, table, address + index)),
    get: wordAt,
    write: readOnly,
    set: readOnly,
    setBit: readOnly,
    allowWrite: readOnly,
    onWrite: readOnly,
  };
};
