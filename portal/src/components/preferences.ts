import type { Preferences } from '@roastery/contract/auth';
import { useMemo } from 'react';
import { useSession } from '../api/session.tsx';
import { dateTexts, type DateTexts } from './dates.ts';

const defaults: Preferences = {
  temperature_unit: 'C',
  theme: 'system',
  date_language: 'en-US',
  rate_unit: 'per_minute',
};

/** How the signed-in person reads figures and dates. */
export const usePreferences = (): Preferences => useSession().user?.preferences ?? defaults;

/** Date texts in the roastery's time zone and the person's language. */
export const useDates = (): DateTexts => {
  const { user } = useSession();
  const timeZone = user?.roastery_time_zone ?? 'UTC';
  const language = user?.preferences.date_language ?? defaults.date_language;
  return useMemo(() => dateTexts(timeZone, language), [timeZone, language]);
};
