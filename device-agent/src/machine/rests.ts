import { createBackoff, type Backoff } from '@roastery/runtime/backoff';
import { createAnswerPace, type AnswerPace } from '../core/answer-pace.ts';

/** A line or a unit that has failed is not asked until its next attempt. */
export interface Rest {
  readonly backoff: Backoff;
  until: number;
  reason: string;
}
/** What is known of a unit on the line. */
export interface UnitState extends Rest {
  readonly pace: AnswerPace;
  silences: number;
  /** How long the newest late answer took, ms. */
  lateMs: number | undefined;
}

/** Longest pause before a line or a unit is tried again: with it the machine is read within 5 s of its return. */
const longestBackoffMs = 2500;

export const newRest = (): Rest => ({ backoff: createBackoff(200, longestBackoffMs), until: -Infinity, reason: '' });

export const newUnit = ({ timeoutMs, quietMs }: { timeoutMs: number; quietMs: number }): UnitState => ({
  ...newRest(),
  pace: createAnswerPace(timeoutMs, timeoutMs + quietMs),
  silences: 0,
  lateMs: undefined,
});

export const putToRest = (rest: Rest, now: number, reason: string): void => {
  rest.until = now + rest.backoff.nextMs();
  rest.reason = reason;
};
