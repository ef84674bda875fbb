import { randomInt } from 'node:crypto';
import type { Link } from '@roastery/contract/machine-map';
import type { Clock } from '@roastery/runtime/clock';
import { createRecentAnswers, type Asked, type RecentAnswers } from '../core/recent-answers.ts';
import { createFraming } from './answer-framings.ts';
import {
  answerBytes,
  BrokenStream,
  exceptionFlag,
  type AnswerFrame,
  type AnswerFraming,
  type Question,
} from './answer-frame.ts';
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

export interface ConversationParts {
  readonly link: Link;
  /** How long an answer may be late. */
  readonly horizonMs: number;
  readonly events: ConversationEvents;
  readonly clock: Clock;
  readonly openLine: OpenLine;
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
export class Conversation {
  readonly recent: RecentAnswers;
  readonly horizonMs: number;
  readonly hasTransactions: boolean;
  readonly #parts: ConversationParts;
  readonly #now: () => number;
  readonly #codec = createModbusCodec();
  readonly #noise = createLineNoise();
  #framing: AnswerFraming;
  #port: LinePort | undefined;
  #flight: Flight | undefined;
  /** When the first request was sent since the line carried anything. */
  #silentSince: number | undefined;

  constructor(parts: ConversationParts) {
    const { link, horizonMs, clock } = parts;
    this.horizonMs = horizonMs;
    this.recent = createRecentAnswers(horizonMs, clock.monotonic);
    this.hasTransactions = link.kind === 'tcp';
    this.#parts = parts;
    this.#now = clock.monotonic;
    this.#framing = createFraming(link.kind);
  }

  isOpen(): boolean {
    return this.#port !== undefined;
  }

  /** How long requests have been sent without a byte in return, ms. */
  silentMs(): number {
    return this.#silentSince === undefined ? 0 : this.#now() - this.#silentSince;
  }

  isWithinAnswer(): boolean {
    return this.#framing.isWithinAnswer();
  }

  /** Whether since the request the line only carried answers that fit it. */
  isClean({ strangers }: Flight): boolean {
    return strangers === 0 && this.#noise.isUsual(this.#framing.strayBytes());
  }

  /** Whether an unreadable answer arrived: the rest of one, or one with an unknown unit or function. */
  isDamaged({ unknown }: Flight): boolean {
    if (this.hasTransactions) return false;
    const stray = this.#framing.strayBytes();
    return unknown > 0 || (stray.length >= minDamagedBytes && !this.#noise.isUsual(stray));
  }

  async open(deadlineMs: number): Promise<void> {
    const { link, clock, openLine } = this.#parts;
    this.#framing = createFraming(link.kind);
    const opened: LinePort = await openLine(
      link,
      deadlineMs,
      {
        data: (bytes) => this.#data(bytes),
        closed: () => {
          if (this.#port === opened) this.#broke('connection closed');
        },
      },
      clock,
    );
    this.#port = opened;
    this.#silentSince = undefined;
  }

  /** Sends a request. The previous one is over. */
  ask(question: Question): Flight {
    const transaction = this.hasTransactions ? this.#newTransaction() : 0;
    this.#silentSince ??= this.#now();
    const mark = this.hasTransactions ? transaction : answerBytes(question);
    const asked = this.recent.ask(mark, question.unit, question.code, placeOf(question));
    this.#flight = {
      question,
      transaction,
      asked,
      answers: [],
      strangers: 0,
      unknown: 0,
      lastByteAt: 0,
      wake: undefined,
    };
    this.#port?.write(this.#framing.ask(question, this.#codec.encode(question), transaction));
    return this.#flight;
  }

  /** Waits for the next bytes, or until that time; `closed` for a broken line. */
  async bytesUntil(until: number): Promise<'open' | 'closed'> {
    const current = this.#flight;
    if (current === undefined || this.#port === undefined) return 'closed';
    await new Promise<void>((resolve) => {
      const cancel = this.#parts.clock.after(Math.max(0, until - this.#now()), resolve);
      current.wake = () => {
        cancel();
        resolve();
      };
    });
    current.wake = undefined;
    return this.#port === undefined ? 'closed' : 'open';
  }

  /** Decodes an accepted answer for the newest request. */
  decode(answer: AnswerFrame): DecodedAnswer {
    return this.#codec.decode(answer);
  }

  /** The current request is given up, or answered. */
  over(): void {
    if (this.#flight && this.#flight.answers.length > 0) this.#noise.add(this.#framing.strayBytes());
    this.#flight = undefined;
  }

  /** Random, so that no earlier request of this or another program has the same number. */
  #newTransaction(): number {
    let drawn = randomInt(65_536);
    while (!this.recent.isFree(drawn)) drawn = randomInt(65_536);
    return drawn;
  }

  close(): void {
    this.#port?.close();
    this.#port = undefined;
    this.#flight?.wake?.();
  }

  #broke(reason: string): void {
    this.close();
    this.#parts.events.closed(reason);
  }

  #fits(frame: AnswerFrame, { question, transaction: number }: Flight): boolean {
    if (this.hasTransactions) return frame.transaction === number;
    if (frame.unit !== question.unit || (frame.code & ~exceptionFlag) !== question.code) return false;
    return (frame.code & exceptionFlag) !== 0 || frame.data.length === answerBytes(question);
  }

  #hear(frame: AnswerFrame): void {
    const isRefusal = (frame.code & exceptionFlag) !== 0;
    const mark = this.hasTransactions ? frame.transaction : isRefusal ? refusalMark : frame.data.length;
    const bytes = frame.data.toString('latin1');
    const isCopy = this.recent.hear(`${mark}/${frame.unit}/${frame.code}`, bytes);
    if (this.#flight && this.#fits(frame, this.#flight)) {
      this.#flight.answers.push({ frame, bytes, at: this.#now(), isCopy });
      return;
    }
    const questions = this.recent.asked(mark).filter((asked) => asked.unit === frame.unit && asked.code === frame.code);
    if (this.#flight) {
      this.#flight.strangers += 1;
      if (questions.length === 0 && !isRefusal) this.#flight.unknown += 1;
    }
    if (isCopy) return;
    const question = questions.find((asked) => asked.answeredAt === undefined);
    if (question === undefined) return;
    question.answeredAt = this.#now();
    this.recent.answered(question.place, bytes);
    this.#parts.events.late(frame.unit, question.answeredAt - question.at);
  }

  #data(bytes: Buffer): void {
    this.#silentSince = undefined;
    if (this.#flight) this.#flight.lastByteAt = this.#now();
    try {
      const frames = this.#framing.take(bytes);
      // Without a checksum, a truncated answer is completed by the next one, whose rest then remains.
      if (this.hasTransactions && frames.length > 0 && this.#framing.isWithinAnswer()) return this.close();
      // All answers in these bytes are received before one is accepted: two may arrive together.
      for (const frame of frames) this.#hear(frame);
    } catch (error) {
      if (!(error instanceof BrokenStream)) throw error;
      return this.#broke(error.message);
    }
    this.#flight?.wake?.();
  }
}
