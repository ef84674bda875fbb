import { exceptionFlag, type Question } from './answer-frame.ts';
import type { Conversation, FittingAnswer, Flight } from './conversation.ts';

/** When a request was sent and its answer arrived, by the clock of the bus. */
export interface Moment {
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** The result of one request. */
export type Outcome =
  | { readonly words: readonly number[]; readonly tookMs: number; readonly moment: Moment }
  | { readonly exception: number; readonly tookMs: number }
  /** Nothing that could be the answer arrived before the deadline. */
  | { readonly nothing: string }
  /** An unusable answer arrived. None is due any more, so the request may be repeated at once. */
  | { readonly damaged: string; readonly tookMs?: number }
  /** Not sent: another answer may still arrive until then. */
  | { readonly unasked: string; readonly until: number }
  | { readonly failed: string };

export const broken: Outcome = { failed: 'connection closed' };
const damagedAnswer: Outcome = { damaged: 'the answer was damaged' };
const ambiguous = 'answers that could belong to another request';

export interface Patience {
  readonly deadlineMs: number;
  /** How long most answers of this unit take. */
  readonly usualMs: number;
  /** The fastest time of this unit; 0 while that is unknown. */
  readonly quickestMs: number;
}

/** An answer within a smaller share of the fastest time was sent before its request. */
const tooSoonPart = 0.5;
/** Within a smaller share than this it may have been: the true one would follow. */
const soonPart = 0.9;

/** After a damaged answer: the rest of a slow one would have arrived by then. */
const quietAfterDamageMs = 50;
/** Bytes that are still arriving at the deadline are received for this long. */
const graceMs = 50;

const isRefusal = ({ frame }: FittingAnswer): boolean => (frame.code & exceptionFlag) !== 0;
/** The only answer among these, apart from repeats of it. */
const single = (answers: readonly FittingAnswer[]): FittingAnswer | undefined =>
  new Set(answers.map(({ bytes }) => bytes)).size === 1 ? answers[0] : undefined;
/** Unrequested bytes after an answer arrive within this many ms. */
const followsMs = 10;
/** By then the true answer is here, if one comes at all, and so are bytes that follow it. */
const settledAt = ({ asked, lastByteAt }: Flight, { usualMs }: Patience): number =>
  Math.max(asked.at + 1.5 * usualMs, lastByteAt) + followsMs;

/** Sends one request and decides which of the answers on the line is its own. README.md, "Whose answer is it?". */
export class Exchange {
  readonly #conversation: Conversation;
  readonly #now: () => number;
  readonly #drainInput: () => Promise<void>;

  constructor(conversation: Conversation, now: () => number, drainInput: () => Promise<void>) {
    this.#conversation = conversation;
    this.#now = now;
    this.#drainInput = drainInput;
  }

