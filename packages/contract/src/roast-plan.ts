import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { maxControlPoints } from './profiles.ts';
import { idShape, lineShape, plannedPointShape } from './shapes.ts';

const endpoint = endpointsOf('Roasts');

const planBody = {
  /** The roast whose charge took it; null while it waits. */
  roast_id: idShape.nullable(),
  /** As of the last time the plan was sent, or the beginning of its roast. */
  recipe: z.object({ id: idShape, revision: z.number().int(), name: lineShape(200) }).nullable(),
  coffee_name: z.string().max(400).nullable(),
  batch_size_kg: z.number().min(0).max(10_000).nullable(),
  /** °C. */
  target_drop_temp: z.number().min(0).max(400).nullable(),
  /** Charge to drop, s. */
  target_roast_time: z.number().min(0).max(14_400).nullable(),
  /** First crack to drop, s. */
  target_development_time: z.number().min(0).max(14_400).nullable(),
  /** Rising in time; empty without a recipe. */
  points: z.array(plannedPointShape).max(maxControlPoints),
  /** Interpolated from point to point every second; else each point is held until the next. */
  interpolated: z.boolean(),
  /** RPM at which this machine's drum reads 100 %. */
  max_drum_rpm: z.number().positive().max(500),
};

/** The plan of a roast: a recipe's control profile with the weight in and the targets. */
export const roastPlanShape = z.object({ id: idShape, ...planBody });
export type RoastPlan = z.infer<typeof roastPlanShape>;

/**
 * The most plans that are sent to a board: the one it follows, and those for its next charges while it is offline.
 * Fewer where their points fill the message.
 */
export const maxPlansOnBoard = 4;

/**
 * Payload of `plan`, retained: the plan that this machine follows and those that wait for its next charges, in order.
 * An empty list, or an empty payload, withdraws earlier ones.
 */
export const plansShape = z.object({ v: z.literal(1), plans: z.array(roastPlanShape).max(maxPlansOnBoard) });
export type Plans = z.infer<typeof plansShape>;

/** The target of a roast: its plan, or (without an id) the recipe that was set later. */
export const followedPlanShape = z.object({ id: idShape.nullable(), ...planBody });
export type FollowedPlan = z.infer<typeof followedPlanShape>;

export const getRoastPlan = endpoint({
  name: 'getRoastPlan',
  method: 'GET',
  path: '/roasts/{id}/plan',
  summary: 'The plan of a roast as it was at the charge; otherwise its current recipe; null without either',
  right: 'see',
  params: z.object({ id: idShape }),
  response: z.object({ plan: followedPlanShape.nullable() }),
  errors: ['not_found'],
});
