import type { MarkKind } from '@roastery/roasting/marks';
import { describe, expect, it } from 'vitest';
import { effectiveMarks, type MarkWord } from './effective-marks.ts';

let made = 0;
const word = (kind: MarkKind, mono: number | null, more: Partial<MarkWord> = {}): MarkWord => ({
  id: String(++made).padStart(8, '0'),
  kind,
  origin: 'detector',
  at_seq: mono,
  mono_ms: mono,
  temp: 100,
  confidence: 0.9,
  provisional: false,
  taken_back: mono === null,
  boot_no: 0,
  event_seq: null,
  source_seq: -1,
  ...more,
});
const board = (kind: MarkKind, eventSeq: number, mono: number | null) => word(kind, mono, { event_seq: eventSeq });
const person = (kind: MarkKind, mono: number, takenBack = false) =>
  word(kind, mono, { origin: 'person', taken_back: takenBack });
const times = (words: readonly MarkWord[]) => effectiveMarks(words).map((mark) => [mark.kind, mark.mono_ms]);

describe('the marks that count', () => {
  it('are the board’s last words, whatever order they arrived in', () => {
    const words = [
      board('charge', 10, 100),
      board('charge', 30, 120),
      board('charge', 20, 110),
      board('drop', 40, 900),
    ];
    for (const order of [words, words.toReversed()]) {
      expect(times(order)).toEqual([
        ['charge', 120],
        ['drop', 900],
      ]);
    }
  });

  it('leave out what the board took back, until it says it again', () => {
    const gone = [board('first_crack', 10, 500), board('first_crack', 20, null)];
    expect(times(gone)).toEqual([]);
    expect(times([...gone, board('first_crack', 30, 520)])).toEqual([['first_crack', 520]]);
  });

  it('are a person’s where one spoke, newest first, and the board’s again when the person takes it back', () => {
    const words = [board('drop', 10, 900), person('drop', 880), board('drop', 20, 910)];
    expect(times(words)).toEqual([['drop', 880]]);
    expect(times([...words, person('drop', 870)])).toEqual([['drop', 870]]);
    expect(times([...words, person('drop', 880, true)])).toEqual([['drop', 910]]);
    const twice = [...words, person('drop', 860), person('drop', 860, true)];
    expect(times(twice), 'the word before it, not the board’s').toEqual([['drop', 880]]);
    expect(times([...twice, person('drop', 880, true)])).toEqual([['drop', 910]]);
    expect(times([...twice, person('drop', 880, true), person('drop', 890)])).toEqual([['drop', 890]]);
  });
});
