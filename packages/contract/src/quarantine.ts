import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { idShape, instantShape, pageQuery } from './shapes.ts';

const endpoint = endpointsOf('Fleet', 'admin');

/** A journal message of a board that could not be stored. It was acknowledged, so that the board continues. */
export const quarantinedShape = z.object({
  id: idShape,
  serial_number: z.string(),
  /** Null where no machine has this serial number. */
  machine_id: idShape.nullable(),
  display_name: z.string().nullable(),
  /** Why it was refused. */
  reason: z.string(),
  bytes: z.number().int(),
  received_at: instantShape,
  /** How often the same message arrived, and when it last arrived. */
  times: z.number().int(),
  last_received_at: instantShape,
});
export type Quarantined = z.infer<typeof quarantinedShape>;

const byId = { params: z.object({ id: idShape }) } as const;

export const listQuarantined = endpoint({
  name: 'listQuarantined',
  method: 'GET',
  path: '/admin/quarantine',
  summary:
    'Quarantined journal messages with the reason, newest first; the oldest are dropped when the quarantine is full',
  query: z.object({ ...pageQuery(50) }),
  response: z.object({
    quarantined: z.array(quarantinedShape),
    total: z.number().int(),
    /** Messages dropped so far because the quarantine was full. */
    dropped: z.number().int(),
  }),
});

export const replayQuarantined = endpoint({
  ...byId,
  name: 'replayQuarantined',
  method: 'POST',
  path: '/admin/quarantine/{id}/replay',
  summary: 'Replay a quarantined message, e.g. after an update of the server',
  response: z.object({ samples: z.number().int(), events: z.number().int() }),
  errors: ['not_found', 'conflict'],
});

export const discardQuarantined = endpoint({
  ...byId,
  name: 'discardQuarantined',
  method: 'DELETE',
  path: '/admin/quarantine/{id}',
  summary: 'Delete a quarantined message',
  response: z.object({ discarded: z.boolean() }),
  errors: ['not_found'],
});
