import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { idShape, instantShape, lineShape, messageShape, pageQuery, textShape } from './shapes.ts';

const endpoint = endpointsOf('Blends');

export const blendComponentShape = z.object({
  /** Null when the roast has been deleted: its share of the blend stays. */
  roast_id: idShape.nullable(),
  said_number: z.string(),
  coffee_name: z.string().nullable(),
  roasted_at: instantShape.nullable(),
  kg: z.number(),
  /** Share of the blend, 0 to 1. */
  share: z.number(),
});

export const blendShape = z.object({
  id: idShape,
  name: z.string(),
  notes: z.string().nullable(),
  created_at: instantShape,
  created_by: z.string(),
  total_kg: z.number(),
  components: z.array(blendComponentShape),
  revision: z.number().int(),
});
export type Blend = z.infer<typeof blendShape>;

export const maxBlendComponents = 20;

const blendFields = {
  name: lineShape(120).min(1, 'Name is required'),
  notes: textShape(10_000).nullable().optional(),
  components: z
    .array(
      z.object({
        roast_id: idShape,
        // To the milligram.
        kg: z.number('Enter the weight in kg').min(0.000_001, 'Weight must be greater than 0').max(10_000),
      }),
    )
    .max(maxBlendComponents)
    .refine(
      (components) => new Set(components.map(({ roast_id: id }) => id)).size === components.length,
      'A roast is in the blend twice',
    ),
};
export const emptyBlendSentence = 'Add at least one roast';
const byId = z.object({ id: idShape });

export const listBlends = endpoint({
  name: 'listBlends',
  method: 'GET',
  path: '/blends',
  summary: 'Post-roast blends, newest first',
  query: z.object(pageQuery(100)),
  response: z.object({ blends: z.array(blendShape), total: z.number().int() }),
});

export const blendableRoastShape = z.object({
  roast_id: idShape,
  said_number: z.string(),
  coffee_name: z.string().nullable(),
  coffee_origin: z.string().nullable(),
  roasted_at: instantShape,
  /** The roasted weight where it is known, else the batch. */
  weight_kg: z.number(),
  is_roasted_weight: z.boolean(),
  used_kg: z.number(),
  left_kg: z.number(),
});
export type BlendableRoast = z.infer<typeof blendableRoastShape>;

export const listBlendableRoasts = endpoint({
  name: 'listBlendableRoasts',
  method: 'GET',
  path: '/blends/roasts',
  summary: 'Finished roasts with weight left for blending, newest first',
  query: z.object({
    ...pageQuery(50),
    /** The weight in this blend counts as left. */
    blend_id: idShape.optional(),
  }),
  response: z.object({ roasts: z.array(blendableRoastShape), total: z.number().int() }),
});

export const getBlend = endpoint({
  name: 'getBlend',
  method: 'GET',
  path: '/blends/{id}',
  summary: 'One blend with its components',
  params: byId,
  response: blendShape,
  errors: ['not_found'],
});

export const createBlend = endpoint({
  name: 'createBlend',
  method: 'POST',
  path: '/blends',
  summary: 'Create a blend of finished roasts, at most the weight that each has left',
  status: 201,
  body: z.object({ ...blendFields, components: blendFields.components.min(1, emptyBlendSentence) }),
  response: blendShape,
});

export const updateBlend = endpoint({
  name: 'updateBlend',
  method: 'PUT',
  path: '/blends/{id}',
  summary: 'Change a blend; weight that it no longer uses returns to its roasts',
  params: byId,
  /** Components can be empty when deleted roasts stay in the blend. */
  body: z.object({ ...blendFields, revision: z.number().int().optional() }),
  response: blendShape,
  errors: ['not_found', 'changed_meanwhile'],
});

export const deleteBlend = endpoint({
  name: 'deleteBlend',
  method: 'DELETE',
  path: '/blends/{id}',
  summary: 'Delete a blend; its weight returns to its roasts',
  params: byId,
  response: messageShape,
  errors: ['not_found'],
});
