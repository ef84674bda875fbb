export type DecimalSign = '.' | ',';

const otherSign = (sign: DecimalSign): DecimalSign => (sign === '.' ? ',' : '.');

const withoutUnits = (cell: string): string => cell.replaceAll(/[\s\u00A0$€]/g, '');

/** `6.125`, `1,250`: one sign before three digits. Either reading is a number. */
const isOpen = (text: string): boolean => /^-?[1-9]\d{0,2}[.,]\d{3}$/.test(text);

/**
 * The decimal sign that a number shows by itself: `0.500`, `12.5`, `1.250,5`, and `1.250.000`, where the period can't
 * be it.
 */
const shownBy = (text: string): DecimalSign | undefined => {
  if (isOpen(text) || !/^-?[\d.,]+$/.test(text)) return undefined;
  const signs = text.match(/[.,]/g) ?? [];
  if (signs.length === 0) return undefined;
  const last: DecimalSign = signs.at(-1) === ',' ? ',' : '.';
  return signs.length > 1 && signs.every((sign) => sign === last) ? otherSign(last) : last;
};

/** The decimal sign that numbers show. Undefined where they show none, or both. */
export const decimalSignOf = (cells: Iterable<string>): DecimalSign | undefined => {
  const shown = new Set<DecimalSign>();
  for (const cell of cells) {
    const sign = shownBy(withoutUnits(cell));
    if (sign !== undefined) shown.add(sign);
  }
  const [only] = shown;
  return shown.size === 1 ? only : undefined;
};

/** The signs of ambiguous numbers. */
export const openSignsOf = (cells: Iterable<string>): ReadonlySet<DecimalSign> => {
  const signs = new Set<DecimalSign>();
  for (const cell of cells) {
    const text = withoutUnits(cell);
    if (isOpen(text)) signs.add(text.includes(',') ? ',' : '.');
  }
  return signs;
};

const read = (text: string, decimal: DecimalSign): number => {
  const group = otherSign(decimal);
  const grouped = new RegExp(`^-?[1-9]\\d{0,2}(\\${group}\\d{3})+(\\${decimal}\\d+)?$`);
  const plain = new RegExp(`^-?(\\d+(\\${decimal}\\d+)?|\\${decimal}\\d+)$`);
  if (grouped.test(text)) return Number(text.replaceAll(group, '').replace(decimal, '.'));
  return plain.test(text) ? Number(text.replace(decimal, '.')) : Number.NaN;
};

export type ReadNumber =
  | { readonly value: number }
  /** The error of the cell. */
  | { readonly error: string };

/**
 * Reads a number: `1,250.5`, `1.250,5`, `0.500`, `9,4 €`. A single sign before three digits is read with the decimal
 * sign of its column, and refused if that is unknown: a weight that is wrong by a factor of a thousand is worse than a
 * question.
 */
export const numberWith = (cell: string, decimal: DecimalSign | null): ReadNumber => {
  const text = withoutUnits(cell);
  if (isOpen(text) && decimal === null) {
    const other = text.includes(',') ? '.' : ',';
    return { error: `can be read in two ways; write ${text.replace(/[.,]/, '')} or ${text.replace(/[.,]/, other)}` };
  }
  const value = read(text, shownBy(text) ?? decimal ?? '.');
  return Number.isNaN(value) ? { error: 'is not a number' } : { value };
};
