/** A request as it came over a line. */
export interface FramedRequest {
  readonly unit: number;
  /** Function code and data. */
  readonly pdu: Buffer;
  /** Transaction id of Modbus TCP; 0 where a line has none. */
  readonly transaction: number;
}

/** What is wrong with an answer on purpose. */
export type Damage =
  | 'none'
  | 'wrong_transaction'
  | 'wrong_check'
  | 'garbled'
  | 'cut_short'
  | 'wrong_length'
  | 'other_unit'
  | 'other_function';

/** How requests and answers lie in a stream of bytes. One instance belongs to one connection. */
export interface Framing {
  /** Requests completed by these bytes. Throws `UnreadableStream` when the connection is beyond saving. */
  take(bytes: Buffer): FramedRequest[];
  /** The bytes of an answer, damaged on purpose or not. */
  frame(request: FramedRequest, answer: Buffer, damage: Damage): Buffer;
  /** Whether a unit that isn't there is answered for, as a gateway does, or stays silent, as a bus does. */
  readonly answersForMissingUnits: boolean;
}

export class UnreadableStream extends Error {
  override readonly name = 'UnreadableStream';
}

/** The same bytes with some of them turned over; the length stays. */
export const garble = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.map((byte, index) => (index % 2 === 0 ? byte ^ 0x5a : byte)));

export const cutShort = (bytes: Buffer): Buffer => bytes.subarray(0, Math.max(1, Math.floor(bytes.length / 2)));
