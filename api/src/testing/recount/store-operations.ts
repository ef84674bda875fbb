import type { LotAlert } from '@roastery/contract/alerts';
import type { Lot } from '@roastery/contract/inventory';
import type { Profile } from '@roastery/contract/profiles';
import type { Operation, World } from './world.ts';

const origins = ['Ethiopia', 'Kenya', 'Colombia'];

const lotBody = ({ chance }: World) => ({
  coffee_name: chance.pick(['Guji', 'Nyeri', 'Huila', 'Sidra & Co']),
  origin: chance.pick(origins),
  location: chance.is(0.7) ? chance.pick(['Main Warehouse', 'Shelf 2']) : null,
  cost_per_kg: chance.is(0.8) ? chance.whole(400, 1200) / 100 : null,
  initial_weight: chance.kg(80),
});

const addLot = async (world: World): Promise<void> => {
  const body = { ...lotBody(world), lot_number: `L-${world.next()}` };
  const made = await world.send(world.chance.pick(world.people), 'POST', '/inventory/lots', body);
  world.lots.push(made.body.id);
};

const editLot = async (world: World): Promise<void> => {
  const { chance } = world;
  const who = chance.pick(world.people);
  const id = chance.pick(world.lots);
  const { body: lot } = await world.send<Lot>(who, 'GET', `/inventory/lots/${id}`);
  const edit = {
    ...lotBody(world),
    is_reserved: chance.is(0.2),
    // Sometimes a form is saved with an outdated revision.
    revision: chance.is(0.1) ? lot.revision - 1 : lot.revision,
  };
  await world.send(who, 'PUT', `/inventory/lots/${id}`, edit);
};

const adjustLot = async (world: World): Promise<void> => {
  const { chance } = world;
  const kg = chance.kg(30) * (chance.is(0.5) ? 1 : -1);
  const path = `/inventory/lots/${chance.pick(world.lots)}/movements`;
  await world.send(chance.pick(world.people), 'POST', path, { kg, note: 'counted anew' });
};

const deleteLot = async (world: World): Promise<void> => {
  if (world.lots.length > 5) await world.remove(world.someone(), '/inventory/lots', world.lots);
};

const dismissAlert = async ({ chance, people, send }: World): Promise<void> => {
  const who = chance.pick(people);
  const { body } = await send<{ alerts: LotAlert[] }>(who, 'GET', '/alerts');
  if (body.alerts.length > 0) await send(who, 'POST', `/alerts/${chance.pick(body.alerts).lot_id}/dismiss`);
};

const importLots = async (world: World): Promise<void> => {
  const { chance } = world;
  const who = chance.pick(world.people);
  const rows = Array.from({ length: chance.whole(1, 3) }, () => {
    const { coffee_name, origin, initial_weight, cost_per_kg } = lotBody(world);
    return `L-${world.next()},"${coffee_name}",${origin},${initial_weight},${cost_per_kg ?? ''}`;
  });
  // One file in four has a row without a name: then none of its rows may be imported.
  if (chance.is(0.25)) rows.push(`L-${world.next()},,Kenya,5,`);
  const csv = ['lot_number,coffee_name,origin,initial_weight,cost_per_kg', ...rows].join('\n');
  await world.send(who, 'POST', '/inventory/lots/import', { csv, dry_run: chance.is(0.2) });
  const { body } = await world.send<{ lots: Lot[] }>(who, 'GET', '/inventory/lots?limit=500');
  for (const { id } of body.lots) if (!world.lots.includes(id)) world.lots.push(id);
};

export const lotOperations: readonly Operation[] = [
  { often: 5, run: addLot },
  { often: 6, run: editLot },
  { often: 8, run: adjustLot },
  { often: 1.5, run: deleteLot },
  { often: 1, run: importLots },
  { often: 1.5, run: dismissAlert },
];

const recipeBody = ({ chance, lots }: World) => ({
  coffee_origin: chance.pick(origins),
  roast_level: chance.pick(['Light', 'Medium', 'Dark']),
  green_coffee_lot_id: chance.is(0.7) ? chance.pick(lots) : null,
  auto_deduct_inventory: chance.is(0.7),
  alert_low_inventory: chance.is(0.5),
  control_profile: [
    { time: 0, burner: 100, exhaust: 30, drum: 60 },
    { time: 720, burner: 0, exhaust: 90, drum: 30 },
  ],
});

const addRecipe = async (world: World): Promise<void> => {
  const body = { ...recipeBody(world), name: `Recipe ${world.next()}` };
  const made = await world.send<Partial<Profile>>(world.chance.pick(world.people), 'POST', '/profiles', body);
  if (made.body.id !== undefined) world.recipes.push(made.body.id);
};

const editRecipe = async (world: World): Promise<void> => {
  const { chance } = world;
  const who = chance.pick(world.people);
  const id = chance.pick(world.recipes);
  const { body: recipe, status } = await world.send<Profile>(who, 'GET', `/profiles/${id}`);
  if (status !== 200) return;
  const edit = {
    ...recipeBody(world),
    name: recipe.name,
    revision: chance.is(0.1) ? recipe.revision - 1 : recipe.revision,
    ...(chance.is(0.2) ? { reference_roast_id: chance.pick([...world.roasts, null]) } : {}),
  };
  await world.send(who, 'PUT', `/profiles/${id}`, edit);
};

const cloneRecipe = async ({ chance, recipes, someone, send }: World): Promise<void> => {
  const copy = await send<Partial<Profile>>(someone(), 'POST', `/profiles/${chance.pick(recipes)}/clone`);
  if (copy.body.id !== undefined) recipes.push(copy.body.id);
};

const starRecipe = async ({ chance, people, recipes, send }: World): Promise<void> => {
  await send(chance.pick(people), 'POST', `/profiles/${chance.pick(recipes)}/toggle-favorite`);
};

const deleteRecipe = async ({ recipes, someone, remove }: World): Promise<void> => {
  if (recipes.length > 5) await remove(someone(), '/profiles', recipes);
};

export const recipeOperations: readonly Operation[] = [
  { often: 4, run: addRecipe },
  { often: 7, run: editRecipe },
  { often: 2, run: cloneRecipe },
  { often: 2, run: deleteRecipe },
  { often: 3, run: starRecipe },
];
