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

  /** Whether an instance has taken its alarm to send it to phones. */
  const isPushed = async (roastId: string): Promise<boolean> => {
    const [row] = await database.sql`
      SELECT 1 FROM roast_alarms WHERE roast_id = ${roastId} AND pushed_at IS NOT NULL`;
    return row !== undefined;
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
    await until('it to be pushed', () => isPushed(roastId));
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

  it('a roast that was watched to its end: gets no alarm by a later change of its marks', async () => {
    const machine = await registerMachine(database.sql, 'ENDED-1');
    const rule = { condition: { kind: 'time', after: 'first_crack', seconds: 5 }, message: 'Crack' };
    const made = await admin.send<{ id: string }>('POST', `/machines/${machine.id}/alarm-rules`, rule);
    await database.sql`UPDATE alarm_rules SET changed_at = now() - interval '1 day' WHERE id = ${made.body.id}`;
    await using live = await openLiveBoard(broker.url, 'ENDED-1');
    const roastId = randomUUID();
    const start = live.now() - 25_000;
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
    await until('the roast to run', async () => {
      const [roast] = await database.sql`SELECT 1 FROM roasts WHERE id = ${roastId} AND status = 'in_progress'`;
      return roast !== undefined;
    });
    await until('the roast to be watched', live.isStored);
    await sleep(1000);
    live.end(roastId);
    await live.send();
    await until('the end', async () => {
      const [roast] = await database.sql`SELECT 1 FROM roasts WHERE id = ${roastId} AND status = 'completed'`;
      return roast !== undefined;
    });
    await sleep(1000);
    expect((await admin.send('PUT', `/roasts/${roastId}/marks/first_crack`, { time_seconds: 10 })).status).toBe(200);
    // Long enough for the change to be read and evaluated.
    await sleep(1500);
    expect(await alarmsOf(roastId)).toEqual([]);
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
    await until('it to be pushed', () => isPushed(roastId));
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
    expect(await isPushed(roastId)).toBe(false);
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

describe('alarm rules', () => {
  let database: Database;
  let broker: PlainBroker;

  beforeAll(async () => {
    database = await openMigratedDatabase();
    broker = await startPlainBroker();
  });
  afterAll(async () => {
    await broker.close();
    await database[Symbol.asyncDispose]();
  });

  /** An instance whose ingest has subscribed. */
  const startListening = async (): Promise<WholeApi> => {
    const journals = allMachines('journal');
    const before = broker.subscriptionsTo(journals);
    const api = await startWholeApi(database.url, broker.url);
    await until('ingest to listen', () => broker.subscriptionsTo(journals) > before);
    return api;
  };
  const alarmsOf = (roastId: string) =>
    database.sql<{ rule_id: string; message: string; colour: string; is_late: boolean; mono_ms: number }[]>`
      SELECT rule_id, message, colour, is_late, mono_ms FROM roast_alarms
      WHERE roast_id = ${roastId} AND kind = 'rule' ORDER BY happened_at`;

  it('rule: two instances without a browser raise one alarm, and a restart goes on where it was', async () => {
    const machine = await registerMachine(database.sql, 'RULE-1');
    const roastId = randomUUID();
    await using live = await openLiveBoard(broker.url, 'RULE-1');
    const start = live.now() - 20_000;
    live.sample(
      start,
      start + 1000,
      () => 200,
      () => 210,
    );
    const charge = live.charge(roastId);
    let sampled = charge;
    const sampleUntilNow = async () => {
      const from = sampled + 1000;
      sampled = Math.max(sampled, from + Math.floor((live.now() - from) / 1000) * 1000);
      live.sample(
        from,
        sampled + 1,
        (second) => 190 - (from - charge) / 1000 - second,
        () => 205,
      );
      await live.send();
    };
    let rule = '';
    {
      await using one = await startListening();
      await using two = await startListening();
      const admin = await one.signedIn();
      const made = await admin.send<{ id: string }>('POST', `/machines/${machine.id}/alarm-rules`, {
        condition: { kind: 'temperature', channel: 'bean_temp', side: 'below', temp_c: 168 },
        message: 'Below 168',
        colour: 'blue',
      });
      expect(made.status).toBe(201);
      const frozen = await admin.send<{ id: string }>('POST', `/machines/${machine.id}/alarm-rules`, {
        condition: { kind: 'channel_frozen', channel: 'exhaust_temp', seconds: 35 },
        message: 'The exhaust stands still',
      });
      rule = frozen.body.id;
      await until(
        'the first alarm',
        async () => {
          await sampleUntilNow();
          return (await alarmsOf(roastId)).length > 0;
        },
        { everyMs: 500, timeoutMs: 60_000 },
      );
      expect(await alarmsOf(roastId)).toMatchObject([
        { rule_id: made.body.id, message: 'Below 168', colour: 'blue', is_late: false },
      ]);
      expect(two.url).not.toBe(one.url);
    }
    await using later = await startListening();
    expect(later.url).not.toBe('');
    await until(
      'the second alarm',
      async () => {
        await sampleUntilNow();
        return (await alarmsOf(roastId)).length > 1;
      },
      { everyMs: 500, timeoutMs: 40_000 },
    );
    const [, second, ...others] = await alarmsOf(roastId);
    expect(others).toEqual([]);
    // It stood still since the first second, most of the time before the restart.
    expect(second).toMatchObject({ rule_id: rule, is_late: false, mono_ms: charge + 36_000 });
  });

  it('rule of a recipe: applies to its roasts, and is changed by revision', async () => {
    await using api = await startListening();
    const admin = await api.signedIn();
    const machine = await registerMachine(database.sql, 'RULE-2');
    const profile = await admin.send<{ id: string }>('POST', '/profiles', {
      name: 'Filter',
      control_profile: [
        { time: 0, burner: 80, exhaust: 40, drum: 60 },
        { time: 600, burner: 0, exhaust: 90, drum: 45 },
      ],
    });
    const path = `/profiles/${profile.body.id}/alarm-rules`;
    const body = { condition: { kind: 'time', after: 'charge', seconds: 5 }, message: 'Open the air' };
    const made = await admin.send<{ id: string; revision: number }>('POST', path, body);
    expect(made.status).toBe(201);
    // Made long before the roast.
    await database.sql`UPDATE alarm_rules SET changed_at = now() - interval '1 day' WHERE id = ${made.body.id}`;
    await admin.send('POST', '/roasts/planned', {
      machine_id: machine.id,
      profile_id: profile.body.id,
      batch_size_kg: 10,
    });
    const roastId = randomUUID();
    await using live = await openLiveBoard(broker.url, 'RULE-2');
    const start = live.now() - 10_000;
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
      (second) => 205 - second,
    );
    await until('the alarm', async () => {
      await live.send();
      return (await alarmsOf(roastId)).length > 0;
    });
    expect(await alarmsOf(roastId)).toMatchObject([{ message: 'Open the air', mono_ms: charge + 5000 }]);

    const changed = await admin.send<{ revision: number }>('PUT', `${path}/${made.body.id}`, { ...body, revision: 1 });
    expect(changed.body.revision).toBe(2);
    expect((await admin.send('PUT', `${path}/${made.body.id}`, { ...body, revision: 1 })).status).toBe(409);
    const bad = { ...body, condition: { kind: 'rate_of_rise', side: 'below', c_per_minute: 1000 } };
    const refused = await admin.send<{ detail: unknown }>('POST', path, bad);
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body.detail)).toContain('Use 100 °C/min or less');
    const copy = await admin.send<{ id: string }>('POST', `/profiles/${profile.body.id}/clone`);
    const copied = await admin.send<{ rules: unknown[] }>('GET', `/profiles/${copy.body.id}/alarm-rules`);
    expect(copied.body.rules).toMatchObject([{ ...body, armed_after: 'charge', is_enabled: true }]);
    expect((await admin.send('DELETE', `${path}/${made.body.id}`)).status).toBe(200);
    expect(await alarmsOf(roastId)).toHaveLength(1);
  });

  it('rule: a machine takes thirty, and no more', async () => {
    await using api = await startWholeApi(database.url, broker.url);
    const admin = await api.signedIn();
    const { id } = await registerMachine(database.sql, 'RULE-3');
    const body = { condition: { kind: 'time', after: 'charge', seconds: 60 }, message: 'Open the air' };
    const answers: number[] = [];
    for (let n = 0; n < 31; n++) answers.push((await admin.send('POST', `/machines/${id}/alarm-rules`, body)).status);
    expect(answers).toEqual([...Array.from({ length: 30 }, () => 201), 409]);
  });
});
