import { markKinds, type MarkKind, type MarkOrigin } from '@roastery/roasting/marks';

/** One word someone said about a mark, as `roast_marks` keeps it. */
export interface MarkWord {
  readonly kind: MarkKind;
  readonly origin: MarkOrigin;
  readonly at_seq: number | null;
  /** Monotonic ms within `boot_no`. */
  readonly mono_ms: number | null;
  readonly temp: number | null;
  readonly confidence: number;
  readonly provisional: boolean;
  readonly taken_back: boolean;
  readonly boot_no: number | null;
  /** Null for a person's word. */
  readonly event_seq: number | null;
  /** UUID v7: the later of two words of persons is the greater. */
  readonly id: string;
}

export interface EffectiveMark extends MarkWord {
  readonly mono_ms: number;
  readonly boot_no: number;
}

const newest = (words: readonly MarkWord[], isNewer: (a: MarkWord, b: MarkWord) => boolean): MarkWord | undefined => {
  let found: MarkWord | undefined;
  for (const word of words) if (found === undefined || isNewer(word, found)) found = word;
  return found;
};

/** What persons said and didn't take back, the newest of it: each taking back undoes one word. */
const standing = (words: readonly MarkWord[]): MarkWord | undefined => {
  const said: MarkWord[] = [];
  for (const word of words.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    if (word.taken_back) said.pop();
    else said.push(word);
  }
  return said.at(-1);
};

/**
 * The marks that count, one a kind at most, in the order of a roast. A person's newest word outranks the board's; when it
 * is taken back, the one before it counts again, in the end the board's. Of the board's words the one with the highest sequence number counts,
 * whatever order they arrived in; a mark it took back is gone.
 */
export const effectiveMarks = (words: readonly MarkWord[]): EffectiveMark[] =>
  markKinds.flatMap((kind) => {
    const ofKind = words.filter((word) => word.kind === kind);
    const person = standing(ofKind.filter((word) => word.origin === 'person' && word.event_seq === null));
    const device = newest(
      ofKind.filter((word) => word.event_seq !== null),
      (a, b) => (a.event_seq ?? -1) > (b.event_seq ?? -1),
    );
    const counts = person ?? device;
    if (counts === undefined || counts.taken_back || counts.mono_ms === null || counts.boot_no === null) return [];
    return [{ ...counts, mono_ms: counts.mono_ms, boot_no: counts.boot_no }];
  });
