import { EventEmitter } from 'node:events';
import modbusSerial from 'modbus-serial';
import type { ModbusRTU } from 'modbus-serial/ModbusRTU.js';
import type { AnswerFrame, Question } from './answer-frame.ts';
import { exceptionFlag } from './answer-frame.ts';
import { withCrc } from './crc16.ts';

/** A decoded answer to the request for which it was accepted. */
export type DecodedAnswer =
  /** Registers 0 to 65535, or bits as 0 and 1. */
  { readonly words: readonly number[] } | { readonly exception: number } | { readonly failed: string };

// CommonJS with `default` on it: seen from a module, the class is one level down.
const ModbusClass = modbusSerial.default;

/** The port below `modbus-serial`: keeps the frame that it writes, and passes it the accepted answer. */
class CodecPort extends EventEmitter {
  readonly isOpen = true;
  written = Buffer.alloc(0);
  open(callback: (error: Error | null) => void): void {
    callback(null);
  }
  write(frame: Buffer): void {
    this.written = Buffer.from(frame);
  }
}

/** Every answer as an RTU frame, which a port of the library delivers for any line. */
const rtuFrame = ({ unit, code, data }: AnswerFrame): Buffer =>
  withCrc(Buffer.concat([Buffer.from(code & exceptionFlag ? [unit, code] : [unit, code, data.length]), data]));

const wordsOf = (values: readonly (number | boolean)[], count: number): number[] => values.slice(0, count).map(Number);

/**
 * `modbus-serial` (8.0.25) as a codec: it builds each request and checks and decodes the answer. Its own ports are not
 * used: they accept any answer of the right unit, function and length for the newest request, see
 * docs/whose-answer.md.
 */
export const createModbusCodec = () => {
  const port = new CodecPort();
  const modbus: ModbusRTU = new ModbusClass(port);
  modbus.open(() => undefined);
  let asked: Question | undefined;
  let decoded: DecodedAnswer | undefined;

  const settle = (error: Error | null, result?: { readonly data: readonly (number | boolean)[] }): void => {
    const code: unknown = error === null ? undefined : Reflect.get(error, 'modbusCode');
    if (typeof code === 'number') decoded = { exception: code };
    else if (error !== null || result === undefined) decoded = { failed: error?.message ?? 'no values in the answer' };
    else decoded = { words: wordsOf(result.data, asked?.count ?? 0) };
  };

  return {
    /** The RTU frame of a request. */
    encode(question: Question): Buffer {
      const { unit, code, start, count } = question;
      asked = question;
      if (code === 1) modbus.writeFC1(unit, start, count, settle);
      else if (code === 2) modbus.writeFC2(unit, start, count, settle);
      else if (code === 3) modbus.writeFC3(unit, start, count, settle);
      else modbus.writeFC4(unit, start, count, settle);
      return port.written;
    },
    /** Decodes this answer to the newest request. */
    decode(answer: AnswerFrame): DecodedAnswer {
      decoded = undefined;
      port.emit('data', rtuFrame(answer));
      return decoded ?? { failed: 'the answer was not decoded' };
    },
  };
};
