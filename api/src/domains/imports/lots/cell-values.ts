import { weightUnits, type dateOrders, type LotImportUnit } from '@roastery/contract/lot-imports';
import { toKg } from '@roastery/roasting/units';
import type { SheetCell } from '../../../sheets/read-workbook.ts';
import { numberWith, type DecimalSign } from '../../../sheets/decimal-sign.ts';

export type DateOrder = (typeof dateOrders)[number];
export type WeightUnit = (typeof weightUnits)[number];

/** A value with its assumption, or the error of the cell. */
export type ReadCell<Value> =
  | { readonly value: Value; readonly note?: string | undefined }
  | { readonly error: string };

const maxCellLength = 100;

/** The text of a cell, as shown by the file. */
export const shownCell = (cell: SheetCell | undefined): string => {
  if (cell === null || cell === undefined) return '';
  if (!(cell instanceof Date)) return String(cell).trim();
  return Number.isNaN(cell.getTime()) ? '' : cell.toISOString().slice(0, 10);
};

/** A price per pound is divided by it. */
export const poundKg = toKg(1, 'lb');
const isWeightUnit = (unit: LotImportUnit | null): unit is WeightUnit => weightUnits.some((known) => known === unit);

export const toKilograms = (value: number, unit: LotImportUnit | null): number => {
  const own = isWeightUnit(unit) ? unit : 'kg';
  return own === 't' ? value * 1000 : toKg(value, own);
};

