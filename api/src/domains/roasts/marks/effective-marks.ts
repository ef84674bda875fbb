import { markKinds, type MarkKind, type MarkOrigin } from '@roastery/roasting/marks';

/**
 * One entry about a mark, as stored in `roast_marks`: a detection, a machine signal, or a user's edit or retraction.
 */
export interface MarkEntry {
  readonly kind: MarkKind;
  readonly origin: MarkOrigin;
  readonly at_seq: number | null;
  /** Monotonic ms within `boot_no`. */
  readonly mono_ms: number | null;
  readonly temp: number | null;
  readonly confidence: number;
  readonly provisional: boolean;
  readonly is_withdrawn: boolean;
  readonly boot_no: number | null;
  /** Null for a user's entry. */
  readonly event_seq: number | null;
  /** UUID v7: the later of two entries of users is the greater. */
  readonly id: string;
  /** Start of the board's roast of this entry: of several, the first with an entry counts. */
  readonly source_seq: number;
}

export interface EffectiveMark extends MarkEntry {
  readonly mono_ms: number;
  readonly boot_no: number;
}

const newest = (
  entries: readonly MarkEntry[],
  isNewer: (a: MarkEntry, b: MarkEntry) => boolean,
): MarkEntry | undefined => {
  let found: MarkEntry | undefined;
  for (const entry of entries) if (found === undefined || isNewer(entry, found)) found = entry;
  return found;
};

/** The newest entry of users that is not retracted: each retraction undoes one entry. */
const standing = (entries: readonly MarkEntry[]): MarkEntry | undefined => {
  const standing: MarkEntry[] = [];
  for (const entry of entries.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    if (entry.is_withdrawn) standing.pop();
    else standing.push(entry);
  }
  return standing.at(-1);
};

/** The newest entry of each of the board's roasts; of several the first that is not a retraction. */
const ofDevice = (entries: readonly MarkEntry[]): MarkEntry | undefined => {
  const sources = [...new Set(entries.map((entry) => entry.source_seq))].sort((a, b) => a - b);
  for (const source of sources) {
    const entry = newest(
      entries.filter((one) => one.source_seq === source),
      (a, b) => (a.event_seq ?? -1) > (b.event_seq ?? -1),
    );
    if (entry !== undefined && !entry.is_withdrawn) return entry;
  }
  return undefined;
};

/**
 * A mark of a board before a charge by hand, or after a drop by hand, belongs to other beans: see same-beans.ts, rule
 * 4.
 */
const fits = (mark: EffectiveMark, marks: readonly EffectiveMark[]): boolean => {
  if (mark.event_seq === null || mark.at_seq === null) return true;
  const byHand = (kind: MarkKind) =>
    marks.find((one) => one.kind === kind && one.event_seq === null && one.origin === 'person')?.at_seq ?? null;
  const [charge, drop] = [byHand('charge'), byHand('drop')];
  if (mark.kind !== 'charge' && charge !== null && mark.at_seq < charge) return false;
  return mark.kind === 'cool_end' || drop === null || mark.at_seq <= drop;
};

/**
 * The effective marks, at most one per kind, in the order of a roast. A user's newest entry outranks the board's; when
 * it is retracted, the previous one counts again, and finally the board's. Of the board's entries the one with the
 * highest sequence number counts, whatever order they arrived in; a withdrawn mark is absent.
 */
export const effectiveMarks = (entries: readonly MarkEntry[]): EffectiveMark[] => {
  const marks = markKinds.flatMap((kind): EffectiveMark[] => {
    const ofKind = entries.filter((entry) => entry.kind === kind);
    const person = standing(ofKind.filter((entry) => entry.origin === 'person' && entry.event_seq === null));
    const device = ofDevice(ofKind.filter((entry) => entry.event_seq !== null));
    const counts = person ?? device;
    if (counts === undefined || counts.is_withdrawn || counts.mono_ms === null || counts.boot_no === null) return [];
    return [{ ...counts, mono_ms: counts.mono_ms, boot_no: counts.boot_no }];
  });
  return marks.filter((mark) => fits(mark, marks));
};
