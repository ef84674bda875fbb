import type { MarkKind } from '@roastery/roasting/marks';

/** Names of the marks as a roaster says them; `short` stands on the curve. */
export const markLabels: Record<MarkKind, { readonly long: string; readonly short: string }> = {
  charge: { long: 'Charge', short: 'Charge' },
  turning_point: { long: 'Turning Point', short: 'TP' },
  dry_end: { long: 'Dry End', short: 'Dry end' },
  first_crack: { long: 'First Crack', short: 'FC' },
  first_crack_end: { long: 'First Crack End', short: 'FC end' },
  second_crack: { long: 'Second Crack', short: 'SC' },
  second_crack_end: { long: 'Second Crack End', short: 'SC end' },
  drop: { long: 'Drop', short: 'Drop' },
  cool_end: { long: 'Cool End', short: 'Cool' },
};

export const phaseLabels = { drying: 'Drying', maillard: 'Maillard', development: 'Development' } as const;
