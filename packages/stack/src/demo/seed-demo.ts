import { createHash, randomBytes } from 'node:crypto';
import { pairDevice } from '@roastery/contract/devices';
import { createLot, getLot, listLots, updateLot } from '@roastery/contract/inventory';
import { listMachines, registerMachine, updateMachine } from '@roastery/contract/machines';
import { listPlannedRoasts, planRoast } from '@roastery/contract/planned';
import { createProfile, listProfiles, toggleProfileFavorite } from '@roastery/contract/profiles';
import { updateRoast } from '@roastery/contract/roasts';
import { putRoasterySettings, seedDefaults } from '@roastery/contract/settings';
import { createUser, listUsers } from '@roastery/contract/users';
import { simulateRoast } from '@roastery/simulator/simulate-roast';
import { signIn, type RoasteryClient } from '../roastery-client.ts';
import { journalOf, shipJournal, type PastRoast } from './demo-journal.ts';
import {
  controlProfileOf,
  liveMachine,
  lots,
  machines,
  owner,
  queue,
  recipes,
  reservedLot,
  roastery,
  roasts,
  type DemoRoast,
} from './demo-roastery.ts';
import { newEpoch, openDemoState, stableRoastId, type DemoState } from './demo-state.ts';

export interface DemoPlace {
  readonly dataDir: string;
  /** Origin of the portal, e.g. `http://127.0.0.1:3000`. */
  readonly origin: string;
  readonly mqttUrl: string;
  readonly admin: { readonly email: string; readonly password: string };
  readonly say: (line: string) => void;
}

const dayMs = 86_400_000;

/**
 * Fills an empty roastery with the demo through the public interfaces: the api for people, lots and recipes, MQTT for
 * roasts. Returns the tokens of its machines by serial number; none when another person registered them. An interrupted
 * start continues and keeps what exists.
 */
export const seedDemo = async (place: DemoPlace): Promise<DemoState['machines']> => {
  const { state, save } = await openDemoState(place.dataDir);
  if (state.isComplete) return state.machines;
  place.say('Filling the demo roastery: machines, lots, recipes and two dozen roasts');
  await save();
  const admin = await signIn(place.origin, place.admin);
  await admin.call(putRoasterySettings, { body: roastery });
  await admin.call(seedDefaults);
  const { users } = await admin.call(listUsers, { query: { q: owner.email } });
  if (users.length === 0) await admin.call(createUser, { body: { ...owner, password: state.ownerPassword } });
  const maya = await signIn(place.origin, { email: owner.email, password: state.ownerPassword });

  const registered = await admin.call(listMachines);
  for (const machine of machines) {
    if (state.machines[machine.serial_number] !== undefined) continue;
    if (registered.some(({ serial_number: serial }) => serial === machine.serial_number)) continue;
    const { serial_number: _serial, ...editable } = machine;
    const made = await maya.call(registerMachine, { body: machine });
    await maya.call(updateMachine, { params: { id: made.id }, body: editable });
    const token = await pair(maya, made);
    state.machines[machine.serial_number] = { token, epoch: newEpoch() };
    await save();
  }
  const lotIds = await seedLots(maya);
  const recipeIds = await seedRecipes(maya, admin, lotIds);
  const pasts = roasts.map((roast, index) => pastOf(roast, index, state));
  for (const [index, { serial_number: serial }] of machines.entries()) {
    const known = state.machines[serial];
    if (known === undefined) continue;
    const own = pasts
      .filter((past): past is PlannedPast => past?.plan.machine === index)
      .sort((a, b) => a.startMs - b.startMs);
    await shipJournal(
      place.mqttUrl,
      serial,
      known.token,
      journalOf(known.epoch, state.boot, state.begunAtMs - 40 * dayMs, own),
    );
    for (const past of own) await describe(maya, past, lotIds, recipeIds);
  }
  const reserved = lotIds.get(reservedLot);
  if (reserved !== undefined) await reserve(maya, reserved);
  await planQueue(maya, lotIds, recipeIds);
  state.isComplete = true;
  await save();
  return state.machines;
};

/** Exchanges a machine's ticket, as its board does. Returns the credential. */
const pair = async (client: RoasteryClient, { pairing_code: code }: { pairing_code: string }): Promise<string> => {
  const secret = randomBytes(32).toString('base64url');
  const hash = createHash('sha256').update(secret).digest('hex');
  const board = { hardware_id: 'demo', agent_version: 'demo' };
  await client.call(pairDevice, { body: { code, secret_hash: hash, ...board } });
  return secret;
};

