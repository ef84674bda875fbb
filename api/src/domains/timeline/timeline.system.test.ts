import { randomBytes } from 'node:crypto';
import type { RecordedCurve } from '@roastery/contract/roast-curves';
import type { Roast, RoastRow } from '@roastery/contract/roasts';
import type { Timeline } from '@roastery/contract/timeline';
import { uuidV7 } from '@roastery/runtime/uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitMessages } from '../../ingest/store-batch.ts';
import { messageOf, openMigratedDatabase, registerMachine } from '../../testing/ingest-fixture.ts';
import { startTestApi, testAdmin, type TestApi } from '../../testing/test-api.ts';
import {
  commitBoard,
  lostRoast,
  recordBoard,
  roastFoundAtDrop,
  roastState,
  wholeRoast,
  type RecordedBoard,
} from '../../testing/timeline-fixture.ts';
import type { Visitor } from '../../testing/visitor.ts';

const says = (message: string) => [{ field: 'drop_at', message }];

describe('timeline', () => {
  let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
  let test: TestApi;
  let admin: Visitor;
  beforeAll(async () => {
    database = await openMigratedDatabase();
    test = await startTestApi(database.url);
    admin = await test.signedIn(testAdmin.email, testAdmin.password);
  });
  afterAll(async () => {
    await test.close();
    await database[Symbol.asyncDispose]();
  });

  /** A separate machine with the recording of its board. */
  const machineWith = async (board: RecordedBoard, kind?: 'samples' | 'events') => {
    const serial = randomBytes(4).toString('hex');
    const { id } = await registerMachine(database.sql, serial);
    await commitBoard(database.sql, serial, board, kind);
    return { id, serial };
  };
  const roastsOf = async (machineId: string): Promise<RoastRow[]> =>
    (await admin.send<{ roasts: RoastRow[] }>('GET', `/roasts?machine_id=${machineId}&sort=start_time`)).body.roasts;
  const timelineOf = async (machineId: string, query = ''): Promise<Timeline> => {
    const answer = await admin.send<Timeline>('GET', `/machines/${machineId}/timeline${query}`);
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const make = (machineId: string, charge: string, drop?: string) =>
    admin.send<Roast & { detail: string }>('POST', `/machines/${machineId}/roasts`, {
      charge_at: charge,
      ...(drop !== undefined && { drop_at: drop }),
    });
  const newLot = async (kg: number): Promise<string> => {
    const lot = {
      lot_number: randomBytes(4).toString('hex'),
      coffee_name: 'Guji',
      origin: 'Ethiopia',
      initial_weight: kg,
    };
    return (await admin.send<{ id: string }>('POST', '/inventory/lots', lot)).body.id;
  };
  const weightOf = async (lotId: string): Promise<number> => {
    const { body } = await admin.send<{ current_weight: number }>('GET', `/inventory/lots/${lotId}`);
    const [sum] = await database.sql<{ kg: number }[]>`SELECT sum(kg) AS kg FROM lot_movements WHERE lot_id = ${lotId}`;
    expect(sum?.kg).toBe(body.current_weight);
    return body.current_weight;
  };
  const auditOf = async (subject: string): Promise<string[]> =>
    (await database.sql<{ action: string }[]>`SELECT action FROM audit_log WHERE subject = ${subject} ORDER BY id`).map(
      (row) => row.action,
    );
  it('an aborted roast shows its samples, and gets charge and drop by hand', async () => {
    const id = uuidV7();
    const board = recordBoard(900, lostRoast(id));
    const { id: machineId, serial } = await machineWith(board);
    const { body: aborted } = await admin.send<Roast>('GET', `/roasts/${id}`);
    expect(aborted).toMatchObject({ status: 'aborted', marks: [], start_time: board.at(100) });
    expect(aborted.recorded).toEqual({ from: board.at(100), to: board.at(190) });
    const { body: curve } = await admin.send<RecordedCurve>('GET', `/roasts/${id}/curve/columns`);
    // From the beginning of the recording; 0 is the first reported charge.
    expect([curve.time_seconds[0], curve.time_seconds.length]).toEqual([-100, 900]);

    const charged = await admin.send<Roast>('PUT', `/roasts/${id}/marks/charge`, { time_seconds: 20 });
    expect([charged.status, charged.body.status, charged.body.start_time]).toEqual([200, 'aborted', board.at(120)]);
    const dropped = await admin.send<Roast>('PUT', `/roasts/${id}/marks/drop`, { at: board.at(700) });
    expect(dropped.body).toMatchObject({ status: 'completed', duration_seconds: 580 });
    // The board sends everything again, and aborts the roast once more.
    board.journal.event(board.monoAt(899), roastState(id, 'aborted'));
    await commitBoard(database.sql, serial, board);
    expect((await admin.send<Roast>('GET', `/roasts/${id}`)).body).toMatchObject({
      status: 'completed',
      duration_seconds: 580,
    });
    // Withdrawing the drop restores the board's mark.
    await admin.send('DELETE', `/roasts/${id}/marks/drop`);
    expect((await admin.send<Roast>('GET', `/roasts/${id}`)).body.status).toBe('aborted');
    expect(await roastsOf(machineId)).toHaveLength(1);
    expect(await auditOf(id)).toEqual(['roast.mark_set', 'roast.mark_set', 'roast.mark_taken_back']);
  });

  it('creates a roast from a range that the detector missed', async () => {
    const board = recordBoard(900);
    const { id: machineId } = await machineWith(board);
    const made = await make(machineId, board.at(60), board.at(660));
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      status: 'completed',
      duration_seconds: 600,
      made_by_hand: true,
      charge_temp: 99.6,
    });
    const lot = await newLot(100);
    await admin.send('PUT', `/roasts/${made.body.id}`, { lot_id: lot, batch_size_kg: 12 });
    expect(await weightOf(lot)).toBe(88);
    const overlapping = await make(machineId, board.at(600), board.at(800));
    expect([overlapping.status, overlapping.body.detail]).toEqual([
      409,
      `Roast ${made.body.said_number} (10:00) covers part of this range. Discard it or move its charge or drop first.`,
    ]);
    const beside = await make(machineId, board.at(660), board.at(800));
    expect(beside.status).toBe(201);
    const nowhere = await make(machineId, '2020-01-01T00:00:00.000Z', '2020-01-01T00:10:00.000Z');
    expect([nowhere.status, nowhere.body.detail]).toEqual([409, 'Nothing was recorded at the time of the charge.']);
    expect(await auditOf(made.body.id)).toEqual(['roast.made', 'roast.updated']);
  });

  it('includes an aborted roast of the same beans in the roast made by hand', async () => {
    const stub = uuidV7();
    const board = recordBoard(900, lostRoast(stub));
    const { id: machineId } = await machineWith(board);
    const made = await make(machineId, board.at(95), board.at(700));
    expect(made.status).toBe(201);
    expect((await roastsOf(machineId)).map((row) => row.id)).toEqual([made.body.id]);
    expect((await admin.send('GET', `/roasts/${stub}`)).status).toBe(404);
  });

  /**
   * A machine whose board withdrew a charge at second 190 and found at the drop that it was one; its batches are not
   * stored yet.
   */
  const machineThatWithdrew = async () => {
    const [withdrawn, found] = [uuidV7(), uuidV7()];
    const board = recordBoard(900, [...lostRoast(withdrawn), ...roastFoundAtDrop(found)]);
    const serial = randomBytes(4).toString('hex');
    const { id: machineId } = await registerMachine(database.sql, serial);
    const messages = board.journal.batches(() => 50).map((batch) => messageOf(serial, batch));
    return { withdrawn, found, board, machineId, messages };
  };

  it('a roast whose charge was withdrawn, and that is found at its drop, is one roast, in any order of arrival', async () => {
    for (const order of ['as recorded', 'last part first', 'at once'] as const) {
      const { withdrawn, found, board, machineId, messages } = await machineThatWithdrew();
      if (order === 'last part first') messages.reverse();
      const parts = order === 'at once' ? [messages] : messages.map((message) => [message]);
      for (const part of parts) await commitMessages(database.sql, part);
      expect(await roastsOf(machineId), order).toMatchObject([
        { id: found, status: 'completed', start_time: board.at(101), duration_seconds: 599 },
      ]);
      expect((await admin.send('GET', `/roasts/${withdrawn}`)).status, order).toBe(404);
    }
  });

  it('a roast that is found at its drop keeps the entries from before its charge was withdrawn', async () => {
    const { withdrawn, found, machineId, messages } = await machineThatWithdrew();
    const half = messages.length / 2;
    await commitMessages(database.sql, messages.slice(0, half));
    await admin.send('PUT', `/roasts/${withdrawn}`, { notes: 'Few beans' });
    await commitMessages(database.sql, messages.slice(half));
    expect((await roastsOf(machineId)).map(({ id }) => id)).toEqual([found]);
    expect((await admin.send<Roast>('GET', `/roasts/${found}`)).body.notes).toBe('Few beans');
  });

  it('a withdrawn charge that a person set again gets the drop that its board finds', async () => {
    const { withdrawn, board, machineId, messages } = await machineThatWithdrew();
    const half = messages.length / 2;
    await commitMessages(database.sql, messages.slice(0, half));
    const set = await admin.send('PUT', `/roasts/${withdrawn}/marks/charge`, { time_seconds: 5 });
    expect(set.status).toBe(200);
    await commitMessages(database.sql, messages.slice(half));
    expect(await roastsOf(machineId)).toMatchObject([
      { id: withdrawn, status: 'completed', start_time: board.at(105), duration_seconds: 595 },
    ]);
  });

  it('shows recordings, windows and gaps with their reasons, at any zoom', async () => {
    const id = uuidV7();
    const [boots, day] = [3, 86_400_000];
    const start = Date.parse('2026-03-02T08:00:00.000Z');
    const serial = randomBytes(4).toString('hex');
    const { id: machineId } = await registerMachine(database.sql, serial);
    const epoch = randomBytes(8).toString('hex');
    const board = recordBoard(1800, wholeRoast(id), { wallOffsetMs: start - 5000, epoch });
    await commitBoard(database.sql, serial, board);
    // Two more days on another card, each a separate recording.
    for (let boot = 1; boot < boots; boot++) {
      await commitBoard(database.sql, serial, recordBoard(600, [], { wallOffsetMs: start + boot * day - 5000 }));
    }
    const whole = await timelineOf(machineId, '?from=2026-03-01T00:00:00.000Z&to=2026-03-06T00:00:00.000Z');
    expect([whole.first_at, whole.recordings.length]).toEqual(['2026-03-02T08:00:00.000Z', 3]);
    expect(whole.gaps.map((gap) => [gap.reason, gap.from, gap.to])).toEqual([
      ['new_recording', '2026-03-02T08:29:59.000Z', '2026-03-03T08:00:00.000Z'],
      ['new_recording', '2026-03-03T08:09:59.000Z', '2026-03-04T08:00:00.000Z'],
    ]);
    expect(whole.roasts).toMatchObject([
      {
        id,
        status: 'completed',
        charge_at: board.at(100),
        drop_at: board.at(700),
        from: board.at(100),
        to: board.at(700),
      },
    ]);
    const near = await timelineOf(machineId, `?from=${board.at(90)}&to=${board.at(190)}&points=100`);
    expect(near.curve.at).toHaveLength(101);
    expect(near.curve.low[10]).toBe(near.curve.high[10]);
    expect(near.curve.low[10]).toBeCloseTo(106, 4);
    // Within a gap there are no samples.
    const night = await timelineOf(machineId, '?from=2026-03-02T20:00:00.000Z&to=2026-03-02T21:00:00.000Z');
    expect(night.curve.at).toEqual([]);
    expect(night.gaps).toEqual([
      { from: '2026-03-02T20:00:00.000Z', to: '2026-03-02T21:00:00.000Z', reason: 'new_recording' },
    ]);
    const newest = await timelineOf(machineId);
    expect([newest.from, newest.to]).toEqual(['2026-03-03T08:09:59.000Z', '2026-03-04T08:09:59.000Z']);
    const wide = await admin.send(
      'GET',
      `/machines/${machineId}/timeline?from=2020-01-01T00:00:00.000Z&to=2026-01-01T00:00:00.000Z`,
    );
    expect(wide.status).toBe(422);
  });

  it('timeline: refuses a range that is no roast with the true reason, and only to a person who may make one', async () => {
    const board = recordBoard(600, []);
    const { id: machineId } = await machineWith(board);
    const reason = async (drop: string): Promise<unknown> => (await make(machineId, board.at(100), drop)).body.detail;
    for (const seconds of [0.5, 8])
      expect(await reason(board.at(100 + seconds))).toEqual(
        says('A roast lasts at least 10 seconds: choose a longer range'),
      );
    for (const second of [100, 90])
      expect(await reason(board.at(second))).toEqual(says('The drop must come after the charge'));
    const person = { email: 'range@roastery.example', password: 'ranges of a stranger 7' };
    await admin.send('POST', '/admin/users', { ...person, full_name: 'A stranger' });
    const stranger = await test.signedIn(person.email, person.password);
    const answer = await stranger.send('POST', `/machines/${machineId}/roasts`, {
      charge_at: board.at(100),
      drop_at: board.at(101),
    });
    expect(answer.status).toBe(404);
  });

  it('timeline: reports a power cut and a silent machine within one recording', async () => {
    const serial = randomBytes(4).toString('hex');
    const { id: machineId } = await registerMachine(database.sql, serial);
    const epoch = randomBytes(8).toString('hex');
    const start = Date.parse('2026-03-02T08:00:00.000Z');
    const first = recordBoard(300, [], { epoch, wallOffsetMs: start - 5000 });
    for (let second = 400; second < 500; second++) first.journal.sample(first.monoAt(second), 200, 180, 70);
    await commitBoard(database.sql, serial, first);
    const again = recordBoard(400, [], { epoch, wallOffsetMs: start + 1_000_000 - 5000 });
    const messages = again.journal
      .batches(() => 100)
      .map((batch) => messageOf(serial, { ...batch, seq: batch.seq + first.journal.length }));
    await commitMessages(database.sql, messages);
    const { gaps } = await timelineOf(machineId, '?from=2026-03-02T08:00:00.000Z&to=2026-03-02T09:00:00.000Z');
    expect(gaps.map((gap) => [gap.reason, gap.from.slice(14, 19), gap.to.slice(14, 19)])).toEqual([
      ['machine_silent', '04:59', '06:40'],
      ['board_off', '08:19', '16:40'],
    ]);
  });

  it('timeline: discards a false roast and restores it, stock and plan included', async () => {
    const serial = randomBytes(4).toString('hex');
    const { id: machineId } = await registerMachine(database.sql, serial);
    const lot = await newLot(100);
    const plan = await admin.send<{ id: string }>('POST', '/roasts/planned', {
      machine_id: machineId,
      lot_id: lot,
      batch_size_kg: 12.5,
    });
    expect(plan.status).toBe(201);
    await database.sql`UPDATE planned_roasts SET created_at = now() - interval '1 day'`;
    const id = uuidV7();
    const board = recordBoard(900, wholeRoast(id));
    await commitBoard(database.sql, serial, board);
    await admin.send('PUT', `/roasts/${id}/favorite`, { is_favorite: true });
    const { body: before } = await admin.send<Roast>('GET', `/roasts/${id}`);
    expect([before.status, await weightOf(lot)]).toEqual(['completed', 87.5]);
    const planned = async () =>
      (await admin.send<{ status: string }>('GET', `/roasts/planned/${plan.body.id}`)).body.status;
    expect(await planned()).toBe('bound');

    expect((await admin.send('POST', `/roasts/${id}/discard`)).status).toBe(200);
    expect([await weightOf(lot), await planned(), (await roastsOf(machineId)).length]).toEqual([100, 'waiting', 0]);
    expect((await timelineOf(machineId)).curve.at.length).toBeGreaterThan(0);
    // The board sends it again with more entries: it stays discarded.
    board.journal.event(board.monoAt(899), board.mark(id, 'cool_end', 890));
    await commitBoard(database.sql, serial, board);
    expect(await roastsOf(machineId)).toEqual([]);
    expect((await admin.send('POST', `/roasts/${id}/discard`)).status).toBe(404);

    const restored = await admin.send<Roast>('POST', `/roasts/${id}/restore`);
    expect(restored.status).toBe(200);
    expect(restored.body).toMatchObject({
      ...before,
      revision: restored.body.revision,
      marks: [...before.marks, expect.objectContaining({ kind: 'cool_end' })],
    });
    expect([await weightOf(lot), await planned()]).toEqual([87.5, 'bound']);
    expect((await admin.send('POST', `/roasts/${id}/restore`)).status).toBe(404);
    expect(await auditOf(id)).toEqual(['roast.discarded', 'roast.restored']);
  });

  it('refuses to restore a roast whose range is now another roast', async () => {
    const id = uuidV7();
    const board = recordBoard(900, wholeRoast(id));
    const { id: machineId } = await machineWith(board);
    await admin.send('POST', `/roasts/${id}/discard`);
    expect((await make(machineId, board.at(90), board.at(720))).status).toBe(201);
    expect((await admin.send('POST', `/roasts/${id}/restore`)).status).toBe(409);
  });

  it('timeline: splits a roast and merges its parts, also after the board sends everything again', async () => {
    const id = uuidV7();
    const board = recordBoard(900, wholeRoast(id));
    const { id: machineId, serial } = await machineWith(board);
    const lot = await newLot(100);
    await admin.send('PUT', `/roasts/${id}`, { lot_id: lot, batch_size_kg: 10 });
    const split = await admin.send<{ first: Roast; second: Roast }>('POST', `/roasts/${id}/split`, {
      at: board.at(400),
    });
    expect(split.status).toBe(200);
    const { first, second } = split.body;
    expect(first).toMatchObject({ id, status: 'completed', duration_seconds: 300, first_crack_time: null });
    // The crack that the board detected lies in the second part.
    expect(second).toMatchObject({ status: 'completed', duration_seconds: 300, first_crack_time: 80 });
    await admin.send('PUT', `/roasts/${second.id}`, { lot_id: lot, batch_size_kg: 4 });
    expect(await weightOf(lot)).toBe(86);
    await commitBoard(database.sql, serial, board);
    board.journal.event(board.monoAt(899), roastState(id, 'completed'));
    await commitBoard(database.sql, serial, board);
    expect((await roastsOf(machineId)).map((row) => row.duration_seconds)).toEqual([300, 300]);

    const merged = await admin.send<Roast>('POST', `/roasts/${second.id}/merge`, { with: id });
    expect(merged.status).toBe(200);
    expect(merged.body).toMatchObject({ id, duration_seconds: 600, first_crack_time: 380, batch_size_kg: 10 });
    expect(await weightOf(lot)).toBe(90);
    await commitBoard(database.sql, serial, board);
    expect((await roastsOf(machineId)).map((row) => row.id)).toEqual([id]);
    const outside = await admin.send('POST', `/roasts/${id}/split`, { at: board.at(800) });
    expect(outside.status).toBe(409);
  });

  it('timeline: merges two roasts of the board; later events of either make no second one', async () => {
    const [one, two] = [uuidV7(), uuidV7()];
    const board = recordBoard(900, [...wholeRoast(one, 100, 400), ...wholeRoast(two, 410, 800)]);
    const { id: machineId, serial } = await machineWith(board);
    expect(await roastsOf(machineId)).toHaveLength(2);
    const merged = await admin.send<Roast>('POST', `/roasts/${one}/merge`, { with: two });
    expect(merged.body).toMatchObject({ id: one, duration_seconds: 700 });
    board.journal.event(board.monoAt(899), board.mark(two, 'charge', 405));
    board.journal.event(board.monoAt(899), roastState(two, 'completed'));
    board.journal.event(board.monoAt(899), board.mark(one, 'drop', 390));
    await commitBoard(database.sql, serial, board);
    const after = await roastsOf(machineId);
    expect(after.map((row) => [row.id, row.duration_seconds])).toEqual([[one, 700]]);
  });

  it('timeline: a charge by hand is joined by the board’s events and ended by either drop', async () => {
    for (const endsBy of ['hand', 'board'] as const) {
      const board = recordBoard(700);
      const { id: machineId, serial } = await machineWith(board);
      const made = await make(machineId, board.at(60));
      expect([made.status, made.body.status]).toEqual([201, 'in_progress']);
      const { body: machine } = await admin.send<{ current_roast_id: string }>('GET', `/machines/${machineId}`);
      expect(machine.current_roast_id).toBe(made.body.id);
      // The detector sees the same charge late, begins its own roast, and detects the crack.
      const late = uuidV7();
      const from = board.journal.length;
      const say = (event: Parameters<typeof board.journal.event>[1]) => board.journal.event(board.monoAt(699), event);
      say(roastState(late, 'in_progress'));
      say(board.mark(late, 'charge', 75));
      say(board.mark(late, 'first_crack', 500));
      await commitBoard(database.sql, serial, board, undefined, from);
      const heard = await roastsOf(machineId);
      expect(heard.map((row) => [row.id, row.status, row.first_crack_time])).toEqual([
        [made.body.id, 'in_progress', 440],
      ]);
      // A drop by hand ends it; withdrawn, the roast continues.
      const path = `/roasts/${made.body.id}/marks/drop`;
      const byHand = endsBy === 'hand' ? [['PUT', { at: board.at(660) }] as const, ['DELETE', undefined] as const] : [];
      const told: string[] = [];
      for (const [method, body] of byHand) told.push((await admin.send<Roast>(method, path, body)).body.status);
      expect(told).toEqual(endsBy === 'hand' ? ['completed', 'in_progress'] : []);
      const more = board.journal.length;
      say(board.mark(late, 'drop', 650));
      say(roastState(late, 'completed'));
      await commitBoard(database.sql, serial, board, undefined, more);
      expect((await roastsOf(machineId)).map((row) => [row.status, row.duration_seconds])).toEqual([
        ['completed', 590],
      ]);
    }
  });

  it('timeline: aborts a roast charged by hand when the board charges the next batch, until its drop is set', async () => {
    const next = uuidV7();
    const board = recordBoard(2000, wholeRoast(next, 1300, 1900));
    const { id: machineId, serial } = await machineWith(board, 'samples');
    const made = await make(machineId, board.at(60));
    expect(made.body.status).toBe('in_progress');
    await commitBoard(database.sql, serial, board, 'events');
    expect((await roastsOf(machineId)).map((row) => [row.id, row.status])).toEqual([
      [made.body.id, 'aborted'],
      [next, 'completed'],
    ]);
    const dropped = await admin.send<Roast>('PUT', `/roasts/${made.body.id}/marks/drop`, { at: board.at(700) });
    expect(dropped.body).toMatchObject({ status: 'completed', duration_seconds: 640 });
    const late = await admin.send('PUT', `/roasts/${made.body.id}/marks/drop`, { at: board.at(1500) });
    expect(late.status).toBe(409);
  });

  it('timeline: requires a drop where the machine sends no more samples', async () => {
    const board = recordBoard(900);
    const { id: machineId } = await machineWith(board);
    await database.sql`UPDATE recordings SET last_received_at = now() - interval '1 hour' WHERE machine_id = ${machineId}`;
    expect((await make(machineId, board.at(60))).body.detail).toBe(
      'The machine is not sending readings, so the roast needs a drop too.',
    );
  });

  it('timeline: gives the same roasts however the board’s events are shuffled, repeated and delayed', async () => {
    let seed = 20_261_122;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    for (let round = 0; round < 4; round++) {
      // A false start, the same beans detected late, a batch after it; by hand a charge, sometimes a drop or a split.
      const [stub, same, next] = [uuidV7(), uuidV7(), uuidV7()];
      const charge = 150 + random(120);
      const said = [...lostRoast(stub), ...wholeRoast(same, charge, 700), ...wholeRoast(next, 1300, 1900)] as const;
      const board = recordBoard(2000, said);
      const hand = {
        charge: 150 + random(100),
        drop: round % 2 === 0 ? 690 + random(40) : undefined,
        split: round % 4 === 0,
      };
      const outcomes: unknown[] = [];
      for (let order = 0; order < 4; order++) {
        const names = new Map([stub, same, next].map((id, place) => [id, ['stub', 'same', 'next'][place]]));
        const serial = randomBytes(4).toString('hex');
        const { id: machineId } = await registerMachine(database.sql, serial);
        // Each machine has its own roasts.
        const own = new Map([stub, same, next].map((id) => [id, uuidV7()]));
        const batches = board.journal.batches(() => 1 + random(3));
        const text = (batch: (typeof batches)[number]) =>
          JSON.parse(
            [...own].reduce((json, [from, to]) => json.replaceAll(from, to), JSON.stringify(batch)),
          ) as typeof batch;
        const samples = board.journal.batches(() => 100).filter((batch) => batch.k === 'samples');
        await commitMessages(
          database.sql,
          samples.map((batch) => messageOf(serial, batch)),
        );
        const made = await make(
          machineId,
          board.at(hand.charge),
          hand.drop === undefined ? undefined : board.at(hand.drop),
        );
        expect(made.status).toBe(201);
        if (hand.split) await admin.send('POST', `/roasts/${made.body.id}/split`, { at: board.at(hand.charge + 200) });
        const events = batches.filter((batch) => batch.k === 'events').map(text);
        const shuffled = [...events, ...events]
          .map((batch) => ({ batch, place: order === 0 ? 0 : random(1e6) }))
          .sort((a, b) => a.place - b.place);
        while (shuffled.length > 0) {
          const some = shuffled.splice(0, 1 + random(3));
          await commitMessages(
            database.sql,
            some.map(({ batch }) => messageOf(serial, batch)),
          );
        }
        const rows = await database.sql`
          SELECT id, status, charge_seq, drop_seq, duration_seconds, first_crack_time, made_by_hand FROM roasts
          WHERE machine_id = ${machineId} ORDER BY start_time`;
        const nameOf = (id: string) => [...own].find(([, mine]) => mine === id)?.[0];
        outcomes.push(rows.map(({ id, ...row }) => ({ ...row, who: names.get(nameOf(id as string) ?? '') ?? 'hand' })));
      }
      for (const outcome of outcomes) expect(outcome, `round ${round}`).toEqual(outcomes[0]);
      // Reports about the same beans created no second roast, and the next batch is a separate one.
      expect((outcomes[0] as { who: string }[]).map((row) => row.who)).toEqual(
        hand.split ? ['hand', 'hand', 'next'] : ['hand', 'next'],
      );
    }
  });
});
