import type { Blend, BlendableRoast } from '@roastery/contract/blends';
import type { Operation, World } from './world.ts';

const addMachine = async (world: World): Promise<void> => {
  const owner = world.chance.pick(world.people);
  const serial = `RM-${world.next()}`;
  const body = { serial_number: serial, display_name: `Drum ${serial}`, machine_type: 'RM15', max_capacity_kg: 15 };
  const made = await world.send(owner, 'POST', '/machines', body);
  world.machines.push({ id: made.body.id, serial, owner });
};

const editMachine = async ({ chance, machines, someone, send, next }: World): Promise<void> => {
  const body = { display_name: `Renamed ${next()}`, machine_type: 'RM30', max_capacity_kg: chance.whole(5, 30) };
  await send(someone(), 'PUT', `/machines/${chance.pick(machines).id}`, body);
};

/** A machine with roasts is archived and keeps them. */
const deleteMachine = async ({ chance, machines, someone, send }: World): Promise<void> => {
  if (machines.length < 6) return;
  const machine = chance.pick(machines);
  const { status } = await send(someone(), 'DELETE', `/machines/${machine.id}`);
  // Its board does not know: sometimes it continues roasting.
  if (status < 300 && chance.is(0.8)) machines.splice(machines.indexOf(machine), 1);
};

/** Shares a machine, changes a role, or removes it; as its owner or the admin. */
const shareMachine = async ({ chance, machines, userIds, admin, send }: World): Promise<void> => {
  const { id, owner } = chance.pick(machines);
  const who = chance.is(0.5) ? owner : admin;
  const path = `/machines/${id}/members/${chance.pick(userIds)}`;
  if (chance.is(0.3)) await send(who, 'DELETE', path);
  else await send(who, 'PUT', path, { role: chance.pick(['roaster', 'viewer']) });
};

export const machineOperations: readonly Operation[] = [
  { often: 2, run: addMachine },
  { often: 1, run: editMachine },
  { often: 0.7, run: deleteMachine },
  { often: 2, run: shareMachine },
];

const components = async (world: World, path: string, who = world.admin) => {
  const { body } = await world.send<{ roasts: BlendableRoast[] }>(who, 'GET', path);
  const few = body.roasts.filter(() => world.chance.is(0.3)).slice(0, 4);
  // To the milligram, so that weights add up where doubles would not; one in ten exceeds the remaining weight.
  return few.map(({ roast_id, left_kg }) => ({
    roast_id,
    kg: world.chance.is(0.1) ? left_kg + 1 : Math.max(1, Math.floor(left_kg * world.chance.number() * 1e6)) / 1e6,
  }));
};

const blend = async (world: World): Promise<void> => {
  const who = world.chance.pick(world.people);
  const body = { name: `Blend ${world.next()}`, components: await components(world, '/blends/roasts?limit=40', who) };
  const made = await world.send<Partial<Blend>>(who, 'POST', '/blends', body);
  if (made.body.id !== undefined) world.blends.push(made.body.id);
};

const editBlend = async (world: World): Promise<void> => {
  if (world.blends.length === 0) return;
  const id = world.chance.pick(world.blends);
  const who = world.someone();
  const body = { name: 'Anew', components: await components(world, `/blends/roasts?limit=40&blend_id=${id}`, who) };
  await world.send(who, 'PUT', `/blends/${id}`, body);
};

const deleteBlend = ({ blends, someone, remove }: World): Promise<void> => remove(someone(), '/blends', blends);

export const blendOperations: readonly Operation[] = [
  { often: 5, run: blend },
  { often: 2, run: editBlend },
  { often: 1.5, run: deleteBlend },
];

const addOption = async (world: World): Promise<void> => {
  const body = { category: world.chance.pick(['origin', 'process']), value: `Option ${world.next()}` };
  const made = await world.send<{ id?: string }>(world.admin, 'POST', '/settings/options', body);
  if (made.body.id !== undefined) world.options.push(made.body.id);
};

const deleteOption = ({ options, admin, remove }: World): Promise<void> => remove(admin, '/settings/options', options);

const seedOptions = async ({ admin, send }: World): Promise<void> => {
  await send(admin, 'POST', '/settings/seed-defaults');
};

/** Zones with clock changes, half hours, and another day. */
const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Kiritimati', 'UTC'];

const moveClock = async ({ chance, admin, send }: World): Promise<void> => {
  await send(admin, 'PUT', '/settings/roastery', { time_zone: chance.pick(zones) });
};

export const deskOperations: readonly Operation[] = [
  { often: 2, run: addOption },
  { often: 1, run: deleteOption },
  { often: 0.2, run: seedOptions },
  { often: 1, run: moveClock },
];
