import type { Preferences } from '@roastery/contract/auth';
import { useMemo } from 'react';
import { writeSentencesWith } from '../api/api-error.ts';
import { useSession } from '../api/session.tsx';
import { defaultConventions, defaultRegion, setConventions } from './conventions.ts';
import { dateTexts, type DateTexts } from './dates.ts';
import { inOwnUnits } from './weights.ts';

writeSentencesWith(inOwnUnits);

const defaults: Preferences = {
  temperature_unit: 'C',
  weight_unit: 'kg',
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

/** Makes the choices of the person who is signed in those of all formats. For the component above all pages. */
export const useOwnFormats = (): void => {
  const { user } = useSession();
  setConventions(
    user === null
      ? defaultConventions
      : {
          region: user.preferences.date_language,
          weightUnit: user.preferences.weight_unit,
          currency: user.roastery_currency,
        },
  );
};
