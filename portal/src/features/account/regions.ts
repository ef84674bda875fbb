import { defaultRegion } from '../../format/conventions.ts';
import { dateTexts, regionName } from '../../format/dates.ts';
import { textLocale } from '../../language/t.ts';
import type { Choice } from '../../ui/Select.tsx';

/** A language stands for the country where most of its speakers live. */
export const offeredRegions = [
  defaultRegion,
  'en-GB',
  'cs',
  'da',
  'de',
  'el',
  'es',
  'et',
  'fi',
  'fr',
  'hr',
  'hu',
  'id',
  'it',
  'lt',
  'lv',
  'nb',
  'nl',
  'pl',
  'pt-BR',
  'pt-PT',
  'ro',
  'sk',
  'sl',
  'sv',
  'tr',
  'uk',
  'vi',
  'ja',
  'ko',
  'zh-Hans',
  'zh-Hant',
] as const;

/** Regions by name, each with a moment as it will be written; the one that is set is always among them. */
export const regionChoices = (current: string, at: number): Choice[] =>
  [current, ...offeredRegions.filter((tag) => tag !== current && regionName(tag) !== regionName(current))]
    .map((value) => ({ value, label: regionName(value), hint: dateTexts('UTC', value).dayAndTime(at) }))
    .sort((a, b) => a.label.localeCompare(b.label, textLocale()));
