import type { MarkKind } from '@roastery/roasting/marks';

/** Names of the marks as a roaster says them; `short` stands on the curve. `weight`: which of two labels gives way. */
export const markLabels: Record<MarkKind, { readonly long: string; readonly short: string; readonly weight: number }> =
  {
    charge: { long: 'Charge', short: 'Charge', weight: 2 },
    turning_point: { long: 'Turning Point', short: 'TP', weight: 3 },
    dry_end: { long: 'Dry End', short: 'Dry end', weight: 4 },
    first_crack: { long: 'First Crack', short: 'FC', weight: 6 },
    first_crack_end: { long: 'First Crack End', short: 'FC end', weight: 1 },
    second_crack: { long: 'Second Crack', short: 'SC', weight: 3 },
    second_crack_end: { long: 'Second Crack End', short: 'SC end', weight: 1 },
    drop: { long: 'Drop', short: 'Drop', weight: 5 },
    cool_end: { long: 'Cool End', short: 'Cool', weight: 0 },
  };

export const phaseLabels = {
  drying: { long: 'Drying', short: 'Dry' },
  maillard: { long: 'Maillard', short: 'Mai' },
  development: { long: 'Development', short: 'Dev' },
} as const;
