import type { RegisterTable } from '@roastery/contract/machine-map';

export interface Span {
  readonly unit: number;
  readonly table: RegisterTable;
  readonly start: number;
  readonly count: number;
}

export interface WiderSpan extends Span {
  /** Additional addresses before and after, in steps of one register or eight bits. */
  readonly before: number;
  readonly after: number;
}

/** A machine may know more addresses after a restart. */
const tryAgainMs = 3_600_000;
const lastPlace = 65_535;
/** The maximum of one answer. */
const longest = (table: RegisterTable): number => (table === 'coil' || table === 'discrete' ? 2000 : 125);

type Side = 'before' | 'after';

/** The distance from which a machine refuses to read; Infinity while it has refused none. */
interface Limits {
  before: number;
  after: number;
  /** This many additional addresses after it were read. */
  readAfter: number;
  /** A refusal that arrived once: it may have been the late answer to another request. */
  doubt: { readonly side: Side; readonly at: number } | undefined;
  readonly since: number;
}

const keyOf = ({ unit, table, start, count }: Span): string => `${unit}/${table}/${start}/${count}`;
const maxPlaces = 500;
/** How many requests for a span are remembered. */
const maxReads = 5;

/**
 * Reads a few more addresses than needed, so that the answer has a unique length. The neighbours that the machine
 * refuses are remembered: the smallest length is tried first, so the limit is found at the first refusals beyond it.
 */
export const createWiderReads = (now: () => number) => {
  const limits = new Map<string, Limits>();
  /** The newest requests for each span, with their additional addresses. */
  const lastReads = new Map<string, readonly Span[]>();
  const limitsOf = (span: Span): Limits => {
    const known = limits.get(keyOf(span));
    if (known && now() - known.since < tryAgainMs) return known;
    const readAfter = known?.readAfter ?? 0;
    const unknown = { before: Infinity, after: Infinity, readAfter, doubt: undefined, since: now() };
    if (limits.size > maxPlaces) limits.clear();
    limits.set(keyOf(span), unknown);
    return unknown;
  };
  /**
   * An unrequested answer has the length of one of the newest requests for its own span, however long ago. With another
   * first address the same length holds other values.
   */
  const isLastOfAnother = ({ unit, table, start, count }: Span, wanted: string): boolean =>
    [...lastReads].some(([key, reads]) =>
      reads.some(
        (last) =>
          last.count === count &&
          last.unit === unit &&
          last.table === table &&
          (key !== wanted || last.start !== start),
      ),
    );
  return {
    /**
     * The shortest span around this one, up to `upTo` addresses, whose length `isFree`; undefined when there is none.
     */
    choose(span: Span, upTo: number, isFree: (count: number) => boolean): WiderSpan | undefined {
      const step = span.table === 'coil' || span.table === 'discrete' ? 8 : 1;
      const known = limitsOf(span);
      const most = Math.min(upTo, longest(span.table));
      for (let more = 0; span.count + more * step <= most; more++) {
        const room = Math.floor((lastPlace + 1 - span.start - span.count) / step);
        // Beside addresses before it only those after it that were read: a refusal then has one cause.
        const after = more < known.after && more <= room ? more : Math.min(known.readAfter, known.after - 1);
        const before = more - after;
        if (before >= known.before || before * step > span.start) return undefined;
        const wide = { ...span, start: span.start - before * step, count: span.count + more * step, before, after };
        if (isFree(wide.count) && !isLastOfAnother(wide, keyOf(span))) return wide;
      }
      return undefined;
    },
    /** Whether no other span was last requested with this length, nor this one from another address. */
    isDistinct: (span: Span): boolean => !isLastOfAnother(span, keyOf(span)),
    /** Records a request for a span, with its additional addresses. */
    asked(span: Span, { unit, table, start, count }: Span): void {
      if (lastReads.size > maxPlaces) lastReads.clear();
      const key = keyOf(span);
      lastReads.set(key, [...(lastReads.get(key) ?? []).slice(1 - maxReads), { unit, table, start, count }]);
    },
    /** The machine answered with data. */
    answered(span: Span, { after }: WiderSpan): void {
      const known = limitsOf(span);
      known.readAfter = Math.max(known.readAfter, after);
      known.doubt = undefined;
    },
    /** Records a refusal. Two in a row on one side are accepted. */
    refused(span: Span, { before, after }: WiderSpan): void {
      const known = limitsOf(span);
      const side = after > known.readAfter ? 'after' : 'before';
      const at = side === 'after' ? after : before;
      const { doubt } = known;
      if (doubt?.side === side) known[side] = Math.min(known[side], doubt.at, at);
      known.doubt = doubt?.side === side ? undefined : { side, at };
    },
  };
};
export type WiderReads = ReturnType<typeof createWiderReads>;
