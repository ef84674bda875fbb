import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { idShape, instantShape, pageQuery } from './shapes.ts';

const endpoint = endpointsOf('Roasts');

/** Letters and digits before a machine's own batch numbers: `A` gives `A-1`, `A-2`. */
export const batchPrefixShape = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z][A-Z0-9]{0,5}$/, 'Use a letter and up to 5 more letters or digits');

/**
 * The state of a number. `cancelled`: its plan was cancelled. `discarded`: its roast was discarded, and can be
 * restored. `deleted`: its roast was deleted. `replaced`: its roast became part of another, or received the number of
 * its plan or of its file. `lost`: its owner could not be saved; the number is unused.
 */
export const batchNumberStates = [
  'planned',
  'roasted',
  'cancelled',
  'discarded',
  'deleted',
  'replaced',
  'lost',
] as const;
export type BatchNumberState = (typeof batchNumberStates)[number];

export const batchNumberShape = z.object({
  batch_number: z.string(),
  state: z.enum(batchNumberStates),
  machine_name: z.string().nullable(),
  coffee_name: z.string().nullable(),
  given_at: instantShape,
  /** When its plan was cancelled, its roast deleted or discarded, or the number found to be lost. */
  ended_at: instantShape.nullable(),
  /** While the plan waits. */
  plan_id: idShape.nullable(),
  /** While the roast exists, also with another number now. */
  roast_id: idShape.nullable(),
});
export type BatchNumber = z.infer<typeof batchNumberShape>;

export const listBatchNumbers = endpoint({
  name: 'listBatchNumbers',
  method: 'GET',
  path: '/batch-numbers',
  summary: 'Every batch number assigned on the machines that the user may see, newest first',
  query: z.object({ ...pageQuery(50), state: z.enum(batchNumberStates).optional() }),
  response: z.object({ numbers: z.array(batchNumberShape), total: z.number().int() }),
});
