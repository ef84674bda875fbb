import { randomUUID } from 'node:crypto';
import { apiBasePath } from '@roastery/contract/endpoint';
import { endpoints } from '@roastery/contract/endpoints';
import { topicOf } from '@roastery/contract/mqtt';
import { wallEventShape, type WallEvent, type WallLink, type WallMachine } from '@roastery/contract/wall';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitMessages } from '../ingest/store-batch.ts';
import { messageOf, openMigratedDatabase, registerMachine } from '../testing/ingest-fixture.ts';
import {
  connectBoard,
  startPlainBroker,
  startWholeApi,
  type PlainBroker,
  type WholeApi,
} from '../testing/whole-api.ts';
import type { Visitor } from '../testing/visitor.ts';
import { presentClock } from '../testing/present.ts';

describe('wall', () => {
  let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
  let broker: PlainBroker;
  let api: WholeApi;
  let admin: Visitor;
  const serials = ['WALL-1', 'WALL-2'] as const;
  const ids: string[] = [];
  const clock = presentClock();

  beforeAll(async () => {
    database = await openMigratedDatabase();
    broker = await startPlainBroker();
    api = await startWholeApi(database.url, broker.url, {}, { clock });
    admin = await api.signedIn();
    for (const serial of serials) ids.push((await registerMachine(database.sql, serial)).id);
  });
  afterAll(async () => {
    await api.close();
    await broker.close();
    await database[Symbol.asyncDispose]();
  });

  const makeLink = async () =>
    (await admin.send<WallLink & { token: string }>('POST', '/admin/wall-links', { name: 'Roasting room' })).body;
  const openedScreen = async (token: string): Promise<Visitor> => {
    const screen = api.visitor();
    expect((await screen.send('POST', '/wall/session', { token })).status).toBe(200);
    return screen;
  };

  const watch = async (visitor: Visitor) => {
    const abort = new AbortController();
    const answer = await fetch(`${api.url}/api/v1/wall/live`, {
      headers: { cookie: visitor.cookie ?? '' },
      signal: abort.signal,
    });
    const events: WallEvent[] = [];
    const raw: string[] = [];
    const read = async (): Promise<void> => {
      const decoder = new TextDecoder();
      let text = '';
      for await (const bytes of answer.body ?? []) {
        text += decoder.decode(bytes, { stream: true });
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
          text = text.slice(end + 2);
          if (data === undefined) continue;
          raw.push(data);
          events.push(wallEventShape.parse(JSON.parse(data)));
        }
      }
    };
    const ended = read().catch((error: unknown) => {
      if (!abort.signal.aborted && !(error instanceof TypeError)) throw error;
    });
    return { status: answer.status, events, raw, ended, stop: () => abort.abort() };
  };

  it('wall stream: carries all machines over one connection, with their bean temperature and nothing else', async () => {
    const screen = await openedScreen((await makeLink()).token);
    const watching = await watch(screen);
    await until('both curves', () => watching.events.filter(({ type }) => type === 'curve').length === 2);
    for (const [index, serial] of serials.entries()) {
      const board = createJournalBoard({ boot: randomUUID() });
      await using wire = await connectBoard(broker.url, serial);
      await until('the subscription', () => broker.subscriptionsTo(topicOf(serial, 'live')) > 0);
      const roast = { id: randomUUID(), charge_mono: 1000, state: 'in_progress' };
      await wire.client.publishAsync(
        topicOf(serial, 'live'),
        JSON.stringify({
          v: 1,
          epoch: board.epoch,
          seq: 1,
          boot: randomUUID(),
          t: clock.now(),
          mono: 61_000,
          values: { bean_temp: 150 + index, exhaust_temp: 222.2 },
          roast,
          phase: 'roasting',
        }),
      );
    }
    const readings = await until('a reading of each machine', () => {
      const found = watching.events.filter((event) => event.type === 'reading');
      return found.length === 2 && found;
    });
    expect(readings).toEqual(
      ids.map((machine_id, index) => ({
        type: 'reading',
        machine_id,
        mono: 61_000,
        bean_temp: 150 + index,
        charge_mono: 1000,
      })),
    );
    expect(watching.raw.join('\n')).not.toContain('222.2');
    watching.stop();
    await watching.ended;
  });

  it('wall link: its cookie opens the wall and no other endpoint', async () => {
    const screen = await openedScreen((await makeLink()).token);
    const { machines } = (await screen.send<{ machines: WallMachine[] }>('GET', '/wall')).body;
    expect(machines.map(({ id }) => id)).toEqual(ids);
    const others = endpoints.filter(({ access, isForWallLinks }) => access !== 'public' && isForWallLinks !== true);
    expect(others.length).toBeGreaterThan(80);
    const open: string[] = [];
    for (const { name, method, path } of others) {
      const answer = await fetch(`${api.url}${apiBasePath}${path.replaceAll(/\{\w+\}/g, ids[0] ?? '')}`, {
        method,
        headers: { cookie: screen.cookie ?? '', 'content-type': 'application/json' },
        ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }),
      });
      await answer.body?.cancel();
      if (answer.status !== 401) open.push(`${name}: ${answer.status}`);
    }
    expect(open).toEqual([]);
  });

  it('wall link: is refused in words on more screens than may be open, those that are open go on, and a closed one makes room', async () => {
    const { token } = await makeLink();
    const screens = await Promise.all(Array.from({ length: 33 }, () => openedScreen(token)));
    const last = screens.pop() ?? admin;
    const watched = await Promise.all(screens.map(watch));
    expect(watched.filter(({ status }) => status !== 200)).toEqual([]);
    const refused = await last.send<{ code: string; detail: string }>('GET', '/wall');
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_requests']);
    expect(refused.body.detail).toContain('too many screens');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await watch(last)).status).toBe(429);
    expect((await screens[0]?.send('GET', '/wall'))?.status).toBe(200);
    expect((await (await openedScreen((await makeLink()).token)).send('GET', '/wall')).status).toBe(200);
    watched[0]?.stop();
    await until('a place', async () => (await last.send('GET', '/wall')).status === 200);
    for (const stream of watched) stream.stop();
    await Promise.all(watched.map(({ ended }) => ended));
  });

  it('wall link: keeps the 200 screens that were opened last', async () => {
    const { id, token } = await makeLink();
    const first = await openedScreen(token);
    await database.sql`
      INSERT INTO wall_screens (id, link_id, token_hash, expires_at)
      SELECT gen_random_uuid(), ${id}, sha256(n::text::bytea), now() + interval '1 day' FROM generate_series(1, 250) AS n`;
    await database.sql`
      UPDATE wall_screens SET id = ('ffffffff' || substr(id::text, 9))::uuid WHERE link_id = ${id}
        AND token_hash IN (SELECT sha256(n::text::bytea) FROM generate_series(1, 250) AS n)`;
    await openedScreen(token);
    const [row] = await database.sql<{ n: number }[]>`
      SELECT count(*)::int AS n FROM wall_screens WHERE link_id = ${id}`;
    expect(row?.n).toBe(200);
    expect((await first.send('GET', '/wall')).status).toBe(401);
  });

  it('wall link: is refused once it was revoked, and its open streams end', async () => {
    const link = await makeLink();
    const screen = await openedScreen(link.token);
    const watching = await watch(screen);
    await until('a curve', () => watching.events.some(({ type }) => type === 'curve'));
    expect((await admin.send('DELETE', `/admin/wall-links/${link.id}`)).status).toBe(200);
    await watching.ended;
    expect((await screen.send('GET', '/wall')).status).toBe(401);
    expect((await api.visitor().send('POST', '/wall/session', { token: link.token })).status).toBe(404);
  });

  it.each([{ is_active: false }, { is_admin: false }])(
    'wall link: ends with the right of its creator, who became %o',
    async (change) => {
      const name = `maker-${Object.keys(change).join('')}`;
      const person = { email: `${name}@example.com`, password: 'a maker of wall links 5' };
      const { id } = (await admin.send<{ id: string }>('POST', '/admin/users', { ...person, full_name: name })).body;
      await admin.send('PATCH', `/admin/users/${id}`, { is_admin: true });
      const maker = await api.signedIn(person.email, person.password);
      const link = (await maker.send<{ token: string }>('POST', '/admin/wall-links', { name: 'Packing room' })).body;
      const screen = await openedScreen(link.token);
      const watching = await watch(screen);
      expect((await admin.send('PATCH', `/admin/users/${id}`, change)).status).toBe(200);
      await watching.ended;
      expect((await screen.send('GET', '/wall')).status).toBe(401);
      expect((await api.visitor().send('POST', '/wall/session', { token: link.token })).status).toBe(404);
    },
  );

  it('wall link: stores hashes only, and writes creation, opening and revocation to the audit log', async () => {
    const link = await makeLink();
    const screen = await openedScreen(link.token);
    const cookie = screen.cookie?.split('=')[1] ?? '';
    const stored = await database.sql`
      SELECT w.*, s.* FROM wall_links w JOIN wall_screens s ON s.link_id = w.id WHERE w.id = ${link.id}`;
    expect(JSON.stringify(stored)).not.toContain(link.token);
    expect(JSON.stringify(stored)).not.toContain(cookie);
    await admin.send('DELETE', `/admin/wall-links/${link.id}`);
    const rows = await database.sql<{ action: string; detail: { name: string } }[]>`
      SELECT action, detail FROM audit_log WHERE subject = ${link.id} ORDER BY id`;
    expect(rows.map(({ action, detail }) => [action, detail.name])).toEqual([
      ['wall_link.created', 'Roasting room'],
      ['wall_link.opened', 'Roasting room'],
      ['wall_link.revoked', 'Roasting room'],
    ]);
  });

  it('wall stream: contains how long ago the curve of a silent machine ended', async () => {
    const machine = await registerMachine(database.sql, 'WALL-3');
    const silentMs = 3 * 60_000;
    const board = createJournalBoard({ wallOffsetMs: clock.now() - silentMs - 60_000 });
    for (let second = 0; second <= 60; second++) board.sample(second * 1000, 190, 210, 60);
    await commitMessages(
      database.sql,
      board.batches().map((batch) => messageOf('WALL-3', batch)),
    );
    const watching = await watch(await openedScreen((await makeLink()).token));
    const curve = await until('its curve', () =>
      watching.events.find((event) => event.type === 'curve' && event.machine_id === machine.id),
    );
    if (curve.type !== 'curve') throw new Error('no curve');
    expect(curve.mono.at(-1)).toBe(60_000);
    expect(curve.age_ms).toBe(silentMs);
    watching.stop();
    await watching.ended;
  });

  it('wall: lists and follows more machines than fit on one page', async () => {
    const before = (await admin.send<{ total: number }>('GET', '/wall')).body.total;
    for (let number = 0; number < 30; number++) await registerMachine(database.sql, `MANY-${number}`);
    const screen = await openedScreen((await makeLink()).token);
    const { machines, total } = (await screen.send<{ machines: WallMachine[]; total: number }>('GET', '/wall')).body;
    expect([machines.length, total]).toEqual([before + 30, before + 30]);
    const watching = await watch(screen);
    await until('each curve', () => watching.events.filter(({ type }) => type === 'curve').length === total);
    watching.stop();
    await watching.ended;
  });

  it('wall: shows a user their own machines only, and answers 401 without a session or a link', async () => {
    const account = { full_name: 'Else', email: 'else@example.org', password: 'a phrase that is long' };
    await admin.send('POST', '/admin/users', account);
    const other = await api.signedIn(account.email, account.password);
    expect((await other.send('GET', '/wall')).body).toMatchObject({ machines: [], total: 0 });
    expect((await api.visitor().send('GET', '/wall')).status).toBe(401);
    expect((await watch(api.visitor())).status).toBe(401);
  });
});
