import type { RegisterTable } from '@roastery/contract/machine-map';
import {
  illegalDataAddress,
  illegalDataValue,
  illegalFunction,
  ModbusException,
  type RegisterBank,
} from '../registers/register-bank.ts';

/** Limits of the Modbus application protocol, V1.1b3, section 6. */
const maxReadRegisters = 125;
const maxReadBits = 2000;
const maxWriteRegisters = 123;
const maxWriteBits = 1968;

const readTables: Partial<Record<number, RegisterTable>> = { 1: 'coil', 2: 'discrete', 3: 'holding', 4: 'input' };

/** Functions 1 to 6, 15 and 16 on the bank. The answer is a PDU: function and data, or an exception. */
export const answerRequest = (bank: RegisterBank, unit: number, request: Buffer): Buffer => {
  const code = request[0] ?? 0;
  try {
    return carryOut(bank, unit, code, request);
  } catch (error) {
    if (error instanceof ModbusException) return exceptionAnswer(code, error.code);
    throw error;
  }
};

export const exceptionAnswer = (functionCode: number, exception: number): Buffer =>
  Buffer.from([functionCode | 0x80, exception]);

const carryOut = (bank: RegisterBank, unit: number, code: number, request: Buffer): Buffer => {
  const table = readTables[code];
  if (table === undefined && code !== 5 && code !== 6 && code !== 15 && code !== 16) {
    throw new ModbusException(illegalFunction);
  }
  if (request.length < 5) throw new ModbusException(illegalDataValue);
  const address = request.readUInt16BE(1);
  const second = request.readUInt16BE(3);
  if (table !== undefined) return readFrom(bank, unit, code, table, address, second);
  if (code === 5) {
    if (second !== 0 && second !== 0xff00) throw new ModbusException(illegalDataValue);
    bank.write(unit, 'coil', address, [second === 0 ? 0 : 1]);
    return request.subarray(0, 5);
  }
  if (code === 6) {
    bank.write(unit, 'holding', address, [second]);
    return request.subarray(0, 5);
  }
  writeMany(bank, unit, code, address, second, request.subarray(5));
  return request.subarray(0, 5);
};

const readFrom = (
  bank: RegisterBank,
  unit: number,
  code: number,
  table: RegisterTable,
  address: number,
  count: number,
): Buffer => {
  const bits = table === 'coil' || table === 'discrete';
  if (count < 1 || count > (bits ? maxReadBits : maxReadRegisters)) throw new ModbusException(illegalDataValue);
  if (address + count > 0x1_0000) throw new ModbusException(illegalDataAddress);
  const words = bank.read(unit, table, address, count);
  const data = bits ? packBits(words) : Buffer.alloc(count * 2);
  if (!bits) for (const [index, word] of words.entries()) data.writeUInt16BE(word, index * 2);
  return Buffer.concat([Buffer.from([code, data.length]), data]);
};

const writeMany = (bank: RegisterBank, unit: number, code: number, address: number, count: number, rest: Buffer) => {
  const bits = code === 15;
  const bytes = bits ? Math.ceil(count / 8) : count * 2;
  const fits = count >= 1 && count <= (bits ? maxWriteBits : maxWriteRegisters);
  if (!fits || rest[0] !== bytes || rest.length < 1 + bytes) throw new ModbusException(illegalDataValue);
  if (address + count > 0x1_0000) throw new ModbusException(illegalDataAddress);
  const data = rest.subarray(1);
  const words = Array.from({ length: count }, (_, index) =>
    bits ? ((data[index >> 3] ?? 0) >> (index & 7)) & 1 : data.readUInt16BE(index * 2),
  );
  bank.write(unit, bits ? 'coil' : 'holding', address, words);
};

/** Eight bits per byte, the lowest address in the lowest bit. */
const packBits = (bits: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8));
  for (const [index, bit] of bits.entries())
    if (bit !== 0) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7));
  return bytes;
};
