import type { Preferences } from '@roastery/contract/auth';
import { createContext, use, useMemo } from 'react';
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

/** The formats of a screen without an account, such as the wall's. */
export const ScreenPreferences = createContext<Preferences>(defaults);

/** The formats of the signed-in person. */
export const usePreferences = (): Preferences => {
  const ofScreen = use(ScreenPreferences);
  return useSession().user?.preferences ?? ofScreen;
};

/** Applies the choices of a screen without an account to all formats. */
export const useScreenFormats = (preferences: Preferences | undefined): Preferences => {
  const { user } = useSession();
  if (user === null && preferences !== undefined) {
    const { date_language: region, weight_unit: weightUnit } = preferences;
    setConventions({ ...defaultConventions, region, weightUnit });
  }
  return preferences ?? defaults;
};

/** Date texts in the roastery's time zone, as the person's region writes them. */
export const useDates = (): DateTexts => {
  const { user } = useSession();
  const timeZone = user?.roastery_time_zone ?? 'UTC';
  const { date_language: region } = usePreferences();
  return useMemo(() => dateTexts(timeZone, region), [timeZone, region]);
};

/** Applies the choices of the signed-in person to all formats. For the component above all pages. */
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
