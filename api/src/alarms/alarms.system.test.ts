import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RecentAlarm, RoastAlarm } from '@roastery/contract/alarms';
import { allMachines } from '@roastery/contract/mqtt';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markEvent, openMigratedDatabase, registerMachine } from '../testing/ingest-fixture.ts';
import {
  connectBoard,
  startPlainBroker,
  startWholeApi,
  type PlainBroker,
  type WholeApi,
} from '../testing/whole-api.ts';
import type { Visitor } from '../testing/visitor.ts';

type Database = Awaited<ReturnType<typeof openMigratedDatabase>>;

/** A board whose clock runs with ours. Its machine has been on for a minute. */
const openLiveBoard = async (brokerUrl: string, serial: string, startedAgoMs = 60_000) => {
  const wallOffsetMs = Date.now() - startedAgoMs;
  const board = createJournalBoard({ wallOffsetMs, channels: ['bean_temp', 'exhaust_temp'] });
  const wire = await connectBoard(brokerUrl, serial);
  let sent = 0;
  const send = async (): Promise<void> => {
    for (const batch of board.batches(() => 100, sent)) await wire.publish(batch);
    sent = board.length;
  };
  return {
    board,
    send,
    /** Monotonic ms of the present. */
    now: () => Date.now() - wallOffsetMs,
    isStored: () => wire.hasAck(board.epoch, board.length - 1),
    /** Samples once a second between two moments, as functions of the seconds since the first. */
    sample(fromMs: number, toMs: number, bean: (second: number) => number, exhaust: (second: number) => number) {
      for (let mono = fromMs; mono < toMs; mono += 1000) {
        const second = (mono - fromMs) / 1000;
        board.sample(mono, bean(second), exhaust(second));
      }
    },
    /** The last sample is the charge of a roast. */
    charge(roastId: string): number {
      const last = board.entries().at(-1);
      const mono = last?.mono ?? 0;
      const seq = board.length - 1;
      board.event(mono, { type: 'roast', roast_id: roastId, state: 'in_progress' });
      board.event(mono, markEvent(roastId, 'charge', { seq, mono }, 200));
      return mono;
    },
    end(roastId: string): void {
      const mono = board.entries().at(-1)?.mono ?? 0;
      board.event(mono, markEvent(roastId, 'drop', { seq: board.length - 1, mono }, 210));
      board.event(mono, { type: 'roast', roast_id: roastId, state: 'completed' });
    },
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  };
};

