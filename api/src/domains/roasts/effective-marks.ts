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
  /** Where the board's roast begins that it is about: of several, the first that says something counts. */
  readonly source_seq: number;
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

/** What the board's roasts say about a kind, the newest word of each; of several the first that does not take it back. */
const ofDevice = (words: readonly MarkWord[]): MarkWord | undefined => {
  const sources = [...new Set(words.map((word) => word.source_seq))].sort((a, b) => a - b);
  for (const source of sources) {
    const word = newest(
      words.filter((one) => one.source_seq === source),
      (a, b) => (a.event_seq ?? -1) > (b.event_seq ?? -1),
    );
    if (word !== undefined && !word.taken_back) return word;
  }
  return undefined;
};

/** A mark of a board before a charge by hand, or after a drop by hand, belongs to other beans: see same-beans.ts, rule 4. */
const fits = (mark: EffectiveMark, marks: readonly EffectiveMark[]): boolean => {
  if (mark.event_seq === null || mark.at_seq === null) return true;
  const byHand = (kind: MarkKind) =>
    marks.find((one) => one.kind === kind && one.event_seq === null && one.origin === 'person')?.at_seq ?? null;
  const [charge, drop] = [byHand('charge'), byHand('drop')];
  if (mark.kind !== 'charge' && charge !== null && mark.at_seq < charge) return false;
  return mark.kind === 'cool_end' || drop === null || mark.at_seq <= drop;
};

/**
 * The marks that count, one a kind at most, in the order of a roast. A person's newest word outranks the board's; when it
 * is taken back, the one before it counts again, in the end the board's. Of the board's words the one with the highest sequence number counts,
 * whatever order they arrived in; a mark it took back is gone.
 */
export const effectiveMarks = (words: readonly MarkWord[]): EffectiveMark[] => {
  const marks = markKinds.flatMap((kind): EffectiveMark[] => {
    const ofKind = words.filter((word) => word.kind === kind);
    const person = standing(ofKind.filter((word) => word.origin === 'person' && word.event_seq === null));
    const device = ofDevice(ofKind.filter((word) => word.event_seq !== null));
    const counts = person ?? device;
    if (counts === undefined || counts.taken_back || counts.mono_ms === null || counts.boot_no === null) return [];
    return [{ ...counts, mono_ms: counts.mono_ms, boot_no: counts.boot_no }];
  });
  return marks.filter((mark) => fits(mark, marks));
};
