import type { Link, RegisterTable } from '@roastery/contract/machine-map';
import { createBackoff, pause, type Backoff } from '@roastery/runtime/backoff';
import { realClock, type Clock } from '@roastery/runtime/clock';
import { createAnswerPace, type AnswerPace } from '../core/answer-pace.ts';
import { answerHorizon } from '../core/recent-answers.ts';
import { createWiderReads, type Span } from '../core/wider-read.ts';
import { answerBytes } from './answer-frame.ts';
import { openLine, type OpenLine } from './line-port.ts';
import { createConversation } from './conversation.ts';
import { broken, createExchange, type Moment, type Outcome, type Patience } from './exchange.ts';

export interface BusRequest {
  readonly unit: number;
  readonly table: RegisterTable;
  readonly start: number;
  readonly count: number;
  /**
   * Neighbours may be read too, up to this many addresses in all, so that the answer has a unique length. Without it,
   * or if the machine refuses its neighbours, answers of one length are distinguished by their content and by
   * listening.
   */
  readonly upTo?: number;
}

export type BusAnswer =
  /** Registers 0 to 65535, or bits as 0 and 1. */
  | { readonly kind: 'data'; readonly words: readonly number[] }
  /** The device refused: a valid answer, the line works. */
  | { readonly kind: 'exception'; readonly code: number }
  /** No valid answer, or one that could belong to another request. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** No byte from this unit, while others on the line answer: it rests, the line continues. */
  | { readonly kind: 'silent'; readonly reason: string }
  /** Not requested: the line or the unit rests until its next attempt. */
  | { readonly kind: 'resting'; readonly reason: string };

export interface BusTiming {
  /** How long to wait for an answer; a unit that usually takes longer gets longer. */
  readonly timeoutMs: number;
  /** Longer than the slowest late answer, so that none is accepted for a new request. */
  readonly quietMs: number;
  /** Pause between two requests. */
  readonly gapMs: number;
  /** No other program can have used this line just before: there is nothing to wait for. */
  readonly isFresh?: boolean;
}

/** Longest pause before a line or a unit is tried again: with it the machine is read within 5 s of its return. */
const longestBackoffMs = 2500;
const connectDeadlineMs = 1500;
/** After a late answer: a repeat of it would follow at once, and be received. */
const settleMs = 50;
/** A unit without an answer this often in a row rests. */
const silencesBeforeRest = 2;
/** Lengths that are tried in one reading when the machine refuses the neighbours. */
const widthsTried = 6;
/** Gateway codes of the Modbus specification: the unit behind it does not answer, the gateway works. */
const gatewayExceptions = new Set([0x0a, 0x0b]);
/** Codes that refuse these addresses. */
const refusesPlaces = (code: number): boolean => code === 2 || code === 3;

/** Why a line without transaction numbers rests after an unanswered request. */
export const waitsForLateAnswer = 'waits for a late answer';

const codeOf: Record<RegisterTable, number> = { coil: 1, discrete: 2, holding: 3, input: 4 };

interface Rest {
  readonly backoff: Backoff;
  until: number;
  reason: string;
}
interface UnitState extends Rest {
  readonly pace: AnswerPace;
  silences: number;
  /** How long the newest late answer took, ms. */
  lateMs: number | undefined;
}

const newRest = (): Rest => ({ backoff: createBackoff(200, longestBackoffMs), until: -Infinity, reason: '' });

/**
 * On a serial line two frames are at least 3.5 characters apart; bytes from before a request are received in that time.
 */
const silenceMs = (link: Link): number => ('baud' in link ? Math.max(2, Math.ceil((3.5 * 11_000) / link.baud)) : 0);

/**
 * The one owner of a Modbus line. One request at a time, with our own deadline; an answer only counts when it can
 * belong to no other request. docs/whose-answer.md has the argument.
 */
