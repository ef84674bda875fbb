/**
 * The longest time after which an answer may arrive late or repeated, ms: the quiet time, plus a margin for a busy
 * computer.
 */
export const answerHorizon = (quietMs: number): number => 1.25 * quietMs;

/** A sent request. */
export interface Asked {
  readonly unit: number;
  readonly code: number;
  /** Unit, function, first address and count. */
  readonly place: string;
  readonly at: number;
  answeredAt: number | undefined;
}

interface Received {
  readonly bytes: string;
  readonly at: number;
}

/** Remembered marks before old ones are removed: a transaction number is not reused soon. */
const sweptAt = 500;
/** An address whose answers were repeats this often, of this many, repeats answers by itself. */
const steadyAfter = 3;
const judgedBy = 8;

/**
 * Requests and answers within the horizon, the longest time after which an answer may still arrive late or repeated. A
 * mark distinguishes answers: the transaction number on Modbus TCP, the length on other lines. A mark that was used
 * once within the horizon belongs to that request: no answers to earlier requests with the same mark can follow.
 */
export const createRecentAnswers = (horizonMs: number, now: () => number) => {
  const asked = new Map<number, readonly Asked[]>();
  const received = new Map<string, readonly Received[]>();
  const places = new Map<string, { answers: readonly Received[]; wereOld: readonly boolean[] }>();
  const isRecent = (at: number): boolean => now() - at < horizonMs;
  const recently = <K, T>(all: Map<K, readonly T[]>, mark: K, timeOf: (one: T) => number): readonly T[] => {
    const recent = (all.get(mark) ?? []).filter((one) => isRecent(timeOf(one)));
    if (recent.length > 0) all.set(mark, recent);
    else all.delete(mark);
    return recent;
  };
  const recentlyAsked = (mark: number) => recently(asked, mark, ({ at, answeredAt }) => answeredAt ?? at);
  const recentlyReceived = (mark: string) => recently(received, mark, ({ at }) => at);
  return {
    ask(mark: number, unit: number, code: number, place = ''): Asked {
      if (asked.size + received.size > sweptAt) {
        for (const one of asked.keys()) recentlyAsked(one);
        for (const one of received.keys()) recentlyReceived(one);
      }
      const question: Asked = { unit, code, place, at: now(), answeredAt: undefined };
      asked.set(mark, [...recentlyAsked(mark), question]);
      return question;
    },
    /** Whether an answer with this mark can only belong to the next request. */
    isFree: (mark: number): boolean => recentlyAsked(mark).length === 0,
    /** The requests with this mark that answers may still arrive for, oldest first. */
    asked: recentlyAsked,
    /**
     * Records an answer, `mark` with all its other properties; returns whether the same bytes arrived within the
     * horizon.
     */
    hear(mark: string, bytes: string): boolean {
      const before = recentlyReceived(mark);
      received.set(mark, [...before, { bytes, at: now() }]);
      return before.some((one) => one.bytes === bytes);
    },
    /**
     * Records that these bytes were the answer to a request for this address; `isOld` when they had arrived before,
     * undefined where that is unknown.
     */
    answered(place: string, bytes: string, isOld?: boolean): void {
      const before = places.get(place) ?? { answers: [], wereOld: [] };
      // A probe reads thousands of addresses once; removing the record of one does little harm.
      if (places.size > 500) places.clear();
      places.set(place, {
        answers: [...before.answers, { bytes, at: now() }].slice(-judgedBy),
        wereOld: isOld === undefined ? before.wereOld : [...before.wereOld, isOld].slice(-judgedBy),
      });
    },
    /** Whether this address answered with these bytes within the horizon before a request. */
    isOwn: (place: string, bytes: string, asked: Asked): boolean =>
      places.get(place)?.answers.some((answer) => answer.bytes === bytes && asked.at - answer.at < horizonMs) === true,
    /** Whether this address often repeats its answers. */
    isSteady: (place: string): boolean => (places.get(place)?.wereOld.filter(Boolean).length ?? 0) >= steadyAfter,
    /** Whether an earlier request is still unanswered. */
    hasUnanswered: (than: Asked): boolean =>
      [...asked.keys()].some((mark) => recentlyAsked(mark).some((one) => one !== than && one.answeredAt === undefined)),
  };
};
export type RecentAnswers = ReturnType<typeof createRecentAnswers>;
