import { z } from 'zod';
import { lineShape } from './shapes.ts';

/**
 * What became of the newest update of a board. `waiting`: installed, begins once no roast runs. `on_trial`: it runs, and the
 * earlier version comes back unless it stays healthy. `turned_back`: the earlier version runs again. `unfinished`: it was
 * interrupted while it was installed, and the earlier version runs.
 */
export const boardUpdateShape = z.object({
  state: z.enum(['waiting', 'on_trial', 'good', 'turned_back', 'unfinished']),
  /** The version that was installed. */
  installed: lineShape(40),
  /** The version before it. */
  earlier: lineShape(40),
  /** Why it was turned back. */
  reason: lineShape(300).optional(),
  /** Since when it is so, ms since 1970 by the board's clock. */
  at: z.number().int().min(0).max(8_640_000_000_000_000),
});
export type BoardUpdate = z.infer<typeof boardUpdateShape>;