const seedLots = async (client: RoasteryClient): Promise<Map<string, string>> => {
  const present = await client.call(listLots, { query: { limit: 500 } });
  const ids = new Map(present.lots.map((lot) => [lot.lot_number, lot.id]));
  for (const lot of lots) {
    if (!ids.has(lot.lot_number)) ids.set(lot.lot_number, (await client.call(createLot, { body: lot })).id);
  }
  return ids;
};

const seedRecipes = async (
  client: RoasteryClient,
  admin: RoasteryClient,
  lotIds: ReadonlyMap<string, string>,
): Promise<string[]> => {
  const present = await client.call(listProfiles);
  const ids: string[] = [];
  for (const { lot, favorite, body } of recipes) {
    const known = present.profiles.find(({ name }) => name === body.name);
    if (known) {
      ids.push(known.id);
      continue;
    }
    const made = await client.call(createProfile, {
      body: {
        ...body,
        green_coffee_lot_id: lotIds.get(lot) ?? null,
        control_profile: controlProfileOf(body.target_roast_time ?? 720),
      },
    });
    // Favourites belong to each user: both users of the demo get some.
    for (const fan of favorite ? [client, admin] : [])
      await fan.call(toggleProfileFavorite, { params: { id: made.id } });
    ids.push(made.id);
  }
  return ids;
};

type PlannedPast = PastRoast & { readonly plan: DemoRoast };

const pastOf = (plan: DemoRoast, index: number, state: DemoState): PlannedPast | undefined => {
  const machine = machines[plan.machine];
  const epoch = machine && state.machines[machine.serial_number]?.epoch;
  if (!machine || epoch === undefined) return undefined;
  const midnight = Math.floor(state.begunAtMs / dayMs) * dayMs;
  const startMs = midnight - plan.daysAgo * dayMs + 7 * 3_600_000 + plan.minute * 60_000;
  const roast = simulateRoast({
    seed: 100 + index,
    hz: 1,
    capacityKg: machine.max_capacity_kg,
    batchKg: plan.batchKg,
    level: plan.level,
    fault: plan.fault,
  });
  return { id: stableRoastId(epoch, startMs), startMs, roast, plan };
};

/** The operator's notes after the roast. */
const describe = async (
  client: RoasteryClient,
  { id, plan, roast }: PlannedPast,
  lotIds: ReadonlyMap<string, string>,
  recipeIds: readonly string[],
): Promise<void> => {
  const lotNumber = recipes[plan.recipe]?.lot;
  await client.call(updateRoast, {
    params: { id },
    body: {
      lot_id: (lotNumber && lotIds.get(lotNumber)) ?? null,
      profile_id: recipeIds[plan.recipe] ?? null,
      batch_size_kg: roast.greenKg,
      end_weight_kg: roast.roastedKg,
      roast_level: plan.level,
      roasted_by: plan.by,
      cupping_score: plan.cupping,
      notes: plan.notes,
    },
  });
};

const reserve = async (client: RoasteryClient, id: string): Promise<void> => {
  const lot = await client.call(getLot, { params: { id } });
  const { lot_number: _, ...body } = lots.find(({ lot_number: number }) => number === lot.lot_number) ?? lots[0];
  await client.call(updateLot, { params: { id }, body: { ...body, is_reserved: true, revision: lot.revision } });
};

/** An interrupted start continues an incomplete queue after the batches that are in it. */
const planQueue = async (
  client: RoasteryClient,
  lotIds: ReadonlyMap<string, string>,
  recipeIds: readonly string[],
): Promise<void> => {
  const machine = (await client.call(listMachines, { query: { q: liveMachine.serial_number } }))[0];
  if (machine === undefined) return;
  const { planned, today } = await client.call(listPlannedRoasts, { query: { machine_id: machine.id } });
  let known = planned.length;
  for (const { recipe, batchKg, count, daysAhead } of queue) {
    const left = count - Math.min(count, known);
    known -= count - left;
    const lot = recipes[recipe]?.lot;
    const body = {
      machine_id: machine.id,
      profile_id: recipeIds[recipe] ?? null,
      lot_id: (lot && lotIds.get(lot)) ?? null,
      batch_size_kg: batchKg,
      roasted_by: owner.full_name,
      day: new Date(Date.parse(today) + daysAhead * dayMs).toISOString().slice(0, 10),
    };
    if (left > 0) await client.call(planRoast, { body: { ...body, count: left } });
  }
};
