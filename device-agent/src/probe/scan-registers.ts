import type { ProbeBlock, ProbeWish } from '@roastery/contract/probe';
import { pause } from '@roastery/runtime/backoff';
import { realClock, type Clock } from '@roastery/runtime/clock';
import type { Bus, BusAnswer } from '../machine/bus.ts';
import { halvesOf, spansOf, spanText, type Span } from './spans.ts';

export interface ScanProgress {
  /** Addresses requested so far, and the total. */
  readonly asked: number;
  readonly of: number;
  /** Addresses that answered. */
  readonly found: number;
  readonly where: string;
}

export interface ScanParts {
  readonly bus: Pick<Bus, 'read'>;
  readonly signal: AbortSignal;
  /** Requests per second at most; a machine has other tasks. */
  readonly perSecond?: number;
  readonly clock?: Clock;
}

export type ScanEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'stopped' }
  /** The machine no longer answers. */
  | { readonly kind: 'silent'; readonly reason: string };

/** Slow controllers on a long line answer within this. */
export const probeTiming = { timeoutMs: 600, quietMs: 800, gapMs: 5 };
export const usualPerSecond = 20;
/** This many unanswered requests in a row end the scan. */
const silencesAllowed = 3;
/** The wait for a line that rests after a failure. */
const restPatienceMs = 15_000;
const restStepMs = 50;
const busyPauseMs = 500;

const refused = { illegalFunction: 1, address: 2, value: 3, busy: 6, gateway: 10, noTarget: 11 } as const;

/**
 * Sends requests gently: never more often than allowed, waits while the line rests, and repeats a request to a busy
 * machine once.
 */
const createThrottledReader = ({ bus, signal, perSecond = usualPerSecond, clock = realClock }: ScanParts) => {
  const spacingMs = 1000 / perSecond;
  let nextAt = -Infinity;
  const readOnce = async (span: Span): Promise<BusAnswer> => {
    const patienceEnds = clock.monotonic() + restPatienceMs;
    for (;;) {
      await pause(Math.max(0, nextAt - clock.monotonic()), signal, clock);
      if (signal.aborted) return { kind: 'resting', reason: 'stopped' };
      nextAt = clock.monotonic() + spacingMs;
      const answer = await bus.read(span);
      if (answer.kind !== 'resting' || clock.monotonic() > patienceEnds) return answer;
      await pause(restStepMs, signal, clock);
    }
  };
  return async (span: Span): Promise<BusAnswer> => {
    const answer = await readOnce(span);
    const again =
      answer.kind === 'failed' ||
      answer.kind === 'silent' ||
      (answer.kind === 'exception' && answer.code === refused.busy);
    if (!again || signal.aborted) return answer;
    if (answer.kind === 'exception') await pause(busyPauseMs, signal, clock);
    return readOnce(span);
  };
};

/**
 * Reads every requested address once, by functions 1 to 4 only. Refused requests are halved down to single addresses; a
 * table that the machine does not have is skipped. Ends when all were requested, when `signal` aborts, or when the
 * machine stays silent.
 */
export const scanRegisters = async (
  parts: ScanParts,
  wish: ProbeWish,
  listener: { readonly progress: (progress: ScanProgress) => void; readonly found: (block: ProbeBlock) => void },
): Promise<ScanEnd> => {
  const read = createThrottledReader(parts);
  const waiting = spansOf(wish);
  const of = waiting.reduce((sum, { count }) => sum + count, 0);
  /** Units, and tables of units, that need no further request. */
  const given = new Set<string>();
  let asked = 0;
  let found = 0;
  let silences = 0;
  let answered = false;
  let reason = '';
  const finished = (span: Span): void => {
    asked += span.count;
    listener.progress({ asked, of, found, where: spanText(span) });
  };
  for (let span = waiting.shift(); span !== undefined; span = waiting.shift()) {
    if (parts.signal.aborted) return { kind: 'stopped' };
    const table = `${span.unit}/${span.table}`;
    if (given.has(table) || given.has(String(span.unit))) {
      finished(span);
      continue;
    }
    const answer = await read(span);
    if (parts.signal.aborted) return { kind: 'stopped' };
    answered ||= answer.kind === 'data' || answer.kind === 'exception';
    if (answer.kind === 'data') {
      silences = 0;
      found += span.count;
      listener.found({ unit: span.unit, table: span.table, start: span.start, words: [...answer.words] });
      finished(span);
      continue;
    }
    if (answer.kind === 'exception') {
      silences = 0;
      const halves = answer.code === refused.address || answer.code === refused.value ? halvesOf(span) : [];
      if (answer.code === refused.illegalFunction) given.add(table);
      if (answer.code === refused.gateway || answer.code === refused.noTarget) given.add(String(span.unit));
      if (halves.length > 0) waiting.unshift(...halves);
      else finished(span);
      continue;
    }
    silences += 1;
    ({ reason } = answer);
    const others = waiting.some(({ unit }) => unit !== span.unit && !given.has(String(unit)));
    if (silences >= silencesAllowed) {
      if (!others) return { kind: 'silent', reason };
      given.add(String(span.unit));
      silences = 0;
    }
    finished(span);
  }
  return answered ? { kind: 'done' } : { kind: 'silent', reason };
};

const longestMerged = 32;

/** Neighbours that were found one by one are read together from then on. */
export const mergeBlocks = (blocks: readonly ProbeBlock[]): ProbeBlock[] => {
  const sorted = blocks.toSorted((a, b) => a.unit - b.unit || a.table.localeCompare(b.table) || a.start - b.start);
  const merged: ProbeBlock[] = [];
  for (const block of sorted) {
    const last = merged.at(-1);
    const joins =
      last !== undefined &&
      last.unit === block.unit &&
      last.table === block.table &&
      last.start + last.words.length === block.start &&
      last.words.length + block.words.length <= longestMerged;
    if (joins) merged[merged.length - 1] = { ...last, words: [...last.words, ...block.words] };
    else merged.push(block);
  }
  return merged;
};

/**
 * Reads the found registers repeatedly, a round at least every `roundMs`, until `signal` aborts or the machine stays
 * silent. Addresses that answered alone and not together are requested alone again.
 */
export const watchRegisters = async (
  parts: ScanParts,
  found: readonly ProbeBlock[],
  roundMs: number,
  round: (blocks: readonly ProbeBlock[]) => void,
): Promise<ScanEnd> => {
  const { clock = realClock } = parts;
  const read = createThrottledReader(parts);
  let plan: Span[] = mergeBlocks(found).map(({ words, ...block }) => ({ ...block, count: words.length }));
  let silences = 0;
  while (!parts.signal.aborted) {
    const began = clock.monotonic();
    const blocks: ProbeBlock[] = [];
    for (const span of plan.slice()) {
      const answer = await read(span);
      if (parts.signal.aborted) return { kind: 'stopped' };
      if (answer.kind === 'data') {
        silences = 0;
        blocks.push({ unit: span.unit, table: span.table, start: span.start, words: [...answer.words] });
      } else if (answer.kind === 'exception') {
        silences = 0;
        const halves = halvesOf(span);
        if (halves.length > 0) plan = plan.flatMap((other) => (other === span ? halves : [other]));
      } else {
        silences += 1;
        if (silences >= silencesAllowed) return { kind: 'silent', reason: answer.reason };
      }
    }
    if (blocks.length > 0) round(blocks);
    await pause(Math.max(0, roundMs - (clock.monotonic() - began)), parts.signal, clock);
  }
  return { kind: 'stopped' };
};
