import type { RoasterySettings } from '@roastery/contract/settings';
import { currencies } from '@roastery/contract/money';
import type { Resolver } from 'react-hook-form';
import { bagsText, readBags } from '../../format/bags.ts';
import { currencyNames } from '../../format/money.ts';
import { t } from '../../language/t.ts';
import type { Choice } from '../../ui/Select.tsx';

export const roasteryFields = [
  'roastery_name',
  'address',
  'city',
  'country',
  'postal_code',
  'email',
  'phone',
  'website',
  'alert_email',
] as const;
type RoasteryField = (typeof roasteryFields)[number];

/** The fields as text; an empty one is stored as null. */
export type RoasteryValues = Record<RoasteryField | 'time_zone' | 'currency' | 'bag_sizes', string>;

export const valuesOf = (settings: RoasterySettings): RoasteryValues => ({
  roastery_name: settings.roastery_name ?? '',
  address: settings.address ?? '',
  city: settings.city ?? '',
  country: settings.country ?? '',
  postal_code: settings.postal_code ?? '',
  email: settings.email ?? '',
  phone: settings.phone ?? '',
  website: settings.website ?? '',
  alert_email: settings.alert_email ?? '',
  time_zone: settings.time_zone,
  currency: settings.currency,
  bag_sizes: bagsText(settings.bag_sizes),
});

export const roasteryLabels: Record<keyof RoasteryValues, string> = {
  roastery_name: t`Roastery Name`,
  address: t`Address`,
  city: t`City`,
  country: t`Country`,
  postal_code: t`Postal Code`,
  email: t`Email`,
  phone: t`Phone`,
  website: t`Website`,
  alert_email: t`Alert Email`,
  time_zone: t`Time Zone`,
  currency: t`Currency`,
  bag_sizes: t`Bag Sizes`,
};

/** The body of the request: only the fields that were changed. */
export const changesOf = (values: RoasteryValues, changed: ReadonlySet<string>): Partial<RoasterySettings> => ({
  ...Object.fromEntries(
    roasteryFields
      .filter((field) => changed.has(field))
      .map((field) => [field, values[field].trim() === '' ? null : values[field].trim()]),
  ),
  ...(changed.has('time_zone') && { time_zone: values.time_zone }),
  ...(changed.has('currency') && { currency: values.currency }),
  ...(changed.has('bag_sizes') && { bag_sizes: readBags(values.bag_sizes) ?? [] }),
});

const exampleBags = [
  { weight: 60, unit: 'kg' },
  { weight: 152, unit: 'lb' },
] as const;

/** The server checks the rest. */
export const roasteryResolver: Resolver<RoasteryValues, unknown, RoasteryValues> = (values) => {
  const errors = {
    ...(values.time_zone === '' && { time_zone: { type: 'required', message: t`Choose a time zone` } }),
    ...(values.currency === '' && { currency: { type: 'required', message: t`Choose a currency` } }),
    ...(readBags(values.bag_sizes) === undefined && {
      bag_sizes: {
        type: 'bags',
        message: t`Enter sizes with their units, separated by semicolons: ${bagsText(exampleBags)}`,
      },
    }),
  };
  return Object.keys(errors).length > 0 ? { values: {}, errors } : { values, errors: {} };
};

/** All currencies by code, each with its name, or these. */
export const currencyChoices = (codes: readonly string[] = currencies): Choice[] =>
  currencyNames(codes).map(({ code, name }) => ({ value: code, label: `${code} ${name}` }));
