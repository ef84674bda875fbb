import type { BatchNumber } from '@roastery/contract/batch-numbers';
import type { Machine } from '@roastery/contract/machines';
import type { PlannedRoast } from '@roastery/contract/planned';
import type { Roast } from '@roastery/contract/roasts';
import { uuidV7 } from '@roastery/runtime/uuid';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitMessages } from '../../ingest/store-batch.ts';
import type { JournalMessage } from '../../recordings/recordings.ts';
import { numberLateRoasts } from '../../ingest/sweeper.ts';
import { markEvent, messageOf, roastOn } from '../../testing/ingest-fixture.ts';
import { listLostNumbers } from './batch-number.ts';
import { openTestApi, type OpenedTestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';
import { fromNow } from '../../testing/present.ts';

const counted = (number: string | null | undefined): number => Number(/\d+$/.exec(number ?? '')?.[0]);

describe('batch numbers', () => {
  let opened: OpenedTestApi;
  let admin: Visitor;
  beforeAll(async () => {
    opened = await openTestApi();
    ({ admin } = opened);
  });
  afterAll(() => opened.close());
  const sql = () => opened.test.api.context.sql;

  const addMachine = async (prefix: string | null = null): Promise<{ id: string; serial: string }> => {
    const serial = `B-${uuidV7()}`;
    const form = { display_name: 'Drum', machine_type: 'RM15', max_capacity_kg: 15 };
    const { body } = await admin.send<Machine>('POST', '/machines', { serial_number: serial, ...form });
    if (prefix !== null) await admin.send('PUT', `/machines/${body.id}`, { ...form, batch_prefix: prefix });
    return { id: body.id, serial };
  };
  const plan = async (machineId: string, more: object = {}): Promise<PlannedRoast> =>
    (await admin.send<PlannedRoast>('POST', '/roasts/planned', { machine_id: machineId, batch_size_kg: 12, ...more }))
      .body;
  const numberOf = async (roastId: string) => (await admin.send<Roast>('GET', `/roasts/${roastId}`)).body.batch_number;

  /** Twelve minutes of a board, one transaction per batch of a minute. */
  const roastIt = async (serial: string, wallOffsetMs = fromNow(0)): Promise<string> => {
    const board = createJournalBoard({ wallOffsetMs });
    const roastId = crypto.randomUUID();
    roastOn(board, roastId);
    const receivedAtMs = fromNow(15 * 60_000);
    for (const batch of board.batches(() => 60)) await commitMessages(sql(), [messageOf(serial, batch, receivedAtMs)]);
    return roastId;
  };
  const listed = async (query: string): Promise<BatchNumber[]> =>
    (await admin.send<{ numbers: BatchNumber[] }>('GET', `/batch-numbers?${query}`)).body.numbers;

  /** The numbers of six roasts of a board that was offline, in the order of the roasts. */
  const numbersOfBacklog = async (store: (batches: JournalMessage[]) => Promise<unknown>) => {
    const { serial } = await addMachine();
    const board = createJournalBoard({ wallOffsetMs: fromNow(-4 * 3_600_000) });
    const roasts = Array.from({ length: 6 }, () => crypto.randomUUID());
    for (const [place, id] of roasts.entries()) roastOn(board, id, undefined, place * 1_800_000);
    const receivedAtMs = fromNow(0);
    await store(board.batches(() => 120).map((batch) => messageOf(serial, batch, receivedAtMs)));
    return (await Promise.all(roasts.map(numberOf))).map(counted);
  };

  it('a plan has its number immediately, and the roast that takes the plan has the same', async () => {
    const { id, serial } = await addMachine();
    const first = await plan(id);
    const second = await plan(id);
    expect(first.batch_number).toMatch(/^\d+$/);
    expect(counted(second.batch_number)).toBe(counted(first.batch_number) + 1);
    expect(await numberOf(await roastIt(serial))).toBe(first.batch_number);
    const unplanned = await addMachine();
    expect(counted(await numberOf(await roastIt(unplanned.serial)))).toBe(counted(second.batch_number) + 1);
    const logged = await admin.send<Roast>('POST', '/roasts', {
      coffee_name: 'Guji',
      start_time: '2026-11-20T07:40:00.000Z',
      duration_seconds: 640,
    });
    expect(counted(logged.body.batch_number)).toBe(counted(second.batch_number) + 2);
    const found = await admin.send<{ roasts: Roast[] }>('GET', `/roasts?q=${logged.body.batch_number}`);
    expect(found.body.roasts.map((roast) => roast.id)).toContain(logged.body.id);
    const csv = await admin.send<string>('GET', `/roasts/export/csv?q=${logged.body.batch_number}`);
    expect(csv.body).toContain(`,${logged.body.batch_number},${logged.body.roast_number},`);
  });

  it('machine with a prefix: counts its own; another machine can’t have the same prefix', async () => {
    const { id, serial } = await addMachine('A');
    expect((await plan(id)).batch_number).toBe('A-1');
    expect((await plan(id)).batch_number).toBe('A-2');
    expect(await numberOf(await roastIt(serial))).toBe('A-1');
    const other = await addMachine();
    const form = { display_name: 'Drum', machine_type: 'RM15', max_capacity_kg: 15 };
    expect((await admin.send('PUT', `/machines/${other.id}`, { ...form, batch_prefix: 'A' })).status).toBe(409);
    expect((await admin.send('PUT', `/machines/${other.id}`, { ...form, batch_prefix: 'a-b' })).status).toBe(422);
    await admin.send('DELETE', `/machines/${id}`);
    const { body } = await admin.send<Machine>('PUT', `/machines/${other.id}`, { ...form, batch_prefix: 'a' });
    expect(body.batch_prefix).toBe('A');
    // The prefix moves to another machine; its numbers do not start again.
    expect((await plan(other.id)).batch_number).toBe('A-3');
  });

  it('a roast is provisional until its charge arrives, and then has its own number', async () => {
    const { serial } = await addMachine();
    const board = createJournalBoard({ wallOffsetMs: fromNow(0) });
    const roastId = crypto.randomUUID();
    board.sample(0, 200, 200, 50);
    board.event(500, { type: 'roast', roast_id: roastId, state: 'in_progress' });
    for (const batch of board.batches(() => 60)) await commitMessages(sql(), [messageOf(serial, batch)]);
    expect(await numberOf(roastId)).toBeNull();
    const sent = board.length;
    board.event(1000, markEvent(roastId, 'charge', { seq: 0, mono: 0 }, 200));
    for (const batch of board.batches(() => 60, sent)) {
      await commitMessages(sql(), [messageOf(serial, batch)]);
    }
    expect(await numberOf(roastId)).toMatch(/^\d+$/);
  });

  it('numbers of cancelled plans and of removed roasts stay listed with the reason, and are never given again', async () => {
    const { id, serial } = await addMachine('C');
    const [cancelled, deleted, discarded] = [
      await plan(id, { coffee_name: 'Cancelled' }),
      await plan(id, { coffee_name: 'Deleted' }),
      await plan(id, { coffee_name: 'Discarded' }),
    ];
    await admin.send('DELETE', `/roasts/planned/${cancelled.id}`);
    await admin.send('DELETE', `/roasts/${await roastIt(serial)}`);
    const none = await roastIt(serial);
    await admin.send('POST', `/roasts/${none}/discard`);
    const waiting = await plan(id);
    // The plan of the discarded roast returns to the queue with its number.
    expect((await listed('q=C-')).map((one) => [one.batch_number, one.state, one.coffee_name])).toEqual([
      [waiting.batch_number, 'planned', null],
      [discarded.batch_number, 'planned', 'Discarded'],
      [deleted.batch_number, 'deleted', 'Deleted'],
      [cancelled.batch_number, 'cancelled', 'Cancelled'],
    ]);
    expect([deleted, cancelled].map(({ batch_number: number }) => number)).toEqual(['C-2', 'C-1']);
    const [one] = await listed('state=cancelled&q=C-');
    expect(one?.ended_at).not.toBeNull();
    const restored = await admin.send<Roast>('POST', `/roasts/${none}/restore`);
    expect(restored.body.batch_number).toBe('C-3');
  });

  it('a number drawn in a failed transaction: is listed as lost for every user, and never reused', async () => {
    const { id } = await addMachine();
    const lost = await sql()
      .begin(async (tx) => {
        const [row] = await tx<{ number: string }[]>`SELECT give_batch_number(${id}) AS number`;
        throw new Error(row?.number);
      })
      .catch((error: unknown) => (error instanceof Error ? error.message : ''));
    const next = await plan(id);
    expect(counted(next.batch_number)).toBe(Number(lost) + 1);
    // The transaction could still be running.
    await listLostNumbers(sql());
    expect(await listed('state=lost')).toEqual([]);
    await sql()`UPDATE batch_numbers SET given_at = now() - interval '11 minutes' WHERE batch_number = ${next.batch_number}`;
    await listLostNumbers(sql());
    await listLostNumbers(sql());
    const account = { full_name: 'Lia', email: 'lia@example.org', password: 'a phrase that is long' };
    await admin.send('POST', '/admin/users', account);
    for (const reader of [admin, await opened.test.signedIn(account.email, account.password)]) {
      const { body } = await reader.send<{ numbers: BatchNumber[] }>('GET', '/batch-numbers?state=lost');
      expect(body.numbers).toMatchObject([{ batch_number: lost, machine_name: null, roast_id: null, plan_id: null }]);
      expect(body.numbers[0]?.ended_at).not.toBeNull();
    }
    expect(counted((await plan(id)).batch_number)).toBe(Number(lost) + 2);
  });

  it('two boards and two users concurrently never share a number', async () => {
    const machines = await Promise.all([addMachine(), addMachine(), addMachine('D'), addMachine('E')]);
    const given = await Promise.all(
      machines.flatMap(({ id, serial }) => [
        ...Array.from({ length: 5 }, () => plan(id).then((made) => made.batch_number)),
        // Charged before these plans existed, so each gets its own number.
        ...[1, 2, 3].map((hours) => roastIt(serial, fromNow(-hours * 3_600_000)).then(numberOf)),
      ]),
    );
    expect(given).not.toContain(null);
    expect(new Set(given).size).toBe(machines.length * 8);
    const [row] = await sql()<{ n: number; d: number }[]>`
      SELECT count(batch_number) AS n, count(DISTINCT batch_number) AS d FROM roasts`;
    expect(row?.n).toBe(row?.d);
  });

  it('a backlog of several roasts is numbered in roasting order, regardless of the order of its batches', async () => {
    const atOnce = await numbersOfBacklog((batches) => commitMessages(sql(), batches));
    expect(atOnce).toEqual(atOnce.toSorted((a, b) => a - b));
    const mixed = await numbersOfBacklog(async ([first, ...later]) => {
      for (const batch of [first, ...later.reverse()]) if (batch) await commitMessages(sql(), [batch]);
      await numberLateRoasts(sql());
    });
    expect(mixed).toEqual(mixed.toSorted((a, b) => a - b));
  });

  it('a roast whose board never sends its earlier recordings gets its number after a minute', async () => {
    const { serial } = await addMachine();
    const board = createJournalBoard({ wallOffsetMs: fromNow(-4 * 3_600_000) });
    const [lost, kept] = [crypto.randomUUID(), crypto.randomUUID()];
    roastOn(board, lost);
    roastOn(board, kept, undefined, 1_800_000);
    const batches = board.batches(() => 60).map((batch) => messageOf(serial, batch));
    const middle = batches.length >> 1;
    for (const batch of [...batches.slice(0, 1), ...batches.slice(middle)]) await commitMessages(sql(), [batch]);
    expect(await numberOf(kept)).toBeNull();
    await sql()`UPDATE roasts SET created_at = created_at - interval '1 minute' WHERE id = ${kept}`;
    await numberLateRoasts(sql());
    expect(counted(await numberOf(kept))).toBeGreaterThan(0);
  });

  it('ids of new roasts are random in their first eight characters', async () => {
    const body = { coffee_name: 'Guji', start_time: '2026-11-20T07:40:00.000Z', duration_seconds: 640 };
    const made = await Promise.all(Array.from({ length: 12 }, () => admin.send<Roast>('POST', '/roasts', body)));
    const shown = made.map((answer) => answer.body.roast_number);
    expect(new Set(shown).size).toBe(12);
    expect(made.every((answer) => answer.body.id[14] === '4')).toBe(true);
  });

  it('are what a roast is named and sorted by, as people count, beside those of other programs', async () => {
    const body = { coffee_name: 'Sidamo', start_time: '2026-11-20T07:40:00.000Z', duration_seconds: 640 };
    const made = await Promise.all(Array.from({ length: 11 }, () => admin.send<Roast>('POST', '/roasts', body)));
    const [imported, unnumbered] = made.map((answer) => answer.body.id);
    await sql()`UPDATE roasts SET batch_number = NULL, is_numbered = false, source_batch = 'P5-9' WHERE id = ${imported ?? ''}`;
    await sql()`UPDATE roasts SET batch_number = NULL, is_numbered = false WHERE id = ${unnumbered ?? ''}`;
    const { body: list } = await admin.send<{ roasts: Roast[] }>('GET', '/roasts?q=Sidamo&sort=said_number');
    const numbers = list.roasts.map((roast) => roast.said_number);
    const own = numbers.slice(0, 9);
    expect(own).toEqual(
      made
        .slice(2)
        .map((answer) => answer.body.batch_number)
        .sort((one, other) => counted(one) - counted(other)),
    );
    expect(numbers.slice(9)).toEqual(['P5-9', `PR-${unnumbered?.slice(0, 8)}`]);
  });
});
