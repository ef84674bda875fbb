import type { JournalEvent } from '@roastery/contract/mqtt';
import { createJournalBoard, type JournalBoardOptions } from '@roastery/testing/journal-board';
import type { Database } from '../db/sql.ts';
import { commitMessages } from '../ingest/store-batch.ts';
import { markEvent, messageOf } from './ingest-fixture.ts';
import { fromNow } from './present.ts';

type Reported = readonly [second: number, event: JournalEvent | ((board: RecordedBoard) => JournalEvent)];

/** A board that recorded one sample per second, and some events in between. */
export const recordBoard = (seconds: number, reported: readonly Reported[] = [], options: JournalBoardOptions = {}) => {
  // Its last sample is of now, unless the boot time is given.
  const wallOffsetMs = options.wallOffsetMs ?? fromNow(0) - seconds * 1000 - 5000;
  const journal = createJournalBoard({ ...options, wallOffsetMs });
  const seqs: number[] = [];
  const board: RecordedBoard = {
    journal,
    /** Wall time of a second of the recording. */
    at: (second: number) => new Date(wallOffsetMs + 5000 + second * 1000).toISOString(),
    seqAt: (second: number) => seqs[second] ?? 0,
    monoAt: (second: number) => 5000 + second * 1000,
    mark: (roastId: string, kind: Parameters<typeof markEvent>[1], second: number | null, provisional = false) =>
      markEvent(
        roastId,
        kind,
        second === null ? null : { seq: board.seqAt(second), mono: board.monoAt(second) },
        second === null ? null : 150,
        { provisional },
      ),
  };
  for (let second = 0; second < seconds; second++) {
    seqs.push(journal.sample(board.monoAt(second), 90 + Math.round((second % 720) * 1.6) / 10, 180.5, 70));
    for (const [when, event] of reported) {
      if (when === second) journal.event(board.monoAt(second), typeof event === 'function' ? event(board) : event);
    }
  }
  return board;
};
export interface RecordedBoard {
  readonly at: (second: number) => string;
  readonly seqAt: (second: number) => number;
  readonly monoAt: (second: number) => number;
  readonly mark: (
    roastId: string,
    kind: Parameters<typeof markEvent>[1],
    second: number | null,
    provisional?: boolean,
  ) => JournalEvent;
  readonly journal: ReturnType<typeof createJournalBoard>;
}

export const roastState = (
  id: string,
  state: 'in_progress' | 'completed' | 'aborted',
  planId?: string,
): JournalEvent => ({
  type: 'roast',
  roast_id: id,
  state,
  ...(planId === undefined ? {} : { plan_id: planId }),
});

/** Stores a board's recording; only samples, or only events, if requested. */
export const commitBoard = (
  sql: Database,
  serial: string,
  { journal }: RecordedBoard,
  kind?: 'samples' | 'events',
  first = 0,
) =>
  commitMessages(
    sql,
    journal
      .batches(() => 100, first)
      .filter((batch) => kind === undefined || batch.k === kind)
      .map((batch) => messageOf(serial, batch)),
  );

/** A roast whose charge the detector withdrew, as the board reports it. */
export const lostRoast = (id: string): readonly Reported[] => [
  [130, roastState(id, 'in_progress')],
  [130, (board) => board.mark(id, 'charge', 100, true)],
  [190, (board) => board.mark(id, 'charge', null)],
  [190, roastState(id, 'aborted')],
];

/** A roast that the board finds at its drop: at first it took the fall of the drop for a charge. */
export const roastFoundAtDrop = (id: string): readonly Reported[] => [
  [730, roastState(id, 'in_progress')],
  [730, (board) => board.mark(id, 'charge', 703, true)],
  [760, (board) => board.mark(id, 'charge', 101)],
  [760, (board) => board.mark(id, 'drop', 700)],
  [760, roastState(id, 'completed')],
];

/** A roast that the board followed from charge to drop. */
export const wholeRoast = (id: string, charge = 100, drop = 700): readonly Reported[] => [
  [charge + 30, roastState(id, 'in_progress')],
  [charge + 30, (board) => board.mark(id, 'charge', charge)],
  [charge + 400, (board) => board.mark(id, 'first_crack', charge + 380)],
  [drop + 5, (board) => board.mark(id, 'drop', drop)],
  [drop + 5, roastState(id, 'completed')],
];
