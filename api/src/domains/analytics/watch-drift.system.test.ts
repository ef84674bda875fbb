import type { Machine } from '@roastery/contract/machines';
import type { MachineLessons } from '@roastery/contract/machine-lessons';
import { uuidV7 } from '@roastery/runtime/uuid';
import { madeYear, type MadeRoast } from '@roastery/testing/forecast/made-year';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commitMessages } from '../../ingest/store-batch.ts';
import { markEvent, messageOf, openMigratedDatabase, registerMachine } from '../../testing/ingest-fixture.ts';
import { startTestApi, testAdmin, type TestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';
import { watchMachine } from './watch-drift.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let test: TestApi;
let admin: Visitor;
let machineId: string;

const serial = 'RM15-32';
const changedAt = 40;
const everySeconds = 3;

beforeAll(async () => {
  database = await openMigratedDatabase();
  test = await startTestApi(database.url);
  admin = await test.signedIn(testAdmin.email, testAdmin.password);
  const { body: person } = await admin.send<{ id: string }>('GET', '/auth/me');
  await registerMachine(database.sql, serial, person.id);
  machineId = (await machine()).id;
});
afterAll(async () => {
  await test.close();
  await database[Symbol.asyncDispose]();
});

const machine = async (): Promise<Machine> => {
  const { body } = await admin.send<Machine[]>('GET', '/machines');
  const [only] = body;
  if (only === undefined) throw new Error('the machine is missing');
  return only;
};
const lessons = async () => (await admin.send<MachineLessons>('GET', `/machines/${machineId}/lessons`)).body;

const startOf = (day: number): number => Date.UTC(2026, 5, 1 + day, 10);
const bring = async (roast: MadeRoast, day: number): Promise<void> => {
  const channels = ['bean_temp', 'exhaust_temp', 'heat_power', 'fan_speed'];
  const board = createJournalBoard({ channels, wallOffsetMs: startOf(day) });
  const id = uuidV7();
  const seqs = roast.beanTempC.flatMap((_, second) => {
    if (second % everySeconds !== 0) return [];
    const values = [roast.beanTempC, roast.exhaustTempC, roast.heatPower, roast.fanSpeed];
    return [{ second, seq: board.sample(second * 1000, ...values.map((column) => column[second] ?? null)) }];
  });
  const [charge, drop] = [seqs[0], seqs.at(-1)];
  if (!charge || !drop) throw new Error('the roast is empty');
  const end = drop.second * 1000;
  board.event(end, { type: 'roast', roast_id: id, state: 'in_progress' });
  for (const [kind, at] of [['charge', charge] as const, ['drop', drop] as const])
    board.event(end, markEvent(id, kind, { seq: at.seq, mono: at.second * 1000 }, roast.beanTempC[at.second] ?? 0));
  board.event(end, { type: 'roast', roast_id: id, state: 'completed' });
  await commitMessages(
    database.sql,
    board.batches(() => 600).map((batch) => messageOf(serial, batch)),
  );
  await database.sql`
    UPDATE roasts SET batch_size_kg = ${roast.batchKg}, coffee_name = ${roast.coffee} WHERE id = ${id}`;
};

it('drift of a machine: is found once in its stored roasts, sharpened by further ones, and dismissed by each person', async () => {
  const roasts = madeYear(9_101, changedAt + 14, { fromRoast: changedAt, probeC: -4 });
  for (const [day, roast] of roasts.slice(0, changedAt).entries()) await bring(roast, day);
  await watchMachine(database.sql, machineId);
  expect(await lessons()).toMatchObject({ compared_roasts: changedAt, needed_roasts: 30, drifts: [] });
  const before = (await lessons()).departures;
  expect(before.length).toBeGreaterThan(changedAt / 2);

  for (const [day, roast] of roasts.entries()) if (day >= changedAt && day < changedAt + 10) await bring(roast, day);
  await watchMachine(database.sql, machineId);
  const { drift: found } = await machine();
  expect(found?.kind).toBe('bean_probe');
  expect(Math.abs((found?.change ?? 0) + 4)).toBeLessThan(1.5);
  expect(Math.abs(Date.parse(found?.since ?? '') - startOf(changedAt)) / 86_400_000).toBeLessThanOrEqual(4);

  for (const [day, roast] of roasts.entries()) if (day >= changedAt + 10) await bring(roast, day);
  await watchMachine(database.sql, machineId);
  const { drift } = await machine();
  expect(drift?.id).toBe(found?.id);
  expect(drift?.deviation).toBeLessThan(found?.deviation ?? 0);
  expect((await lessons()).drifts).toEqual([drift]);

  // The roast page of a departure is one of the machine's; a probe that reads less shows in the turning points.
  const { departures } = await lessons();
  const after = departures.filter(({ start_time: start }) => Date.parse(start) >= startOf(changedAt));
  const meanOf = (rows: typeof departures) => rows.reduce((sum, { turn }) => sum + turn, 0) / rows.length;
  expect(meanOf(after)).toBeLessThan(-1.5);
  expect(Math.abs(meanOf(before))).toBeLessThan(1);
  await admin.send('DELETE', `/roasts/${after[0]?.roast_id}`);
  expect((await lessons()).departures).toEqual(departures.filter(({ roast_id: id }) => id !== after[0]?.roast_id));

  const dismiss = (id: string | undefined) => admin.send('POST', `/machines/${machineId}/drifts/${id}/dismiss`);
  expect((await dismiss(uuidV7())).status).toBe(404);
  expect([(await dismiss(drift?.id)).status, (await dismiss(drift?.id)).status]).toEqual([200, 200]);
  expect((await machine()).drift).toBeNull();
  expect((await lessons()).drifts).toHaveLength(1);
});
