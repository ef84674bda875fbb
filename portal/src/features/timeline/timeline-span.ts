import { maxTimelineDays, minTimelineSeconds } from '@roastery/contract/limits';

/** A span of time, ms since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export const dayMs = 86_400_000;
export const longestMs = maxTimelineDays * dayMs;
const shortestMs = Math.max(60, minTimelineSeconds) * 1000;

/** A range that is being selected: the cursor, and where the range began. */
export interface Marking {
  readonly anchor: number | null;
  readonly cursor: number | null;
}

export const spanBetween = (one: number, other: number): Span => ({
  from: Math.min(one, other),
  to: Math.max(one, other),
});

/** The range so far; null without one. */
export const markedIn = ({ anchor, cursor }: Marking): Span | null =>
  anchor === null || cursor === null || anchor === cursor ? null : spanBetween(anchor, cursor);

/** Where a key moves the cursor of the shown span; undefined for other keys. */
export const cursorAfter = (key: string, isFast: boolean, at: number, shown: Span): number | undefined => {
  const step = ((shown.to - shown.from) / 200) * (isFast ? 10 : 1);
  const next = { ArrowLeft: at - step, ArrowRight: at + step, Home: shown.from, End: shown.to }[key];
  return next === undefined ? undefined : Math.min(shown.to, Math.max(shown.from, next));
};

/** The span that a key shows; undefined for other keys. */
export const spanAfter = (key: string, at: number, shown: Span): Span | undefined => {
  if (key === '+' || key === '=') return zoomed(shown, 0.5, at);
  if (key === '-') return zoomed(shown, 2, at);
  if (key === 'PageUp') return moved(shown, -0.5);
  return key === 'PageDown' ? moved(shown, 0.5) : undefined;
};

/** The span of an address; undefined when it has none that can be shown. */
export const readSpan = (from: string | undefined, to: string | undefined): Span | undefined => {
  const span = { from: Date.parse(from ?? ''), to: Date.parse(to ?? '') };
  const length = span.to - span.from;
  return length >= minTimelineSeconds * 1000 && length <= longestMs ? span : undefined;
};

/** Makes a span `factor` times as long around a time, which keeps its position on the screen. */
export const zoomed = ({ from, to }: Span, factor: number, around: number): Span => {
  const length = Math.round(Math.min(longestMs, Math.max(shortestMs, (to - from) * factor)));
  const start = Math.round(around - ((around - from) / (to - from)) * length);
  return { from: start, to: start + length };
};

/** Moves a span by a share of its length. */
export const moved = ({ from, to }: Span, share: number): Span => {
  const by = Math.round((to - from) * share);
  return { from: from + by, to: to + by };
};

/** A span with some room on both sides, so that its content is visible as a whole. */
export const withRoom = ({ from, to }: Span, share = 0.25): Span => {
  const room = Math.max(shortestMs / 2, Math.round((to - from) * share));
  return { from: from - room, to: to + room };
};

const minute = 60_000;
const steps = [
  ...[5, 10, 30].map((seconds) => seconds * 1000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minute),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 60 * minute),
  ...[1, 2, 7, 14, 28, 56, 112, 224].map((days) => days * dayMs),
];

/** Pixels that a label needs. */
const labelPixels = 80;

/**
 * Positions of the labels of the time axis: at round times of the roastery's clock.
 * @param offsetOf the offset of that clock from UTC at a time, ms
 */
export const ticksOf = (
  { from, to }: Span,
  pixels: number,
  offsetOf: (ms: number) => number,
): { readonly step: number; readonly at: number[] } => {
  const most = Math.max(2, pixels / labelPixels);
  const step = steps.find((one) => (to - from) / one <= most) ?? steps.at(-1) ?? dayMs;
  const at: number[] = [];
  // A clock that is set forward or back in between moves the round times with it.
  for (let local = Math.ceil((from + offsetOf(from)) / step) * step; ; local += step) {
    const guess = local - offsetOf(local - offsetOf(from));
    if (guess > to || at.length > 200) return { step, at };
    if (guess >= from && guess > (at.at(-1) ?? -Infinity)) at.push(guess);
  }
};
