import { randomUUID } from 'node:crypto';
import { liveEventShape, type LiveEvent } from '@roastery/contract/live';
import { allMachines, topicOf } from '@roastery/contract/mqtt';
import { uuidV7 } from '@roastery/runtime/uuid';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { until as untilMet, type WaitOptions } from '@roastery/testing/until';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedDecoder } from '../ingest/shared-decoder.ts';
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

interface Watching {
  readonly events: LiveEvent[];
  readonly comments: () => number;
  /** Settles when the server ends the stream. */
  readonly ended: Promise<void>;
  readonly stop: () => void;
}

const watch = (url: string, machineId: string, visitor: Visitor): Promise<Watching> =>
  watchAt(`${url}/api/v1/machines/${machineId}/live`, visitor);

const watchAt = async (address: string, visitor: Visitor): Promise<Watching> => {
  const abort = new AbortController();
  const answer = await fetch(address, {
    headers: { cookie: visitor.cookie ?? '' },
    signal: abort.signal,
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  const events: LiveEvent[] = [];
  let comments = 0;
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of answer.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data === undefined) comments += 1;
        else events.push(liveEventShape.parse(JSON.parse(data)));
      }
    }
  };
  const ended = read().catch((error: unknown) => {
    if (!abort.signal.aborted && !(error instanceof TypeError)) throw error;
  });
  return { events, comments: () => comments, ended, stop: () => abort.abort() };
};

const ofType = <T extends LiveEvent['type']>(events: readonly LiveEvent[], type: T) =>
  events.filter((event): event is Extract<LiveEvent, { type: T }> => event.type === type);

const reading = (board: ReturnType<typeof createJournalBoard>, seq: number, mono: number, bean: number) =>
  JSON.stringify({
    v: 1,
    epoch: board.epoch,
    seq,
    boot: board.boot,
    t: fromNow(0),
    mono,
    values: { bean_temp: bean },
    roast: null,
    phase: 'idle',
  });

