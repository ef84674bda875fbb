import { z } from 'zod';

/**
 * Why there are no samples. `disk_full`, `cap_reached`, `damaged`: the board had to let them go. `board_off`: it was switched
 * off. `agent_stopped`: its program was not running. `machine_silent`: the machine gave no answer. `not_arrived`: they are
 * still on the board, or on their way.
 */
export const gapReasons = [
  'disk_full',
  'cap_reached',
  'damaged',
  'board_off',
  'agent_stopped',
  'machine_silent',
  'not_arrived',
] as const;
export const curveGapShape = z.object({
  /** Seconds since charge of the last sample before it, and of the first one after it. */
  from_seconds: z.number(),
  to_seconds: z.number(),
  reason: z.enum(gapReasons),
});
export type CurveGap = z.infer<typeof curveGapShape>;
