import { describe, expect, it } from 'vitest';
import { BrokenStream, type AnswerFrame, type AnswerFraming, type Question } from './answer-frame.ts';
import { createFraming } from './answer-framings.ts';
import { createModbusCodec } from './modbus-codec.ts';

const question: Question = { unit: 1, code: 3, start: 7, count: 2 };
const body = Buffer.from([1, 3, 4, 0x12, 0x34, 0x01, 0x83]);
/** The answers of a unit, constructed by hand: CRC and checksum of `body`. */
const frames = {
  tcp: Buffer.concat([Buffer.from([0, 9, 0, 0, 0, body.length]), body]),
  rtu: Buffer.concat([body, Buffer.from([0x4f, 0x31])]),
  ascii: Buffer.from(`:${body.toString('hex').toUpperCase()}2E\r\n`, 'latin1'),
} as const;

const crcOf = (bytes: Buffer): number => {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
};
frames.rtu.writeUInt16LE(crcOf(body), body.length);

const takenBy = (framing: AnswerFraming, bytes: Buffer): AnswerFrame[] => {
  try {
    return framing.take(bytes);
  } catch (error) {
    if (error instanceof BrokenStream) return [];
    throw error;
  }
};

const askedFraming = (kind: keyof typeof frames) => {
  const framing = createFraming(kind);
  const codec = createModbusCodec();
  framing.ask(question, codec.encode(question), 9);
  return Object.assign(framing, { decode: (answer: AnswerFrame) => codec.decode(answer) });
};

describe.each(['tcp', 'rtu', 'ascii'] as const)('answers on %s', (kind) => {
  const frame = frames[kind];
  const opened = () => askedFraming(kind);

  it('are found whole wherever the bytes are split', () => {
    for (let cut = 0; cut <= frame.length; cut++) {
      const framing = opened();
      const answers = [...framing.take(frame.subarray(0, cut)), ...framing.take(frame.subarray(cut))];
      expect(answers, `cut at ${cut}`).toHaveLength(1);
      expect(framing.decode(answers[0]!)).toEqual({ words: [0x1234, 0x0183] });
    }
  });

  it('are separated when they arrive joined', () => {
    expect(opened().take(Buffer.concat([frame, frame]))).toHaveLength(2);
  });

  it('are rejected with a damaged byte', () => {
    // Modbus TCP has no checksum over its values, so only its head can be checked.
    const judged = kind === 'tcp' ? 6 : frame.length;
    for (let at = 0; at < judged; at++) {
      for (const bits of [1, 2, 0x10, 0x5a, 0x80, 0xff]) {
        const bent = Buffer.from(frame);
        bent[at] = (bent[at] ?? 0) ^ bits;
        const answers = takenBy(opened(), bent);
        const isSame = answers.some(
          ({ data, transaction, unit }) =>
            unit === 1 && transaction === (kind === 'tcp' ? 9 : 0) && data.equals(body.subarray(3)),
        );
        // Upper and lower case of a hex digit are the same digit.
        const isCase = kind === 'ascii' && bent.toString('latin1').toUpperCase() === frame.toString('latin1');
        expect(isSame, `byte ${at} ^ ${bits}`).toBe(isCase);
      }
    }
  });

  it('do not begin before their request', () => {
    const framing = opened();
    framing.take(frame.subarray(0, 5));
    if (kind === 'tcp') return;
    framing.ask(question, createModbusCodec().encode(question), 10);
    expect(framing.take(frame.subarray(5))).toHaveLength(0);
  });
});

/** An answer on Modbus TCP with a number and these registers. */
const tcpAnswer = (transaction: number, words: readonly number[]): Buffer => {
  const frame = Buffer.alloc(9 + 2 * words.length);
  frame.writeUInt16BE(transaction, 0);
  frame.writeUInt16BE(frame.length - 6, 4);
  frame.set([question.unit, question.code, 2 * words.length], 6);
  for (const [index, word] of words.entries()) frame.writeUInt16BE(word, 9 + 2 * index);
  return frame;
};

describe('answers on tcp', () => {
  it('are refused when one was truncated and completed by the next', () => {
    const [first, next] = [tcpAnswer(9, [1, 2, 3, 4, 5, 6, 7, 8]), tcpAnswer(10, [1, 2, 3, 4, 5, 6, 7, 8])];
    for (let cut = 9; cut < first.length - 9; cut++) {
      const framing = askedFraming('tcp');
      framing.ask(question, createModbusCodec().encode(question), 10);
      expect(() => framing.take(Buffer.concat([first.subarray(0, cut), next])), `cut at ${cut}`).toThrow(BrokenStream);
    }
  });

  it('may contain registers that look like the head of an answer', () => {
    // 0, 5, unit 0 and function 3, two bytes: a fan, a drum and 60.0 °C.
    expect(askedFraming('tcp').take(tcpAnswer(9, [2053, 0, 5, 3, 600]))).toHaveLength(1);
  });
});

describe.each(['rtu', 'ascii'] as const)('answers on %s', (kind) => {
  const frame = frames[kind];

  it('are found after the rest of another one, at every split', () => {
    for (let cut = 1; cut < frame.length; cut++) {
      expect(askedFraming(kind).take(Buffer.concat([frame.subarray(cut), frame])), `rest from ${cut}`).toHaveLength(1);
      expect(askedFraming(kind).take(Buffer.concat([frame.subarray(0, cut), frame])), `cut at ${cut}`).toHaveLength(1);
    }
  });
});
