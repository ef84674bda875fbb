import { roastPlanShape, type RoastPlan } from '@roastery/contract/roast-plan';
import { z } from 'zod';

/** Plans whose charge has occurred: the server may not know it yet and still send them. */
const maxTaken = 50;

export const planBookShape = z.object({
  v: z.literal(1),
  /** In the order in which charges take them. */
  waiting: z.array(roastPlanShape),
  running: z
    .object({
      roastId: z.string(),
      plan: roastPlanShape,
      /** The server's newest plans lack it: it was cancelled after its charge. */
      cancelled: z.literal(true).optional(),
    })
    .nullable(),
  taken: z.array(z.string()).max(maxTaken),
});
/** A board's state of plans; plain JSON, stored on its disk. */
export type PlanBook = z.infer<typeof planBookShape>;

export const emptyPlanBook: PlanBook = { v: 1, waiting: [], running: null, taken: [] };

/** The server may not know of the charge yet: then its plan is among the waiting ones. */
const stillPlanned = (running: PlanBook['running'], plans: readonly RoastPlan[]): PlanBook['running'] => {
  if (running === null) return null;
  const { roastId, plan } = running;
  return plans.some(({ id }) => id === plan.id) ? { roastId, plan } : { roastId, plan, cancelled: true };
};

/** After plans from the server, which replace all waiting ones. For the running roast the server's plan counts. */
export const withPlans = (book: PlanBook, plans: readonly RoastPlan[], runningRoastId: string | null): PlanBook => {
  const bound = plans.find(({ roast_id: roastId }) => roastId !== null && roastId === runningRoastId);
  const running =
    bound === undefined ? stillPlanned(book.running, plans) : { roastId: bound.roast_id ?? '', plan: bound };
  return {
    ...book,
    waiting: plans.filter(({ id, roast_id: roastId }) => roastId === null && !book.taken.includes(id)),
    running,
    taken: bound === undefined ? book.taken : [...new Set([...book.taken, bound.id])].slice(-maxTaken),
  };
};

/** After a charge: it takes the first waiting plan. */
export const withCharge = (book: PlanBook, roastId: string): PlanBook => {
  const [plan, ...waiting] = book.waiting;
  if (plan === undefined) return { ...book, running: null };
  return { ...book, waiting, running: { roastId, plan }, taken: [...book.taken, plan.id].slice(-maxTaken) };
};

/** After the end of a roast. A retracted charge returns its plan to the queue, unless the plan was cancelled. */
export const withEnd = (book: PlanBook, roastId: string, wasNone: boolean): PlanBook => {
  if (book.running?.roastId !== roastId) return book;
  const { plan, cancelled } = book.running;
  if (!wasNone) return { ...book, running: null };
  return {
    ...book,
    running: null,
    waiting: cancelled ? book.waiting : [{ ...plan, roast_id: null }, ...book.waiting],
    taken: book.taken.filter((id) => id !== plan.id),
  };
};

/**
 * After a restart: the journal's information about the running roast overrides a file that was written a moment
 * earlier. `planId`: the plan that the journal names for it, if it is known.
 */
export const resumed = (book: PlanBook, roastId: string | null, planId: string | undefined): PlanBook => {
  if (book.running !== null && book.running.roastId === roastId) return book;
  const left = { ...book, running: null };
  if (roastId === null) return left;
  const plan = left.waiting.find(({ id }) => id === planId);
  if (plan === undefined) return left;
  return withCharge({ ...left, waiting: [plan, ...left.waiting.filter(({ id }) => id !== planId)] }, roastId);
};
