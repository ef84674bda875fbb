import { createJournalBoard } from '@roastery/testing/journal-board';
import { expect, it } from 'vitest';
import { placeBatch } from './place-batch.ts';
import type { Recording } from './recording-rows.ts';
import { fromNow } from '../testing/present.ts';

/**
 * A board reports `from` to `to` as lost, and the server has committed `committed`. Returns the gaps that are stored.
 */
const storedGaps = (committed: Recording['committed'], from: number, to: number): unknown[] => {
  const board = createJournalBoard();
  for (let seq = 0; seq < 100; seq++) board.sample(1000 * seq, 100, 100, 0);
  board.event(100_000, { type: 'gap', from_seq: from, to_seq: to, reason: 'damaged' });
  const batch = board.batches(() => 100).at(-1);
  if (batch === undefined) throw new Error('no batch');
  const recording: Recording = {
    recordingId: 'recording',
    machineId: 'machine',
    sweptSeq: 0,
    row: { version: '1', committed, writtenAtMs: 0 },
    committed,
    isRowDue: false,
    isReceiving: false,
    boots: new Map(),
    layouts: new Map(),
    exchanged: new Set(),
  };
  const known = { machineId: 'machine', ownerId: 'owner', batch, message: { receivedAtMs: fromNow(0) } };
  const { events } = placeBatch(known, { recording, range: { start: 100, end: 101 } }, (range) => [
    { recording, range },
  ]);
  return events.map(({ event }) => event);
};

it('gap: a board that reports committed entries as lost leaves a gap of the missing ones only', () => {
  const gap = { type: 'gap', reason: 'damaged' };
  // Killed before it noted the acknowledgement of a segment that it had dropped.
  expect(storedGaps([{ start: 0, end: 100 }], 10, 49)).toEqual([]);
  expect(storedGaps([{ start: 0, end: 30 }], 10, 49)).toEqual([{ ...gap, from_seq: 30, to_seq: 49 }]);
  expect(storedGaps([{ start: 40, end: 60 }], 10, 49)).toEqual([{ ...gap, from_seq: 10, to_seq: 39 }]);
  expect(storedGaps([], 10, 49)).toEqual([{ ...gap, from_seq: 10, to_seq: 49 }]);
});
