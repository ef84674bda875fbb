/** A request as it came over a line. */
export interface FramedRequest {
  readonly unit: number;
  /** Function code and data. */
  readonly pdu: Buffer;
  /** Transaction id of Modbus TCP; 0 where a line has none. */
  readonly transaction: number;
}

/** The deliberate fault of an answer. */
export type Damage =
  | 'none'
  | 'wrong_transaction'
  | 'wrong_check'
  | 'garbled'
  | 'cut_short'
  | 'wrong_length'
  | 'other_unit'
  | 'other_function';

/** The format of requests and answers in a stream of bytes. One instance belongs to one connection. */
export interface Framing {
  /** Requests completed by these bytes. Throws `UnreadableStream` when the connection cannot be recovered. */
  take(bytes: Buffer): FramedRequest[];
  /** The bytes of an answer, damaged on purpose or not. */
  frame(request: FramedRequest, answer: Buffer, damage: Damage): Buffer;
  /** Whether an absent unit is answered with an exception, as by a gateway, or not at all, as on a bus. */
  readonly answersForMissingUnits: boolean;
}

export class UnreadableStream extends Error {
  override readonly name = 'UnreadableStream';
}

/** The same bytes with some of them inverted; the length stays. */
export const garble = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.map((byte, index) => (index % 2 === 0 ? byte ^ 0x5a : byte)));

export const cutShort = (bytes: Buffer): Buffer => bytes.subarray(0, Math.max(1, Math.floor(bytes.length / 2)));
