import { dateTexts } from '../../components/dates.ts';
import type { Choice } from '../../ui/Select.tsx';

const tags = [
  'en-US',
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

const ownName = (tag: string): string => new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;

/** Languages in their own words, each with a date as it will be written; the one that is set is always among them. */
export const languageChoices = (current: string, at: number): Choice[] => {
  const all: string[] = tags.some((tag) => tag === current) ? [...tags] : [current, ...tags];
  return all.map((value) => ({ value, label: ownName(value), hint: dateTexts('UTC', value).day(at) }));
};
