import type { RegisterTable } from '@roastery/contract/machine-map';

/** Exception codes of the Modbus application protocol, V1.1b3, section 7. */
export const illegalFunction = 1;
export const illegalDataAddress = 2;
export const illegalDataValue = 3;
export const gatewayTargetFailed = 11;

export class ModbusException extends Error {
  override readonly name = 'ModbusException';
  readonly code: number;
  constructor(code: number) {
    super(`Modbus exception ${code}`);
    this.code = code;
  }
}

/** The answer for addresses between the known ones: zero, as most PLCs do, or exception 2. */
export type HolePolicy = 'zero' | 'refuse';

type Table = Map<number, number>;
export type WriteListener = (unit: number, table: RegisterTable, address: number, words: readonly number[]) => void;

/** Registers, coils and discrete inputs of one or more units. */
export interface RegisterBank {
  hasUnit(unit: number): boolean;
  /** 16-bit words, or 0 and 1 for coils and discrete inputs. Throws exception 2 outside the machine's addresses. */
  read(unit: number, table: RegisterTable, address: number, count: number): number[];
  /** A write request; calls the listener. Throws exception 2 unless every address is writable. */
  write(unit: number, table: RegisterTable, address: number, words: readonly number[]): void;
  /** The machine itself sets a word. */
  set(unit: number, table: RegisterTable, address: number, word: number): void;
  /** The machine itself sets one bit of a register. */
  setBit(unit: number, table: RegisterTable, address: number, bit: number, on: boolean): void;
  get(unit: number, table: RegisterTable, address: number): number;
  allowWrite(unit: number, table: RegisterTable, address: number, words: number): void;
  onWrite(listener: WriteListener): void;
}

const key = (unit: number, table: RegisterTable, address: number): string => `${unit}/${table}/${address}`;

export const createRegisterBank = (holes: HolePolicy = 'zero'): RegisterBank => {
  const units = new Map<number, Map<RegisterTable, Table>>();
  const writable = new Set<string>();
  let listener: WriteListener | undefined;
  const tableOf = (unit: number, table: RegisterTable): Table => {
    const tables = units.get(unit) ?? new Map<RegisterTable, Table>();
    units.set(unit, tables);
    const words = tables.get(table) ?? new Map<number, number>();
    tables.set(table, words);
    return words;
  };

  return {
    hasUnit: (unit) => units.has(unit),
    read(unit, table, address, count) {
      const words = units.get(unit)?.get(table);
      if (words === undefined) throw new ModbusException(illegalDataAddress);
      const last = address + count - 1;
      if (holes === 'zero') {
        const known = [...words.keys()];
        if (address < Math.min(...known) || last > Math.max(...known)) throw new ModbusException(illegalDataAddress);
      }
      return Array.from({ length: count }, (_, index) => {
        const word = words.get(address + index);
        if (word === undefined && holes === 'refuse') throw new ModbusException(illegalDataAddress);
        return word ?? 0;
      });
    },
    write(unit, table, address, words) {
      if (words.some((_, index) => !writable.has(key(unit, table, address + index)))) {
        throw new ModbusException(illegalDataAddress);
      }
      for (const [index, word] of words.entries()) tableOf(unit, table).set(address + index, word);
      listener?.(unit, table, address, words);
    },
    set(unit, table, address, word) {
      tableOf(unit, table).set(address, word);
    },
    setBit(unit, table, address, bit, on) {
      const words = tableOf(unit, table);
      const word = words.get(address) ?? 0;
      words.set(address, on ? word | (1 << bit) : word & ~(1 << bit));
    },
    get: (unit, table, address) => units.get(unit)?.get(table)?.get(address) ?? 0,
    allowWrite(unit, table, address, words) {
      for (let index = 0; index < words; index++) {
        writable.add(key(unit, table, address + index));
        const cells = tableOf(unit, table);
        if (!cells.has(address + index)) cells.set(address + index, 0);
      }
    },
    onWrite(next) {
      listener = next;
    },
  };
};
