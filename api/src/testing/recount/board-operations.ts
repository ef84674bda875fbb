import { uuidV7 } from '@roastery/runtime/uuid';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { isCollision } from '../../db/postgres-errors.ts';
import type { Database } from '../../db/sql.ts';
import { commitMessages } from '../../ingest/store-batch.ts';
import type { JournalMessage } from '../../recordings/recordings.ts';
import { markEvent, messageOf } from '../ingest-fixture.ts';
import type { BoardRoast, Operation, World } from './world.ts';
import { fromNow } from '../present.ts';

/** A quarter of a minute of samples around each moment is enough of a curve for sums. */
const samplesAround = 15;

/** How a board's roast ends: completed, aborted, not a roast, or still running. */
const courses = ['completed', 'completed', 'completed', 'aborted', 'no charge', 'running'] as const;

/** Retried when it collided with another transaction, as ingest does. */
const commit = async (sql: Database, messages: readonly JournalMessage[], tries = 5): Promise<void> => {
  try {
    await commitMessages(sql, messages);
  } catch (error) {
    if (!isCollision(error) || tries === 0) throw error;
    await commit(sql, messages, tries - 1);
  }
};

/** Sends entries as a board does: at any borders, sometimes twice or in another order. */
const ship = async ({ sql, chance }: World, { serial, board }: BoardRoast): Promise<void> => {
  const batches = board.batches(() => chance.whole(1, 20));
  const sent = chance.is(0.3) ? [...batches, chance.pick(batches)].reverse() : batches;
  // Arrived messages are committed together; half of the time everything, else one by one.
  const messages = sent.map((batch) => messageOf(serial, batch));
  if (chance.is(0.5)) await commit(sql, messages);
  else for (const message of messages) await commit(sql, [message]);
};

const roastOnMachine = async (world: World): Promise<void> => {
  const { chance } = world;
  const { serial } = chance.pick(world.machines);
  const ago = chance.is(0.6) ? 0 : chance.whole(1, 40 * 24) * 3_600_000;
  const board = createJournalBoard({ wallOffsetMs: fromNow(0) - ago });
  const id = uuidV7();
  const course = chance.pick(courses);
  const sample = (seconds: number): { seq: number; mono: number } => {
    for (let k = 0; k < samplesAround; k++) board.sample((seconds + k) * 1000, 100 + seconds / 8, 200, 60);
    return { seq: board.length - 1, mono: (seconds + samplesAround - 1) * 1000 };
  };
  const charge = sample(10);
  board.event(charge.mono, { type: 'roast', roast_id: id, state: 'in_progress' });
  board.event(charge.mono, markEvent(id, 'charge', charge, 101));
  if (course === 'no charge') board.event(charge.mono, markEvent(id, 'charge', null, null));
  const crack = sample(400 + chance.whole(0, 100));
  if (course === 'completed' && chance.is(0.8)) board.event(crack.mono, markEvent(id, 'first_crack', crack, 196));
  const drop = sample(600 + chance.whole(0, 100));
  if (course === 'completed' || course === 'aborted') board.event(drop.mono, markEvent(id, 'drop', drop, 211));
  if (course === 'completed') board.event(drop.mono, { type: 'roast', roast_id: id, state: 'completed' });
  else if (course !== 'running') board.event(drop.mono, { type: 'roast', roast_id: id, state: 'aborted' });
  const roast = { serial, board };
  await ship(world, roast);
  world.boards.push(roast);
  world.roasts.push(id);
  world.recorded.push(id);
};

/** A board that lost its acknowledgements sends everything again, also roasts that were deleted since. */
const sendAgain = async (world: World): Promise<void> => {
  if (world.boards.length > 0) await ship(world, world.chance.pick(world.boards));
};

const plan = async (world: World): Promise<void> => {
  const { chance, lots, recipes } = world;
  const machine = chance.pick(world.machines);
  const body = {
    machine_id: machine.id,
    lot_id: chance.is(0.8) ? chance.pick(lots) : null,
    profile_id: chance.is(0.8) ? chance.pick(recipes) : null,
    batch_size_kg: chance.kg(12),
  };
  const answer = await world.send<{ id?: string }>(machine.owner, 'POST', '/roasts/planned', body);
  if (answer.body.id !== undefined) world.plans.push(answer.body.id);
};

const cancelPlan = ({ admin, plans, remove }: World): Promise<void> => remove(admin, '/roasts/planned', plans);

export const boardOperations: readonly Operation[] = [
  { often: 8, run: roastOnMachine },
  { often: 3, run: sendAgain },
  { often: 6, run: plan },
  { often: 2, run: cancelPlan },
];
