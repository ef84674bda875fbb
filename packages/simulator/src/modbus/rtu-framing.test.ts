import { describe, expect, it } from 'vitest';
import { createAsciiFraming, lrc } from './ascii-framing.ts';
import { crc16, createRtuFraming } from './rtu-framing.ts';

const framed = (...bytes: number[]): Buffer => {
  const body = Buffer.from(bytes);
  const check = Buffer.alloc(2);
  check.writeUInt16LE(crc16(body));
  return Buffer.concat([body, check]);
};

describe('RTU frames', () => {
  it('have the checksum of the published example', () => {
    // "123456789" → 0x4B37: the catalogue value of CRC-16/MODBUS.
    expect(crc16(Buffer.from('123456789'))).toBe(0x4b37);
  });
  it('are assembled from pieces, and separated when they arrive in one', () => {
    const framing = createRtuFraming(40, () => 0);
    const read = framed(1, 3, 0, 0, 0, 2);
    const write = framed(1, 16, 0, 5, 0, 1, 2, 0, 7);
    const both = Buffer.concat([read, write]);
    expect(framing.take(both.subarray(0, 3))).toEqual([]);
    expect(framing.take(both.subarray(3)).map((request) => request.pdu[0])).toEqual([3, 16]);
  });
  it('with a wrong checksum are not answered, but the next one is', () => {
    const framing = createRtuFraming(40, () => 0);
    const wrong = framed(1, 3, 0, 0, 0, 2);
    wrong[7] = (wrong[7] ?? 0) ^ 1;
    expect(framing.take(wrong)).toEqual([]);
    expect(framing.take(framed(1, 3, 0, 0, 0, 2))).toHaveLength(1);
  });
  it('are found again after noise and a silence', () => {
    let now = 0;
    const framing = createRtuFraming(40, () => now);
    expect(framing.take(Buffer.from([0xff, 0x03, 0x55]))).toEqual([]);
    now = 100;
    expect(framing.take(framed(9, 4, 0, 1, 0, 1))).toHaveLength(1);
  });
  it('of an unknown function are returned, so that they can be refused', () => {
    expect(createRtuFraming().take(framed(1, 43, 14, 1, 0))[0]?.pdu[0]).toBe(43);
  });
});

describe('ASCII frames', () => {
  it('have the longitudinal checksum of the published example', () => {
    // Serial Line V1.02: the sum of all bytes and the check is 0 modulo 256.
    const body = Buffer.from([1, 3, 0, 0, 0, 10]);
    expect((body.reduce((sum, byte) => sum + byte, 0) + lrc(body)) % 256).toBe(0);
  });
  it('are read piece by piece, and refused with a wrong checksum', () => {
    const framing = createAsciiFraming();
    expect(framing.take(Buffer.from(':0103'))).toEqual([]);
    expect(framing.take(Buffer.from('0000000AF2\r\n'))[0]?.unit).toBe(1);
    expect(framing.take(Buffer.from(':01030000000AF3\r\n'))).toEqual([]);
  });
});
