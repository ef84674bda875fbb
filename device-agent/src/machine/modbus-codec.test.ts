import { describe, expect, it } from 'vitest';
import { createModbusCodec } from './modbus-codec.ts';

const holding = { unit: 3, code: 3, start: 0x0102, count: 2 };

describe('modbus codec', () => {
  it.each([1, 2, 3, 4])('encodes a request of function %i with unit, address, count and CRC', (code) => {
    const frame = createModbusCodec().encode({ ...holding, code });
    expect(frame.subarray(0, -2)).toEqual(Buffer.from([3, code, 1, 2, 0, 2]));
    expect(frame).toHaveLength(8);
  });

  it('decodes registers, the requested number of bits, and exceptions', () => {
    const codec = createModbusCodec();
    codec.encode(holding);
    const answer = { unit: 3, code: 3, data: Buffer.from([0xff, 0xff, 0, 7]), transaction: 0 };
    expect(codec.decode(answer)).toEqual({ words: [65_535, 7] });
    codec.encode({ ...holding, code: 2, count: 10 });
    expect(codec.decode({ ...answer, code: 2, data: Buffer.from([0b101, 0b10]) })).toEqual({
      words: [1, 0, 1, 0, 0, 0, 0, 0, 0, 1],
    });
    codec.encode(holding);
    expect(codec.decode({ ...answer, code: 0x83, data: Buffer.from([2]) })).toEqual({ exception: 2 });
  });

  it('refuses another unit, function or length', () => {
    const good = { unit: 3, code: 3, data: Buffer.from([0, 1, 0, 2]), transaction: 0 };
    for (const bad of [
      { unit: 4 },
      { code: 4 },
      { data: Buffer.from([0, 1]) },
      { unit: -1, code: 0, data: Buffer.alloc(0) },
    ]) {
      const codec = createModbusCodec();
      codec.encode(holding);
      expect(codec.decode({ ...good, ...bad }), JSON.stringify(bad)).toHaveProperty('failed');
    }
  });
});
