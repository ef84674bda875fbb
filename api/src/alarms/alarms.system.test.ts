import { randomUUID } from 'node:crypto';
import type { RecentAlarm, RoastAlarm } from '@roastery/contract/alarms';
import { allMachines } from '@roastery/contract/mqtt';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseRoastNotice, roastChangedChannel } from '../domains/roasts/life/announce-roast.ts';
import type { StoredBatch } from '../recordings/recordings.ts';
import { openMigratedDatabase, registerMachine } from '../testing/ingest-fixture.ts';
import { openLiveBoard } from '../testing/live-journal.ts';
import { presentClock } from '../testing/present.ts';
import { startPlainBroker, startWholeApi, type PlainBroker, type WholeApi } from '../testing/whole-api.ts';
import type { Visitor } from '../testing/visitor.ts';

type Database = Awaited<ReturnType<typeof openMigratedDatabase>>;

/** Longer than changes of a roast are gathered. */
const gatheredWithinMs = 500;
/** Longer than a backlog has to pause before it is evaluated. */
const evaluatedWithinMs = 3000;

/** The announced changes of each roast, as the alarms of the same api have heard them. */
const followNotices = async ({ api }: WholeApi): Promise<(roastId: string) => number> => {
  const heard: string[] = [];
  await api.context.sql.listen(roastChangedChannel, (text) => void heard.push(parseRoastNotice(text)?.roast_id ?? ''));
  return (roastId) => heard.filter((id) => id === roastId).length;
};

