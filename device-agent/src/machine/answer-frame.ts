/** A request for registers or bits: functions 1 to 4. */
export interface Question {
  readonly unit: number;
  readonly code: number;
  readonly start: number;
  readonly count: number;
}

/** An answer with a valid checksum, if its line has one. */
export interface AnswerFrame {
  readonly unit: number;
  /** The function, with 0x80 for an exception. */
  readonly code: number;
  /** The registers or bits as received, or the one byte of an exception. */
  readonly data: Buffer;
  /** Modbus TCP: the transaction number of the request; 0 on other lines. */
  readonly transaction: number;
}

/** The framing of requests and answers on one kind of line. An instance belongs to one connection. */
export interface AnswerFraming {
  /**
   * The bytes of a request on this line, from its RTU frame. Earlier bytes can't belong to its answer and are
   * discarded.
   */
  ask(question: Question, rtuFrame: Buffer, transaction: number): Buffer;
  /** The answers that these bytes complete. Throws `BrokenStream` when no later answer could be found. */
  take(bytes: Buffer): AnswerFrame[];
  /** Whether an answer has begun and not ended. */
  isWithinAnswer(): boolean;
  /** Bytes since the request that belong to no answer, including those of an incomplete one. */
  strayBytes(): Buffer;
}

export class BrokenStream extends Error {
  override readonly name = 'BrokenStream';
}

export const exceptionFlag = 0x80;
const isBits = (code: number): boolean => code <= 2;
/** Bytes of data in the answer to a request. */
export const answerBytes = ({ code, count }: Pick<Question, 'code' | 'count'>): number =>
  isBits(code) ? Math.ceil(count / 8) : 2 * count;

/**
 * Length of unit, function and data, as far as the first bytes show; undefined for bytes that can't answer our request.
 */
export const bodyLength = (code: number | undefined, third: number | undefined): number | undefined => {
  if (code === undefined || third === undefined) return undefined;
  const asked = code & ~exceptionFlag;
  if (asked < 1 || asked > 4) return undefined;
  if (code & exceptionFlag) return 3;
  if (third === 0 || (!isBits(asked) && third % 2 === 1)) return undefined;
  return 3 + third;
};

/** Parses unit, function and data; undefined when they are not exactly one answer. */
export const answerOf = (body: Buffer, transaction = 0): AnswerFrame | undefined => {
  const [unit, code, third] = body;
  if (unit === undefined || code === undefined || bodyLength(code, third) !== body.length) return undefined;
  return { unit, code, data: Buffer.from(body.subarray(code & exceptionFlag ? 2 : 3)), transaction };
};
