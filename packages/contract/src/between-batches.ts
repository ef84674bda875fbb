import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { plannedRoastShape } from './planned.ts';
import { roastRowShape } from './roasts.ts';
import { idShape } from './shapes.ts';

const endpoint = endpointsOf('Roasts');

export const nextBatchShape = plannedRoastShape.extend({
  /** Of its recipe, °C. */
  target_charge_temp: z.number().nullable(),
});
export type NextBatch = z.infer<typeof nextBatchShape>;

/** One answer, because a live view between two batches reads it every few seconds. */
export const betweenBatches = endpoint({
  name: 'betweenBatches',
  method: 'GET',
  path: '/machines/{id}/between-batches',
  summary: 'Between two batches of a machine: the first of its queue, its newest roast, and roasts to be weighed',
  right: 'see',
  params: z.object({ id: idShape }),
  response: z.object({
    next: nextBatchShape.nullable(),
    newest_roast: roastRowShape.nullable(),
    /** Roasts that were dropped and not weighed. */
    not_weighed: z.object({ total: z.number().int(), newest: roastRowShape.nullable() }),
  }),
  errors: ['not_found'],
});
