import type { Preferences } from '@roastery/contract/auth';
import { useMemo } from 'react';
import { useSession } from '../api/session.tsx';
import { dateTexts, defaultRegion, type DateTexts } from './dates.ts';

const defaults: Preferences = {
  temperature_unit: 'C',
  theme: 'system',
  date_language: defaultRegion,
  rate_unit: 'per_minute',
};

/** How the signed-in person reads figures and dates. */
export const usePreferences = (): Preferences => useSession().user?.preferences ?? defaults;

/** Date texts in the roastery's time zone, as the person's region writes them. */
export const useDates = (): DateTexts => {
  const { user } = useSession();
  const timeZone = user?.roastery_time_zone ?? 'UTC';
  const region = user?.preferences.date_language ?? defaults.date_language;
  return useMemo(() => dateTexts(timeZone, region), [timeZone, region]);
};
