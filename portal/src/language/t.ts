import { createElement, Fragment, type ReactNode } from 'react';

type Word = string | number;
/** A text in another language: `{0}` stands for the first value. A function chooses between one and many. */
export type Translation = string | ((...values: readonly ReactNode[]) => string);
/** The texts of a language by their English templates: `Delete {0} lots`. */
export type Catalog = Readonly<Record<string, Translation>>;

let language: { readonly locale: string; readonly texts: Catalog } = { locale: 'en-US', texts: {} };

/** Sets the language. Call it before the pages are imported: constants of modules hold texts, too. */
export const setLanguage = (locale: string, texts: Catalog): void => {
  language = { locale, texts };
};

/** BCP 47 tag of the language of all texts, numbers and names of months. */
export const textLocale = (): string => language.locale;

/** The key of a text: its English template with numbered places. */
export const textKey = (parts: readonly string[]): string =>
  parts.reduce((key, part, index) => `${key}{${index - 1}}${part}`);

/**
 * A text of the portal. English stands in the source; another language is looked up by the template:
 * ``t`Delete ${count} lots` ``. Values may be elements: ``{t`Reference: ${<Link …/>}`}``.
 */
export function t(parts: TemplateStringsArray, ...values: readonly Word[]): string;
export function t(parts: TemplateStringsArray, ...values: readonly ReactNode[]): ReactNode;
export function t(parts: TemplateStringsArray, ...values: readonly ReactNode[]): ReactNode {
  const key = textKey(parts);
  const translated = language.texts[key];
  const template = typeof translated === 'function' ? translated(...values) : (translated ?? key);
  // Every second piece is the number of a value.
  const pieces = template.split(/\{(\d+)\}/).map((piece, index) => (index % 2 === 0 ? piece : values[Number(piece)]));
  if (pieces.every((piece) => typeof piece === 'string' || typeof piece === 'number')) return pieces.join('');
  return pieces.map((piece, index) => createElement(Fragment, { key: index }, piece));
}