export const createBus = (link: Link, timing: BusTiming, clock: Clock = realClock, open: OpenLine = openLine) => {
  const now = clock.monotonic;
  const horizonMs = answerHorizon(timing.quietMs);
  const stopping = new AbortController();
  const line = newRest();
  const wider = createWiderReads(now);
  const units = new Map<number, UnitState>();
  /** Units that have answered on this connection since their last failure. */
  const answering = new Set<number>();
  let isKnownLine = link.kind === 'tcp' || timing.isFresh === true;
  /** A first request whose deadline passed: the usual time of this machine is still unknown. */
  let isWaiting = false;
  let lastRequestAt = -Infinity;
  let moment: Moment | undefined;

  const unitState = (unit: number): UnitState => {
    const known = units.get(unit) ?? {
      ...newRest(),
      pace: createAnswerPace(timing.timeoutMs, timing.timeoutMs + timing.quietMs),
      silences: 0,
      lateMs: undefined,
    };
    units.set(unit, known);
    return known;
  };
  const putToRest = (rest: Rest, reason: string): void => {
    rest.until = now() + rest.backoff.nextMs();
    rest.reason = reason;
  };

  const conversation = createConversation(
    link,
    horizonMs,
    {
      closed(reason) {
        isWaiting = false;
        answering.clear();
        line.until = Math.max(line.until, now() + timing.quietMs);
        line.reason = reason;
      },
      late(unit, afterMs) {
        const state = unitState(unit);
        state.pace.took(afterMs);
        state.lateMs = afterMs;
        if (!isWaiting) return;
        isWaiting = false;
        line.until = now() + settleMs;
        state.until = Math.min(state.until, line.until);
      },
    },
    clock,
    open,
  );
  const hangUp = (): void => {
    conversation.close();
    isWaiting = false;
    answering.clear();
  };

  /** Opens the line and, if answers have no numbers, waits for answers to requests of earlier programs. */
  const connect = async (): Promise<string | undefined> => {
    try {
      await conversation.open(connectDeadlineMs);
      line.backoff.reset();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      putToRest(line, reason);
      return reason;
    }
    if (!isKnownLine) await pause(horizonMs, stopping.signal, clock);
    isKnownLine = true;
    return undefined;
  };

  /** Bytes from before a request are received before it is sent: they can't be its answer. */
  const drainInput = async (): Promise<void> => {
    const waitMs = Math.max(lastRequestAt + timing.gapMs - now(), silenceMs(link));
    if (waitMs > 0) await pause(waitMs, stopping.signal, clock);
    await new Promise((resolve) => setImmediate(resolve));
  };

  const exchange = createExchange(conversation, now, drainInput);

  /** On a line without transaction numbers: with a unique length, else by content and by listening. */
  const askByLength = async (request: BusRequest, patience: Patience, isAgain: boolean): Promise<Outcome> => {
    const code = codeOf[request.table];
    const mark = (count: number): number => answerBytes({ code, count });
    const ask = (span: Span, isDistinct: boolean) => {
      wider.asked(request, span);
      const question = { unit: span.unit, code, start: span.start, count: span.count };
      return isDistinct ? exchange.askDistinct(question, patience, isAgain) : exchange.askAmbiguous(question, patience);
    };
    for (let tried = 0; tried < widthsTried; tried++) {
      const span = wider.choose(request, request.upTo ?? 0, (count) => conversation.recent.isFree(mark(count)));
      if (span === undefined) break;
      const outcome = await ask(span, true);
      if ('words' in outcome) {
        wider.answered(request, span);
        const first = request.start - span.start;
        return { ...outcome, words: outcome.words.slice(first, first + request.count) };
      }
      if (!('exception' in outcome) || span.count === request.count || !refusesPlaces(outcome.exception))
        return outcome;
      wider.refused(request, span);
      await drainInput();
      if (!conversation.isOpen()) return broken;
    }
    const alike = conversation.recent
      .asked(mark(request.count))
      .filter((asked) => asked.unit === request.unit && asked.code === code);
    const pending = alike.find(({ answeredAt }) => answeredAt === undefined);
    if (pending === undefined) {
      return ask(request, alike.length === 0 && wider.isDistinct(request));
    }
    line.until = Math.max(line.until, pending.at + horizonMs);
    line.reason = waitsForLateAnswer;
    return { unasked: line.reason };
  };

  const ask = async (request: BusRequest, { pace }: UnitState): Promise<Outcome> => {
    const { unit, table, start, count } = request;
    const askOnce = (isAgain: boolean): Promise<Outcome> => {
      const deadlineMs = pace.deadlineMs();
      const patience = { deadlineMs, usualMs: pace.usualMs() ?? deadlineMs, quickestMs: pace.quickestMs() ?? 0 };
      return conversation.hasTransactions
        ? exchange.askDistinct({ unit, code: codeOf[table], start, count }, patience)
        : askByLength(request, patience, isAgain);
    };
    const outcome = await askOnce(false);
    if (!('damaged' in outcome)) return outcome;
    // A machine may have become quicker.
    if (outcome.tookMs !== undefined) pace.took(outcome.tookMs);
    await drainInput();
    return conversation.isOpen() ? askOnce(true) : broken;
  };

  const noAnswer = (unit: number, state: UnitState, reason: string): BusAnswer => {
    answering.delete(unit);
    state.silences += 1;
    const says = state.lateMs === undefined ? reason : `${reason}; one came after ${Math.round(state.lateMs)} ms`;
    if (answering.size > 0) {
      putToRest(state, says);
      return { kind: 'silent', reason: says };
    }
    if (state.silences >= silencesBeforeRest) putToRest(state, says);
    // Half an answer on Modbus TCP: the beginning of the next one is unknown.
    const isStuck = conversation.hasTransactions && conversation.isWithinAnswer();
    const isDead = conversation.silentMs() > timing.timeoutMs + timing.quietMs;
    if (isStuck || isDead) hangUp();
    else if (!state.pace.isKnown()) {
      isWaiting = true;
      line.until = now() + timing.quietMs;
      line.reason = says;
    }
    return { kind: 'failed', reason: says };
  };

  return {
    /** Reads once. Callers wait for the answer before the next request; it never throws. */
    async read(request: BusRequest): Promise<BusAnswer> {
      const state = unitState(request.unit);
      if (stopping.signal.aborted) return { kind: 'resting', reason: 'closed' };
      if (now() < line.until) return { kind: 'resting', reason: line.reason };
      if (now() < state.until) return { kind: 'resting', reason: state.reason };
      if (isWaiting) hangUp();
      if (!conversation.isOpen()) {
        const trouble = await connect();
        if (trouble !== undefined) return { kind: 'failed', reason: trouble };
      }
      await drainInput();
      // The line may have broken during the pause.
      if (!conversation.isOpen()) return { kind: 'failed', reason: 'connection closed' };
      lastRequestAt = now();
      const outcome = await ask(request, state);
      lastRequestAt = now();
      if ('failed' in outcome || 'damaged' in outcome) {
        answering.delete(request.unit);
        return { kind: 'failed', reason: 'failed' in outcome ? outcome.failed : outcome.damaged };
      }
      if ('unasked' in outcome) return { kind: 'resting', reason: outcome.unasked };
      if ('nothing' in outcome) return noAnswer(request.unit, state, outcome.nothing);
      state.pace.took(outcome.tookMs);
      if ('exception' in outcome && gatewayExceptions.has(outcome.exception)) {
        putToRest(state, `gateway: unit ${request.unit} does not answer`);
        return { kind: 'exception', code: outcome.exception };
      }
      state.backoff.reset();
      state.silences = 0;
      answering.add(request.unit);
      if ('exception' in outcome) return { kind: 'exception', code: outcome.exception };
      ({ moment } = outcome);
      return { kind: 'data', words: outcome.words };
    },
    /** When the newest data were requested, and when they arrived. */
    moment: (): Moment | undefined => moment,
    close(): void {
      stopping.abort();
      hangUp();
    },
  };
};
export type Bus = ReturnType<typeof createBus>;
