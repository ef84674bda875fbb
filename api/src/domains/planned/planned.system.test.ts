import type { betweenBatches } from '@roastery/contract/between-batches';
import type { ResponseOf } from '@roastery/contract/endpoint';
import type { PlannedRoast } from '@roastery/contract/planned';
import type { FollowedPlan } from '@roastery/contract/roast-plan';
import type { Roast } from '@roastery/contract/roasts';
import { uuidV7 } from '@roastery/runtime/uuid';
import { createJournalBoard, type JournalBoardOptions } from '@roastery/testing/journal-board';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitMessages } from '../../ingest/store-batch.ts';
import { addProfile } from '../../testing/example-data.ts';
import { markEvent, messageOf, roastOn } from '../../testing/ingest-fixture.ts';
import { type OpenedTestApi, openTestApi, type TestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';
import { readPlansOfMachine } from './roast-plan.ts';
import { fromNow } from '../../testing/present.ts';

describe('a roast planned for a machine', () => {
  let opened: OpenedTestApi;
  let test: TestApi;
  let admin: Visitor;
  beforeAll(async () => {
    opened = await openTestApi();
    ({ test, admin } = opened);
  });
  afterAll(() => opened.close());

  const addMachine = async (): Promise<{ id: string; serial: string }> => {
    const serial = `P-${uuidV7()}`;
    const body = { serial_number: serial, display_name: 'Drum', machine_type: 'RM15', max_capacity_kg: 15 };
    return { id: (await admin.send<{ id: string }>('POST', '/machines', body)).body.id, serial };
  };
  const addLot = async (): Promise<string> => {
    const body = { lot_number: uuidV7(), coffee_name: 'Guji', origin: 'Ethiopia', initial_weight: 60 };
    return (await admin.send<{ id: string }>('POST', '/inventory/lots', body)).body.id;
  };
  const weightOf = async (lotId: string) =>
    (await admin.send<{ current_weight: number }>('GET', `/inventory/lots/${lotId}`)).body.current_weight;
  const plan = async (machineId: string, more: object = {}): Promise<PlannedRoast> =>
    (await admin.send<PlannedRoast>('POST', '/roasts/planned', { machine_id: machineId, batch_size_kg: 12, ...more }))
      .body;
  const planNow = async (id: string) => (await admin.send<PlannedRoast>('GET', `/roasts/planned/${id}`)).body;
  const roastNow = async (id: string) => (await admin.send<Roast>('GET', `/roasts/${id}`)).body;

  /** Twelve minutes of a board that has just been switched on. */
  const roastIt = async (serial: string, options: JournalBoardOptions = {}, planId?: string): Promise<string> => {
    const board = createJournalBoard({ wallOffsetMs: fromNow(0), ...options });
    const roastId = uuidV7();
    roastOn(board, roastId, planId);
    // The board has recorded for another quarter of an hour when this arrives.
    const receivedAtMs = fromNow(15 * 60_000);
    for (const batch of board.batches(() => 60)) {
      await commitMessages(test.api.context.sql, [messageOf(serial, batch, receivedAtMs)]);
    }
    return roastId;
  };

  it('plan: gives the next roast its lot, recipe, batch and operator, and deducts the coffee', async () => {
    const { id: machineId, serial } = await addMachine();
    const lotId = await addLot();
    const profileId = await addProfile(test.api.context.sql);
    const first = await plan(machineId, { lot_id: lotId, profile_id: profileId, roasted_by: 'Ada', notes: 'slow' });
    const second = await plan(machineId, { coffee_name: 'Sidamo' });
    expect([first.status, first.ahead, second.ahead]).toEqual(['waiting', 0, 1]);

    const roastId = await roastIt(serial);
    expect(await planNow(first.id)).toMatchObject({ status: 'bound', roast_id: roastId });
    expect(await planNow(second.id)).toMatchObject({ status: 'waiting', ahead: 0 });
    expect(await roastNow(roastId)).toMatchObject({
      status: 'completed',
      lot_id: lotId,
      profile_id: profileId,
      profile_name: 'House blend',
      coffee_name: 'Guji',
      coffee_origin: 'Ethiopia',
      batch_size_kg: 12,
      roasted_by: 'Ada',
      roast_level_target: 'Medium',
      notes: 'slow',
    });
    expect(await weightOf(lotId)).toBe(48);
    const profile = await admin.send<{ times_used: number }>('GET', `/profiles/${profileId}`);
    expect(profile.body.times_used).toBe(1);

    const next = await roastIt(serial);
    expect(await planNow(second.id)).toMatchObject({ status: 'bound', roast_id: next });
    expect((await roastNow(next)).coffee_name).toBe('Sidamo');
  });

  it('does not take a charge from before it was planned, nor one of another machine', async () => {
    const { id: machineId, serial } = await addMachine();
    const other = await addMachine();
    const waiting = await plan(machineId);
    await roastIt(serial, { wallOffsetMs: fromNow(-3_600_000) });
    await roastIt(other.serial);
    expect((await planNow(waiting.id)).status).toBe('waiting');
    const { body } = await admin.send<{ planned: PlannedRoast[] }>('GET', `/roasts/planned?machine_id=${machineId}`);
    expect(body.planned.map(({ id }) => id)).toEqual([waiting.id]);
  });

  it('deducts no coffee with a recipe that deducts none, also when the end arrives before the charge', async () => {
    const { sql } = test.api.context;
    const { id: machineId, serial } = await addMachine();
    const lotId = await addLot();
    const profileId = await addProfile(sql);
    await sql`UPDATE profiles SET auto_deduct_inventory = false WHERE id = ${profileId}`;
    const { id: planId } = await plan(machineId, { lot_id: lotId, profile_id: profileId });
    const board = createJournalBoard({ wallOffsetMs: fromNow(0) });
    const roastId = uuidV7();
    roastOn(board, roastId, planId);
    const receivedAtMs = fromNow(15 * 60_000);
    for (const batch of board.batches(() => 60).toReversed()) {
      await commitMessages(sql, [messageOf(serial, batch, receivedAtMs)]);
    }
    expect(await roastNow(roastId)).toMatchObject({ status: 'completed', profile_id: profileId, lot_id: lotId });
    expect(await weightOf(lotId)).toBe(60);
  });

  it('plan: stays queued when the charge is retracted, and deducts nothing', async () => {
    const { id: machineId, serial } = await addMachine();
    const lotId = await addLot();
    const waiting = await plan(machineId, { lot_id: lotId });
    const board = createJournalBoard({ wallOffsetMs: fromNow(0) });
    const roastId = uuidV7();
    const commit = async () => {
      for (const batch of board.batches(() => 60))
        await commitMessages(test.api.context.sql, [messageOf(serial, batch)]);
    };
    for (let second = 0; second < 5; second++) board.sample(second * 1000, 200, 180, 50);
    board.event(5000, { type: 'roast', roast_id: roastId, state: 'in_progress' });
    board.event(5000, markEvent(roastId, 'charge', { seq: 3, mono: 3000 }, 200, { provisional: true }));
    await commit();
    expect(await planNow(waiting.id)).toMatchObject({ status: 'bound', roast_id: roastId });
    expect(await roastNow(roastId)).toMatchObject({ lot_id: lotId, status: 'in_progress' });
    const late = await admin.send('DELETE', `/roasts/planned/${waiting.id}`);
    expect(late.status).toBe(409);

    board.event(9000, markEvent(roastId, 'charge', null, null));
    board.event(9000, { type: 'roast', roast_id: roastId, state: 'aborted' });
    await commit();
    expect(await planNow(waiting.id)).toMatchObject({ status: 'waiting', roast_id: null });
    expect(await roastNow(roastId)).toMatchObject({ lot_id: null, status: 'aborted' });
    expect(await weightOf(lotId)).toBe(60);
  });

  it('plan: can be cancelled while it is queued', async () => {
    const { id: machineId, serial } = await addMachine();
    const cancelled = await plan(machineId);
    expect((await admin.send('DELETE', `/roasts/planned/${cancelled.id}`)).status).toBe(200);
    const roastId = await roastIt(serial);
    expect(await planNow(cancelled.id)).toMatchObject({ status: 'cancelled', roast_id: null });
    expect((await roastNow(roastId)).batch_size_kg).toBeNull();
  });

  it('plan: the one named by the board’s charge applies, with its content at that time', async () => {
    const { id: machineId, serial } = await addMachine();
    const profileId = await addProfile(test.api.context.sql);
    const first = await plan(machineId, { coffee_name: 'Sidamo' });
    const taken = await plan(machineId, { coffee_name: 'Huila', profile_id: profileId });
    expect((await readPlansOfMachine(test.api.context.sql, machineId)).map(({ id }) => id)).toEqual([
      first.id,
      taken.id,
    ]);
    const roastId = await roastIt(serial, {}, taken.id);
    expect(await planNow(taken.id)).toMatchObject({ status: 'bound', roast_id: roastId });
    expect((await planNow(first.id)).status).toBe('waiting');
    expect((await readPlansOfMachine(test.api.context.sql, machineId)).map(({ id }) => id)).toEqual([first.id]);

    const planOf = async () =>
      (await admin.send<{ plan: FollowedPlan | null }>('GET', `/roasts/${roastId}/plan`)).body.plan;
    const followed = {
      id: taken.id,
      recipe: { id: profileId, revision: 1, name: 'House blend' },
      coffee_name: 'Huila',
      batch_size_kg: 12,
      target_drop_temp: 210,
      points: [
        { time: 0, burner: 100, exhaust: 30, drum: 60, drum_percent: 60 },
        { time: 720, burner: 0, exhaust: 90, drum: 30, drum_percent: 30 },
      ],
    };
    expect(await planOf()).toMatchObject(followed);
    await test.api.context.sql`UPDATE profiles SET target_drop_temp = 220, revision = 2 WHERE id = ${profileId}`;
    expect(await planOf()).toMatchObject(followed);
    // For a roast that got its recipe later, the recipe's current content.
    const other = await roastIt(serial);
    await admin.send('PUT', `/roasts/${other}`, { profile_id: profileId });
    const { body } = await admin.send<{ plan: FollowedPlan | null }>('GET', `/roasts/${other}/plan`);
    expect(body.plan).toMatchObject({ id: null, target_drop_temp: 220, recipe: { revision: 2 } });
  });

  it('plan: stays bound although it was cancelled after its charge', async () => {
    const { id: machineId, serial } = await addMachine();
    const late = await plan(machineId, { coffee_name: 'Late word' });
    await admin.send('DELETE', `/roasts/planned/${late.id}`);
    const roastId = await roastIt(serial, { wallOffsetMs: fromNow(-120_000) }, late.id);
    expect(await planNow(late.id)).toMatchObject({ status: 'bound', roast_id: roastId });
    const early = await plan(machineId, { coffee_name: 'Early word' });
    await admin.send('DELETE', `/roasts/planned/${early.id}`);
    await roastIt(serial, { wallOffsetMs: fromNow(120_000) }, early.id);
    expect((await planNow(early.id)).status).toBe('cancelled');
  });

  it('plan: stays cancelled when the charge that took it is retracted', async () => {
    const { id: machineId, serial } = await addMachine();
    const { id: planId } = await plan(machineId);
    await admin.send('DELETE', `/roasts/planned/${planId}`);
    const board = createJournalBoard({ wallOffsetMs: fromNow(-120_000) });
    const roastId = uuidV7();
    const commit = async () => {
      for (const batch of board.batches(() => 60))
        await commitMessages(test.api.context.sql, [messageOf(serial, batch)]);
    };
    for (let second = 0; second < 5; second++) board.sample(second * 1000, 200, 180, 50);
    board.event(5000, { type: 'roast', roast_id: roastId, state: 'in_progress', plan_id: planId });
    board.event(5000, markEvent(roastId, 'charge', { seq: 3, mono: 3000 }, 200, { provisional: true }));
    await commit();
    expect((await planNow(planId)).status).toBe('bound');
    expect(await readPlansOfMachine(test.api.context.sql, machineId)).toMatchObject([
      { id: planId, roast_id: roastId },
    ]);
    board.event(9000, markEvent(roastId, 'charge', null, null));
    board.event(9000, { type: 'roast', roast_id: roastId, state: 'aborted' });
    await commit();
    expect(await planNow(planId)).toMatchObject({ status: 'cancelled', roast_id: null });
    expect(await readPlansOfMachine(test.api.context.sql, machineId)).toEqual([]);
  });

  it('between batches: has the next plan with its charge temperature, the newest roast and those to be weighed', async () => {
    const { sql } = test.api.context;
    const { id: machineId, serial } = await addMachine();
    const other = await addMachine();
    const profileId = await addProfile(sql);
    await sql`UPDATE profiles SET target_charge_temp = 205 WHERE id = ${profileId}`;
    const between = async () =>
      (await admin.send<ResponseOf<typeof betweenBatches>>('GET', `/machines/${machineId}/between-batches`)).body;
    expect(await between()).toEqual({ next: null, newest_roast: null, not_weighed: { total: 0, newest: null } });

    const first = await roastIt(serial, { wallOffsetMs: fromNow(-7_200_000) });
    const second = await roastIt(serial, { wallOffsetMs: fromNow(-3_600_000) });
    await roastIt(other.serial);
    const guided = await plan(machineId, { profile_id: profileId });
    await plan(machineId);
    expect(await between()).toMatchObject({
      next: { id: guided.id, profile_name: 'House blend', target_charge_temp: 205 },
      newest_roast: { id: second },
      not_weighed: { total: 2, newest: { id: second } },
    });
    await admin.send('PUT', `/roasts/${second}`, { batch_size_kg: 12, end_weight_kg: 10 });
    await admin.send('DELETE', `/roasts/planned/${guided.id}`);
    expect(await between()).toMatchObject({
      next: { profile_id: null, target_charge_temp: null },
      newest_roast: { id: second, end_weight_kg: 10 },
      not_weighed: { total: 1, newest: { id: first } },
    });
  });
});
