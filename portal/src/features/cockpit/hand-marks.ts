import type { Roast, RoastMark } from '@roastery/contract/roasts';
import type { MarkKind } from '@roastery/roasting/marks';

/** The buttons at the machine, in their fixed order. */
export const handMarks = [
  'charge',
  'dry_end',
  'first_crack',
  'first_crack_end',
  'second_crack',
  'drop',
] as const satisfies readonly MarkKind[];
export type HandMark = (typeof handMarks)[number];

/** The first mark after the last one that is set; null after the drop. */
export const nextHandMark = (marks: readonly RoastMark[]): HandMark | null => {
  const last = Math.max(-1, ...handMarks.map((kind, index) => (marks.some((mark) => mark.kind === kind) ? index : -1)));
  return handMarks[last + 1] ?? null;
};

/** Key of a machine's waiting marks in the browser's storage, followed by its id. */
export const pendingMarksPrefix = 'pendingMarks:';

/** A mark that was set by hand. */
export interface HandSet {
  readonly roastId: string;
  readonly kind: HandMark;
  /** Since the charge. */
  readonly time_seconds: number;
  readonly temp: number | null;
  /** It may have reached the server although its response did not arrive: it has to be removed there. */
  readonly undone?: boolean;
}

/** A mark that waits for the server, and who set it: it is sent in this person's name only. */
export interface PendingMark extends HandSet {
  readonly userId: string;
  readonly userName: string;
}

export const isPendingMark = (value: unknown): value is PendingMark =>
  typeof value === 'object' &&
  value !== null &&
  'userId' in value &&
  typeof value.userId === 'string' &&
  'userName' in value &&
  typeof value.userName === 'string' &&
  'roastId' in value &&
  typeof value.roastId === 'string' &&
  'kind' in value &&
  typeof value.kind === 'string' &&
  'time_seconds' in value &&
  typeof value.time_seconds === 'number';

/** The server keeps times in whole milliseconds. */
const sameSeconds = 0.01;

/** Whether a mark of the server is this one. */
export const isStoredAs = (mark: RoastMark, { kind, time_seconds }: PendingMark): boolean =>
  mark.kind === kind && mark.origin === 'person' && Math.abs(mark.time_seconds - time_seconds) < sameSeconds;

/** The marks of a roast, with the waiting ones in their place and without those that wait to be removed. */
export const withPending = (marks: Roast['marks'], pending: readonly PendingMark[]): Roast['marks'] => [
  ...marks.filter((mark) => !pending.some((one) => (one.undone ? isStoredAs(mark, one) : one.kind === mark.kind))),
  ...pending
    .filter((one) => !one.undone)
    .map(({ kind, time_seconds, temp }): RoastMark => ({
      kind,
      time_seconds,
      temp,
      origin: 'person',
      confidence: 1,
      provisional: true,
    })),
];
