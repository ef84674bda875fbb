import type { RegisterTable } from '@roastery/contract/machine-map';

export interface Span {
  readonly unit: number;
  readonly table: RegisterTable;
  readonly start: number;
  readonly count: number;
}

export interface WiderSpan extends Span {
  /** What is read along before and after, in steps of one register or eight bits. */
  readonly before: number;
  readonly after: number;
}

/** A machine may know more places after a restart. */
const tryAgainMs = 60_000;
const lastPlace = 65_535;
/** What one answer can hold. */
const longest = (table: RegisterTable): number => (table === 'coil' || table === 'discrete' ? 2000 : 125);

interface Limits {
  before: number;
  after: number;
  readonly since: number;
}

const keyOf = ({ unit, table, start, count }: Span): string => `${unit}/${table}/${start}/${count}`;

/**
 * Reads a few places more than are wanted, so that the answer has a length of its own. Which neighbours the machine refuses is
 * remembered: the smallest length comes first, so the border is found at the first refusal beyond it.
 */
export const createWiderReads = (now: () => number) => {
  const limits = new Map<string, Limits>();
  const limitsOf = (span: Span): Limits => {
    const known = limits.get(keyOf(span));
    if (known && now() - known.since < tryAgainMs) return known;
    return { before: Infinity, after: Infinity, since: now() };
  };
  return {
    /** The shortest span around this one, up to `upTo` places, whose length `isFree`; undefined when there is none. */
    choose(span: Span, upTo: number, isFree: (count: number) => boolean): WiderSpan | undefined {
      const step = span.table === 'coil' || span.table === 'discrete' ? 8 : 1;
      const known = limitsOf(span);
      const most = Math.min(upTo, longest(span.table));
      for (let more = 0; span.count + more * step <= most; more++) {
        const room = Math.floor((lastPlace + 1 - span.start - span.count) / step);
        const after = Math.min(more, known.after - 1, room);
        const before = more - after;
        if (before >= known.before || before * step > span.start) return undefined;
        const count = span.count + more * step;
        if (isFree(count)) return { ...span, start: span.start - before * step, count, before, after };
      }
      return undefined;
    },
    /** The machine refused it. */
    refused(span: Span, { before, after }: WiderSpan): void {
      const known = { ...limitsOf(span) };
      if (before > 0) known.before = Math.min(known.before, before);
      else known.after = Math.min(known.after, after);
      if (limits.size > 500) limits.clear();
      limits.set(keyOf(span), known);
    },
  };
};
