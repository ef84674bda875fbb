import { endpoints } from '@roastery/contract/endpoints';
import { uuidV7 } from '@roastery/runtime/uuid';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
const [streamsPerSession, streamsPerUser] = [20, 60];
import { machineStatusChannel } from '../domains/devices/follow-statuses.ts';
import { markEvent, openMigratedDatabase, registerMachine } from '../testing/ingest-fixture.ts';
import { fromNow, presentClock } from '../testing/present.ts';
import {
  connectBoard,
  startPlainBroker,
  startWholeApi,
  type PlainBroker,
  type WholeApi,
} from '../testing/whole-api.ts';
import type { Visitor } from '../testing/visitor.ts';

interface OpenedStream {
  readonly status: number;
  readonly received: () => string;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  stop(): void;
}

describe('live streams', () => {
  let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
  let broker: PlainBroker;
  let api: WholeApi;
  let admin: Visitor;
  let machineId: string;
  const clock = presentClock();

  beforeAll(async () => {
    database = await openMigratedDatabase();
    broker = await startPlainBroker();
    api = await startWholeApi(database.url, broker.url, {}, { clock });
    admin = await api.signedIn();
    machineId = (await registerMachine(database.sql, 'LIMITS-1')).id;
  });
  afterAll(async () => {
    await api.close();
    await broker.close();
    await database[Symbol.asyncDispose]();
  });

  const person = async (name: string): Promise<{ id: string; signIn: () => Promise<Visitor> }> => {
    const account = {
      full_name: name,
      email: `${name}@example.org`,
      password: 'a phrase that is long',
      is_admin: true,
    };
    const { body } = await admin.send<{ id: string }>('POST', '/admin/users', account);
    await admin.send('PATCH', `/admin/users/${body.id}`, { is_admin: true });
    return { id: body.id, signIn: () => api.signedIn(account.email, account.password) };
  };
  const openStream = async (visitor: Visitor, path = `/machines/${machineId}/live`): Promise<OpenedStream> => {
    const abort = new AbortController();
    const answer = await fetch(`${api.url}/api/v1${path}`, {
      headers: { cookie: visitor.cookie ?? '' },
      signal: abort.signal,
    });
    let text = '';
    const read = async (): Promise<void> => {
      const decoder = new TextDecoder();
      for await (const bytes of answer.body ?? []) text += decoder.decode(bytes, { stream: true });
    };
    const ended = read().catch((error: unknown) => {
      if (!abort.signal.aborted) throw error;
    });
    return { status: answer.status, received: () => text, ended, stop: () => abort.abort() };
  };
  const openCount = (): number => api.api.context.streams.size;
  const watchers = async (): Promise<number> => {
    const text = await (await fetch(`${api.url}/metrics`)).text();
    return Number(/^live_watchers (\d+)$/m.exec(text)?.[1]);
  };
  const noneOpen = () => until('every stream to be closed', async () => openCount() === 0 && (await watchers()) === 0);

  it('live stream: refuses more than 20 of one session with 429, and allows a new one after one ends', async () => {
    const visitor = await (await person('many')).signIn();
    const opened = await Promise.all(Array.from({ length: streamsPerSession }, () => openStream(visitor)));
    expect(opened.map(({ status }) => status)).toEqual(Array.from({ length: streamsPerSession }, () => 200));
    const refused = await visitor.send<{ code: string; detail: string }>('GET', `/machines/${machineId}/live`);
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_requests']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const probe = await visitor.send('GET', `/machines/${machineId}/probe`);
    expect(probe.status).toBe(429);
    opened[0]?.stop();
    await until('one stream to be closed', () => openCount() < streamsPerSession);
    const again = await openStream(visitor);
    expect(again.status).toBe(200);
    for (const stream of [...opened, again]) stream.stop();
    await noneOpen();
  });

  it('live stream: stays open when another machine changes its status while it opens', async () => {
    const { sql } = database;
    const machines = await Promise.all(
      Array.from({ length: streamsPerUser }, (_, n) => registerMachine(sql, `OPENING-${n}`)),
    );
    const { signIn } = await person('watching');
    const visitors = await Promise.all([signIn(), signIn(), signIn()]);
    const first = await openStream(admin);
    const opening = new AbortController();
    let ended = 0;
    const changeStatus = async (): Promise<void> => {
      while (!opening.signal.aborted) await sql`SELECT pg_notify(${machineStatusChannel}, ${machineId})`;
    };
    const changing = changeStatus();
    const opened = await Promise.all(
      machines.map(async ({ id }, n) => {
        const stream = await openStream(visitors[n % visitors.length] ?? admin, `/machines/${id}/live`);
        void stream.ended.then(() => (ended += 1));
        return stream;
      }),
    );
    await until(
      'every backlog or end',
      () => opened.filter((stream) => stream.received().includes('event: backlog')).length + ended >= opened.length,
    );
    opening.abort();
    await changing;
    expect([opened.filter(({ status }) => status !== 200).length, ended]).toEqual([0, 0]);
    for (const stream of [first, ...opened]) stream.stop();
    await noneOpen();
  });

  it('live stream: refuses more than 60 of one user over all sessions with 429', async () => {
    const { signIn } = await person('multiple');
    const sessions = await Promise.all([signIn(), signIn(), signIn(), signIn()]);
    const opened: OpenedStream[] = [];
    for (const visitor of sessions.slice(0, streamsPerUser / streamsPerSession)) {
      for (let n = 0; n < streamsPerSession; n++) opened.push(await openStream(visitor));
    }
    expect(opened.filter(({ status }) => status !== 200)).toEqual([]);
    expect((await sessions[3]?.send('GET', `/machines/${machineId}/live`))?.status).toBe(429);
    for (const stream of opened) stream.stop();
    await noneOpen();
  });

  it('live stream: ends although its session ended while the stream was opening', async () => {
    const { signIn } = await person('opening');
    const paths = [`/machines/${machineId}/live`, `/machines/${machineId}/probe`];
    for (const path of paths) {
      const visitor = await signIn();
      const opening = await database.sql.begin(async (tx) => {
        // The request is authenticated and waits here for its machine.
        await tx`LOCK TABLE machines IN ACCESS EXCLUSIVE MODE`;
        const request = openStream(visitor, path);
        await until('the request to wait for the machine', async () => {
          const [row] = await database.sql<{ n: number }[]>`
            SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = 'machines'::regclass`;
          return (row?.n ?? 0) > 0;
        });
        expect((await visitor.send('POST', '/auth/logout')).status).toBe(200);
        return { request };
      });
      const answered = await opening.request;
      if (answered.status !== 401) await answered.ended;
    }
    await noneOpen();
  });

  it('live stream: ends within a minute after its session is over, also without an announcement', async () => {
    const { sql } = database;
    const ends: Record<string, (userId: string) => Promise<unknown>> = {
      expired: (id) => sql`UPDATE sessions SET expires_at = now() WHERE user_id = ${id}`,
      idle: (id) => sql`UPDATE sessions SET last_seen_at = now() - interval '13 hours' WHERE user_id = ${id}`,
      inactive: (id) => sql`UPDATE users SET is_active = false WHERE id = ${id}`,
      deleted: (id) => sql`DELETE FROM sessions WHERE user_id = ${id}`,
    };
    const stays = await openStream(admin);
    const over = await Promise.all(
      Object.entries(ends).map(async ([name, end]) => {
        const { id, signIn } = await person(name);
        const visitor = await signIn();
        const stream = await openStream(visitor);
        await end(id);
        expect((await visitor.send('GET', '/auth/me')).status, name).toBe(401);
        return stream;
      }),
    );
    expect(openCount()).toBe(1 + over.length);
    await clock.advance(60_000);
    for (const stream of over) await stream.ended;
    expect(openCount()).toBe(1);
    stays.stop();
    await noneOpen();
  });

  it('event streams: refuse HEAD with 405 and leave no watcher', async () => {
    const paths = endpoints
      .filter(({ method, produces }) => method === 'GET' && produces === 'text/event-stream')
      .map(({ path }) => path.replace('{id}', machineId));
    expect(paths.length).toBeGreaterThanOrEqual(2);
    for (const path of paths) {
      const answer = await fetch(`${api.url}/api/v1${path}`, {
        method: 'HEAD',
        headers: { cookie: admin.cookie ?? '' },
      });
      expect([answer.status, answer.headers.get('allow')], path).toEqual([405, expect.stringContaining('GET')]);
    }
    expect([openCount(), await watchers()]).toEqual([0, 0]);
  });

  it.each([
    { change: 'deleted', path: '', method: 'DELETE' },
    { change: 'discarded', path: '/discard', method: 'POST' },
  ])('live stream: reports a $change running roast, then ends; the next one starts without the roast', async (by) => {
    const serial = `LIMITS-${by.change}`;
    const { id } = await registerMachine(database.sql, serial);
    const board = createJournalBoard({ wallOffsetMs: fromNow(-100_000) });
    await using wire = await connectBoard(broker.url, serial);
    const roastId = uuidV7();
    for (let second = 0; second < 60; second++) board.sample(second * 1000, 100, 200, 50);
    board.event(60_000, { type: 'roast', roast_id: roastId, state: 'in_progress' });
    board.event(60_000, markEvent(roastId, 'charge', { seq: 30, mono: 30_000 }, 139));
    for (const batch of board.batches(() => 100)) await wire.publish(batch);
    await until('the roast', async () => (await admin.send('GET', `/roasts/${roastId}`)).status === 200);
    const streams = await Promise.all([
      openStream(admin, `/machines/${id}/live`),
      openStream(admin, `/machines/${id}/live`),
    ]);
    await until('the watchers', async () => (await watchers()) === 2);
    expect((await admin.send(by.method, `/roasts/${roastId}${by.path}`)).status).toBe(200);
    for (const stream of streams) {
      await stream.ended;
      const events = stream
        .received()
        .split('\n\n')
        .filter((event) => event.startsWith('event: '));
      expect(events.at(-1)).toBe(
        `event: roast_deleted\ndata: ${JSON.stringify({ machine_id: id, type: 'roast_deleted', roast_id: roastId })}`,
      );
    }
    const next = await openStream(admin, `/machines/${id}/live`);
    await until('the backlog', () => next.received().includes('event: backlog'));
    expect(next.received()).toContain('"roast":null');
    next.stop();
    await noneOpen();
  });

  it('live stream: stays open when a finished roast of the machine is deleted', async () => {
    const [finished, other] = [uuidV7(), uuidV7()];
    const { id, owner } = await registerMachine(database.sql, 'LIMITS-3');
    for (const roast of [finished, other]) {
      await database.sql`
        INSERT INTO roasts (id, machine_id, owner_id, status, start_time)
        VALUES (${roast}, ${id}, ${owner}, 'completed', now())`;
    }
    const stream = await openStream(admin, `/machines/${id}/live`);
    await until('the backlog', () => stream.received().includes('event: backlog'));
    expect((await admin.send('DELETE', `/roasts/${finished}`)).status).toBe(200);
    expect((await admin.send('PUT', `/roasts/${other}`, { notes: 'later' })).status).toBe(200);
    await until('the later change', () => stream.received().includes('"notes":"later"'));
    stream.stop();
    await noneOpen();
  });
});
