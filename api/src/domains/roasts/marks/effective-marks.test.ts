import type { MarkKind } from '@roastery/roasting/marks';
import { describe, expect, it } from 'vitest';
import { effectiveMarks, type MarkEntry } from './effective-marks.ts';

let made = 0;
const entry = (kind: MarkKind, mono: number | null, more: Partial<MarkEntry> = {}): MarkEntry => ({
  id: String(++made).padStart(8, '0'),
  kind,
  origin: 'detector',
  at_seq: mono,
  mono_ms: mono,
  temp: 100,
  confidence: 0.9,
  provisional: false,
  is_withdrawn: mono === null,
  boot_no: 0,
  event_seq: null,
  source_seq: -1,
  ...more,
});
const board = (kind: MarkKind, eventSeq: number, mono: number | null) => entry(kind, mono, { event_seq: eventSeq });
const person = (kind: MarkKind, mono: number, isWithdrawn = false) =>
  entry(kind, mono, { origin: 'person', is_withdrawn: isWithdrawn });
const times = (entries: readonly MarkEntry[]) => effectiveMarks(entries).map((mark) => [mark.kind, mark.mono_ms]);

describe('effective marks', () => {
  it('are the board’s newest events, whatever order they arrived in', () => {
    const entries = [
      board('charge', 10, 100),
      board('charge', 30, 120),
      board('charge', 20, 110),
      board('drop', 40, 900),
    ];
    for (const order of [entries, entries.toReversed()]) {
      expect(times(order)).toEqual([
        ['charge', 120],
        ['drop', 900],
      ]);
    }
  });

  it('omit a mark that the board retracted until it sends it again', () => {
    const gone = [board('first_crack', 10, 500), board('first_crack', 20, null)];
    expect(times(gone)).toEqual([]);
    expect(times([...gone, board('first_crack', 30, 520)])).toEqual([['first_crack', 520]]);
  });

  it('are a user’s where set, newest first, and the board’s again after the user retracts', () => {
    const entries = [board('drop', 10, 900), person('drop', 880), board('drop', 20, 910)];
    expect(times(entries)).toEqual([['drop', 880]]);
    expect(times([...entries, person('drop', 870)])).toEqual([['drop', 870]]);
    expect(times([...entries, person('drop', 880, true)])).toEqual([['drop', 910]]);
    const twice = [...entries, person('drop', 860), person('drop', 860, true)];
    expect(times(twice), 'the entry before it, not the board’s').toEqual([['drop', 880]]);
    expect(times([...twice, person('drop', 880, true)])).toEqual([['drop', 910]]);
    expect(times([...twice, person('drop', 880, true), person('drop', 890)])).toEqual([['drop', 890]]);
  });
});
