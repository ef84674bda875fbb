import { randomInt } from 'node:crypto';
import type { Link } from '@roastery/contract/machine-map';
import type { Clock } from '@roastery/runtime/clock';
import { createRecentAnswers, type Asked } from '../core/recent-answers.ts';
import { createFraming } from './answer-framings.ts';
import { answerBytes, BrokenStream, exceptionFlag, type AnswerFrame, type Question } from './answer-frame.ts';
import type { LinePort, OpenLine } from './line-port.ts';
import { createLineNoise } from './line-noise.ts';
import { createModbusCodec, type DecodedAnswer } from './modbus-codec.ts';

/** An answer that fits the current request. */
export interface FittingAnswer {
  readonly frame: AnswerFrame;
  readonly bytes: string;
  readonly at: number;
  /** The same bytes arrived within the horizon: it may be a repeat of an earlier answer. */
  readonly isCopy: boolean;
}

export interface ConversationEvents {
  /** The line broke. */
  closed(reason: string): void;
  /** An answer arrived whose request had been given up. */
  late(unit: number, afterMs: number): void;
}

export interface Flight {
  readonly question: Question;
  readonly transaction: number;
  readonly asked: Asked;
  readonly answers: FittingAnswer[];
  /** Answers since the request that do not fit it. */
  strangers: number;
  /** Those that answer no recent request: an answer with a damaged unit or function. */
  unknown: number;
  lastByteAt: number;
  wake: (() => void) | undefined;
}

const placeOf = ({ unit, code, start, count }: Question): string => `${unit}/${code}/${start}/${count}`;
/** All refusals have one length, and no answer with values has it. */
const refusalMark = -1;
/** Fewer stray bytes than this are noise beside an answer, more are the rest of one. */
const minDamagedBytes = 3;

/**
 * One request in flight on one line. Every answer is received, in time or late, and only one that fits the current
 * request in all its properties is returned.
 */
export const createConversation = (
  link: Link,
  horizonMs: number,
  events: ConversationEvents,
  clock: Clock,
  openLine: OpenLine,
) => {
  const now = clock.monotonic;
  const recent = createRecentAnswers(horizonMs, now);
  const hasTransactions = link.kind === 'tcp';
  const codec = createModbusCodec();
  const noise = createLineNoise();
  let framing = createFraming(link.kind);
  let port: LinePort | undefined;
  let flight: Flight | undefined;
  /** When the first request was sent since the line carried anything. */
  let silentSince: number | undefined;

  /** Random, so that no earlier request of this or another program has the same number. */
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
      // Without a checksum, a truncated answer is completed by the next one, whose rest then remains.
      if (hasTransactions && frames.length > 0 && framing.isWithinAnswer()) return close();
      // All answers in these bytes are received before one is accepted: two may arrive together.
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
    /** How long requests have been sent without a byte in return, ms. */
    silentMs: (): number => (silentSince === undefined ? 0 : now() - silentSince),
    isWithinAnswer: (): boolean => framing.isWithinAnswer(),
    /** Whether since the request the line only carried answers that fit it. */
    isClean: ({ strangers }: Flight): boolean => strangers === 0 && noise.isUsual(framing.strayBytes()),
    /** Whether an unreadable answer arrived: the rest of one, or one with an unknown unit or function. */
    isDamaged({ unknown }: Flight): boolean {
      if (hasTransactions) return false;
      const stray = framing.strayBytes();
      return unknown > 0 || (stray.length >= minDamagedBytes && !noise.isUsual(stray));
    },
    async open(deadlineMs: number): Promise<void> {
      framing = createFraming(link.kind);
      const listener = {
        data,
        closed() {
          if (port === opened) broke('connection closed');
        },
      };
      const opened = await openLine(link, deadlineMs, listener, clock);
      port = opened;
      silentSince = undefined;
    },
    /** Sends a request. The previous one is over. */
    ask(question: Question): Flight {
      const transaction = hasTransactions ? newTransaction() : 0;
      silentSince ??= now();
      const mark = hasTransactions ? transaction : answerBytes(question);
      const asked = recent.ask(mark, question.unit, question.code, placeOf(question));
      flight = { question, transaction, asked, answers: [], strangers: 0, unknown: 0, lastByteAt: 0, wake: undefined };
      port?.write(framing.ask(question, codec.encode(question), transaction));
      return flight;
    },
    /** Waits for the next bytes, or until that time; `closed` for a broken line. */
    async bytesUntil(until: number): Promise<'open' | 'closed'> {
      const current = flight;
      if (current === undefined || port === undefined) return 'closed';
      await new Promise<void>((resolve) => {
        const cancel = clock.after(Math.max(0, until - now()), resolve);
        current.wake = () => {
          cancel();
          resolve();
        };
      });
      current.wake = undefined;
      return port === undefined ? 'closed' : 'open';
    },
    /** Decodes an accepted answer for the newest request. */
    decode: (answer: AnswerFrame): DecodedAnswer => codec.decode(answer),
    /** The current request is given up, or answered. */
    over(): void {
      if (flight && flight.answers.length > 0) noise.heard(framing.strayBytes());
      flight = undefined;
    },
    close,
  };
};
export type Conversation = ReturnType<typeof createConversation>;
