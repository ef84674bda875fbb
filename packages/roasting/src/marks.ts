/** The events of a roast in their usual order. */
export const markKinds = [
  'charge',
  'turning_point',
  'dry_end',
  'first_crack',
  'first_crack_end',
  'second_crack',
  'second_crack_end',
  'drop',
  'cool_end',
] as const;
export type MarkKind = (typeof markKinds)[number];

/** The source of a mark: a signal of the machine, the detector, or a person. */
export const markOrigins = ['machine', 'detector', 'person'] as const;
export type MarkOrigin = (typeof markOrigins)[number];

/** One event on the curve. */
export interface Mark {
  readonly kind: MarkKind;
  /** On the recording's own time axis, in seconds. */
  readonly timeSeconds: number;
  /** Bean temperature at that time, °C. */
  readonly tempC: number | null;
  readonly origin: MarkOrigin;
  /** 0 (a guess) to 1 (certain). */
  readonly confidence: number;
  /** True while later samples may still move or withdraw it. */
  readonly provisional: boolean;
}

/** The mark of one kind, or undefined. */
export function markOf<M extends Pick<Mark, 'kind'>>(marks: readonly M[], kind: MarkKind): M | undefined {
  return marks.find((mark) => mark.kind === kind);
}

export type MarkOrder =
  | { readonly ok: true }
  | { readonly ok: false; readonly earlier: MarkKind; readonly later: MarkKind; readonly repeated: boolean };

/**
 * Checks the order of marks. Missing marks and equal times are allowed (a crack that ends at the drop). Otherwise
 * returns the first impossible pair: `earlier` should come before `later` and does not, or one kind occurs twice
 * (`repeated`).
 */
export function marksInOrder(marks: readonly Pick<Mark, 'kind' | 'timeSeconds'>[]): MarkOrder {
  const sorted = [...marks].sort((a, b) => markKinds.indexOf(a.kind) - markKinds.indexOf(b.kind));
  for (const [index, mark] of sorted.entries()) {
    const before = sorted[index - 1];
    if (!before) continue;
    if (before.kind === mark.kind) return { ok: false, earlier: before.kind, later: mark.kind, repeated: true };
    if (before.timeSeconds > mark.timeSeconds) {
      return { ok: false, earlier: before.kind, later: mark.kind, repeated: false };
    }
  }
  return { ok: true };
}