describe('alarms of running roasts', () => {
  let database: Database;
  let broker: PlainBroker;
  let api: WholeApi;
  let admin: Visitor;
  let noticesOf: (roastId: string) => number;
  const clock = presentClock();

  beforeAll(async () => {
    database = await openMigratedDatabase();
    broker = await startPlainBroker();
    api = await startWholeApi(database.url, broker.url, {}, { clock });
    admin = await api.signedIn();
    noticesOf = await followNotices(api);
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

  /** Lets the alarms evaluate what they have heard. */
  const evaluated = async (ms = evaluatedWithinMs): Promise<void> => {
    for (const part of [gatheredWithinMs, ms - gatheredWithinMs]) {
      await clock.advance(part);
      await api.alarms.settled();
    }
  };
  /** Sends, and lets the alarms evaluate what was stored and that the roast changed. */
  const sendChange = async (live: Awaited<ReturnType<typeof openLiveBoard>>, roastId: string): Promise<void> => {
    const before = noticesOf(roastId);
    await live.send();
    await until('the entries to be stored', live.isStored);
    await until('the change of the roast to be heard', () => noticesOf(roastId) > before);
    await evaluated();
  };
  /** As if the samples of a roast had been stored so long ago: Postgres has the time of the computer. */
  const ageStored = (roastId: string, seconds: number) => database.sql`
    UPDATE recording_chunks c SET received_at = received_at - make_interval(secs => ${seconds})
    FROM roasts r WHERE r.id = ${roastId} AND c.recording_id = r.recording_id`;

  /** Whether an instance has claimed its alarm to send it to phones. */
  const isPushed = async (roastId: string): Promise<boolean> => {
    const [row] = await database.sql`
      SELECT 1 FROM roast_alarms WHERE roast_id = ${roastId} AND pushed_at IS NOT NULL`;
    return row !== undefined;
  };

  it('frozen value: is raised once without a rule, is cleared when the value moves, and stays with the roast', async () => {
    const machine = await registerMachine(database.sql, 'FROZEN-1');
    await using live = await openLiveBoard(broker.url, 'FROZEN-1', { clock });
    const roastId = randomUUID();
    const charge = live.chargeAgo(roastId, 50);
    // It does not change from second 5 to now.
    live.sample(
      charge + 1000,
      live.now(),
      (second) => 190 - Math.min(second, 4),
      (second) => 210 - second / 2,
    );
    await sendChange(live, roastId);
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
    await sendChange(live, roastId);
    await until('the end of the roast', async () => {
      const { body } = await admin.send<{ alarms: RecentAlarm[] }>('GET', '/alarms');
      return body.alarms.some((one) => one.roast_id === roastId && !one.is_running && one.machine_id === machine.id);
    });
    expect(await alarmsOf(roastId)).toHaveLength(1);
  });

  it('a roast that was watched to its end: gets no alarm from a later change of its marks', async () => {
    const machine = await registerMachine(database.sql, 'ENDED-1');
    const rule = { condition: { kind: 'time', after: 'first_crack', seconds: 5 }, message: 'Crack' };
    const made = await admin.send<{ id: string }>('POST', `/machines/${machine.id}/alarm-rules`, rule);
    await database.sql`UPDATE alarm_rules SET changed_at = now() - interval '1 day' WHERE id = ${made.body.id}`;
    await using live = await openLiveBoard(broker.url, 'ENDED-1', { clock });
    const roastId = randomUUID();
    const charge = live.chargeAgo(roastId, 25);
    live.sample(
      charge + 1000,
      live.now(),
      (second) => 190 - second,
      (second) => 210 - second / 2,
    );
    await sendChange(live, roastId);
    live.end(roastId);
    await sendChange(live, roastId);
    const [ended] = await database.sql`SELECT status FROM roasts WHERE id = ${roastId}`;
    expect(ended).toMatchObject({ status: 'completed' });
    const before = noticesOf(roastId);
    expect((await admin.send('PUT', `/roasts/${roastId}/marks/first_crack`, { time_seconds: 10 })).status).toBe(200);
    await until('the change to be heard', () => noticesOf(roastId) > before);
    await evaluated();
    expect(await alarmsOf(roastId)).toEqual([]);
  });

  it('silent board: is raised while the roast runs, and cleared by its next sample', async () => {
    await registerMachine(database.sql, 'SILENT-1');
    await using live = await openLiveBoard(broker.url, 'SILENT-1', { clock });
    const roastId = randomUUID();
    const charge = live.chargeAgo(roastId, 5);
    live.sample(
      charge + 1000,
      live.now(),
      (second) => 190 - second,
      (second) => 210 - second / 2,
    );
    await sendChange(live, roastId);
    await ageStored(roastId, 60);
    await evaluated(14_000 - evaluatedWithinMs);
    expect(await alarmsOf(roastId)).toEqual([]);
    await evaluated(2000);
    const [alarm] = await alarmsOf(roastId);
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

  it('a fault that rules cover too: is one message to phones, and each of its alarms contains it [P205]', async () => {
    const machine = await registerMachine(database.sql, 'FAULT-1');
    const ruleIds: string[] = [];
    for (const body of [
      { condition: { kind: 'channel_frozen', channel: 'bean_temp', seconds: 12 }, message: 'Probe', push: true },
      { condition: { kind: 'channel_silent', channel: 'bean_temp', seconds: 8 }, message: 'Line', push: true },
      { condition: { kind: 'channel_silent', channel: 'exhaust_temp', seconds: 18 }, message: 'Still', push: true },
    ]) {
      const made = await admin.send<{ id: string }>('POST', `/machines/${machine.id}/alarm-rules`, body);
      expect(made.status).toBe(201);
      ruleIds.push(made.body.id);
    }
    await database.sql`UPDATE alarm_rules SET changed_at = now() - interval '1 day' WHERE id = ANY(${ruleIds}::uuid[])`;
    await using live = await openLiveBoard(broker.url, 'FAULT-1', { clock });
    const roastId = randomUUID();
    const charge = live.chargeAgo(roastId, 50);
    live.sample(
      charge + 1000,
      live.now(),
      (second) => 190 - Math.min(second, 10),
      (second) => 210 - second / 2,
    );
    await sendChange(live, roastId);
    await ageStored(roastId, 60);
    // The rule about silence for 18 s fires after the alarm of the silent board.
    for (let second = 0; second < 20; second += 1) await evaluated(1000);
    await until('all alarms', async () => (await alarmsOf(roastId)).length === 5);
    const alarms = await alarmsOf(roastId);
    expect(Object.fromEntries(alarms.map(({ kind, message, fault }) => [message ?? kind, fault]))).toEqual({
      Probe: 'frozen bean_temp',
      frozen: 'frozen bean_temp',
      Line: 'silent',
      Still: 'silent',
      silent: 'silent',
    });
    const pushed = () => database.sql<{ occurrence: string }[]>`
      SELECT occurrence FROM roast_alarms WHERE roast_id = ${roastId} AND push ORDER BY raised_at`;
    const faults = (await pushed()).map(({ occurrence }) => occurrence.match(/frozen|silent/)?.[0]);
    expect(faults).toEqual(['frozen', 'silent']);
  });

  it('two instances and a restart: raise one alarm for one occurrence', async () => {
    await registerMachine(database.sql, 'FROZEN-2');
    const second = await startWholeApi(database.url, broker.url, {}, { clock });
    const roastId = randomUUID();
    await using live = await openLiveBoard(broker.url, 'FROZEN-2', { clock });
    try {
      const charge = live.chargeAgo(roastId, 45);
      live.sample(
        charge + 1000,
        live.now() - 20_000,
        () => 190,
        (at) => 210 - at / 2,
      );
      await sendChange(live, roastId);
      const next = live.board.entries().at(-1)?.mono ?? 0;
      live.sample(
        next + 1000,
        live.now(),
        () => 190,
        (at) => 198 - at / 2,
      );
      await live.send();
      await until('both instances to have the samples', () => live.acknowledgements() >= 2);
      await evaluated();
      await second.alarms.settled();
      await until('the alarm', async () => (await alarmsOf(roastId)).length > 0);
    } finally {
      await second.close();
    }
    await using third = await startWholeApi(database.url, broker.url, {}, { clock });
    expect(third.url).not.toBe(api.url);
    const last = live.board.entries().at(-1)?.mono ?? 0;
    live.sample(
      last + 1000,
      live.now(),
      () => 190,
      (at) => 180 - at / 2,
    );
    await live.send();
    await until('both instances to have the samples', () => live.acknowledgements() >= 2);
    await evaluated();
    await third.alarms.settled();
    expect(await alarmsOf(roastId)).toHaveLength(1);
  });

  it('a roast that is backfilled as a whole: keeps its alarms, marked as late', async () => {
    await registerMachine(database.sql, 'LATE-1');
    await using live = await openLiveBoard(broker.url, 'LATE-1', { clock, startedAgoMs: 3_600_000 });
    const roastId = randomUUID();
    const charge = live.chargeAgo(roastId, 59 * 60);
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
    await sendChange(live, roastId);
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

describe('alarms of an instance that gets half of the batches', () => {
  it('are raised; samples stored by another instance are read from the last one on, not from the charge', async () => {
    await using database = await openMigratedDatabase();
    const broker = await startPlainBroker();
    let batches = 0;
    let storedEnd = 0;
    const half = (stored: readonly StoredBatch[]): StoredBatch[] => {
      storedEnd = Math.max(storedEnd, ...stored.map(({ range }) => range.end));
      return stored.filter(({ batch }) => batch.k !== 'samples' || (batches += 1) % 2 === 0);
    };
    const clock = presentClock();
    const alone = await startWholeApi(database.url, broker.url, {}, { clock, ownPart: half });
    /** Chunks that the api has read. Each of its connections reports them only now and then. */
    const chunksRead = async (): Promise<number> => {
      const { sql, config } = alone.api.context;
      let open = 0;
      const flush = () =>
        sql.begin(async (tx) => {
          await tx`SELECT pg_stat_force_next_flush()`;
          open += 1;
          await until('every connection to be in use', () => open === config.databaseConnections);
        });
      await Promise.all(Array.from({ length: config.databaseConnections }, flush));
      const [row] = await database.sql<{ read: number }[]>`
        SELECT idx_tup_fetch AS read FROM pg_stat_user_tables WHERE relname = 'recording_chunks'`;
      return row?.read ?? 0;
    };
    try {
      await until('ingest to listen', () => broker.subscriptionsTo(allMachines('journal')) > 0);
      const person = await alone.signedIn();
      const noticesOf = await followNotices(alone);
      await registerMachine(database.sql, 'HALF-1');
      await using live = await openLiveBoard(broker.url, 'HALF-1', { clock, startedAgoMs: 20 * 60_000 });
      const roastId = randomUUID();
      const startedAgoSeconds = 200;
      const charge = live.chargeAgo(roastId, startedAgoSeconds);
      let sent = 1;
      const since = (): number => Math.floor((live.now() - charge) / 1000);
      /** The next samples as a separate chunk. The bean temperature does not change from second 190 on. */
      const send = async (end: number): Promise<void> => {
        const at = sent;
        live.sample(
          charge + at * 1000,
          charge + end * 1000,
          (second) => 100 + Math.min(190, at + second),
          (second) => 150 + at + second,
        );
        sent = end;
        await live.send();
        // The board would get two acknowledgements a second.
        await until('the samples to be stored', () => storedEnd === live.board.length, { everyMs: 5 });
      };
      const sendFor = async (seconds: number): Promise<void> => {
        for (let second = 0; second < seconds; second++) {
          await clock.advance(1000);
          await alone.alarms.settled();
          await send(since());
        }
      };
      const chunks = startedAgoSeconds / 4;
      for (let end = 4; end <= startedAgoSeconds; end += 4) await send(end);
      await until('the roast to be heard of', () => noticesOf(roastId) > 0);
      // By then the backlog was evaluated, from the charge.
      await sendFor(8);
      const before = await chunksRead();
      await sendFor(15);
      expect((await chunksRead()) - before).toBeLessThan(chunks);
      await clock.advance(evaluatedWithinMs);
      await alone.alarms.settled();
      await until('the alarm', async () => {
        const { body } = await person.send<{ alarms: RoastAlarm[] }>('GET', `/roasts/${roastId}/alarms`);
        return body.alarms.some(({ kind }) => kind === 'frozen');
      });
    } finally {
      await alone.close();
      await broker.close();
    }
  });
});
