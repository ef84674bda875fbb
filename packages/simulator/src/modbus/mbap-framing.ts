import { cutShort, garble, UnreadableStream, type FramedRequest, type Framing } from './framing.ts';

/** Modbus TCP: transaction id, protocol 0, length, unit, then the PDU (Modbus Messaging on TCP/IP V1.0b). */
export const createMbapFraming = (): Framing => {
  let pending = Buffer.alloc(0);
  return {
    answersForMissingUnits: true,
    take(bytes) {
      pending = Buffer.concat([pending, bytes]);
      const requests: FramedRequest[] = [];
      while (pending.length >= 7) {
        const length = pending.readUInt16BE(4);
        if (pending.readUInt16BE(2) !== 0 || length < 2 || length > 254) {
          throw new UnreadableStream('not a Modbus TCP header');
        }
        if (pending.length < 6 + length) break;
        requests.push({
          transaction: pending.readUInt16BE(0),
          unit: pending[6] ?? 0,
          pdu: Buffer.from(pending.subarray(7, 6 + length)),
        });
        pending = pending.subarray(6 + length);
      }
      return requests;
    },
    frame({ transaction, unit }, answer, damage) {
      const header = Buffer.alloc(7);
      header.writeUInt16BE(damage === 'wrong_transaction' ? (transaction + 1) & 0xffff : transaction, 0);
      header.writeUInt16BE(answer.length + 1 + (damage === 'wrong_length' ? 3 : 0), 4);
      header[6] = unit;
      // TCP has no checksum of its own: a wrong one is simulated by data that was not requested.
      const data = damage === 'garbled' || damage === 'wrong_check' ? garble(answer) : answer;
      const frame = Buffer.concat([header, data]);
      return damage === 'cut_short' ? cutShort(frame) : frame;
    },
  };
};