const unitPatterns: readonly (readonly [RegExp, WeightUnit])[] = [
  [/^(?:kgs?|kilos?|kilograms?|kilogramm|кг|公斤|千克)\.?$/, 'kg'],
  [/^(?:lbs?|pounds?|#|磅)\.?$/, 'lb'],
  [/^(?:oz|ounces?)\.?$/, 'oz'],
  [/^(?:t|tons?|tonnes?|mt)\.?$/, 't'],
  [/^(?:g|gr|grams?|gramm)\.?$/, 'g'],
];
const weightUnitIn = (text: string): WeightUnit | undefined =>
  unitPatterns.find(([pattern]) => pattern.test(text.trim().toLowerCase()))?.[1];

const money = /[$€£¥₩¢]|\b(?:usd|eur|gbp|chf|jpy|cad|aud|nzd|brl|dkk|sek|nok|pln|czk)\b/gi;

/** A figure at the beginning, and the rest. */
const figureIn = (text: string): { figure: string; rest: string } | undefined => {
  const found = /^([+-]?[\d.,'\u2019\s\u00A0]*\d)\s*(.*)$/.exec(text);
  return found === null ? undefined : { figure: found[1] ?? '', rest: (found[2] ?? '').trim() };
};

/** The text of a number without its unit, for the decimal sign of its column. */
export const figureText = (cell: SheetCell | undefined): string =>
  typeof cell === 'string' && cell.length <= maxCellLength
    ? (figureIn(cell.replaceAll(money, '').trim())?.figure.replaceAll(/['\u2019]/g, '') ?? '')
    : '';

const readFigure = (figure: string, decimal: DecimalSign | null): ReadCell<number> =>
  numberWith(figure.replaceAll(/['\u2019]/g, ''), decimal);

/** Words after a figure without further meaning: `87.5 pts`, `11 %`. */
const harmless = /^(?:%|pts?\.?|points?|punkte|aw)?$/i;

/** A plain number: cupping score, moisture, water activity. */
export const readNumber = (cell: SheetCell, decimal: DecimalSign | null): ReadCell<number> => {
  if (typeof cell === 'number') return Number.isFinite(cell) ? { value: cell } : { error: 'is not a number' };
  const found = figureIn(shownCell(cell).slice(0, maxCellLength));
  if (found === undefined || !harmless.test(found.rest)) return { error: 'is not a number' };
  return readFigure(found.figure, decimal);
};

export type ReadWeight = ReadCell<number> | { readonly bags: number; readonly bagKg: number | undefined };

const bagWord = '(?:bags?|sacks?|säcke|sacke|sack|sacs?|sacos?|sacas?|bolsas?|sacchi|sacco|zakken|袋|мешк\\w*)';
const bagsWithSize = new RegExp(
  `^([\\d.,]+)\\s*(?:${bagWord})?\\s*(?:x|×|\\*|@|à|a|of|de|von|zu|di|da)\\s*([\\d.,]+)\\s*([\\p{L}#]+)\\.?(?:\\s*${bagWord})?$`,
  'iu',
);
const bagsAlone = new RegExp(`^([\\d.,]+)\\s*${bagWord}\\.?$`, 'iu');

/** `1,250.5 kg`, `132 lb`, `10 bags`, `10 × 60 kg`; a figure without a unit has that of its column. */
export const readWeight = (cell: SheetCell, unit: LotImportUnit | null, decimal: DecimalSign | null): ReadWeight => {
  if (typeof cell === 'number')
    return Number.isFinite(cell) ? { value: toKilograms(cell, unit) } : { error: 'is not a weight' };
  const text = shownCell(cell).slice(0, maxCellLength);
  const sized = bagsWithSize.exec(text);
  if (sized !== null) {
    const sizeUnit = weightUnitIn(sized[3] ?? '');
    const [bags, size] = [readFigure(sized[1] ?? '', decimal), readFigure(sized[2] ?? '', decimal)];
    if (sizeUnit === undefined || 'error' in bags || 'error' in size) return { error: 'is not a weight' };
    return { bags: bags.value, bagKg: toKilograms(size.value, sizeUnit) };
  }
  const alone = bagsAlone.exec(text);
  if (alone !== null) {
    const bags = readFigure(alone[1] ?? '', decimal);
    return 'error' in bags ? bags : { bags: bags.value, bagKg: undefined };
  }
  const found = figureIn(text);
  if (found === undefined) return { error: 'is not a weight' };
  const own = found.rest === '' ? unit : weightUnitIn(found.rest);
  if (own === undefined) return { error: 'is not a weight: its unit is not known' };
  const figure = readFigure(found.figure, decimal);
  return 'error' in figure ? figure : { value: toKilograms(figure.value, own) };
};

/** A price, as the cell or the column gives it: `4.20`, `$4.20/lb`, `9,40 €/kg`. */
export const readPrice = (
  cell: SheetCell,
  unit: LotImportUnit | null,
  decimal: DecimalSign | null,
): ReadCell<{ amount: number; unit: LotImportUnit | null }> => {
  if (typeof cell === 'number')
    return Number.isFinite(cell) ? { value: { amount: cell, unit } } : { error: 'is not a price' };
  const text = shownCell(cell).slice(0, maxCellLength);
  const isCents = text.includes('¢');
  const found = figureIn(text.replaceAll(money, '').trim());
  if (found === undefined) return { error: 'is not a price' };
  const figure = readFigure(found.figure, decimal);
  if ('error' in figure) return figure;
  const per = found.rest.replace(/^(?:\/|per|pro|par|por)\s*/i, '').trim();
  if (per === '')
    return { value: { amount: figure.value, unit: isCents && unit === 'per_lb' ? 'cents_per_lb' : unit } };
  const perUnit = weightUnitIn(per);
  if (perUnit === 'kg') return { value: { amount: figure.value, unit: 'per_kg' } };
  if (perUnit === 'lb') return { value: { amount: figure.value, unit: isCents ? 'cents_per_lb' : 'per_lb' } };
  return { error: 'is not a price per kg or lb' };
};

const metres = (value: number, isFeet: boolean): number => Math.round(isFeet ? value * 0.3048 : value);

/** `1,900 m`, `1800-2000 masl`: the middle of a range. */
export const readAltitude = (
  cell: SheetCell,
  unit: LotImportUnit | null,
  decimal: DecimalSign | null,
): ReadCell<number> => {
  if (typeof cell === 'number') return { value: metres(cell, unit === 'ft') };
  const text = shownCell(cell).slice(0, maxCellLength);
  const range = /^([\d.,\s]*\d)\s*[\p{L}.]*\s*(?:-|–|—|to|bis|a|à)\s*([\d.,\s]*\d)\s*([\p{L}.\s]*)$/iu.exec(text);
  const rest = (range?.[3] ?? figureIn(text)?.rest ?? '').toLowerCase().replaceAll(/[.\s]/g, '');
  const isFeet = rest === '' ? unit === 'ft' : /^(?:ft|feet|foot|')/.test(rest);
  if (!isFeet && !/^(?:m|masl|msnm|mtrs?|met\p{L}*|mnn|mnm|mslm|müm|mamsl|海拔|)$/u.test(rest))
    return { error: 'is not an altitude' };
  // No farm has an altitude with a fraction of a metre: the sign is never a decimal one.
  const whole = (figure: string): ReadCell<number> =>
    /^\d{1,2}[.,\s]\d{3}$/.test(figure.trim())
      ? { value: Number(figure.replaceAll(/\D/g, '')) }
      : readFigure(figure, decimal);
  if (range !== null) {
    const [low, high] = [whole(range[1] ?? ''), whole(range[2] ?? '')];
    if ('error' in low || 'error' in high) return { error: 'is not an altitude' };
    const middle = metres((low.value + high.value) / 2, isFeet);
    return { value: middle, note: `altitude “${text}” read as ${middle} m` };
  }
  const found = figureIn(text);
  const figure = found === undefined ? undefined : whole(found.figure);
  if (figure === undefined || 'error' in figure) return { error: 'is not an altitude' };
  return { value: metres(figure.value, isFeet) };
};

const monthNames =
  'jan(?:uar[iy]?|vier|eiro)?|ene(?:ro)?|gen(?:naio)?|feb(?:ruar[iy]?|rero|braio)?|f[eé]v(?:rier|ereiro)?|mar(?:ch|s|zo|ço|z)?|m[aä]r(?:z)?|maa(?:rt)?|apr(?:il|ile)?|avr(?:il)?|abr(?:il)?|may|mai|mayo|maio|mag(?:gio)?|mei|jun[ei]?|juin|junio|junho|giu(?:gno)?|jul[iy]?|juil(?:let)?|julio|julho|lug(?:lio)?|aug(?:ust)?|ao[uû]t|ago(?:sto)?|sep(?:t(?:ember|embre)?)?|set(?:embro|tembre)?|oct(?:ober|obre|ubre)?|okt(?:ober)?|out(?:ubro)?|ott(?:obre)?|nov(?:ember|embre|iembre|embro)?|dec(?:ember)?|dez(?:ember|embro)?|d[eé]c(?:embre)?|dic(?:iembre|embre)?';
const monthStarts: readonly (readonly string[])[] = [
  ['jan', 'ene', 'gen'],
  ['feb', 'fev', 'fév'],
  ['mar', 'mär', 'maa'],
  ['apr', 'avr', 'abr'],
  ['may', 'mai', 'mag', 'mei'],
  ['jun', 'jui', 'giu'],
  ['jul', 'lug'],
  ['aug', 'aou', 'aoû', 'ago'],
  ['sep', 'set'],
  ['oct', 'okt', 'out', 'ott'],
  ['nov'],
  ['dec', 'dez', 'déc', 'dic'],
];
const monthOf = (name: string): number => {
  const text = name.toLowerCase();
  if (text.startsWith('juil')) return 7;
  return monthStarts.findIndex((starts) => starts.includes(text.slice(0, 3))) + 1;
};

const dayText = (year: number, month: number, day: number): string | undefined => {
  const full = year < 100 ? 2000 + year : year;
  const date = new Date(Date.UTC(full, month - 1, day));
  const isReal = date.getUTCFullYear() === full && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal && full >= 1900 && full <= 2200 ? date.toISOString().slice(0, 10) : undefined;
};

const numericDate = /^(\d{1,4})([./\-\s])(\d{1,2})\2(\d{1,4})\.?(?:[T\s,]+\d{1,2}:\d{2}.*)?$/;

/** Dates whose two figures do not show their order, and those that do: for the order of a whole column. */
export const dateOrderOf = (cell: SheetCell | undefined): DateOrder | 'open' | undefined => {
  if (typeof cell !== 'string') return undefined;
  const found = numericDate.exec(cell.trim().slice(0, maxCellLength));
  if (found === null) return undefined;
  const [first, sign, second, last] = [Number(found[1]), found[2], Number(found[3]), found[4] ?? ''];
  if ((found[1] ?? '').length === 4) return 'ymd';
  if (first > 31) return 'ymd';
  // A period between day, month and year is not used in any country with the month first.
  if (sign === '.') return last.length === 2 || last.length === 4 ? 'dmy' : undefined;
  if (first > 12) return 'dmy';
  if (second > 12) return 'mdy';
  return first === second ? undefined : 'open';
};

/** A day; a month or a year alone is its first day. `order` undefined: the column does not show it. */
export const readDay = (cell: SheetCell, order: DateOrder | null): ReadCell<string> => {
  if (cell instanceof Date) {
    const day = Number.isNaN(cell.getTime())
      ? undefined
      : dayText(cell.getUTCFullYear(), cell.getUTCMonth() + 1, cell.getUTCDate());
    return day === undefined ? { error: 'is not a date' } : { value: day };
  }
  const text = shownCell(cell).slice(0, maxCellLength);
  const wrong = { error: 'is not a date; use 2025-12-31' };
  const known = (day: string | undefined, note?: boolean): ReadCell<string> =>
    day === undefined ? wrong : { value: day, ...(note ? { note: `“${text}” read as ${day}` } : {}) };
  const iso = /^(\d{4})-(\d{2})-(\d{2})(?:T.*)?$/.exec(text);
  if (iso !== null) return known(dayText(Number(iso[1]), Number(iso[2]), Number(iso[3])));
  const found = numericDate.exec(text);
  if (found !== null) {
    const [a, b, c] = [Number(found[1]), Number(found[3]), Number(found[4])];
    const shown = dateOrderOf(text);
    const by = shown === 'open' || shown === undefined ? order : shown;
    if (by === null && a !== b) return { error: 'can be two dates; choose the date order, or use 2025-12-31' };
    if (by === 'ymd') return known(dayText(a, b, c));
    return known(by === 'mdy' ? dayText(c, a, b) : dayText(c, b, a));
  }
  const named = new RegExp(
    `^(?:(\\d{1,2})[.\\s/-]*)?(${monthNames})\\.?[\\s/,-]*(?:(\\d{1,2})(?:st|nd|rd|th)?,\\s*)?(\\d{4}|\\d{2})$`,
    'iu',
  ).exec(text);
  if (named !== null) {
    const day = named[1] ?? named[3];
    return known(dayText(Number(named[4]), monthOf(named[2] ?? ''), Number(day ?? 1)), day === undefined);
  }
  const monthAndYear = /^(0?[1-9]|1[0-2])[./-](\d{4})$/.exec(text) ?? /^(\d{4})[./-](0?[1-9]|1[0-2])$/.exec(text);
  if (monthAndYear !== null) {
    const [one, two] = [Number(monthAndYear[1]), Number(monthAndYear[2])];
    return known(one > 12 ? dayText(one, two, 1) : dayText(two, one, 1), true);
  }
  const year = /^(\d{4})(?:\s*[/-]\s*\d{2,4})?$/.exec(text);
  return year === null ? wrong : known(dayText(Number(year[1]), 1, 1), true);
};
