import { t } from '../language/t.ts';
import { conventions, knownRegion } from './conventions.ts';

const formats = new Map<string, Intl.NumberFormat>();

/** Creating a format costs a hundred times more than formatting, and a moving pointer changes many figures at once. */
export const cachedFormat = (options: Intl.NumberFormatOptions): Intl.NumberFormat => {
  const { region } = conventions();
  const { style, currency, currencyDisplay, minimumFractionDigits: min, maximumFractionDigits: max } = options;
  const key = [region, style, currency, currencyDisplay, min, max, options.roundingMode].join(' ');
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat(region, { numberingSystem: 'latn', ...options });
  formats.set(key, made);
  return made;
};

const withoutNegativeZero = (text: string): string =>
  /^[-\u2212\u200e]+0(?:[.,]0*)?\D*$/.test(text) ? text.replace(/^[-\u2212\u200e]+/, '') : text;

/** `1,234.5`, `1.234,5`: at least `min` and at most `max` decimals, as the region writes them. */
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

/** The figure of an axis: `0.5`, `1,000`. */
export const formatTick = (value: number): string => formatNumber(value, 0, 2);

/** `1 roast`, `1,250 roasts` */
export const formatRoasts = (count: number): string => (count === 1 ? t`1 roast` : t`${formatCount(count)} roasts`);

/** 0.1834 → `18.3%`, `18,3 %` */
export const formatPercent = (share: number, digits = 1): string =>
  withoutNegativeZero(
    cachedFormat({ style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits }).format(share),
  );

/** `640 KB`, `2.1 MB`, `7.4 GB`: by thousands, as disks and files are sold. */
export const formatBytes = (bytes: number): string => {
  if (bytes < 1e6) return `${formatCount(Math.ceil(bytes / 1e3))} KB`;
  const [size, unit] = bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${formatNumber(size, 0, size < 10 ? 1 : 0)} ${unit}`;
};

/** A coordinate in the path of a drawing: a tenth of a pixel is the limit of a screen. */
export const tenth = (pixels: number): number => Math.round(pixels * 10) / 10;

interface Signs {
  readonly decimal: string;
  readonly group: string;
}

const signsOf = (region: string): Signs => {
  const parts = new Intl.NumberFormat(knownRegion(region), { numberingSystem: 'latn' }).formatToParts(-1_234_567.8);
  const sign = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? '';
  return { decimal: sign('decimal') || '.', group: sign('group') };
};

/**
 * A typed number, as `-1234.5`; undefined for an invalid or ambiguous one. `1.234` is a thousand in Germany and one in
 * the United States. A sign of another region is accepted if it is unambiguous: `12.5`, `9,4`.
 */
export const readNumber = (typed: string, region: string = conventions().region): string | undefined => {
  const { decimal, group } = signsOf(region);
  const text = typed
    .trim()
    .replaceAll(/[\u200e\u200f]/g, '')
    .replace(/^[-\u2212]\s*/, '-')
    .replace(/^\+\s*/, '');
  // Spaces and apostrophes can only be between thousands.
  const joined = text.replaceAll(/(?<=\d)[\s\u00a0\u2009\u202f'\u2019](?=\d{3}(?!\d))/g, '');
  const [, minus = '', body = ''] = /^(-?)([\d.,]*)$/.exec(joined) ?? [];
  const plain = /[.,]/.test(group) ? grouped(body, group, decimal) : undefined;
  const read = plain ?? withOneSign(body, decimal) ?? foreign(body);
  return read === undefined ? undefined : minus + read;
};

const escaped = (sign: string): string => `\\${sign}`;

/** `1.234,5` with its two signs. */
const grouped = (body: string, group: string, decimal: string): string | undefined =>
  new RegExp(`^[1-9]\\d{0,2}(?:${escaped(group)}\\d{3})+(?:${escaped(decimal)}\\d*)?$`).test(body)
    ? canonical(body.replaceAll(group, ''))
    : undefined;

/** `1,234.5` in Germany, `1.234.567` in the United States: two signs are unambiguous. */
const foreign = (body: string): string | undefined =>
  (body.match(/[.,]/g) ?? []).length < 2 ? undefined : (grouped(body, ',', '.') ?? grouped(body, '.', ','));

/** `12`, `12,5`, `,5`: no thousands. */
const withOneSign = (body: string, decimal: string): string | undefined => {
  if (!/^(?=.*\d)\d*(?:[.,]\d*)?$/.test(body)) return undefined;
  const isForeign = /[.,]/.test(body) && !body.includes(decimal);
  // `1,234` where the comma separates neither thousands nor decimals.
  return isForeign && /^[1-9]\d{0,2}[.,]\d{3}$/.test(body) ? undefined : canonical(body);
};

const canonical = (body: string): string => {
  const [whole = '', fraction = ''] = body.replace(',', '.').split('.');
  const short = whole.replace(/^0+(?=\d)/, '') || '0';
  return fraction === '' ? short : `${short}.${fraction}`;
};

/** A stored number as a field shows it: without thousands separators, and with all its digits. */
export const numberInField = (stored: string | number): string => {
  const text = String(stored);
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) return text;
  const format = new Intl.NumberFormat(conventions().region, {
    numberingSystem: 'latn',
    useGrouping: false,
    maximumFractionDigits: 20,
  });
  return format
    .format(value)
    .replace('\u2212', '-')
    .replaceAll(/[\u200e\u200f]/g, '');
};