describe('live stream', () => {
  let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
  let broker: PlainBroker;
  let api: WholeApi;
  let admin: Visitor;
  const clock = presentClock();
  /** Waits for what the api sends by itself now and then. */
  const until = <T>(awaited: string, probe: () => T | Promise<T>, options?: WaitOptions) =>
    untilMet(awaited, clock.passing(probe), options);

  beforeAll(async () => {
    database = await openMigratedDatabase();
    broker = await startPlainBroker();
    api = await startWholeApi(database.url, broker.url, {}, { clock });
    admin = await api.signedIn();
    await until('ingest to listen', () => broker.subscriptionsTo(allMachines('journal')) > 0);
  });
  afterAll(async () => {
    await api.close();
    await broker.close();
    await database[Symbol.asyncDispose]();
  });

  it('starts with hello and backlog, then sends readings, samples and changes of the roast', async () => {
    const machine = await registerMachine(database.sql, 'LIVE-1');
    const board = createJournalBoard({ wallOffsetMs: fromNow(-1_000_000) });
    await using wire = await connectBoard(broker.url, 'LIVE-1');
    for (let second = 0; second < 400; second++) board.sample(second * 1000, 100 + second / 10, 200, 50);
    for (const batch of board.batches(() => 100)) await wire.publish(batch);
    await until('the acknowledgement', () => wire.hasAck(board.epoch, 399));

    const watching = await watch(api.url, machine.id, admin);
    await until('the backlog', () => ofType(watching.events, 'backlog').length === 1);
    expect(watching.events[0]).toMatchObject({ type: 'hello', machine_id: machine.id });
    const [backlog] = ofType(watching.events, 'backlog');
    expect(backlog).toMatchObject({ roast: null, charge_mono: null });
    expect(backlog?.samples[0]?.seq[0]).toBe(99);
    expect(backlog?.samples[0]?.mono.at(-1)).toBe(399_000);
    await until('the room to listen', () => broker.subscriptionsTo(topicOf('LIVE-1', 'live')) > 0);

    await wire.client.publishAsync(topicOf('LIVE-1', 'live'), reading(board, 400, 400_000, 141.5), { qos: 0 });
    const [seen] = await until(
      'the reading',
      () => {
        const readings = ofType(watching.events, 'reading');
        return readings.length > 0 && readings;
      },
      { everyMs: 1 },
    );
    expect(seen?.reading.values).toEqual({ bean_temp: 141.5 });

    const id = uuidV7();
    const from = board.length;
    board.sample(400_000, 141.5, 200, 50);
    board.event(400_500, { type: 'roast', roast_id: id, state: 'in_progress' });
    board.event(400_500, markEvent(id, 'charge', { seq: 390, mono: 390_000 }, 139));
    for (const batch of board.batches(() => 20, from)) await wire.publish(batch);
    const roast = await until('the roast', () =>
      ofType(watching.events, 'roast').findLast((event) => event.charge_mono !== null),
    );
    expect(roast).toMatchObject({ charge_mono: 390_000, roast: { id, status: 'in_progress', charge_temp: 139 } });
    expect(ofType(watching.events, 'samples').some(({ samples }) => samples.seq.includes(400))).toBe(true);

    const late = await watch(api.url, machine.id, admin);
    await until('the backlog of the running roast', () => ofType(late.events, 'backlog').length === 1);
    const [running] = ofType(late.events, 'backlog');
    expect(running?.roast?.id).toBe(id);
    expect(running?.samples[0]?.mono[0]).toBe(330_000);
    watching.stop();
    late.stop();
    await Promise.all([watching.ended, late.ended]);
  });

  it('decodes each batch of a watched board once, for its watchers and for ingest', async () => {
    const machine = await registerMachine(database.sql, 'ONCE-1');
    const board = createJournalBoard();
    await using wire = await connectBoard(broker.url, 'ONCE-1');
    const watching = await watch(api.url, machine.id, admin);
    await until('the room to listen', () => broker.subscriptionsTo(topicOf('ONCE-1', 'journal')) > 0);
    const before = sharedDecoder.decodings;
    const batches = 5;
    for (let second = 0; second < batches; second++) board.sample(second * 1000, 100, 200, 50);
    for (const batch of board.batches(() => 1)) await wire.publish(batch);
    await until('the acknowledgement', () => wire.hasAck(board.epoch, batches - 1));
    await until('the samples', () => ofType(watching.events, 'samples').length >= batches);
    expect(sharedDecoder.decodings - before).toBe(batches);
    watching.stop();
  });

  it('sends what the board sent before the stream was opened and was stored after its backlog was read', async () => {
    const machine = await registerMachine(database.sql, 'LIVE-BACKFILL');
    const board = createJournalBoard({ wallOffsetMs: fromNow(-1_000_000) });
    const id = uuidV7();
    await using wire = await connectBoard(broker.url, 'LIVE-BACKFILL');
    board.sample(0, 200, 200, 50);
    board.event(0, { type: 'roast', roast_id: id, state: 'in_progress' });
    board.event(0, markEvent(id, 'charge', { seq: 0, mono: 0 }, 200));
    for (let second = 1; second < 600; second++) board.sample(second * 1000, 100 + second / 10, 200, 50);
    // Ingest waits for the lock; reads do not.
    const lock = postgres(database.url, { max: 1 });
    const watching: Watching[] = [];
    try {
      await lock`BEGIN`;
      await lock`LOCK TABLE recording_chunks IN SHARE MODE`;
      for (const batch of board.batches(() => 100)) await wire.publish(batch);
      await until('ingest to wait', async () => (await lock`SELECT FROM pg_locks WHERE NOT granted`).length > 0);
      watching.push(await watch(api.url, machine.id, admin), await watch(api.url, machine.id, admin));
      for (const { events } of watching)
        await until('the backlog without it', () => ofType(events, 'backlog')[0]?.samples.length === 0);
      await until('the subscription', () => broker.subscriptionsTo(topicOf('LIVE-BACKFILL', 'live')) > 0);
      await wire.client.publishAsync(topicOf('LIVE-BACKFILL', 'live'), reading(board, 602, 600_000, 160), { qos: 0 });
      for (const { events } of watching) await until('the reading', () => ofType(events, 'reading').length > 0);
    } finally {
      await lock`COMMIT`;
      await lock.end();
    }
    const sent = [0, ...Array.from({ length: 599 }, (_, index) => index + 3)];
    for (const { events, stop, ended } of watching) {
      const missing = () => {
        const seen = new Set(ofType(events, 'samples').flatMap(({ samples }) => samples.seq));
        return sent.filter((seq) => !seen.has(seq));
      };
      await expect.poll(clock.passing(missing), { message: 'samples since the charge' }).toEqual([]);
      stop();
      await ended;
    }
  });

  it('sends the backlog of a new stream before its first reading, and nothing of the stream before it', async () => {
    const machine = await registerMachine(database.sql, 'LIVE-NEW-STREAM');
    const [earlier, current] = [createJournalBoard(), createJournalBoard()];
    await using wire = await connectBoard(broker.url, 'LIVE-NEW-STREAM');
    const sayStream = (epoch: string) =>
      wire.client.publishAsync(
        topicOf('LIVE-NEW-STREAM', 'status'),
        JSON.stringify({ v: 1, online: true, session: epoch, t: fromNow(0), epoch }),
        { qos: 1, retain: true },
      );
    for (let second = 0; second < 20; second++) earlier.sample(1_000_000 + second * 1000, 200, 210, 50);
    for (let second = 0; second < 600; second++) current.sample(second * 1000, 100 + second / 10, 200, 50);
    await sayStream(earlier.epoch);
    const [first, late] = earlier.batches(() => 10);
    await wire.publish(first!);
    await until('the acknowledgement', () => wire.hasAck(earlier.epoch, 9));
    const watching = await watch(api.url, machine.id, admin);
    await until('the backlog', () => ofType(watching.events, 'backlog')[0]?.samples[0]?.epoch === earlier.epoch);
    await until('the subscription', () => broker.subscriptionsTo(topicOf('LIVE-NEW-STREAM', 'live')) > 0);

    // The board restarted with another journal and sends what it recorded before; the earlier stream still drains.
    const before = watching.events.length;
    await sayStream(current.epoch);
    for (const batch of current.batches(() => 100)) {
      await wire.publish(batch);
      await wire.publish(late!);
    }
    await until('the acknowledgements', () => wire.hasAck(current.epoch, 599) && wire.hasAck(earlier.epoch, 19));
    const sent = () => ofType(watching.events.slice(before), 'samples').map(({ samples }) => samples);
    await until('its last five minutes', () => {
      const seqs = new Set(sent().flatMap(({ epoch, seq }) => (epoch === current.epoch ? seq : [])));
      return Array.from({ length: 300 }, (_, index) => index + 300).every((seq) => seqs.has(seq));
    });
    const statusAt = watching.events.findIndex(
      (event) => event.type === 'status' && event.status?.epoch === current.epoch,
    );
    const after = ofType(watching.events.slice(statusAt), 'samples').map(({ samples }) => samples.epoch);
    expect(new Set(after)).toEqual(new Set([current.epoch]));
    watching.stop();
    await watching.ended;
  });

  it('several machines over one stream: each event names its machine; inaccessible ones are reported as gone', async () => {
    const [one, two, other] = [
      await registerMachine(database.sql, 'LIVE-MANY-1'),
      await registerMachine(database.sql, 'LIVE-MANY-2'),
      await registerMachine(database.sql, 'LIVE-MANY-3'),
    ];
    const account = { full_name: 'Mia', email: 'mia@example.org', password: 'a phrase that is long' };
    const created = await admin.send<{ id: string }>('POST', '/admin/users', account);
    const mia = await api.signedIn(account.email, account.password);
    for (const { id } of [one, two]) {
      await admin.send('PUT', `/machines/${id}/members/${created.body.id}`, { role: 'viewer' });
    }
    const address = `${api.url}/api/v1/live?machines=${[one.id, other.id, two.id].join(',')}`;
    const watching = await watchAt(address, mia);
    await until('both backlogs', () => ofType(watching.events, 'backlog').length === 2);
    expect(new Set(watching.events.map((event) => `${event.type} ${event.machine_id}`))).toEqual(
      new Set([`gone ${other.id}`, `hello ${one.id}`, `backlog ${one.id}`, `hello ${two.id}`, `backlog ${two.id}`]),
    );
    for (const [serial, bean] of [
      ['LIVE-MANY-1', 111],
      ['LIVE-MANY-2', 222],
    ] as const) {
      const board = createJournalBoard({ wallOffsetMs: fromNow(-1000) });
      await using wire = await connectBoard(broker.url, serial);
      await until('the subscription', () => broker.subscriptionsTo(topicOf(serial, 'live')) > 0);
      await wire.client.publishAsync(topicOf(serial, 'live'), reading(board, 1, 1000, bean), { qos: 0 });
    }
    await until('both readings', () => ofType(watching.events, 'reading').length === 2);
    expect(
      ofType(watching.events, 'reading').map(({ machine_id, reading: { values } }) => [
        machine_id,
        values['bean_temp'],
      ]),
    ).toEqual([
      [one.id, 111],
      [two.id, 222],
    ]);

    await admin.send('DELETE', `/machines/${one.id}/members/${created.body.id}`);
    await watching.ended;
    const again = await watchAt(address, mia);
    await until('the backlog', () => ofType(again.events, 'backlog').length === 1);
    expect(ofType(again.events, 'gone').map(({ machine_id }) => machine_id)).toEqual([one.id, other.id]);
    again.stop();
    await again.ended;
  });

  it('ends when the session ends, and when the machine is archived', async () => {
    const machine = await registerMachine(database.sql, 'LIVE-2');
    const person = await api.signedIn();
    const watching = await watch(api.url, machine.id, person);
    await until('the backlog', () => ofType(watching.events, 'backlog').length === 1);
    await person.send('POST', '/auth/logout');
    await expect(watching.ended).resolves.toBeUndefined();

    const again = await watch(api.url, machine.id, admin);
    await until('the backlog', () => ofType(again.events, 'backlog').length === 1);
    await database.sql`UPDATE machines SET archived_at = now() WHERE id = ${machine.id}`;
    await clock.advance(1000);
    await expect(again.ended).resolves.toBeUndefined();
  });

  it('sends changes of the connection, and ignores a late last will of an older connection', async () => {
    const machine = await registerMachine(database.sql, 'LIVE-3');
    await using wire = await connectBoard(broker.url, 'LIVE-3');
    const watching = await watch(api.url, machine.id, admin);
    await until('hello', () => watching.events.length >= 2);
    expect(watching.events[0]).toMatchObject({ connection: 'never_connected', status: null });
    const say = (online: boolean, session: string) =>
      wire.client.publishAsync(topicOf('LIVE-3', 'status'), JSON.stringify({ v: 1, online, session, t: fromNow(0) }), {
        qos: 1,
        retain: true,
      });
    const last = () => ofType(watching.events, 'status').at(-1);
    await say(true, 'first');
    await until('online', () => last()?.connection === 'online');
    await say(true, 'second');
    await say(false, 'first');
    await until('the second session', () => last()?.status?.session === 'second');
    // Statuses are handled in turn: the last will of the first session was handled before this one.
    await say(true, 'third');
    await until('the third session', () => last()?.status?.session === 'third');
    expect(ofType(watching.events, 'status').map(({ connection }) => connection)).not.toContain('offline');
    await say(false, 'third');
    await until('offline', () => last()?.connection === 'offline');
    expect(last()?.status).toMatchObject({ online: false });
    watching.stop();
    await watching.ended;
  });

  it('backfills samples after the broker was unavailable', async () => {
    const machine = await registerMachine(database.sql, 'LIVE-4');
    const board = createJournalBoard({ boot: randomUUID() });
    const watching = await watch(api.url, machine.id, admin);
    await until('the backlog', () => ofType(watching.events, 'backlog').length === 1);
    {
      await using wire = await connectBoard(broker.url, 'LIVE-4');
      for (let n = 0; n < 10; n++) board.sample(n * 1000, 100, 200, 50);
      // The stream begins before the channel's subscription may be active: the catch-up covers the gap.
      for (const batch of board.batches()) await wire.publish(batch);
      await until('the acknowledgement', () => wire.hasAck(board.epoch, 9));
    }
    const seen = () => new Set(ofType(watching.events, 'samples').flatMap(({ samples }) => samples.seq));
    await until('all ten samples', () => seen().size === 10);
    expect([...seen()].sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, n) => n));
    watching.stop();
    await watching.ended;
  });

  it('sends an alarm again as acknowledged that was acknowledged while the connection to the database was lost', async () => {
    const machine = await registerMachine(database.sql, 'LIVE-7');
    const { body: self } = await admin.send<{ id: string; full_name: string }>('GET', '/auth/me');
    const [roastId, alarmId] = [randomUUID(), randomUUID()];
    await database.sql`
      INSERT INTO roasts (id, machine_id, owner_id, status, start_time)
      SELECT ${roastId}, id, owner_id, 'in_progress', now() FROM machines WHERE id = ${machine.id}`;
    await database.sql`
      INSERT INTO roast_alarms (id, roast_id, machine_id, kind, occurrence, colour, sound, mono_ms, happened_at, is_late)
      VALUES (${alarmId}, ${roastId}, ${machine.id}, 'rule', 'rule', 'blue', true, 1000, now(), false)`;
    const watching = await watch(api.url, machine.id, admin);
    const shown = () => ofType(watching.events, 'alarms').at(-1)?.alarms ?? [];
    await until('the alarm', () => shown()[0]?.id === alarmId);
    expect(shown()[0]?.acknowledged_at).toBeNull();
    // The notification is lost with the listening connection.
    await database.sql.begin(async (tx) => {
      await tx`UPDATE roast_alarms SET acknowledged_at = now(), acknowledged_by = ${self.id} WHERE id = ${alarmId}`;
      const gone = await tx`
        SELECT pg_terminate_backend(pid, 10_000) FROM pg_stat_activity
         WHERE datname = current_database() AND query ILIKE 'listen%'`;
      expect(gone.length).toBeGreaterThan(0);
    });
    await until('its acknowledgement', () => shown()[0]?.acknowledged_by === self.full_name);
    expect(shown()).toMatchObject([{ id: alarmId, acknowledged_at: expect.any(String) }]);
    watching.stop();
    await watching.ended;
  });

  it('queries connections with one statement at a time, however long it takes', async () => {
    const machine = await registerMachine(database.sql, 'LIVE-6');
    const watching = await watch(api.url, machine.id, admin);
    await until('the backlog', () => ofType(watching.events, 'backlog').length === 1);
    const waiting = await database.sql.begin(async (tx) => {
      await tx`SET LOCAL idle_in_transaction_session_timeout = 0`;
      await tx`LOCK TABLE machines IN ACCESS EXCLUSIVE MODE`;
      const before = watching.comments();
      await until('the next heartbeat but one', () => watching.comments() > before + 1);
      const [row] = await tx<{ statements: number }[]>`
        SELECT count(*) AS statements FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%AS connection%'`;
      return row?.statements;
    });
    expect(waiting).toBe(1);
    await database.sql`UPDATE machines SET is_online = true, last_seen_at = now() WHERE id = ${machine.id}`;
    await until('the next answer', () => ofType(watching.events, 'status').at(-1)?.connection === 'online');
    watching.stop();
    await watching.ended;
  });

  it('answers 404 for users who may not see the machine', async () => {
    const machine = await registerMachine(database.sql, 'LIVE-5');
    const account = { full_name: 'Else', email: 'else@example.org', password: 'a phrase that is long' };
    await admin.send('POST', '/admin/users', account);
    const other = await api.signedIn(account.email, account.password);
    expect((await other.send('GET', `/machines/${machine.id}/live`)).status).toBe(404);
    expect((await api.visitor().send('GET', `/machines/${machine.id}/live`)).status).toBe(401);
  });
});
