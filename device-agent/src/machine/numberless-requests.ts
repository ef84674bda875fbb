import type { RegisterTable } from '@roastery/contract/machine-map';
import { createWiderReads, type Span, type WiderReads } from '../core/wider-read.ts';
import { answerBytes } from './answer-frame.ts';
import type { Conversation } from './conversation.ts';
import { broken, type Exchange, type Outcome, type Patience } from './exchange.ts';

export interface RegisterRequest extends Span {
  /**
   * Neighbours may be read too, up to this many addresses in all, so that the answer has a unique length. Without it,
   * or if the machine refuses its neighbours, answers of one length are distinguished by their content and by
   * listening.
   */
  readonly upTo?: number;
}

export const codeOf: Record<RegisterTable, number> = { coil: 1, discrete: 2, holding: 3, input: 4 };

/** Why a line without transaction numbers rests after an unanswered request. */
export const waitsForLateAnswer = 'waits for a late answer';

/** Lengths that are tried in one reading when the machine refuses the neighbours. */
const widthsTried = 6;
/** Codes that refuse these addresses. */
const refusesPlaces = (code: number): boolean => code === 2 || code === 3;

/** Requests on a line whose answers carry no transaction number. */
export class NumberlessRequests {
  readonly #conversation: Conversation;
  readonly #exchange: Exchange;
  readonly #wider: WiderReads;
  readonly #drainInput: () => Promise<void>;

  constructor(conversation: Conversation, exchange: Exchange, now: () => number, drainInput: () => Promise<void>) {
    this.#conversation = conversation;
    this.#exchange = exchange;
    this.#wider = createWiderReads(now);
    this.#drainInput = drainInput;
  }

  /** Asks with a unique length, else by content and by listening. `unasked` while an answer of this length is due. */
  async ask(request: RegisterRequest, patience: Patience, isAgain: boolean): Promise<Outcome> {
    const code = codeOf[request.table];
    const { recent } = this.#conversation;
    const mark = (count: number): number => answerBytes({ code, count });
    for (let tried = 0; tried < widthsTried; tried++) {
      const span = this.#wider.choose(request, request.upTo ?? 0, (count) => recent.isFree(mark(count)));
      if (span === undefined) break;
      const outcome = await this.#askOnce(request, span, patience, { isDistinct: true, isAgain });
      if ('words' in outcome) {
        this.#wider.answered(request, span);
        const first = request.start - span.start;
        return { ...outcome, words: outcome.words.slice(first, first + request.count) };
      }
      if (!('exception' in outcome) || span.count === request.count || !refusesPlaces(outcome.exception))
        return outcome;
      this.#wider.refused(request, span);
      await this.#drainInput();
      if (!this.#conversation.isOpen()) return broken;
    }
    const alike = recent
      .asked(mark(request.count))
      .filter((asked) => asked.unit === request.unit && asked.code === code);
    const pending = alike.find(({ answeredAt }) => answeredAt === undefined);
    if (pending !== undefined) return { unasked: waitsForLateAnswer, until: pending.at + this.#conversation.horizonMs };
    const isDistinct = alike.length === 0 && this.#wider.isDistinct(request);
    return this.#askOnce(request, request, patience, { isDistinct, isAgain });
  }

  #askOnce(
    request: RegisterRequest,
    span: Span,
    patience: Patience,
    { isDistinct, isAgain }: { isDistinct: boolean; isAgain: boolean },
  ): Promise<Outcome> {
    this.#wider.asked(request, span);
    const question = { unit: span.unit, code: codeOf[span.table], start: span.start, count: span.count };
    return isDistinct
      ? this.#exchange.askDistinct(question, patience, isAgain)
      : this.#exchange.askAmbiguous(question, patience);
  }
}
