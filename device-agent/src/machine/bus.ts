import type { Link } from '@roastery/contract/machine-map';
import { pause } from '@roastery/runtime/backoff';
import { realClock, type Clock } from '@roastery/runtime/clock';
import { answerHorizon } from '../core/recent-answers.ts';
import { openLine, type OpenLine } from './line-port.ts';
import { Conversation } from './conversation.ts';
import { broken, Exchange, type Moment, type Outcome } from './exchange.ts';
import { codeOf, NumberlessRequests, type RegisterRequest } from './numberless-requests.ts';
import { newRest, newUnit, putToRest, type UnitState } from './rests.ts';

export type BusRequest = RegisterRequest;

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

const connectDeadlineMs = 1500;
/** After a late answer: a repeat of it would follow at once, and be received. */
const settleMs = 50;
/** A unit without an answer this often in a row rests. */
const silencesBeforeRest = 2;
/** Gateway codes of the Modbus specification: the unit behind it does not answer, the gateway works. */
const gatewayExceptions = new Set([0x0a, 0x0b]);

/**
 * On a serial line two frames are at least 3.5 characters apart; bytes from before a request are received in that time.
 */
const silenceMs = (link: Link): number => ('baud' in link ? Math.max(2, Math.ceil((3.5 * 11_000) / link.baud)) : 0);

export interface Bus {
  /** Reads once. Callers wait for the answer before the next request; it never throws. */
  read(request: BusRequest): Promise<BusAnswer>;
  /** When the newest data were requested, and when they arrived. */
  moment(): Moment | undefined;
  close(): void;
}

/**
 * The one owner of a Modbus line. One request at a time, with our own deadline; an answer only counts when it can
 * belong to no other request. README.md, "Whose answer is it?", has the argument.
 */
class ModbusBus implements Bus {
  readonly #link: Link;
  readonly #timing: BusTiming;
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #stopping = new AbortController();
  readonly #conversation: Conversation;
  readonly #exchange: Exchange;
  readonly #numberless: NumberlessRequests;
  readonly #line = newRest();
  readonly #units = new Map<number, UnitState>();
  /** Units that have answered on this connection since their last failure. */
  readonly #answering = new Set<number>();
  #isKnownLine: boolean;
  /** A first request whose deadline passed: the usual time of this machine is still unknown. */
  #isWaiting = false;
  #lastRequestAt = -Infinity;
  #moment: Moment | undefined;

