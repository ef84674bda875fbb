import { randomInt } from 'node:crypto';
import type { Link } from '@roastery/contract/machine-map';
import { createRecentAnswers, type Asked } from '../core/recent-answers.ts';
import { createFraming } from './answer-framings.ts';
import { answerBytes, BrokenStream, exceptionFlag, type AnswerFrame, type Question } from './answer-frame.ts';
import type { LinePort, OpenLine } from './line-port.ts';
import { createLineNoise } from './line-noise.ts';
import { createModbusCodec, type DecodedAnswer } from './modbus-codec.ts';

/** An answer that fits the question in flight. */
export interface FittingAnswer {
  readonly frame: AnswerFrame;
  readonly bytes: string;
  readonly at: number;
  /** The same bytes came within the horizon: it may be an earlier answer that came again. */
  readonly isCopy: boolean;
}

export interface ConversationEvents {
  /** The line broke. */
  closed(reason: string): void;
  /** An answer came whose question was given up. */
  late(unit: number, afterMs: number): void;
}

export interface Flight {
  readonly question: Question;
  readonly transaction: number;
  readonly asked: Asked;
  readonly answers: FittingAnswer[];
  /** Answers that came since the question and do not fit it. */
  strangers: number;
  /** Those of them that are no answer to any recent question: an answer whose unit or function was bent. */
  unknown: number;
  lastByteAt: number;
  wake: (() => void) | undefined;
}

const placeOf = ({ unit, code, start, count }: Question): string => `${unit}/${code}/${start}/${count}`;
/** All refusals have one length, and no answer with values has it. */
const refusalMark = -1;
/** Fewer stray bytes than this are noise beside an answer, more are what is left of one. */
const minDamagedBytes = 3;

/**
 * One question in flight on one line. Every answer that comes is heard, in time or not, and only what fits the question in
 * flight by all that its line tells is handed out.
 */
export const createConversation = (
  link: Link,
  horizonMs: number,
  events: ConversationEvents,
  now: () => number,
  openLine: OpenLine,
) => {
  const recent = createRecentAnswers(horizonMs, now);
  const hasTransactions = link.kind === 'tcp';
  const codec = createModbusCodec();
  const noise = createLineNoise();
  let framing = createFraming(link.kind);
  let port: LinePort | undefined;
  let flight: Flight | undefined;
  /** When the first question was asked since the line carried anything. */
  let silentSince: number | undefined;

  /** Drawn, so that no answer of this or an earlier program has it by counting on. */
  const newTransaction = (): number => {
    let drawn = randomInt(65_536);
    while (!recent.isFree(drawn)) drawn = randomInt(65_536);
    return drawn;
  };
  const close = (): void => {
    port?.close();
    port = undefined;
    flight?.wake?.();
  };
  const broke = (reason: string): void => {
    close();
    events.closed(reason);
  };
  const fits = (frame: AnswerFrame, { question, transaction: number }: Flight): boolean => {
    if (hasTransactions) return frame.transaction === number;
    if (frame.unit !== question.unit || (frame.code & ~exceptionFlag) !== question.code) return false;
    return (frame.code & exceptionFlag) !== 0 || frame.data.length === answerBytes(question);
  };
  const hear = (frame: AnswerFrame): void => {
    const isRefusal = (frame.code & exceptionFlag) !== 0;
    const mark = hasTransactions ? frame.transaction : isRefusal ? refusalMark : frame.data.length;
    const bytes = frame.data.toString('latin1');
    const isCopy = recent.hear(`${mark}/${frame.unit}/${frame.code}`, bytes);
    if (flight && fits(frame, flight)) {
      flight.answers.push({ frame, bytes, at: now(), isCopy });
      return;
    }
    const questions = recent.asked(mark).filter((asked) => asked.unit === frame.unit && asked.code === frame.code);
    if (flight) {
      flight.strangers += 1;
      if (questions.length === 0 && !isRefusal) flight.unknown += 1;
    }
    if (isCopy) return;
    const question = questions.find((asked) => asked.answeredAt === undefined);
    if (question === undefined) return;
    question.answeredAt = now();
    recent.answered(question.place, bytes);
    events.late(frame.unit, question.answeredAt - question.at);
  };
  const data = (bytes: Buffer): void => {
    silentSince = undefined;
    if (flight) flight.lastByteAt = now();
    try {
      const frames = framing.take(bytes);
      // Without a checksum, what was cut short is filled up by the next answer: then bytes of that are left.
      if (hasTransactions && frames.length > 0 && framing.isWithinAnswer()) return close();
      // All that these bytes hold is heard before one is believed: two answers may come joined.
      for (const frame of frames) hear(frame);
    } catch (error) {
      if (!(error instanceof BrokenStream)) throw error;
      return broke(error.message);
    }
    flight?.wake?.();
  };

  return {
    recent,
    hasTransactions,
    isOpen: (): boolean => port !== undefined,
    /** How long questions have been asked without a byte in return, ms. */
    silentMs: (): number => (silentSince === undefined ? 0 : now() - silentSince),
    isWithinAnswer: (): boolean => framing.isWithinAnswer(),
    /** Whether the line carried nothing since the question but answers that fit it. */
    isClean: ({ strangers }: Flight): boolean => strangers === 0 && noise.isUsual(framing.strayBytes()),
    /** Whether an answer came that nothing can be read from: what is left of it, or one in the name of an unknown unit or function. */
    isDamaged({ unknown }: Flight): boolean {
      if (hasTransactions) return false;
      const stray = framing.strayBytes();
      return unknown > 0 || (stray.length >= minDamagedBytes && !noise.isUsual(stray));
    },
    async open(deadlineMs: number): Promise<void> {
      framing = createFraming(link.kind);
      const opened = await openLine(link, deadlineMs, {
        data,
        closed() {
          if (port === opened) broke('connection closed');
        },
      });
      port = opened;
      silentSince = undefined;
    },
    /** Sends a question. The one before it is over. */
    ask(question: Question): Flight {
      const transaction = hasTransactions ? newTransaction() : 0;
      silentSince ??= now();
      const mark = hasTransactions ? transaction : answerBytes(question);
      const asked = recent.ask(mark, question.unit, question.code, placeOf(question));
      flight = { question, transaction, asked, answers: [], strangers: 0, unknown: 0, lastByteAt: 0, wake: undefined };
      port?.write(framing.ask(question, codec.encode(question), transaction));
      return flight;
    },
    /** Waits for the next bytes, or until that time; `closed` for a line that broke. */
    async bytesUntil(until: number): Promise<'open' | 'closed'> {
      const current = flight;
      if (current === undefined || port === undefined) return 'closed';
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        current.wake = resolve;
        timer = setTimeout(resolve, Math.max(0, until - now()));
      });
      clearTimeout(timer);
      current.wake = undefined;
      return port === undefined ? 'closed' : 'open';
    },
    /** What an accepted answer says to the newest question. */
    decode: (answer: AnswerFrame): DecodedAnswer => codec.decode(answer),
    /** The question in flight is given up, or answered. */
    over(): void {
      if (flight && flight.answers.length > 0) noise.heard(framing.strayBytes());
      flight = undefined;
    },
    close,
  };
};
export type Conversation = ReturnType<typeof createConversation>;
