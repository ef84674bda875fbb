import { cutName } from './head-vocabulary.ts';

/** `Inlet (°F)` → `Inlet`: the stored values are in °C, whatever the file's unit. */
export const labelWithoutUnit = (label: string): string =>
  cutName(label).replace(/\s*[([]\s*(?:°\s*[CF]?|%)\s*[)\]]$/i, '') || label;

const longest = 40;

const slugOf = (name: string, place: number): string => {
  const slug = cutName(name)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_\d]+|_+$/g, '')
    .slice(0, longest);
  return slug === '' ? `channel_${place}` : slug;
};

/** The unique names of one recording's channels. */
export class ChannelNames {
  readonly #taken = new Set<string>();
  /** The last number of a name, so that a thousand curves with one name are numbered in one pass. */
  readonly #lastNumber = new Map<string, number>();

  get size(): number {
    return this.#taken.size;
  }

  /** Reserves a known name. False when it is in use. */
  take(name: string): boolean {
    if (this.#taken.has(name)) return false;
    this.#taken.add(name);
    return true;
  }

  /** `Inlet Air` → `inlet_air`; a name without an ASCII letter becomes `channel_3`. Never one that is in use. */
  takeOwn(label: string, place: number): string {
    const base = slugOf(label, place);
    if (this.take(base)) return base;
    const stem = base.slice(0, longest - 4);
    let number = (this.#lastNumber.get(stem) ?? 1) + 1;
    while (!this.take(`${stem}_${number}`)) number += 1;
    this.#lastNumber.set(stem, number);
    return `${stem}_${number}`;
  }
}

/** A percentage, by its values. */
export const isPercentage = (values: readonly (number | null)[]): boolean =>
  values.every((value) => value === null || (value >= 0 && value <= 100));