  /** Listens until the deadline; with an answer until `enoughAt`, after a damaged one until the line is quiet. */
  async #listen(flight: Flight, patience: Patience, enoughAt: () => number): Promise<'over' | 'closed'> {
    const deadline = flight.asked.at + patience.deadlineMs;
    for (;;) {
      let until = deadline;
      if (flight.answers.length > 0) until = Math.min(until, enoughAt());
      else if (this.#conversation.isDamaged(flight))
        until = Math.min(until, Math.max(settledAt(flight, patience), flight.lastByteAt + quietAfterDamageMs));
      if (this.#now() >= until) {
        // In a starved process timers fire before the bytes that arrived in the meantime.
        const { lastByteAt } = flight;
        await new Promise((resolve) => setImmediate(resolve));
        if (flight.lastByteAt === lastByteAt || this.#now() >= deadline + graceMs) return 'over';
        continue;
      }
      if ((await this.#conversation.bytesUntil(until)) === 'closed') return 'closed';
    }
  }

  #outcomeOf({ asked }: Flight, { frame, at }: FittingAnswer, { deadlineMs }: Patience): Outcome {
    asked.answeredAt = at;
    const tookMs = at - asked.at;
    // The answer arrived, or this process was scheduled, too late to determine when the machine measured these values.
    if (tookMs > deadlineMs) return none(deadlineMs);
    // On Modbus TCP only the number has been compared so far: the codec refuses another unit, function or length.
    const answer = this.#conversation.decode(frame);
    if ('failed' in answer) return { damaged: answer.failed };
    return 'words' in answer
      ? { ...answer, tookMs, moment: { askedAt: asked.at, answeredAt: at } }
      : { ...answer, tookMs };
  }

  #withoutAnswer(flight: Flight, { deadlineMs }: Patience): Outcome {
    if (!this.#conversation.isDamaged(flight)) return none(deadlineMs);
    flight.asked.answeredAt = this.#now();
    return damagedAnswer;
  }

  /**
   * For a request whose answer differs from every other answer that may still arrive: by its number or its length.
   * Beside a damaged answer it may be an unrequested one, and is only accepted with `isAgain`.
   */
  async askDistinct(question: Question, patience: Patience, isAgain = false): Promise<Outcome> {
    const flight = this.#conversation.ask(question);
    const tookMs = ({ at }: FittingAnswer): number => at - flight.asked.at;
    const isSooner = (answer: FittingAnswer, part: number): boolean =>
      !this.#conversation.hasTransactions && tookMs(answer) < part * patience.quickestMs;
    // All refusals have the same few bytes: one may be late or a repeat, and the true answer may follow.
    const isDoubtful = (answer: FittingAnswer): boolean =>
      isSooner(answer, soonPart) ||
      (isRefusal(answer) && (answer.isCopy || this.#conversation.recent.hasUnanswered(flight.asked)));
    const received = await this.#listen(flight, patience, () =>
      !this.#conversation.hasTransactions && flight.answers.every(isDoubtful) ? settledAt(flight, patience) : -Infinity,
    );
    this.#conversation.over();
    if (received === 'closed') return broken;
    const { answers } = flight;
    const [first] = answers;
    if (first === undefined) return this.#withoutAnswer(flight, patience);
    const values = answers.filter((answer) => !isRefusal(answer));
    const inTime = values.filter((answer) => !isSooner(answer, tooSoonPart));
    if (values[0] && inTime.length === 0) return { damaged: ambiguous, tookMs: tookMs(values[0]) };
    // A refusal beside values belongs to another request, or the values are unrequested.
    const answer = values.length === 0 ? first : single(inTime);
    if (answer === undefined || (values.length > 0 && answers.some(isRefusal))) return { damaged: ambiguous };
    if (!isAgain && !isRefusal(answer) && this.#conversation.isDamaged(flight)) {
      flight.asked.answeredAt = this.#now();
      return { damaged: ambiguous };
    }
    if (!this.#conversation.hasTransactions) this.#conversation.recent.answered(flight.asked.place, answer.bytes);
    return this.#outcomeOf(flight, answer, patience);
  }

  /**
   * For a request whose answer has the length of other answers. No earlier one of them is still due, so the only other
   * answers are repeats, whose bytes are known, and unrequested ones. It listens until the true answer would have
   * arrived: one answer on a clean line with new bytes is the true one. Beside it even a known one causes doubt:
   * either it is a repeat, or it is the true answer, unchanged, and the new one is unrequested. Known bytes are
   * accepted when the address often gives the same, or gives them again when the request is repeated (`heardOnce`).
   */
  async askAmbiguous(question: Question, patience: Patience, receivedOnce?: ReadonlySet<string>): Promise<Outcome> {
    const flight = this.#conversation.ask(question);
    const { asked, answers } = flight;
    const { place } = asked;
    const received = await this.#listen(flight, patience, () => settledAt(flight, patience));
    const isClean = this.#conversation.isClean(flight);
    this.#conversation.over();
    if (received === 'closed') return broken;
    const values = answers.filter((answer) => !isRefusal(answer));
    const refusal = answers.find(isRefusal);
    if (values.length === 0)
      return refusal ? this.#outcomeOf(flight, refusal, patience) : this.#withoutAnswer(flight, patience);
    const areKnown = values.every(({ isCopy }) => isCopy);
    const hasOwn = values.some(
      ({ bytes }) => receivedOnce?.has(bytes) === true || this.#conversation.recent.isOwn(place, bytes, asked),
    );
    // Only repeats of other answers: the true one may still arrive.
    if (areKnown && !hasOwn && !this.#conversation.isDamaged(flight)) return { failed: ambiguous };
    // The true answer is among these, or it is the damaged one beside them: none is due any more.
    asked.answeredAt = this.#now();
    const answer = refusal ? undefined : single(values);
    const isCredible = areKnown
      ? hasOwn &&
        answer !== undefined &&
        (receivedOnce?.has(answer.bytes) === true || (isClean && this.#conversation.recent.isSteady(place)))
      : isClean;
    if (answer && isCredible) {
      this.#conversation.recent.answered(place, answer.bytes, areKnown);
      return this.#outcomeOf(flight, answer, patience);
    }
    if (receivedOnce !== undefined || (areKnown && !hasOwn)) return { damaged: ambiguous };
    await this.#drainInput();
    const bytes = new Set(values.map((value) => value.bytes));
    return this.#conversation.isOpen() ? this.askAmbiguous(question, patience, bytes) : broken;
  }
}

const none = (deadlineMs: number): Outcome => ({ nothing: `no answer within ${Math.round(deadlineMs)} ms` });
