import type { MarkKind } from '@roastery/roasting/marks';
import { t } from '../../language/t.ts';

/** Labels of the marks; `short` is for the curve. `weight`: the label with the smaller one is shortened first. */
export const markLabels: Record<MarkKind, { readonly long: string; readonly short: string; readonly weight: number }> =
  {
    charge: { long: t`Charge`, short: t`Charge`, weight: 2 },
    turning_point: { long: t`Turning Point`, short: t`TP`, weight: 3 },
    dry_end: { long: t`Dry End`, short: t`Dry end`, weight: 4 },
    first_crack: { long: t`First Crack`, short: t`FC`, weight: 6 },
    first_crack_end: { long: t`First Crack End`, short: t`FC end`, weight: 1 },
    second_crack: { long: t`Second Crack`, short: t`SC`, weight: 3 },
    second_crack_end: { long: t`Second Crack End`, short: t`SC end`, weight: 1 },
    drop: { long: t`Drop`, short: t`Drop`, weight: 5 },
    cool_end: { long: t`Cool End`, short: t`Cool`, weight: 0 },
  };

export const phaseLabels = {
  drying: { long: t`Drying`, short: t`Dry` },
  maillard: { long: t`Maillard`, short: t`Mai` },
  development: { long: t`Development`, short: t`Dev` },
} as const;

export interface LabelRequest {
  /** Position of the mark, px. */
  readonly at: number;
  /** Texts of the label, the longest first. */
  readonly texts: readonly string[];
  /** Labels with a greater weight are placed first. */
  readonly weight: number;
}

export interface PlacedLabel {
  readonly text: string;
  /** Left edge, px. */
  readonly left: number;
  readonly width: number;
}

/** Space between two labels, px. */
const gap = 10;

/** Overlap of a label that ends or begins at its mark, px. */
const overhang = 4;

/**
 * Places labels on one line: each centred above its mark, else ending or beginning there, moved inward at the edges. Every
 * label first gets its shortest text, in order of weight; then labels grow in turn while none touch. `null` for a label
 * without space.
 */
export const layOutLabels = (
  wishes: readonly LabelRequest[],
  widthOf: (text: string) => number,
  left: number,
  right: number,
): readonly (PlacedLabel | null)[] => {
  const placed: (PlacedLabel | null)[] = wishes.map(() => null);
  const places = ({ at }: LabelRequest, text: string): PlacedLabel[] => {
    const width = widthOf(text);
    return [at - width / 2, at + overhang - width, at - overhang].map((start) => ({
      text,
      width,
      left: Math.max(left, Math.min(start, right - width)),
    }));
  };
  const fits = (index: number, label: PlacedLabel): boolean =>
    label.left + label.width <= right + 0.5 &&
    placed.every(
      (other, n) =>
        n === index ||
        other === null ||
        label.left + label.width + gap <= other.left ||
        other.left + other.width + gap <= label.left,
    );
  const order = wishes.map((_, index) => index).sort((a, b) => (wishes[b]?.weight ?? 0) - (wishes[a]?.weight ?? 0));
  const longest = Math.max(0, ...wishes.map(({ texts }) => texts.length));
  for (let shorten = 0; shorten < longest; shorten++) {
    for (const index of order) {
      const wish = wishes[index];
      const text = wish?.texts.at(-1 - shorten);
      if (wish === undefined || text === undefined || (shorten > 0 && placed[index] === null)) continue;
      const label = places(wish, text).find((candidate) => fits(index, candidate));
      if (label !== undefined) placed[index] = label;
    }
  }
  return placed;
};
