import { monoNow } from './machine-record.ts';

/** What an agent said in its log (level `debug`) of readings that it did not keep, and of those that it keeps for certain. */
export interface AgentStatements {
  /** Readings that became no sample, from before the first question to after the last answer, ms since boot. */
  readonly dropped: { readonly fromMs: number; readonly toMs: number; readonly reason: string }[];
  /** Moments of samples: with each of them, all that this process had read before is synced. Ascending. */
  readonly syncedThrough: number[];
  /** When its disk refused writes, ms since boot; it may not have said the end. */
  readonly refusals: { readonly fromMs: number; toMs: number }[];
}

const refused = [
  'journal: disk refuses writes',
  'journal: disk refuses writes at start',
  'journal: disk given up',
  'journal: stream begun in memory',
];
const takesAgain = 'journal: disk accepts writes again';

interface LogLine {
  readonly time: string;
  readonly msg: string;
  readonly from?: number;
  readonly to?: number;
  readonly reason?: string;
  readonly through?: number;
}

/** Hears the lines of an agent's log. */
export const hearAgent = () => {
  const said: AgentStatements = { dropped: [], syncedThrough: [], refusals: [] };
  const openRefusal = () => said.refusals.findLast(({ toMs }) => toMs === Infinity);
  return {
    said,
    line(text: string): void {
      if (!text.startsWith('{')) return;
      const { time, msg, from, to, reason = '', through } = JSON.parse(text) as LogLine;
      const atMs = Date.parse(time) - (Date.now() - monoNow());
      if (msg === 'machine: reading dropped' && from !== undefined && to !== undefined)
        said.dropped.push({ fromMs: from, toMs: to, reason });
      if (msg === 'journal: synced' && through !== undefined) said.syncedThrough.push(through);
      if (refused.includes(msg) && !openRefusal()) said.refusals.push({ fromMs: atMs, toMs: Infinity });
      const open = msg === takesAgain ? openRefusal() : undefined;
      if (open) open.toMs = atMs;
    },
    /** The next process knows nothing of what this one said. */
    ended(): void {
      const open = openRefusal();
      if (open) open.toMs = monoNow();
    },
  };
};
