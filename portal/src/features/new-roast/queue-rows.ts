import type { PlannedRoast } from '@roastery/contract/planned';
import type { MovedPlans } from './queue-changes.ts';

/** A row of a machine's queue: the head of a day, or one or several roasts with the same work. */
export type QueueRow =
  | { readonly kind: 'day'; readonly id: string; readonly day: string }
  | { readonly kind: 'roasts'; readonly id: string; readonly plans: readonly [PlannedRoast, ...PlannedRoast[]] };

export const dayAfter = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);

const isSameWork = (one: PlannedRoast, other: PlannedRoast): boolean =>
  (['profile_id', 'lot_id', 'coffee_name', 'batch_size_kg', 'roasted_by', 'notes'] as const).every(
    (field) => one[field] === other[field],
  );

/**
 * The queue by day, and an empty day behind it, to which roasts can be moved. Equal roasts in a row are one, unless a person has taken them
 * apart.
 */
export const rowsOf = (plans: readonly PlannedRoast[], apart: ReadonlySet<string>): QueueRow[] => {
  const rows: QueueRow[] = [];
  let day: string | undefined;
  for (const plan of plans) {
    if (plan.day !== day) rows.push({ kind: 'day', id: plan.day, day: plan.day });
    day = plan.day;
    const last = rows.at(-1);
    const isOne = last?.kind === 'roasts' && isSameWork(last.plans[0], plan) && !apart.has(plan.id);
    if (isOne) rows.splice(-1, 1, { ...last, plans: [...last.plans, plan] });
    else rows.push({ kind: 'roasts', id: plan.id, plans: [plan] });
  }
  if (day !== undefined) rows.push({ kind: 'day', id: dayAfter(day), day: dayAfter(day) });
  return rows;
};

/** All roasts in the order of the rows, and those that stand below the head of another day now. */
export const orderOf = (rows: readonly QueueRow[]): { plans: PlannedRoast[]; moved: MovedPlans | undefined } => {
  let day = '';
  let moved: MovedPlans | undefined;
  const plans = rows.flatMap((row): readonly PlannedRoast[] => {
    if (row.kind === 'day') {
      day = row.day;
      return [];
    }
    if (row.plans[0].day !== day) moved = { plan_ids: row.plans.map(({ id }) => id), day };
    return row.plans;
  });
  return { plans, moved };
};

/** The rows with this one behind the others of a day. */
export const movedToDay = (rows: readonly QueueRow[], id: string, day: string): readonly QueueRow[] => {
  const row = rows.find((one) => one.id === id);
  const rest = rows.filter((one) => one.id !== id);
  const head = rest.findIndex((one) => one.kind === 'day' && one.day === day);
  const next = rest.findIndex((one, at) => at > head && one.kind === 'day');
  const at = next === -1 ? rest.length : next;
  return row === undefined || head === -1 ? rows : [...rest.slice(0, at), row, ...rest.slice(at)];
};
