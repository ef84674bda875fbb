import type { MarkKind } from '@roastery/roasting/marks';

/** As files and reports call the marks; the reader of uploads knows these words. */
export const markName: Readonly<Record<MarkKind, string>> = {
  charge: 'Charge',
  turning_point: 'Turning Point',
  dry_end: 'Dry End',
  first_crack: 'First Crack',
  first_crack_end: 'First Crack End',
  second_crack: 'Second Crack',
  second_crack_end: 'Second Crack End',
  drop: 'Drop',
  cool_end: 'Cool End',
};