  constructor(link: Link, timing: BusTiming, clock: Clock, openLine: OpenLine) {
    this.#link = link;
    this.#timing = timing;
    this.#clock = clock;
    this.#now = clock.monotonic;
    this.#isKnownLine = link.kind === 'tcp' || timing.isFresh === true;
    this.#conversation = new Conversation({
      link,
      horizonMs: answerHorizon(timing.quietMs),
      events: {
        closed: (reason) => this.#closed(reason),
        late: (unit, afterMs) => this.#late(unit, afterMs),
      },
      clock,
      openLine,
    });
    const drainInput = (): Promise<void> => this.#drainInput();
    this.#exchange = new Exchange(this.#conversation, this.#now, drainInput);
    this.#numberless = new NumberlessRequests(this.#conversation, this.#exchange, this.#now, drainInput);
  }

  async read(request: BusRequest): Promise<BusAnswer> {
    const state = this.#unitState(request.unit);
    if (this.#stopping.signal.aborted) return { kind: 'resting', reason: 'closed' };
    if (this.#now() < this.#line.until) return { kind: 'resting', reason: this.#line.reason };
    if (this.#now() < state.until) return { kind: 'resting', reason: state.reason };
    if (this.#isWaiting) this.#hangUp();
    if (!this.#conversation.isOpen()) {
      const trouble = await this.#connect();
      if (trouble !== undefined) return { kind: 'failed', reason: trouble };
    }
    await this.#drainInput();
    // The line may have broken during the pause.
    if (!this.#conversation.isOpen()) return { kind: 'failed', reason: 'connection closed' };
    this.#lastRequestAt = this.#now();
    const outcome = await this.#ask(request, state);
    this.#lastRequestAt = this.#now();
    if ('failed' in outcome || 'damaged' in outcome) {
      this.#answering.delete(request.unit);
      return { kind: 'failed', reason: 'failed' in outcome ? outcome.failed : outcome.damaged };
    }
    if ('unasked' in outcome) {
      this.#line.until = Math.max(this.#line.until, outcome.until);
      this.#line.reason = outcome.unasked;
      return { kind: 'resting', reason: outcome.unasked };
    }
    if ('nothing' in outcome) return this.#noAnswer(request.unit, state, outcome.nothing);
    state.pace.took(outcome.tookMs);
    if ('exception' in outcome && gatewayExceptions.has(outcome.exception)) {
      putToRest(state, this.#now(), `gateway: unit ${request.unit} does not answer`);
      return { kind: 'exception', code: outcome.exception };
    }
    state.backoff.reset();
    state.silences = 0;
    this.#answering.add(request.unit);
    if ('exception' in outcome) return { kind: 'exception', code: outcome.exception };
    this.#moment = outcome.moment;
    return { kind: 'data', words: outcome.words };
  }

  moment(): Moment | undefined {
    return this.#moment;
  }

  close(): void {
    this.#stopping.abort();
    this.#hangUp();
  }

  #closed(reason: string): void {
    this.#isWaiting = false;
    this.#answering.clear();
    this.#line.until = Math.max(this.#line.until, this.#now() + this.#timing.quietMs);
    this.#line.reason = reason;
  }

  #late(unit: number, afterMs: number): void {
    const state = this.#unitState(unit);
    state.pace.took(afterMs);
    state.lateMs = afterMs;
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#line.until = this.#now() + settleMs;
    state.until = Math.min(state.until, this.#line.until);
  }

  #unitState(unit: number): UnitState {
    const known = this.#units.get(unit) ?? newUnit(this.#timing);
    this.#units.set(unit, known);
    return known;
  }

  #hangUp(): void {
    this.#conversation.close();
    this.#isWaiting = false;
    this.#answering.clear();
  }

  /** Opens the line and, if answers have no numbers, waits for answers to requests of earlier programs. */
  async #connect(): Promise<string | undefined> {
    try {
      await this.#conversation.open(connectDeadlineMs);
      this.#line.backoff.reset();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      putToRest(this.#line, this.#now(), reason);
      return reason;
    }
    if (!this.#isKnownLine) await pause(this.#conversation.horizonMs, this.#stopping.signal, this.#clock);
    this.#isKnownLine = true;
    return undefined;
  }

  /** Bytes from before a request are received before it is sent: they can't be its answer. */
  async #drainInput(): Promise<void> {
    const waitMs = Math.max(this.#lastRequestAt + this.#timing.gapMs - this.#now(), silenceMs(this.#link));
    if (waitMs > 0) await pause(waitMs, this.#stopping.signal, this.#clock);
    await new Promise((resolve) => setImmediate(resolve));
  }

  async #ask(request: BusRequest, { pace }: UnitState): Promise<Outcome> {
    const { unit, table, start, count } = request;
    const askOnce = (isAgain: boolean): Promise<Outcome> => {
      const deadlineMs = pace.deadlineMs();
      const patience = { deadlineMs, usualMs: pace.usualMs() ?? deadlineMs, quickestMs: pace.quickestMs() ?? 0 };
      return this.#conversation.hasTransactions
        ? this.#exchange.askDistinct({ unit, code: codeOf[table], start, count }, patience)
        : this.#numberless.ask(request, patience, isAgain);
    };
    const outcome = await askOnce(false);
    if (!('damaged' in outcome)) return outcome;
    // A machine may have become quicker.
    if (outcome.tookMs !== undefined) pace.took(outcome.tookMs);
    await this.#drainInput();
    return this.#conversation.isOpen() ? askOnce(true) : broken;
  }

  #noAnswer(unit: number, state: UnitState, reason: string): BusAnswer {
    this.#answering.delete(unit);
    state.silences += 1;
    const says = state.lateMs === undefined ? reason : `${reason}; one came after ${Math.round(state.lateMs)} ms`;
    if (this.#answering.size > 0) {
      putToRest(state, this.#now(), says);
      return { kind: 'silent', reason: says };
    }
    if (state.silences >= silencesBeforeRest) putToRest(state, this.#now(), says);
    // Half an answer on Modbus TCP: the beginning of the next one is unknown.
    const isStuck = this.#conversation.hasTransactions && this.#conversation.isWithinAnswer();
    const isDead = this.#conversation.silentMs() > this.#timing.timeoutMs + this.#timing.quietMs;
    if (isStuck || isDead) this.#hangUp();
    else if (!state.pace.isKnown()) {
      this.#isWaiting = true;
      this.#line.until = this.#now() + this.#timing.quietMs;
      this.#line.reason = says;
    }
    return { kind: 'failed', reason: says };
  }
}

export const createBus = (link: Link, timing: BusTiming, clock: Clock = realClock, open: OpenLine = openLine): Bus =>
  new ModbusBus(link, timing, clock, open);
