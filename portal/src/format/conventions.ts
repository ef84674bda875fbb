import { massUnits, type MassUnit } from '@roastery/roasting/units';

/** The conventions by which the signed-in person reads and types numbers, dates, weights and money. */
export interface Conventions {
  /** BCP 47 tag. */
  readonly region: string;
  readonly weightUnit: MassUnit;
  /** ISO 4217 code of the roastery. */
  readonly currency: string;
}

/** Its formats are those of the product document. */
export const defaultRegion = 'en-US';
export const defaultConventions: Conventions = { region: defaultRegion, weightUnit: 'kg', currency: 'USD' };

let current = defaultConventions;

/** Of the signed-in person: one page has one reader. */
export const conventions = (): Conventions => current;

/** `OwnFormats` calls it before anything below it is rendered. */
export const setConventions = (next: Conventions): void => {
  current = {
    region: knownRegion(next.region),
    // A session that a browser stored from an older server has neither.
    weightUnit: massUnits.find((unit) => unit === next.weightUnit) ?? defaultConventions.weightUnit,
    currency: next.currency || defaultConventions.currency,
  };
};

/** An unknown region falls back to the default rather than break a page. */
export const knownRegion = (region: string): string => {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(region)[0] ?? defaultRegion;
  } catch (error) {
    if (error instanceof RangeError) return defaultRegion;
    throw error;
  }
};

/** `DE` of `de`: the territory of a tag, or the most likely one of its language. */
export const territoryOf = (region: string): string => new Intl.Locale(knownRegion(region)).maximize().region ?? 'US';

// Territories whose week does not begin on Monday, from the week data of CLDR 46. Browsers do not all offer `weekInfo`.
const sunday =
  'AG AS BD BR BS BT BW BZ CA CO DM DO ET GT GU HK HN ID IL IN JM JP KE KH KR LA MH MM MO MT MX MZ NI NP PA PE PH PK PR PT PY SA SG SV TH TT TW UM US VE VI WS YE ZA ZW';
const saturday = 'AE AF BH DJ DZ EG IQ IR JO KW LY OM QA SD SY';

/** 0 for Sunday, 1 for Monday, 6 for Saturday. */
export type Weekday = 0 | 1 | 6;

/** The first day of the week in a region. */
export const firstWeekday = (region: string = current.region): Weekday => {
  const territory = territoryOf(region);
  if (sunday.split(' ').includes(territory)) return 0;
  return saturday.split(' ').includes(territory) ? 6 : 1;
};
