import type { JournalEvent } from '@roastery/contract/mqtt';
import { recordingOf, type Stream } from './stream.ts';

interface GapReport {
  /** The stream that lost entries, and the entry of a later stream of its recording that reports it. */
  readonly stream: Stream;
  readonly from: number;
  readonly to: number;
  readonly seq: number;
}

/**
 * Gaps of earlier streams that a later stream of the recording reports. Until that entry is safe, the notes of the
 * earlier stream do not list them, so that a start after a kill finds and reports them again.
 */
export const createGapReports = (streams: () => readonly Stream[]) => {
  let open: readonly GapReport[] = [];
  const isSafe = ({ stream, seq }: GapReport): boolean =>
    streams().some((other) => other !== stream && recordingOf(other) === recordingOf(stream) && other.isSafe(seq));
  return {
    /** `seq`: the entry that reports it. */
    add(stream: Stream, event: JournalEvent, seq: number): void {
      if (event.type !== 'gap') return;
      const { from_seq: from, to_seq: to } = event;
      stream.unreported.add(from, to);
      open = [...open, { stream, from, to, seq }];
    },
    /** Notes the gaps whose reports have become safe. */
    settle(): void {
      if (open.length === 0) return;
      const safe = open.filter(isSafe);
      open = open.filter((report) => !safe.includes(report));
      for (const { stream, from, to } of safe) stream.unreported.remove(from, to);
      for (const stream of new Set(safe.map((report) => report.stream))) void stream.note();
    },
  };
};
export type GapReports = ReturnType<typeof createGapReports>;
