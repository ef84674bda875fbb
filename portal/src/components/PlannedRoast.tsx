import { listPlannedRoasts, type PlannedRoast } from '@roastery/contract/planned';
import { Timer } from 'lucide-react';
import { Link } from 'react-router-dom';
import { useApi } from '../api/use-api.ts';
import { paths } from './paths.ts';
import { exactWeight } from '../format/weights.ts';
import { t } from '../language/t.ts';

/** Name of a planned roast: its coffee, else its recipe. */
export const plannedName = ({ coffee_name: coffee, profile_name: recipe }: PlannedRoast): string =>
  coffee ?? recipe ?? t`Unnamed Roast`;

/** `Batch A-17`: its roast will have the same number. */
export const planBatchLabel = ({ batch_number: number }: PlannedRoast): string | null =>
  number === null ? null : t`Batch ${number}`;

/** `Batch A-17 · 12 kg · L-0042 · House filter`, as far as it is known. */
export const plannedDetails = (plan: PlannedRoast): string =>
  [
    planBatchLabel(plan),
    plan.batch_size_kg === null ? null : exactWeight(plan.batch_size_kg),
    plan.lot_number,
    plan.profile_name === plannedName(plan) ? null : plan.profile_name,
  ]
    .filter((part) => part !== null)
    .join(' · ');

const refreshMs = 10_000;

/**
 * On the page of a running roast: the next roast in the queue of its machine. Shows nothing while the queue is empty.
 */
export const NextPlanned = ({ machineId }: { machineId: string }) => {
  const { data } = useApi(listPlannedRoasts, { query: { machine_id: machineId } }, { refreshInterval: refreshMs });
  const [next, ...after] = data?.planned ?? [];
  if (next === undefined) return null;
  return (
    <p
      data-testid="next-planned"
      className="flex flex-wrap items-center gap-x-2 gap-y-0.5 rounded-lg border border-stroke bg-surface px-4 py-2.5 text-sm text-muted"
    >
      <Timer aria-hidden className="size-4" />
      <span>{t`Up next`}</span>
      <Link to={paths.plannedRoast(next.id)} className="rounded-sm font-medium text-strong hover:underline">
        {plannedName(next)}
      </Link>
      <span>{plannedDetails(next)}</span>
      {after.length > 0 && <span>{t`and ${after.length} more`}</span>}
    </p>
  );
};
