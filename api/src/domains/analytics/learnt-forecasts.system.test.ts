import type { MachineLessons } from '@roastery/contract/machine-lessons';
import type { ForecastBasisAnswer } from '@roastery/contract/roast-forecasts';
import type { Roast } from '@roastery/contract/roasts';
import { uuidV7 } from '@roastery/runtime/uuid';
import { simulateRoast } from '@roastery/simulator/simulate-roast';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commitMessages } from '../../ingest/store-batch.ts';
import { markEvent, messageOf, openMigratedDatabase, registerMachine } from '../../testing/ingest-fixture.ts';
import { startTestApi, testAdmin, type TestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let test: TestApi;
let admin: Visitor;

const serial = 'RM15-21';

beforeAll(async () => {
  database = await openMigratedDatabase();
  test = await startTestApi(database.url);
  admin = await test.signedIn(testAdmin.email, testAdmin.password);
  const { body: person } = await admin.send<{ id: string }>('GET', '/auth/me');
  await registerMachine(database.sql, serial, person.id);
});
afterAll(async () => {
  await test.close();
  await database[Symbol.asyncDispose]();
});

/** A roast of the thermal model on a day of July. */
const bringRoast = async (day: number): Promise<string> => {
  const roast = simulateRoast({ seed: day, capacityKg: 15 });
  const charge = roast.marks.find(({ kind }) => kind === 'charge')?.timeSeconds ?? 0;
  const wallOffsetMs = Date.UTC(2026, 6, day, 10) - charge * 1000;
  const board = createJournalBoard({ channels: roast.channels, wallOffsetMs });
  const id = uuidV7();
  const seqs = roast.timesSeconds.map((seconds, index) =>
    board.sample(Math.round(seconds * 1000), ...roast.channels.map((name) => roast.columns[name][index] ?? null)),
  );
  const end = Math.round((roast.timesSeconds.at(-1) ?? 0) * 1000);
  board.event(end, { type: 'roast', roast_id: id, state: 'in_progress' });
  for (const { kind, index, timeSeconds, tempC } of roast.marks)
    board.event(end, markEvent(id, kind, { seq: seqs[index] ?? 0, mono: Math.round(timeSeconds * 1000) }, tempC));
  board.event(end, { type: 'roast', roast_id: id, state: 'completed' });
  await commitMessages(
    database.sql,
    board.batches(() => 600).map((batch) => messageOf(serial, batch)),
  );
  return id;
};

const learntFor = async (id: string | undefined) =>
  (await admin.send<ForecastBasisAnswer>('GET', `/roasts/${id}/forecast-basis`)).body.learnt;

it('learnt forecast: a machine’s fifth earlier roast allows one, and a roast keeps what was known at its beginning', async () => {
  const ids: string[] = [];
  for (let day = 1; day <= 7; day++) ids.push(await bringRoast(day));
  expect(await learntFor(ids[4])).toBeNull();
  const learnt = await learntFor(ids[6]);
  expect(learnt?.roasts).toBe(6);
  expect(learnt?.errors).toHaveLength(4);
  expect(learnt?.bands.above?.temp[3]).toBeGreaterThan(learnt?.bands.above?.temp[0] ?? 0);

  // A drop is corrected, and a roast disappears, while the seventh runs.
  const { body: third } = await admin.send<Roast>('GET', `/roasts/${ids[2]}`);
  const earlier = { time_seconds: (third.duration_seconds ?? 0) - 5 };
  const moved = await admin.send('PUT', `/roasts/${ids[2]}/marks/drop`, earlier);
  expect(moved.status).toBe(200);
  expect((await admin.send('DELETE', `/roasts/${ids[0]}`)).status).toBe(200);
  expect(await learntFor(ids[6])).toEqual(learnt);
  const eighth = await bringRoast(8);
  expect((await learntFor(eighth))?.roasts).toBe(6);
});

it('machine lessons: come from the roasts that are left, with the errors and the lag of the probe', async () => {
  const { body: machines } = await admin.send<{ id: string }[]>('GET', '/machines');
  const { body: lessons } = await admin.send<MachineLessons>('GET', `/machines/${machines[0]?.id}/lessons`);
  expect(lessons).toMatchObject({ roasts: 7, from: '2026-07-02T10:00:00.000Z', forecast: { judged_roasts: 5 } });
  expect(lessons.forecast?.ahead.map(({ ahead_seconds: seconds }) => seconds)).toEqual([30, 60, 90, 120]);
  // Of the thermal model, 31 s with this batch.
  expect(Math.abs((lessons.probe_lag?.seconds ?? 0) - 31)).toBeLessThan(3);
});
