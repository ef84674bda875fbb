import { preferencesShape, type Preferences } from '@roastery/contract/auth';
import { parseShape } from '@roastery/contract/parse-shape';
import { defaultRegion } from '../format/format.ts';
import { readerFormats, type ReaderFormats } from '../format/reader-formats.ts';

const defaults: Preferences = {
  temperature_unit: 'C',
  weight_unit: 'kg',
  theme: 'system',
  date_language: defaultRegion,
  rate_unit: 'per_minute',
};

/** A user's choices, and the defaults for the rest. */
export const preferencesOf = (stored: Record<string, unknown>): Preferences => {
  const parsed = parseShape(preferencesShape.partial(), stored);
  return parsed.success ? { ...defaults, ...withoutUndefined(parsed.data) } : defaults;
};

/** The formats of this user. */
export const formatsOf = (user: { readonly preferences: Record<string, unknown> }): ReaderFormats =>
  readerFormats(preferencesOf(user.preferences));

/** Only fields with a value: a missing one must not hide a default. */
export const withoutUndefined = <T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
