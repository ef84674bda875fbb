import type { RoasterySettings } from '@roastery/contract/settings';

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
export type RoasteryField = (typeof roasteryFields)[number];

/** What stands in the fields; an empty one is stored as none. */
export type RoasteryValues = Record<RoasteryField | 'time_zone', string>;

export const valuesOf = (settings: RoasterySettings): RoasteryValues => ({
  ...(Object.fromEntries(roasteryFields.map((field) => [field, settings[field] ?? ''])) as Record<
    RoasteryField,
    string
  >),
  time_zone: settings.time_zone,
});

export const roasteryLabels: Record<keyof RoasteryValues, string> = {
  roastery_name: 'Roastery Name',
  address: 'Address',
  city: 'City',
  country: 'Country',
  postal_code: 'Postal Code',
  email: 'Email',
  phone: 'Phone',
  website: 'Website',
  alert_email: 'Alert Email',
  time_zone: 'Time Zone',
};

/** Only what was changed. */
export const changesOf = (
  values: RoasteryValues,
  dirty: Partial<Record<keyof RoasteryValues, boolean>>,
): Partial<RoasterySettings> => ({
  ...Object.fromEntries(
    roasteryFields
      .filter((field) => dirty[field])
      .map((field) => [field, values[field].trim() === '' ? null : values[field].trim()]),
  ),
  ...(dirty.time_zone ? { time_zone: values.time_zone } : {}),
});
