import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { idShape, instantShape } from './shapes.ts';

const endpoint = endpointsOf('Machines');

/**
 * Recordings of a machine whose map had bean and exhaust temperature exchanged. `proposed`: the map was corrected later;
 * `exchanged`: the owner confirmed it, and these recordings are read with both names exchanged, also batches that arrive
 * later; `right`: the owner said that they are right as recorded.
 */
export const exchangeStates = ['proposed', 'exchanged', 'right'] as const;

const mapRevisionShape = z.object({
  /** As the board sent it. */
  map_id: z.string().min(1).max(80),
  map_rev: z.number().int(),
});

export const channelExchangeShape = mapRevisionShape.extend({
  maker: z.string(),
  model: z.string(),
  state: z.enum(exchangeStates),
  roasts: z.number().int(),
  /** Starts of its first and last roast. */
  first_at: instantShape.nullable(),
  last_at: instantShape.nullable(),
  /** Null while it is proposed. */
  stated_at: instantShape.nullable(),
  stated_by_name: z.string().nullable(),
});
export type ChannelExchange = z.infer<typeof channelExchangeShape>;

export const channelExchangesShape = z.object({
  revisions: z.array(channelExchangeShape),
  /** Roasts whose marks are still to be made anew. Their curves are right already. */
  pending: z.number().int(),
  /**
   * Roasts in which the detector found no charge in the exchanged readings: they keep the marks of their board, with
   * the temperatures of the right probe.
   */
  without_new_marks: z.number().int(),
});
export type ChannelExchanges = z.infer<typeof channelExchangesShape>;

const ofMachine = {
  path: '/machines/{id}/channel-exchanges',
  params: z.object({ id: idShape }),
  right: 'manage',
  response: channelExchangesShape,
} as const;

export const listChannelExchanges = endpoint({
  ...ofMachine,
  name: 'listChannelExchanges',
  method: 'GET',
  summary: 'Recordings of a machine in which bean and exhaust temperature are exchanged',
  errors: ['not_found'],
});

export const stateChannelExchange = endpoint({
  ...ofMachine,
  name: 'stateChannelExchange',
  method: 'POST',
  summary: 'Confirm that bean and exhaust are exchanged in proposed recordings, or that they are right',
  body: z.object({
    state: z.enum(['exchanged', 'right']),
    /** The proposals that the person saw. */
    revisions: z.array(mapRevisionShape).min(1, 'Choose at least one revision').max(100),
  }),
  errors: ['not_found', 'conflict'],
});

export const undoChannelExchange = endpoint({
  ...ofMachine,
  name: 'undoChannelExchange',
  method: 'DELETE',
  summary: 'Withdraw what was said about a machine’s recordings: they are as recorded, and proposed again',
  query: z.object({ state: z.enum(['exchanged', 'right']).default('exchanged') }),
  errors: ['not_found'],
});
