import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { dayShape, givenDayShape, idShape, instantShape, lineShape, messageShape, textShape } from './shapes.ts';

const endpoint = endpointsOf('Roasts');

export const plannedRoastShape = z.object({
  id: idShape,
  /** Its roast has the same number. Null for plans cancelled before batch numbers existed. */
  batch_number: z.string().nullable(),
  machine_id: idShape,
  machine_name: z.string(),
  lot_id: idShape.nullable(),
  lot_number: z.string().nullable(),
  profile_id: idShape.nullable(),
  profile_name: z.string().nullable(),
  coffee_name: z.string().nullable(),
  batch_size_kg: z.number().nullable(),
  roasted_by: z.string().nullable(),
  notes: z.string().nullable(),
  created_at: instantShape,
  created_by: z.string(),
  /** It waits for its machine's next charge, is bound to the roast that began with one, or was cancelled. */
  status: z.enum(['waiting', 'bound', 'cancelled']),
  /** The day it is planned for; a waiting plan of an earlier day is of today. */
  day: dayShape,
  /** Those of the same machine that wait before it. */
  ahead: z.number().int(),
  /** Where it comes from: planned by a person. */
  origin: z.enum(['person']),
  roast_id: idShape.nullable(),
});
export type PlannedRoast = z.infer<typeof plannedRoastShape>;

/** The waiting roasts of a machine on one day. */
export const plannedDayShape = z.object({
  machine_id: idShape,
  day: dayShape,
  batches: z.number().int(),
  green_kg: z.number(),
  /** When the last one is done, from the machine's usual pace and first charge; null with too few roasts in its past. */
  done_at: instantShape.nullable(),
  /** Lots of this day that the plans of all machines up to it use up. */
  short: z.array(
    z.object({ lot_id: idShape, lot_number: z.string(), coffee_name: z.string(), missing_kg: z.number() }),
  ),
});
export type PlannedDay = z.infer<typeof plannedDayShape>;

const planFields = {
  /** Not before today. It comes after the plans of its day. Today if absent. */
  day: givenDayShape.optional(),
  lot_id: idShape.nullable().optional(),
  profile_id: idShape.nullable().optional(),
  /** The coffee when no lot is linked. */
  coffee_name: lineShape(200).nullable().optional(),
  /** At most the machine's capacity, and within the recipe's range. */
  batch_size_kg: z.number().positive('Batch must be greater than 0').max(10_000).nullable().optional(),
  roasted_by: lineShape(120).nullable().optional(),
  notes: textShape(10_000).nullable().optional(),
};

/** A day of one machine. */
export const maxPlansAtOnce = 30;

const byId = z.object({ id: idShape });

export const listPlannedRoasts = endpoint({
  name: 'listPlannedRoasts',
  method: 'GET',
  path: '/roasts/planned',
  summary: 'The queue: roasts that wait for a charge, next first',
  query: z.object({ machine_id: idShape.optional() }),
  response: z.object({
    planned: z.array(plannedRoastShape),
    days: z.array(plannedDayShape),
    /** The present day of the roastery. */
    today: dayShape,
  }),
});

export const planRoast = endpoint({
  name: 'planRoast',
  method: 'POST',
  path: '/roasts/planned',
  summary: 'Add a roast to a machine’s queue: its next charge becomes this roast',
  status: 201,
  body: z.object({
    machine_id: idShape,
    ...planFields,
    /** Adds the same roast this many times, each with its own batch number. The response contains the first one. */
    count: z.number().int().min(1).max(maxPlansAtOnce).default(1),
  }),
  response: plannedRoastShape,
});

export const getPlannedRoast = endpoint({
  name: 'getPlannedRoast',
  method: 'GET',
  path: '/roasts/planned/{id}',
  summary: 'One queued roast; after the charge it names its roast',
  right: 'see',
  params: byId,
  response: plannedRoastShape,
  errors: ['not_found'],
});

export const cancelPlannedRoast = endpoint({
  name: 'cancelPlannedRoast',
  method: 'DELETE',
  path: '/roasts/planned/{id}',
  summary: 'Cancel a queued roast before its charge',
  right: 'roast',
  params: byId,
  response: messageShape,
  errors: ['not_found', 'conflict'],
});

export const updatePlannedRoast = endpoint({
  name: 'updatePlannedRoast',
  method: 'PUT',
  path: '/roasts/planned/{id}',
  summary: 'Change a queued roast before its charge; omitted fields keep their values',
  right: 'roast',
  params: byId,
  body: z.object(planFields),
  response: plannedRoastShape,
  errors: ['not_found', 'conflict'],
});

export const orderQueue = endpoint({
  name: 'orderQueue',
  method: 'PUT',
  path: '/machines/{id}/queue',
  summary:
    'Reorder the queue of a machine. The body names every waiting roast; otherwise the queue has changed and the order is refused',
  right: 'roast',
  params: byId,
  body: z.object({
    plan_ids: z.array(idShape).max(200),
    /** The order that the page showed; the change is refused when the queue has another order now. */
    order_before: z.array(idShape).max(200).optional(),
    /** Those that were moved to another day. The queue stays in the order of its days. */
    moved: z.object({ plan_ids: z.array(idShape).max(200), day: givenDayShape }).optional(),
  }),
  response: z.object({ planned: z.array(plannedRoastShape) }),
  errors: ['not_found', 'changed_meanwhile'],
});

export const clearQueue = endpoint({
  name: 'clearQueue',
  method: 'DELETE',
  path: '/machines/{id}/queue',
  summary: 'Cancel every roast that waits for this machine; their batch numbers stay listed',
  right: 'roast',
  params: byId,
  response: messageShape,
  errors: ['not_found'],
});
