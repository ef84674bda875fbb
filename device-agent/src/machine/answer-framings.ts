import type { Link } from '@roastery/contract/machine-map';
import {
  answerBytes,
  answerOf,
  bodyLength,
  BrokenStream,
  type AnswerFrame,
  type AnswerFraming,
  type Question,
} from './answer-frame.ts';
import { crc16, crcBytes } from './crc16.ts';

/** Modbus TCP: transaction, protocol 0, length of the rest. */
const head = 6;
/** Number of requests whose answers may still arrive. */
const maxAsked = 64;
/**
 * Whether an answer was truncated and completed by the next one, which begins within it and reaches its end or beyond.
 * Registers that look like an answer do not have a requested transaction number.
 */
const holdsAnother = (frame: Buffer, asked: readonly number[]): boolean => {
  for (let at = 1; at + head + 3 <= frame.length; at++) {
    const length = frame.readUInt16BE(at + 4);
    if (frame.readUInt16BE(at + 2) !== 0 || length > 254 || at + head + length < frame.length) continue;
    if (!asked.includes(frame.readUInt16BE(at))) continue;
    if (bodyLength(frame[at + head + 1], frame[at + head + 2]) === length) return true;
  }
  return false;
};

/** The head, then unit, function and data. */
const createTcpFraming = (): AnswerFraming => {
  let pending = Buffer.alloc(0);
  let asked: readonly number[] = [];
  return {
    ask(_question, rtuFrame, transaction) {
      asked = [...asked.slice(1 - maxAsked), transaction];
      const frame = Buffer.concat([Buffer.alloc(head), rtuFrame.subarray(0, -crcBytes)]);
      frame.writeUInt16BE(transaction, 0);
      frame.writeUInt16BE(frame.length - head, 4);
      return frame;
    },
    take(bytes) {
      pending = Buffer.concat([pending, bytes]);
      const answers: AnswerFrame[] = [];
      while (pending.length >= head) {
        const length = pending.readUInt16BE(4);
        if (pending.readUInt16BE(2) !== 0 || length < 2 || length > 254) throw new BrokenStream('not Modbus TCP');
        if (pending.length < head + length) break;
        const frame = pending.subarray(0, head + length);
        if (holdsAnother(frame, asked)) throw new BrokenStream('an answer within an answer');
        const body = frame.subarray(head);
        const transaction = frame.readUInt16BE(0);
        // Bytes that are not an answer keep their number: the request has failed.
        answers.push(answerOf(body, transaction) ?? { unit: -1, code: 0, data: Buffer.alloc(0), transaction });
        pending = pending.subarray(head + length);
      }
      return answers;
    },
    isWithinAnswer: () => pending.length > 0,
    strayBytes: () => Buffer.alloc(0),
  };
};

/** Unit, function, length of the data, data, CRC: no answer is longer. */
const longestRtu = 3 + 255 + 2;

/**
 * Modbus RTU. Its frames end by silence, which sockets and USB adapters do not keep, so an answer is a sequence of the
 * length that it claims with a valid CRC, wherever it begins: bytes before it are the rest of another one, or noise.
 */
const createRtuFraming = (): AnswerFraming => {
  let pending = Buffer.alloc(0);
  let expected: Question | undefined;
  let stray: Buffer[] = [];
  /** The expected answer has begun here: nothing within it counts as another one. */
  const isExpectedAt = (at: number): boolean =>
    expected !== undefined &&
    pending[at] === expected.unit &&
    pending[at + 1] === expected.code &&
    pending[at + 2] === answerBytes(expected);
  return {
    ask(question, rtuFrame) {
      pending = Buffer.alloc(0);
      expected = question;
      stray = [];
      return rtuFrame;
    },
    take(bytes) {
      pending = Buffer.concat([pending, bytes]);
      const answers: AnswerFrame[] = [];
      let done = 0;
      for (let at = 0; at + 5 <= pending.length;) {
        const length = bodyLength(pending[at + 1], pending[at + 2]);
        const end = at + (length ?? 0);
        if (length !== undefined && end + 2 > pending.length && isExpectedAt(at)) break;
        const isWhole = length !== undefined && end + 2 <= pending.length;
        const answer =
          isWhole && pending.readUInt16LE(end) === crc16(pending.subarray(at, end))
            ? answerOf(pending.subarray(at, end))
            : undefined;
        if (answer === undefined) {
          at += 1;
          continue;
        }
        answers.push(answer);
        stray.push(pending.subarray(done, at));
        at = end + 2;
        done = at;
      }
      const kept = Math.max(done, pending.length - longestRtu);
      stray.push(pending.subarray(done, kept));
      pending = pending.subarray(kept);
      return answers;
    },
    isWithinAnswer: () => pending.length > 0,
    strayBytes: () => Buffer.concat([...stray, pending]),
  };
};

/** A colon, two digits a byte, CR LF. */
const longestAscii = 1 + 2 * (3 + 255 + 1) + 2;
const sumOf = (bytes: Buffer): number => bytes.reduce((sum, byte) => (sum + byte) & 0xff, 0);

/** Modbus ASCII. Its checksum has eight bits: it detects each error of one character, and 255 of 256 others. */
const createAsciiFraming = (): AnswerFraming => {
  let pending = '';
  let stray = '';
  return {
    ask(_question, rtuFrame) {
      pending = '';
      stray = '';
      const body = rtuFrame.subarray(0, -crcBytes);
      const check = Buffer.from([-sumOf(body) & 0xff]);
      return Buffer.from(`:${Buffer.concat([body, check]).toString('hex').toUpperCase()}\r\n`, 'latin1');
    },
    take(bytes) {
      pending += bytes.toString('latin1');
      const answers: AnswerFrame[] = [];
      for (let end = pending.indexOf('\n'); end >= 0; end = pending.indexOf('\n')) {
        // Another line follows one that was cut off.
        const start = Math.max(0, pending.lastIndexOf(':', end));
        const line = pending.slice(start, end);
        stray += pending.slice(0, start);
        pending = pending.slice(end + 1);
        const [, digits] = /^:((?:[0-9A-Fa-f]{2}){4,})\r$/.exec(line) ?? [];
        const frame = Buffer.from(digits ?? '', 'hex');
        const answer = frame.length > 0 && sumOf(frame) === 0 ? answerOf(frame.subarray(0, -1)) : undefined;
        if (answer) answers.push(answer);
        else stray += `${line}\n`;
      }
      stray += pending.slice(0, -longestAscii);
      pending = pending.slice(-longestAscii);
      return answers;
    },
    isWithinAnswer: () => pending.length > 0,
    strayBytes: () => Buffer.from(stray + pending, 'latin1'),
  };
};

export const createFraming = (kind: Link['kind']): AnswerFraming => {
  if (kind === 'tcp') return createTcpFraming();
  return kind === 'ascii' ? createAsciiFraming() : createRtuFraming();
};