describe('alarms of running roasts', () => {
  let database: Database;
  let broker: PlainBroker;
  let api: WholeApi;
  let admin: Visitor;

  beforeAll(async () => {
    database = await openMigratedDatabase();
    broker = await startPlainBroker();
    api = await startWholeApi(database.url, broker.url);
    admin = await api.signedIn();
    await until('ingest to listen', () => broker.subscriptionsTo(allMachines('journal')) > 0);
  });
  afterAll(async () => {
    await api.close();
    await broker.close();
    await database[Symbol.asyncDispose]();
  });

  const alarmsOf = async (roastId: string): Promise<RoastAlarm[]> => {
    const answer = await admin.send<{ alarms: RoastAlarm[] }>('GET', `/roasts/${roastId}/alarms`);
    return answer.status === 200 ? answer.body.alarms : [];
  };

  it('frozen value: is raised once without a rule, is cleared when the value moves, and stays with the roast', async () => {
    const machine = await registerMachine(database.sql, 'FROZEN-1');
    await using live = await openLiveBoard(broker.url, 'FROZEN-1');
    const roastId = randomUUID();
    const start = live.now() - 50_000;
    live.sample(
      start,
      start + 1000,
      () => 200,
      () => 210,
    );
    const charge = live.charge(roastId);
    // It stands still from second 5 to now.
    live.sample(
      charge + 1000,
      live.now(),
      (second) => 190 - Math.min(second, 4),
      (second) => 210 - second / 2,
    );
    await live.send();
    const [alarm] = await until('the alarm', async () => {
      const alarms = await alarmsOf(roastId);
      return alarms.length > 0 && alarms;
    });
    expect(alarm).toMatchObject({ kind: 'frozen', channel: 'bean_temp', is_late: false, cleared_at: null });
    expect(alarm?.time_seconds).toBe(35);
    const next = live.board.entries().at(-1)?.mono ?? 0;
    live.sample(
      next + 1000,
      next + 3000,
      () => 191,
      () => 185,
    );
    await live.send();
    await until('the end of it', async () => (await alarmsOf(roastId))[0]?.cleared_at !== null);
    live.end(roastId);
    await live.send();
    await until('the end of the roast', async () => {
      const { body } = await admin.send<{ alarms: RecentAlarm[] }>('GET', '/alarms');
      return body.alarms.some((one) => one.roast_id === roastId && !one.is_running && one.machine_id === machine.id);
    });
    expect(await alarmsOf(roastId)).toHaveLength(1);
  });

  it('silent board: is raised while the roast runs, and cleared by its next sample', async () => {
    await registerMachine(database.sql, 'SILENT-1');
    await using live = await openLiveBoard(broker.url, 'SILENT-1');
    const roastId = randomUUID();
    const start = live.now() - 5000;
    live.sample(
      start,
      start + 1000,
      () => 200,
      () => 210,
    );
    const charge = live.charge(roastId);
    live.sample(
      charge + 1000,
      live.now(),
      (second) => 190 - second,
      (second) => 210 - second / 2,
    );
    await live.send();
    await until('the samples to be stored', live.isStored);
    expect(await alarmsOf(roastId)).toEqual([]);
    const [alarm] = await until(
      'the alarm',
      async () => {
        const alarms = await alarmsOf(roastId);
        return alarms.length > 0 && alarms;
      },
      { timeoutMs: 40_000 },
    );
    expect(alarm).toMatchObject({ kind: 'silent', channel: null, is_late: false, cleared_at: null });
    const next = live.now();
    live.sample(
      next,
      next + 1000,
      () => 180,
      () => 200,
    );
    await live.send();
    await until('the end of it', async () => (await alarmsOf(roastId))[0]?.cleared_at !== null);
    expect(await alarmsOf(roastId)).toHaveLength(1);
  });

  it('two instances and a restart: raise one alarm for one occurrence', async () => {
    await registerMachine(database.sql, 'FROZEN-2');
    const second = await startWholeApi(database.url, broker.url);
    const roastId = randomUUID();
    await using live = await openLiveBoard(broker.url, 'FROZEN-2');
    try {
      const start = live.now() - 45_000;
      live.sample(
        start,
        start + 1000,
        () => 200,
        () => 210,
      );
      const charge = live.charge(roastId);
      live.sample(
        charge + 1000,
        live.now() - 20_000,
        () => 190,
        (at) => 210 - at / 2,
      );
      await live.send();
      await until('the samples to be stored', live.isStored);
      const next = live.board.entries().at(-1)?.mono ?? 0;
      live.sample(
        next + 1000,
        live.now(),
        () => 190,
        (at) => 198 - at / 2,
      );
      await live.send();
      await until('the alarm', async () => (await alarmsOf(roastId)).length > 0);
    } finally {
      await second.close();
    }
    await using third = await startWholeApi(database.url, broker.url);
    expect(third.url).not.toBe(api.url);
    const last = live.board.entries().at(-1)?.mono ?? 0;
    live.sample(
      last + 1000,
      live.now(),
      () => 190,
      (at) => 180 - at / 2,
    );
    await live.send();
    await until('the samples to be stored', live.isStored);
    // Long enough for both instances to evaluate what is stored.
    await sleep(2000);
    expect(await alarmsOf(roastId)).toHaveLength(1);
  });

  it('a roast that is backfilled as a whole: keeps its alarms, marked as late', async () => {
    await registerMachine(database.sql, 'LATE-1');
    await using live = await openLiveBoard(broker.url, 'LATE-1', 3_600_000);
    const roastId = randomUUID();
    live.sample(
      60_000,
      61_000,
      () => 200,
      () => 210,
    );
    const charge = live.charge(roastId);
    live.sample(
      charge + 1000,
      charge + 100_000,
      (second) => 190 - Math.min(second, 10),
      (second) => 210 - second / 2,
    );
    live.sample(
      charge + 100_000,
      charge + 200_000,
      (second) => 150 + second / 4,
      (second) => 160 + second / 2,
    );
    live.end(roastId);
    await live.send();
    const [alarm] = await until('the alarm', async () => {
      const alarms = await alarmsOf(roastId);
      return alarms.length > 0 && alarms;
    });
    expect(alarm).toMatchObject({ kind: 'frozen', channel: 'bean_temp', is_late: true, time_seconds: 41 });
    await until('it to be cleared', async () => (await alarmsOf(roastId))[0]?.cleared_at !== null);
  });

  it('acknowledgement: is kept with the name of the person, and is refused for viewers', async () => {
    const [row] = await database.sql<{ id: string; roast_id: string; machine_id: string }[]>`
      SELECT id, roast_id, machine_id FROM roast_alarms ORDER BY raised_at LIMIT 1`;
    const path = `/roasts/${row?.roast_id}/alarms/${row?.id}/acknowledgement`;
    const account = { full_name: 'Vera', email: 'vera@example.org', password: 'a phrase that is long' };
    const created = await admin.send<{ id: string }>('POST', '/admin/users', account);
    const viewer = await api.signedIn(account.email, account.password);
    expect((await viewer.send('PUT', path)).status).toBe(404);
    await admin.send('PUT', `/machines/${row?.machine_id}/members/${created.body.id}`, { role: 'viewer' });
    expect((await viewer.send('GET', `/roasts/${row?.roast_id}/alarms`)).status).toBe(200);
    expect((await viewer.send('PUT', path)).status).toBe(403);
    const { status, body } = await admin.send<RoastAlarm>('PUT', path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: row?.id, acknowledged_by: expect.any(String) });
    const again = await admin.send<RoastAlarm>('PUT', path);
    expect(again.body.acknowledged_at).toBe(body.acknowledged_at);
  });
});
