import type { PlannedRoast } from '@roastery/contract/planned';
import { formatExactKilograms } from '../format/numbers.ts';

/** What a planned roast is of: its coffee, else its recipe. */
export const plannedName = ({ coffee_name: coffee, profile_name: recipe }: PlannedRoast): string =>
  coffee ?? recipe ?? 'Unnamed Roast';

/** `12 kg · L-0042 · House filter`, as far as it is known. */
export const plannedDetails = (plan: PlannedRoast): string =>
  [
    plan.batch_size_kg === null ? null : `${formatExactKilograms(plan.batch_size_kg)} kg`,
    plan.lot_number,
    plan.profile_name === plannedName(plan) ? null : plan.profile_name,
  ]
    .filter((part) => part !== null)
    .join(' · ');
