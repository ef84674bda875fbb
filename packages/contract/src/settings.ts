import { currencies } from './money.ts';
import { massUnits } from '@roastery/roasting/units';
import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { flagQueryShape, idShape, lineShape, messageShape } from './shapes.ts';

const endpoint = endpointsOf('Settings', 'admin');

export const optionCategories = ['variety', 'origin', 'process', 'warehouse', 'machine_type'] as const;
export const optionCategoryShape = z.enum(optionCategories);

export const optionShape = z.object({
  id: idShape,
  category: optionCategoryShape,
  value: z.string(),
  description: z.string().nullable(),
  sort_order: z.number().int(),
  is_active: z.boolean(),
});
export type Option = z.infer<typeof optionShape>;

export const listOptions = endpoint({
  name: 'listOptions',
  method: 'GET',
  path: '/settings/options/{category}',
  summary: 'Options of one drop-down, in their order',
  access: 'user',
  params: z.object({ category: optionCategoryShape }),
  query: z.object({ active_only: flagQueryShape.optional() }),
  response: z.array(optionShape),
});

export const createOption = endpoint({
  name: 'createOption',
  method: 'POST',
  path: '/settings/options',
  summary: 'Add an option',
  status: 201,
  body: z.object({
    category: optionCategoryShape,
    value: lineShape(120).min(1, 'Please enter a value'),
    description: lineShape(300).nullable().optional(),
    sort_order: z.number().int().min(0).max(100_000).optional(),
    is_active: z.boolean().default(true),
  }),
  response: optionShape,
  errors: ['already_exists'],
});

export const deleteOption = endpoint({
  name: 'deleteOption',
  method: 'DELETE',
  path: '/settings/options/{id}',
  summary: 'Remove an option; records that use it keep it',
  params: z.object({ id: idShape }),
  response: messageShape,
  errors: ['not_found'],
});

const line = (max: number) => lineShape(max).nullable();
export const roasterySettingsShape = z.object({
  roastery_name: line(200),
  address: line(300),
  city: line(120),
  country: line(120),
  postal_code: line(20),
  email: line(254),
  phone: line(60),
  website: line(300),
  /** IANA name; days and months of the roastery are counted in it. */
  time_zone: z.string().max(60),
  /** Recipient of alerts in addition to the administrators. */
  alert_email: z.union([z.email('Enter an email address').max(254), z.literal('')]).nullable(),
  /** Makes every user a roaster of every machine. */
  all_users_see_all_machines: z.boolean(),
  /** ISO 4217 code of all amounts of money. */
  currency: z.string().refine((code) => currencies.includes(code), 'Choose a currency'),
  /** Sizes of bags that green coffee is bought in. */
  bag_sizes: z
    .array(
      z.object({ weight: z.number().positive('Weight must be greater than 0').max(10_000), unit: z.enum(massUnits) }),
    )
    .max(20),
  /** Increases with every change; an edit based on an older one is refused. */
  revision: z.number().int(),
});
export type BagSize = RoasterySettings['bag_sizes'][number];
export type RoasterySettings = z.infer<typeof roasterySettingsShape>;

export const getRoasterySettings = endpoint({
  name: 'getRoasterySettings',
  method: 'GET',
  path: '/settings/roastery',
  summary: 'Name, address, time zone and currency of the roastery',
  access: 'user',
  response: roasterySettingsShape,
});

export const putRoasterySettings = endpoint({
  name: 'putRoasterySettings',
  method: 'PUT',
  path: '/settings/roastery',
  summary: 'Change name, address, time zone and currency of the roastery',
  body: roasterySettingsShape.partial(),
  response: roasterySettingsShape,
  errors: ['changed_meanwhile'],
});

export const seedDefaults = endpoint({
  name: 'seedDefaults',
  method: 'POST',
  path: '/settings/seed-defaults',
  summary: 'Add missing default options; answers how many were added and kept',
  response: messageShape,
});
