import { driftKinds } from '@roastery/roasting/forecast/machine-drift';
import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { idShape, instantShape, messageShape } from './shapes.ts';

const endpoint = endpointsOf('Machines');

/** A change of a machine's probes or burner that its own roasts show. */
export const machineDriftShape = z.object({
  id: idShape,
  kind: z.enum(driftKinds),
  /** °C that the probe reads more than before, or percent that the burner gives more at the same setting. */
  change: z.number(),
  /** Standard deviation of `change`. */
  deviation: z.number(),
  /** When the first roast with it began. */
  since: instantShape,
});
export type MachineDrift = z.infer<typeof machineDriftShape>;

export const dismissMachineDrift = endpoint({
  name: 'dismissMachineDrift',
  method: 'POST',
  path: '/machines/{id}/drifts/{drift_id}/dismiss',
  summary: 'Hide a drift of a machine from what needs the attention of this person; the machine’s own page keeps it',
  right: 'see',
  params: z.object({ id: idShape, drift_id: idShape }),
  response: messageShape,
  errors: ['not_found'],
});
