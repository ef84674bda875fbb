import { randomInt } from 'node:crypto';
import type { Link } from '@roastery/contract/machine-map';
import { createRecentAnswers, type Asked } from '../core/recent-answers.ts';
import { createFraming } from './answer-framings.ts';
import { answerBytes, BrokenStream, exceptionFlag, type AnswerFrame, type Question } from './answer-frame.ts';
import { openLine, type LinePort } from './line-port.ts';
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
  wake: (() => void) | undefined;
}

/** All refusals have one length, and no answer with values has it. */
const refusalMark = -1;

/**
 * One question in flight on one line. Every answer that comes is heard, in time or not, and only what fits the question in
 * flight by all that its line tells is handed out.
 */
export const createConversation = (link: Link, horizonMs: number, events: ConversationEvents, now: () => number) => {
  const recent = createRecentAnswers(horizonMs, now);
  const hasTransactions = link.kind === 'tcp';
  const codec = createModbusCodec();
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
    if (flight) flight.strangers += 1;
    if (isCopy) return;
    const question = recent
      .asked(mark)
      .find((asked) => asked.unit === frame.unit && asked.code === frame.code && asked.answeredAt === undefined);
    if (question === undefined) return;
    question.answeredAt = now();
    events.late(frame.unit, question.answeredAt - question.at);
  };
  const data = (bytes: Buffer): void => {
    silentSince = undefined;
    const before = flight?.answers.length ?? 0;
    try {
      // All that these bytes hold is heard before one is believed: two answers may come joined.
      for (const frame of framing.take(bytes)) hear(frame);
    } catch (error) {
      if (!(error instanceof BrokenStream)) throw error;
      return broke(error.message);
    }
    if (flight && flight.answers.length > before) flight.wake?.();
  };

  return {
    recent,
    hasTransactions,
    isOpen: (): boolean => port !== undefined,
    /** How long questions have been asked without a byte in return, ms. */
    silentMs: (): number => (silentSince === undefined ? 0 : now() - silentSince),
    isWithinAnswer: (): boolean => framing.isWithinAnswer(),
    /** Whether the line carried nothing since the question but answers that fit it. */
    isClean: ({ strangers }: Flight): boolean => strangers === 0 && framing.strayBytes() === 0,
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
      const asked = recent.ask(mark, question.unit, question.code);
      flight = { question, transaction, asked, answers: [], strangers: 0, wake: undefined };
      port?.write(framing.ask(question, codec.encode(question), transaction));
      return flight;
    },
    /** Waits for the next answers that fit the question in flight; `time` when none came until then, `closed` for a line that broke. */
    async heardUntil(until: number): Promise<'heard' | 'time' | 'closed'> {
      const current = flight;
      if (current === undefined || port === undefined) return 'closed';
      const before = current.answers.length;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        current.wake = resolve;
        timer = setTimeout(resolve, Math.max(0, until - now()));
      });
      clearTimeout(timer);
      current.wake = undefined;
      if (port === undefined) return 'closed';
      return current.answers.length > before ? 'heard' : 'time';
    },
    /** What an accepted answer says to the newest question. */
    decode: (answer: AnswerFrame): DecodedAnswer => codec.decode(answer),
    /** The question in flight is given up, or answered. */
    over(): void {
      flight = undefined;
    },
    close,
  };
};
export type Conversation = ReturnType<typeof createConversation>;
