import { cutShort, garble, type FramedRequest, type Framing } from './framing.ts';

/** Longitudinal check of Modbus ASCII: two's complement of the sum (Serial Line V1.02, 6.2.1). */
export const lrc = (bytes: Buffer): number => -bytes.reduce((sum, byte) => sum + byte, 0) & 0xff;

/** Modbus ASCII: a colon, hex digits, LRC, CR LF. */
export const createAsciiFraming = (): Framing => {
  let pending = '';
  return {
    answersForMissingUnits: false,
    take(bytes) {
      pending += bytes.toString('latin1');
      const requests: FramedRequest[] = [];
      for (let end = pending.indexOf('\n'); end >= 0; end = pending.indexOf('\n')) {
        const line = /:((?:[0-9A-Fa-f]{2}){3,})\r$/.exec(pending.slice(0, end));
        pending = pending.slice(end + 1);
        const frame = Buffer.from(line?.[1] ?? '', 'hex');
        if (frame.length < 3 || lrc(frame.subarray(0, -1)) !== frame.at(-1)) continue;
        requests.push({ unit: frame[0] ?? 0, pdu: Buffer.from(frame.subarray(1, -1)), transaction: 0 });
      }
      // The longest line is 513 characters; more without an end is noise.
      if (pending.length > 513) pending = '';
      return requests;
    },
    frame({ unit }, answer, damage) {
      const body = Buffer.concat([Buffer.from([unit]), answer]);
      const check = lrc(body) ^ (damage === 'wrong_check' || damage === 'wrong_transaction' ? 0x0f : 0);
      const shown = damage === 'garbled' ? garble(body) : body;
      const extra = damage === 'wrong_length' ? '000000' : '';
      const text = `:${shown.toString('hex')}${check.toString(16).padStart(2, '0')}${extra}`.toUpperCase();
      const frame = Buffer.from(`${text}\r\n`, 'latin1');
      return damage === 'cut_short' ? cutShort(frame) : frame;
    },
  };
};
