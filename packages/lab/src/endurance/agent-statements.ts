import { monoNow } from './machine-record.ts';

/** The agent's log lines (level `debug`) about dropped readings and safe readings. */
export interface AgentStatements {
  /** Readings that became no sample, from before the first request to after the last answer, ms since boot. */
  readonly dropped: { readonly fromMs: number; readonly toMs: number; readonly reason: string }[];
  /** Times of samples: with each of them, all earlier readings of this process are synced. Ascending. */
  readonly syncedThrough: number[];
  /** Times at which it synced at the slow pace instead of each second, ms since boot. */
  readonly gathered: { readonly fromMs: number; toMs: number }[];
  /** Times at which its disk refused writes, ms since boot; the end may be missing. */
  readonly refusals: { readonly fromMs: number; toMs: number }[];
  /** Entries of its streams that it dropped for room on a full disk; from and to are among them. */
  readonly droppedForRoom: StreamRange[];
}

export interface StreamRange {
  readonly epoch: string;
  readonly from: number;
  readonly to: number;
}

const refused = [
  'journal: disk not writable',
  'journal: disk not writable at start',
  'journal: disk abandoned',
  'journal: memory stream started',
];
const aroundMs = 60_000;
const takesAgain = 'journal: disk recovered';
type Span = { readonly fromMs: number; toMs: number };
const openSpan = (spans: readonly Span[]): Span | undefined => spans.findLast(({ toMs }) => toMs === Infinity);

interface LogLine {
  readonly time: string;
  readonly msg: string;
  readonly from?: number;
  readonly to?: number;
  readonly reason?: string;
  readonly through?: number;
  readonly pace?: string;
  readonly epoch?: string;
  readonly ranges?: readonly (readonly [from: number, to: number])[];
}

const begin = (spans: Span[], fromMs: number): void => {
  if (!openSpan(spans)) spans.push({ fromMs, toMs: Infinity });
};
const end = (spans: readonly Span[], toMs: number): void => {
  const open = openSpan(spans);
  if (open) open.toMs = toMs;
};

/** Reads the lines of an agent's log. */
export const hearAgent = () => {
  const said: AgentStatements = { dropped: [], syncedThrough: [], gathered: [], refusals: [], droppedForRoom: [] };
  const lines: { readonly atMs: number; readonly text: string }[] = [];
  return {
    said,
    /** Its log lines within a minute of these times, ms since boot. */
    around(momentsMs: readonly number[]): readonly string[] {
      return lines
        .filter(({ atMs }) => momentsMs.some((moment) => Math.abs(moment - atMs) < aroundMs))
        .map(({ atMs, text }) => `${Math.round(atMs)} ${text}`);
    },
    line(text: string): void {
      lines.push({ atMs: monoNow(), text });
      if (!text.startsWith('{')) return;
      const line = JSON.parse(text) as LogLine;
      const { time, msg, from, to, reason = '', through, pace, epoch = '', ranges = [] } = line;
      const atMs = Date.parse(time) - (Date.now() - monoNow());
      if (msg === 'machine: reading dropped' && from !== undefined && to !== undefined)
        said.dropped.push({ fromMs: from, toMs: to, reason });
      if (msg === 'journal: synced' && through !== undefined) said.syncedThrough.push(through);
      if (msg === 'journal: entries lost' && reason === 'disk_full')
        said.droppedForRoom.push(...ranges.map(([first, last]) => ({ epoch, from: first, to: last })));
      if (refused.includes(msg)) begin(said.refusals, atMs);
      if (msg === takesAgain) end(said.refusals, atMs);
      if (msg === 'journal: pace' && pace === 'gather') begin(said.gathered, atMs);
      else if (msg === 'journal: pace') end(said.gathered, atMs);
    },
    /** The next process does not know the log of this one. */
    ended(): void {
      end(said.refusals, monoNow());
      end(said.gathered, monoNow());
    },
  };
};
