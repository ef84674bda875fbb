import { t, textLocale } from '../language/t.ts';

// Numbers follow the language of the texts, not the region of a person's dates: number fields take a decimal point, and a
// page must not show 12,5 where it asks for 12.5.

const formats = new Map<string, Intl.NumberFormat>();

/** Making a format costs a hundred times what formatting does, and under a moving pointer many figures change at once. */
const cachedFormat = (options: Intl.NumberFormatOptions): Intl.NumberFormat => {
  const locale = textLocale();
  const key = `${locale} ${options.style} ${options.minimumFractionDigits} ${options.maximumFractionDigits} ${options.roundingMode}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat(locale, options);
  formats.set(key, made);
  return made;
};

const withoutNegativeZero = (text: string): string => (/^-0(?:\.0*)?%?$/.test(text) ? text.slice(1) : text);

/** `1,234.5`: at least `min` and at most `max` decimals. */
export const formatNumber = (
  value: number,
  min: number,
  max = min,
  roundingMode: 'halfExpand' | 'floor' = 'halfExpand',
): string =>
  withoutNegativeZero(
    cachedFormat({ minimumFractionDigits: min, maximumFractionDigits: max, roundingMode }).format(value),
  );

/** `19,200` */
export const formatCount = (count: number): string => formatNumber(count, 0);

/** `1 roast`, `1,250 roasts` */
export const formatRoasts = (count: number): string => (count === 1 ? t`1 roast` : t`${formatCount(count)} roasts`);

/** A weight to the gram: `12`, `12.5`, `0.125`. */
export const formatExactKilograms = (kg: number): string => formatNumber(kg, 0, 3);

/** 0.1834 → `18.3%` */
export const formatPercent = (share: number, digits = 1): string => `${formatNumber(share * 100, digits)}%`;

/** `1,234.50`, where a label beside it names the currency. */
export const formatAmount = (amount: number): string => formatNumber(amount, 2);

/** `$1,234.50`; whole dollars on an axis, where cents would crowd. */
export const formatMoney = (amount: number, digits = 2): string =>
  cachedFormat({
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount);

/** `640 KB`, `2.1 MB`, `7.4 GB`: by thousands, as disks and files are sold. */
export const formatBytes = (bytes: number): string => {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} KB`;
  const [size, unit] = bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${formatNumber(size, 0, size < 10 ? 1 : 0)} ${unit}`;
};

/** A coordinate in the path of a drawing: a tenth of a pixel is as fine as a screen gets. */
export const tenth = (pixels: number): number => Math.round(pixels * 10) / 10;
