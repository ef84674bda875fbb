import { listLots } from '@roastery/contract/inventory';
import { getMachine, listMachines } from '@roastery/contract/machines';
import { listPlannedRoasts } from '@roastery/contract/planned';
import { listProfiles } from '@roastery/contract/profiles';
import { getRoastPlan } from '@roastery/contract/roast-plan';
import { getRoast, updateRoast, type Roast } from '@roastery/contract/roasts';
import { pause } from '@roastery/runtime/backoff';
import { signIn, type RoasteryClient } from '../roastery-client.ts';
import { liveMachine, owner, recipes } from './demo-roastery.ts';
import { openDemoState } from './demo-state.ts';
import type { DemoPlace } from './seed-demo.ts';

const pollIntervalMs = 3000;

/**
 * The operator of the demo machine: describes each roast at its beginning, with the recipes in turn. A roast that a
 * user planned or described is not changed. Works until the signal aborts; an unavailable server is retried.
 */
export const runDemoOperator = async (place: DemoPlace, signal: AbortSignal): Promise<void> => {
  const { state } = await openDemoState(place.dataDir);
  const seen = new Set<string>();
  let client: RoasteryClient | undefined;
  let turn = 0;
  while (!signal.aborted) {
    try {
      client ??= await signIn(place.origin, { email: owner.email, password: state.ownerPassword });
      const machine = (await client.call(listMachines, { query: { q: liveMachine.serial_number } }))[0];
      const id = machine && (await client.call(getMachine, { params: { id: machine.id } })).current_roast_id;
      const roast = id && !seen.has(id) ? await client.call(getRoast, { params: { id } }) : undefined;
      // A plan is bound to its roast with the charge.
      if (roast?.marks.some(({ kind }) => kind === 'charge')) {
        seen.add(roast.id);
        if (await isUnclaimed(client, roast)) {
          await describeRunning(client, roast, turn);
          turn += 1;
        }
      }
    } catch (error) {
      if (client === undefined)
        place.say(`The demo's operator can't sign in: ${error instanceof Error ? error.message : String(error)}`);
      client = undefined;
      await pause(30_000, signal);
    }
    await pause(pollIntervalMs, signal);
  }
};

/** Neither planned nor described. While roasts are planned for the machine, one of them may still become this one. */
const isUnclaimed = async (client: RoasteryClient, roast: Roast): Promise<boolean> => {
  const { profile_id, lot_id, coffee_name, batch_size_kg, machine_id } = roast;
  const queue = machine_id === null ? {} : { machine_id };
  if ((await client.call(listPlannedRoasts, { query: queue })).planned.length > 0) return false;
  if ([profile_id, lot_id, coffee_name, batch_size_kg].some((given) => given !== null)) return false;
  return (await client.call(getRoastPlan, { params: { id: roast.id } })).plan === null;
};

const describeRunning = async (client: RoasteryClient, roast: Roast, turn: number): Promise<void> => {
  const recipe = recipes[turn % recipes.length];
  if (!recipe) return;
  const { profiles } = await client.call(listProfiles);
  const { lots } = await client.call(listLots, { query: { q: recipe.lot } });
  await client.call(updateRoast, {
    params: { id: roast.id },
    body: {
      // A user who describes it at the same time takes precedence.
      revision: roast.revision,
      profile_id: profiles.find(({ name }) => name === recipe.body.name)?.id ?? null,
      lot_id: lots[0]?.id ?? null,
      batch_size_kg: Math.round(liveMachine.max_capacity_kg * 0.8),
      roasted_by: owner.full_name,
    },
  });
};
