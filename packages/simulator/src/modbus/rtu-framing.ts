import { cutShort, garble, type FramedRequest, type Framing } from './framing.ts';

/** CRC-16/MODBUS: polynomial 0xA001 reflected, start 0xFFFF, low byte first on the line (Serial Line V1.02, 6.2.2). */
export const crc16 = (bytes: Buffer): number => {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
};

/**
 * Length of a request with its CRC, from its first bytes; undefined while they are too few, or for unknown functions.
 */
const requestLength = (bytes: Buffer): number | undefined => {
  const code = bytes[1];
  if (code === undefined) return undefined;
  if (code >= 1 && code <= 6) return 8;
  const count = bytes[6];
  if (code === 15 || code === 16) return count === undefined ? undefined : 9 + count;
  return undefined;
};

/** A parsed frame; undefined when its CRC is wrong. */
const checkedRequest = (frame: Buffer): FramedRequest | undefined => {
  if (frame.length < 4 || frame.readUInt16LE(frame.length - 2) !== crc16(frame.subarray(0, -2))) return undefined;
  return { unit: frame[0] ?? 0, pdu: Buffer.from(frame.subarray(1, -2)), transaction: 0 };
};

/**
 * Modbus RTU. The standard ends a frame by 3.5 characters of silence, which sockets and pseudo terminals do not keep,
 * so requests are distinguished by their length; bytes older than `staleMs` that form no request are discarded as
 * noise.
 */
export const createRtuFraming = (staleMs = 40, now: () => number = () => performance.now()): Framing => {
  let pending = Buffer.alloc(0);
  let lastAt = Number.NEGATIVE_INFINITY;
  return {
    answersForMissingUnits: false,
    take(bytes) {
      const time = now();
      pending = time - lastAt > staleMs ? Buffer.from(bytes) : Buffer.concat([pending, bytes]);
      lastAt = time;
      const requests: FramedRequest[] = [];
      while (pending.length >= 4) {
        const known = requestLength(pending);
        const code = pending[1] ?? 0;
        if (known === undefined && (code === 15 || code === 16)) break;
        if (known !== undefined && pending.length < known) break;
        const complete = checkedRequest(pending.subarray(0, known ?? pending.length));
        if (complete === undefined) {
          // Wrong CRC: a slave does not answer. An unknown function may still be incomplete; the stale rule ends it.
          if (known !== undefined) pending = Buffer.alloc(0);
          break;
        }
        requests.push(complete);
        pending = pending.subarray(known ?? pending.length);
      }
      return requests;
    },
    frame({ unit }, answer, damage) {
      const body = Buffer.concat([Buffer.from([unit]), answer]);
      const check = Buffer.alloc(2);
      check.writeUInt16LE(crc16(body) ^ (damage === 'wrong_check' || damage === 'wrong_transaction' ? 0x0f0f : 0));
      const frame = Buffer.concat([damage === 'garbled' ? garble(body) : body, check]);
      if (damage === 'wrong_length') return Buffer.concat([frame, Buffer.from([0, 0, 0])]);
      return damage === 'cut_short' ? cutShort(frame) : frame;
    },
  };
};
