import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';

const endpoint = endpointsOf('Dashboard');

export const systemStats = endpoint({
  name: 'systemStats',
  method: 'GET',
  path: '/dashboard/stats',
  summary:
    'The four figures of the dashboard, and the roasts to weigh, over the machines that the user may see; days in the roastery’s time zone',
  response: z.object({
    activeMachines: z.number().int(),
    totalMachines: z.number().int(),
    todayRoasts: z.number().int(),
    thisMonthRoasts: z.number().int(),
    /** kg of green coffee charged. */
    totalRoasted: z.number(),
    /** Completed roasts without a roasted weight. */
    unweighedRoasts: z.number().int(),
    /** What a new roastery does first: whether there is any. */
    hasRoasts: z.boolean(),
    hasLots: z.boolean(),
    hasRecipes: z.boolean(),
  }),
});
