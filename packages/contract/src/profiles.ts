import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { roastLevelShape } from './roasts.ts';
import { flagQueryShape, idShape, lineShape, messageShape, pageQuery, textShape } from './shapes.ts';

const endpoint = endpointsOf('Recipes');

/** One per second for half an hour. */
export const maxControlPoints = 1800;

/** One step of a control profile. Drum in RPM; burner and exhaust in %. */
export const controlPointShape = z.object({
  time: z.number().int().min(0).max(14_400),
  burner: z.number().min(0, 'Burner: 0-100%').max(100, 'Burner: 0-100%'),
  exhaust: z.number().min(30, 'Exhaust: 30-90%').max(90, 'Exhaust: 30-90%'),
  drum: z.number().min(30, 'Drum: 30-85 RPM').max(85, 'Drum: 30-85 RPM'),
});

export const profileBodyShape = z.object({
  name: lineShape(200).min(1, 'Recipe name is required'),
  description: textShape(5000).nullable().optional(),
  coffee_origin: lineShape(120).nullable().optional(),
  coffee_variety: lineShape(120).nullable().optional(),
  roast_level: roastLevelShape.default('Medium'),
  /** °C of the empty drum at the charge; null where the recipe has none. */
  target_charge_temp: z.number().positive('Charge temp must be greater than 0').max(400).nullable().optional(),
  target_drop_temp: z.number().positive('Drop temp must be greater than 0').max(400).default(210),
  target_roast_time: z.number().int().positive('Roast time must be greater than 0').max(14_400).default(720),
  target_development_time: z.number().int().min(0).max(14_400).nullable().default(150),
  min_batch_size: z.number().min(0).max(10_000).nullable().default(10),
  max_batch_size: z.number().min(0).max(10_000).nullable().default(15),
  green_coffee_lot_id: idShape.nullable().optional(),
  auto_deduct_inventory: z.boolean().default(true),
  alert_low_inventory: z.boolean().default(false),
  /** Sparse points as entered, ascending in time; `auto_interpolate`: interpolate to a profile of one point per second. */
  control_profile: z
    .array(controlPointShape)
    .min(2, 'At least 2 control points are required')
    .max(maxControlPoints)
    .refine(
      (points) => points.every((point, i) => i === 0 || point.time > (points[i - 1]?.time ?? -1)),
      'Each control point must be later than the one before',
    ),
  auto_interpolate: z.boolean().default(false),
});

/** `reference_roast_id`: the roast that the recipe was made from. */
export const newProfileShape = profileBodyShape.extend({ reference_roast_id: idShape.nullable().optional() });

export const profileShape = z.object({
  id: idShape,
  name: z.string(),
  description: z.string().nullable(),
  coffee_origin: z.string().nullable(),
  coffee_variety: z.string().nullable(),
  roast_level: z.string(),
  target_charge_temp: z.number().nullable(),
  target_drop_temp: z.number(),
  target_roast_time: z.number(),
  target_development_time: z.number().nullable(),
  min_batch_size: z.number().nullable(),
  max_batch_size: z.number().nullable(),
  green_coffee_lot_id: idShape.nullable(),
  auto_deduct_inventory: z.boolean(),
  alert_low_inventory: z.boolean(),
  control_profile: z.array(controlPointShape),
  auto_interpolate: z.boolean(),
  is_favorite: z.boolean(),
  times_used: z.number().int(),
  lot_info: z.object({ lot_number: z.string(), current_weight: z.number() }).nullable(),
  /** The roast with which this recipe is compared: a chosen one, else its highest-scoring one. */
  reference_roast_id: idShape.nullable(),
  /** A person chose it, and this user may see it; false for the highest-scoring one, and for none. */
  reference_is_chosen: z.boolean(),
  revision: z.number().int(),
});
export type Profile = z.infer<typeof profileShape>;

const byId = z.object({ id: idShape });

export const listProfiles = endpoint({
  name: 'listProfiles',
  method: 'GET',
  path: '/profiles',
  summary: 'Recipes; roast_level Medium covers Medium-Light and Medium-Dark',
  query: z.object({
    ...pageQuery(500),
    origin: lineShape(120).optional(),
    roast_level: z.enum(['Light', 'Medium', 'Dark']).optional(),
    favorites_only: flagQueryShape.optional(),
  }),
  response: z.object({ profiles: z.array(profileShape), total: z.number().int() }),
});

export const getProfile = endpoint({
  name: 'getProfile',
  method: 'GET',
  path: '/profiles/{id}',
  summary: 'One recipe',
  params: byId,
  response: profileShape,
  errors: ['not_found'],
});

export const createProfile = endpoint({
  name: 'createProfile',
  method: 'POST',
  path: '/profiles',
  summary: 'Save a new recipe',
  status: 201,
  body: newProfileShape,
  response: profileShape,
});

export const updateProfile = endpoint({
  name: 'updateProfile',
  method: 'PUT',
  path: '/profiles/{id}',
  summary: 'Change a recipe',
  params: byId,
  body: newProfileShape.extend({ revision: z.number().int().optional() }),
  response: profileShape,
  errors: ['not_found', 'changed_meanwhile'],
});

export const deleteProfile = endpoint({
  name: 'deleteProfile',
  method: 'DELETE',
  path: '/profiles/{id}',
  summary: 'Delete a recipe; its roasts keep its name',
  params: byId,
  response: messageShape,
  errors: ['not_found'],
});

export const toggleProfileFavorite = endpoint({
  name: 'toggleProfileFavorite',
  method: 'POST',
  path: '/profiles/{id}/toggle-favorite',
  summary: 'Toggle the user’s favorite',
  params: byId,
  response: z.object({ is_favorite: z.boolean() }),
  errors: ['not_found'],
});

export const setReferenceRoast = endpoint({
  name: 'setReferenceRoast',
  method: 'PUT',
  path: '/profiles/{id}/reference',
  summary: 'Choose the reference roast of this recipe; null: the highest-scoring roast',
  params: byId,
  body: z.object({ roast_id: idShape.nullable() }),
  response: profileShape,
  errors: ['not_found', 'conflict'],
});

export const cloneProfile = endpoint({
  name: 'cloneProfile',
  method: 'POST',
  path: '/profiles/{id}/clone',
  summary: 'Copy a recipe as "… (Copy)" with a use count of 0',
  status: 201,
  params: byId,
  response: profileShape,
  errors: ['not_found'],
});
