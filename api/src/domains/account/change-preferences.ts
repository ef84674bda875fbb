import type { Preferences } from '@roastery/contract/auth';
import type { UserContext } from '../../context.ts';
import { invalid } from '../../http/app-error.ts';
import { preferencesOf, withoutUndefined } from '../../identity/preferences.ts';

const isLanguage = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
};

/** Changes the preferences that are given. */
export const changePreferences = async (
  { sql, user }: UserContext,
  given: { readonly [K in keyof Preferences]?: Preferences[K] | undefined },
): Promise<Preferences> => {
  if (given.date_language !== undefined && !isLanguage(given.date_language)) {
    throw invalid('date_language', 'must be a language tag such as en-US');
  }
  const [row] = await sql<{ preferences: Record<string, unknown> }[]>`
    UPDATE users SET preferences = preferences || ${sql.json(withoutUndefined(given))}
     WHERE id = ${user.id} RETURNING preferences`;
  return preferencesOf(row?.preferences ?? {});
};
