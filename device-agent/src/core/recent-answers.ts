/** The longest time after which an answer may come late or once more, ms: the quiet time, and a little on a busy computer. */
export const answerHorizon = (quietMs: number): number => 1.25 * quietMs;

/** A question that was asked. */
export interface Asked {
  readonly unit: number;
  readonly code: number;
  /** Unit, function, first place and how many. */
  readonly place: string;
  readonly at: number;
  answeredAt: number | undefined;
}

interface Heard {
  readonly bytes: string;
  readonly at: number;
}

/** Marks that are remembered before those of long ago are swept out: a transaction number does not come again soon. */
const sweptAt = 500;
/** A place whose answers were nothing new so often, of so many, is one whose answers repeat by themselves. */
const steadyAfter = 3;
const judgedBy = 8;

/**
 * What was asked and heard within the horizon, the longest time after which an answer may still come late or once more.
 *
 * A mark is what tells an answer from others: its transaction number on Modbus TCP, its length on the other lines. A mark that
 * was asked for once within the horizon belongs to that question: the answers to any other one that had it are over.
 */
export const createRecentAnswers = (horizonMs: number, now: () => number) => {
  const asked = new Map<number, readonly Asked[]>();
  const heard = new Map<string, readonly Heard[]>();
  const places = new Map<string, { answers: readonly Heard[]; wereOld: readonly boolean[] }>();
  const isRecent = (at: number): boolean => now() - at < horizonMs;
  const recently = <K, T>(all: Map<K, readonly T[]>, mark: K, timeOf: (one: T) => number): readonly T[] => {
    const recent = (all.get(mark) ?? []).filter((one) => isRecent(timeOf(one)));
    if (recent.length > 0) all.set(mark, recent);
    else all.delete(mark);
    return recent;
  };
  const recentlyAsked = (mark: number) => recently(asked, mark, ({ at, answeredAt }) => answeredAt ?? at);
  const recentlyHeard = (mark: string) => recently(heard, mark, ({ at }) => at);
  return {
    ask(mark: number, unit: number, code: number, place = ''): Asked {
      if (asked.size + heard.size > sweptAt) {
        for (const one of asked.keys()) recentlyAsked(one);
        for (const one of heard.keys()) recentlyHeard(one);
      }
      const question: Asked = { unit, code, place, at: now(), answeredAt: undefined };
      asked.set(mark, [...recentlyAsked(mark), question]);
      return question;
    },
    /** Whether an answer with this mark can only belong to the next question. */
    isFree: (mark: number): boolean => recentlyAsked(mark).length === 0,
    /** The questions with this mark that answers may still come to, oldest first. */
    asked: recentlyAsked,
    /** An answer came, `mark` with all else that it tells; says whether the same bytes came within the horizon. */
    hear(mark: string, bytes: string): boolean {
      const before = recentlyHeard(mark);
      heard.set(mark, [...before, { bytes, at: now() }]);
      return before.some((one) => one.bytes === bytes);
    },
    /** These bytes were the answer to a question for this place; `isOld` when they had come before, undefined where that says nothing. */
    answered(place: string, bytes: string, isOld?: boolean): void {
      const before = places.get(place) ?? { answers: [], wereOld: [] };
      // A probe asks for thousands of places once; what is forgotten is only less well known.
      if (places.size > 500) places.clear();
      places.set(place, {
        answers: [...before.answers, { bytes, at: now() }].slice(-judgedBy),
        wereOld: isOld === undefined ? before.wereOld : [...before.wereOld, isOld].slice(-judgedBy),
      });
    },
    /** Whether this place gave these bytes within the horizon before a question. */
    isOwn: (place: string, bytes: string, asked: Asked): boolean =>
      places.get(place)?.answers.some((answer) => answer.bytes === bytes && asked.at - answer.at < horizonMs) === true,
    /** Whether this place often gives what it gave before. */
    isSteady: (place: string): boolean => (places.get(place)?.wereOld.filter(Boolean).length ?? 0) >= steadyAfter,
    /** Whether an earlier question is still without its answer. */
    hasUnanswered: (than: Asked): boolean =>
      [...asked.keys()].some((mark) => recentlyAsked(mark).some((one) => one !== than && one.answeredAt === undefined)),
  };
};
