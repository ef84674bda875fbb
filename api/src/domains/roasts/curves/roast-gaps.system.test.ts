import { randomUUID } from 'node:crypto';
import type { JournalBatch } from '@roastery/contract/mqtt';
import { uuidV7 } from '@roastery/runtime/uuid';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { expect, it } from 'vitest';
import { commitMessages } from '../../../ingest/store-batch.ts';
import { markEvent, messageOf, openMigratedDatabase, registerMachine } from '../../../testing/ingest-fixture.ts';
import { gapsOf, openCurve } from './roast-curve.ts';
import { fromNow } from '../../../testing/present.ts';

const roastId = uuidV7();
const anyUser = {
  full_name: 'A',
  email: 'a@b',
  is_active: true,
  created_at: '',
  preferences: {},
  shared: { see: [], roast: [], all: false },
};
const admin = { ...anyUser, id: uuidV7(), is_admin: true };

const within = (from: number, to: number) => (batch: JournalBatch) => batch.seq >= from && batch.seq <= to;

/** Ten minutes of roast with a pause of each kind; `withheld` are the entries that never leave the board. */
const interruptedRoast = () => {
  const board = createJournalBoard({ channels: ['bean_temp'], wallOffsetMs: fromNow(-3_600_000) });
  let second = 0;
  const samples = (count: number): number => {
    let last = 0;
    for (let n = 0; n < count; n++, second++) last = board.sample(1000 * (second + 60), 100 + second / 6);
    return last;
  };
  const charge = samples(1);
  const mono = () => 1000 * (second + 60);
  board.event(mono(), { type: 'roast', roast_id: roastId, state: 'in_progress' });
  board.event(mono(), markEvent(roastId, 'charge', { seq: charge, mono: 60_000 }, 100));
  samples(59);
  second += 20; // 0:59 … 1:20: the line is cut
  samples(40);
  const [droppedFrom, droppedTo] = [board.length, samples(30)]; // 1:59 … 2:30: given up on a full disk
  samples(30);
  board.event(mono(), { type: 'gap', from_seq: droppedFrom, to_seq: droppedTo, reason: 'disk_full' });
  samples(60);
  second += 14; // 3:59 … 4:14: the agent was killed
  board.event(mono(), { type: 'start', agent_version: '0.1.0' });
  samples(60);
  const [lateFrom, lateTo] = [board.length, samples(20)]; // 5:13 … 5:34: still on the board
  samples(60);
  second += 40; // 6:33 … 7:14: the plug was pulled
  const rebooted = board.length;
  board.event(mono(), { type: 'start', agent_version: '0.1.0' });
  samples(60);
  const drop = { seq: board.length - 1, mono: 1000 * (second + 59) };
  board.event(mono(), markEvent(roastId, 'drop', drop, 210));
  board.event(mono(), { type: 'roast', roast_id: roastId, state: 'completed' });
  const otherBoot = randomUUID();
  // Batches of one entry, so that their borders are at the pauses.
  const batches = board
    .batches(() => 1)
    .map((batch): JournalBatch => (batch.seq < rebooted ? batch : { ...batch, boot: otherBoot }));
  const [isDropped, isLate] = [within(droppedFrom, droppedTo), within(lateFrom, lateTo)];
  return {
    atOnce: batches.filter((batch) => !isDropped(batch) && !isLate(batch)),
    late: batches.filter(isLate),
  };
};

it('roast gaps: have the reason of every pause, until its samples have arrived', async () => {
  await using database = await openMigratedDatabase();
  await registerMachine(database.sql, 'RM15-1');
  const { atOnce, late } = interruptedRoast();
  const commit = (batches: readonly JournalBatch[]) =>
    commitMessages(
      database.sql,
      batches.map((batch) => messageOf('RM15-1', batch)),
    );
  const gaps = async () => {
    const curve = await openCurve(database.sql, admin, roastId, { before: 0, after: 0 });
    return curve === undefined ? [] : gapsOf(database.sql, curve);
  };
  await commit(atOnce);
  expect(await gaps()).toEqual([
    { from_seconds: 59, to_seconds: 80, reason: 'machine_silent' },
    { from_seconds: 119, to_seconds: 150, reason: 'disk_full' },
    { from_seconds: 239, to_seconds: 254, reason: 'agent_stopped' },
    { from_seconds: 313, to_seconds: 334, reason: 'not_arrived' },
    { from_seconds: 393, to_seconds: 434, reason: 'board_off' },
  ]);
  await commit(late);
  // Repeated entries are stored once.
  await commit(atOnce);
  expect((await gaps()).map(({ reason }) => reason)).toEqual([
    'machine_silent',
    'disk_full',
    'agent_stopped',
    'board_off',
  ]);
  const notes = await database.sql`SELECT kind, agent_version, reason FROM recording_notes ORDER BY event_seq`;
  expect(notes).toEqual([
    { kind: 'gap', agent_version: null, reason: 'disk_full' },
    { kind: 'start', agent_version: '0.1.0', reason: null },
    { kind: 'start', agent_version: '0.1.0', reason: null },
  ]);
});
