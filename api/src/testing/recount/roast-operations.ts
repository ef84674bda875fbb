import { exampleCsv } from '../example-data.ts';
import type { Operation, World } from './world.ts';
import { fromNow } from '../present.ts';

const dayMs = 86_400_000;

/** A user with a machine or without; one in ten names a machine of another user. */
const atMachine = ({ chance, machines, people }: World) => {
  const { id, owner } = chance.pick(machines);
  const machine_id = chance.is(0.8) ? id : null;
  return { who: chance.is(0.9) ? owner : chance.pick(people), machine_id };
};

/** A random description of a roast. */
const facts = ({ chance, lots, recipes }: World) => {
  const batch = chance.is(0.9) ? chance.kg(12) : null;
  return {
    coffee_name: chance.pick(['Guji', 'Nyeri', 'House']),
    lot_id: chance.is(0.7) ? chance.pick(lots) : null,
    profile_id: chance.is(0.6) ? chance.pick(recipes) : null,
    roasted_by: chance.is(0.5) ? chance.pick(['Ida', 'Jon']) : null,
    batch_size_kg: batch,
    end_weight_kg: chance.is(0.4) ? chance.kg(batch ?? 10) : null,
    cupping_score: chance.is(0.3) ? chance.whole(70, 95) : null,
    roast_level: chance.is(0.5) ? chance.pick(['Light', 'Medium-Dark', 'Dark']) : null,
  };
};

/** Mostly today and this month, back to half a year ago, across a change of clocks. */
const someTime = ({ chance }: World): string => {
  const days = chance.is(0.4) ? chance.number() : chance.is(0.5) ? chance.number() * 35 : chance.number() * 180;
  return new Date(fromNow(0) - Math.floor(days * dayMs)).toISOString();
};

const made = (list: string[], answer: { body: { id?: string } }): void => {
  if (answer.body.id !== undefined) list.push(answer.body.id);
};

const logByHand = async (world: World): Promise<void> => {
  const { chance } = world;
  const duration = chance.whole(480, 800);
  const { who, machine_id } = atMachine(world);
  const body = {
    ...facts(world),
    machine_id,
    start_time: someTime(world),
    duration_seconds: duration,
    first_crack_time: chance.is(0.8) ? chance.whole(300, duration) : null,
    charge_temp: 200,
    drop_temp: 212,
  };
  made(world.roasts, await world.send<{ id?: string }>(who, 'POST', '/roasts', body));
};

const upload = async (world: World): Promise<void> => {
  const { who, machine_id } = atMachine(world);
  const read = await who.sendFile<{ id: string }>(`/roasts/uploads?file_name=roast-${world.next()}.csv`, exampleCsv());
  const body = { ...facts(world), machine_id, start_time: someTime(world) };
  const answer = await world.send<{ id?: string }>(who, 'POST', `/roasts/uploads/${read.body.id}/roast`, body);
  made(world.roasts, answer);
  made(world.recorded, answer);
};

/** Some of the facts, as a form sends changed ones. */
const edit = async (world: World): Promise<void> => {
  const { chance } = world;
  const body = Object.fromEntries(Object.entries(facts(world)).filter(() => chance.is(0.4)));
  await world.send(world.someone(), 'PUT', `/roasts/${chance.pick(world.roasts)}`, body);
};

const remove = ({ someone, roasts, remove: removeOne }: World): Promise<void> =>
  removeOne(someone(), '/roasts', roasts);

const favour = async ({ chance, someone, roasts, send }: World): Promise<void> => {
  const body = { is_favorite: chance.is(0.7) };
  await send(someone(), 'PUT', `/roasts/${chance.pick(roasts)}/favorite`, body);
};

/** Marks are set by hand and withdrawn. */
const mark = async ({ chance, admin, recorded, send }: World): Promise<void> => {
  if (recorded.length === 0) return;
  const path = `/roasts/${chance.pick(recorded)}/marks/${chance.pick(['charge', 'first_crack', 'drop'])}`;
  if (chance.is(0.3)) await send(admin, 'DELETE', path);
  else await send(admin, 'PUT', path, { time_seconds: chance.whole(-5, 300) });
};

export const roastOperations: readonly Operation[] = [
  { often: 14, run: logByHand },
  { often: 2, run: upload },
  { often: 18, run: edit },
  { often: 5, run: remove },
  { often: 3, run: favour },
  { often: 5, run: mark },
];
