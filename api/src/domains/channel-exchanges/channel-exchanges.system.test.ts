import { randomBytes } from 'node:crypto';
import type { GroupFigures } from '@roastery/contract/analytics';
import type { ChannelExchanges } from '@roastery/contract/channel-exchanges';
import type { CurveColumns } from '@roastery/contract/roast-curves';
import type { ForecastBasisAnswer } from '@roastery/contract/roast-forecasts';
import type { Roast, RoastRow } from '@roastery/contract/roasts';
import { createLogger } from '@roastery/runtime/logger';
import { uuidV7 } from '@roastery/runtime/uuid';
import { createJournalBoard, type JournalBoard } from '@roastery/testing/journal-board';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../db/sql.ts';
import { commitMessages } from '../../ingest/store-batch.ts';
import { markEvent, messageOf, openMigratedDatabase, registerMachine } from '../../testing/ingest-fixture.ts';
import { startTestApi, testAdmin, type TestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';
import { followNext } from './follower.ts';
import { followStatement, recordingsToFollow } from './follow-statement.ts';

const log = createLogger('test', 'silent');
const mapId = 'own-drum';
const startMs = Date.parse('2026-03-03T08:00:00Z');
/** Seconds of the recording at which the beans go in and out. */
const [chargeSecond, dropSecond, endSecond] = [400, 1060, 1400];

/** What the probe in the beans measures. */
const beanAt = (second: number): number => {
  const since = second - chargeSecond;
  if (since < 0) return 205;
  if (second > dropSecond) return Math.max(95, 212 - (second - dropSecond) * 2.2);
  // The fall of the probe to the turning point, then a rise that slows down.
  const fall = 205 - 117 * (1 - Math.exp(-since / 22));
  return fall + 124 * (1 - Math.exp(-Math.max(0, since - 40) / 420)) * 1.28;
};
/** What the probe in the exhaust measures: higher, and with a small dip at the charge. */
const exhaustAt = (second: number): number => {
  const since = second - chargeSecond;
  if (since < 0) return 231;
  return second > dropSecond
    ? 238 - (second - dropSecond) * 0.05
    : 206 + 25 * (since / 660) + 25 * Math.exp(-since / 60);
};

interface RecordedRoast {
  readonly id: string;
  readonly board: JournalBoard;
}

/**
 * A roast by a map whose revision 1 has bean and exhaust exchanged. The board's detector has read the exhaust: its marks are
 * late, and have the wrong temperature.
 */
const recordRoast = (rev: number, onDayMs: number, id = mapId): RecordedRoast => {
  const board = createJournalBoard({ map: { id, rev }, wallOffsetMs: startMs + onDayMs });
  const roastId = uuidV7();
  const seqs = new Map<number, number>();
  const at = (second: number) => ({ seq: seqs.get(second) ?? 0, mono: second * 1000 });
  const mark = (kind: 'charge' | 'turning_point' | 'drop', second: number) =>
    markEvent(roastId, kind, at(second), Math.round(exhaustAt(second) * 100) / 100);
  for (let second = 0; second < endSecond; second++) {
    const mono = second * 1000;
    const [bean, exhaust] = [beanAt(second), exhaustAt(second)].map((temp) => Math.round(temp * 10) / 10);
    const columns = rev === 1 ? [exhaust, bean] : [bean, exhaust];
    seqs.set(second, board.sample(mono, ...columns.map((temp) => temp ?? null), second > chargeSecond ? 60 : 20));
    if (second === 450) {
      board.event(mono, { type: 'roast', roast_id: roastId, state: 'in_progress' });
      board.event(mono, mark('charge', 432));
    }
    if (second === 520) board.event(mono, mark('turning_point', 500));
    if (second === 1150) {
      board.event(mono, mark('drop', 1120));
      board.event(mono, { type: 'roast', roast_id: roastId, state: 'completed' });
    }
  }
  return { id: roastId, board };
};

const send = (sql: Database, serial: string, { board }: RecordedRoast) =>
  commitMessages(
    sql,
    board.batches(() => 200).map((batch) => messageOf(serial, batch)),
  );

const saveMap = async (sql: Database, owner: string) => {
  await sql`INSERT INTO machine_maps (id, owner_id, rev) VALUES (${mapId}, ${owner}, 2) ON CONFLICT DO NOTHING`;
  for (const [rev, bean, exhaust] of [
    [1, 'h:6', 'h:8'],
    [2, 'h:8', 'h:6'],
  ] as const) {
    const channels = { bean_temp: { at: bean }, exhaust_temp: { at: exhaust } };
    const map = {
      v: 1,
      id: mapId,
      rev,
      maker: 'Ambex',
      model: 'YM',
      link: { kind: 'tcp', host: '10.0.0.2' },
      channels,
    };
    await sql`
      INSERT INTO machine_map_revisions (map_id, rev, map) VALUES (${mapId}, ${rev}, ${JSON.stringify(map)}::text::json)
      ON CONFLICT DO NOTHING`;
  }
};

const markOf = (roast: Roast, kind: string) => roast.marks.find((mark) => mark.kind === kind);

describe('exchanged channels', () => {
  let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
  let test: TestApi;
  let admin: Visitor;
  let machine: { id: string; owner: string };
  let serial: string;

  beforeAll(async () => {
    database = await openMigratedDatabase();
    test = await startTestApi(database.url);
    admin = await test.signedIn(testAdmin.email, testAdmin.password);
  });
  afterAll(async () => {
    await test.close();
    await database[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    serial = `YM-${randomBytes(4).toString('hex')}`;
    machine = await registerMachine(database.sql, serial);
    await saveMap(database.sql, machine.owner);
  });

  const pathOf = (id = machine.id): string => `/machines/${id}/channel-exchanges`;
  const read = async (id = machine.id): Promise<ChannelExchanges> => {
    const answer = await admin.send<ChannelExchanges>('GET', pathOf(id));
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const state = (kind: 'exchanged' | 'right', rev = 1) =>
    admin.send<ChannelExchanges>('POST', pathOf(), { state: kind, revisions: [{ map_id: mapId, map_rev: rev }] });
  const undo = () => admin.send<ChannelExchanges>('DELETE', pathOf());
  const settled = () => until('all marks to follow', async () => (await read()).pending === 0);
  const exchange = async () => {
    expect((await state('exchanged')).status).toBe(200);
    await settled();
  };
  const roastOf = async (id: string): Promise<Roast> => (await admin.send<Roast>('GET', `/roasts/${id}`)).body;
  const curveOf = async (id: string): Promise<CurveColumns> =>
    (await admin.send<CurveColumns>('GET', `/roasts/${id}/curve/columns`)).body;
  const fileOf = async (id: string, kind: string): Promise<string> =>
    new TextDecoder().decode((await admin.download(`/roasts/${id}/export/${kind}`)).bytes);
  /** Everything of a roast that people see, and its stored marks. */
  const allOf = async (id: string) => ({
    roast: await roastOf(id),
    curve: await curveOf(id),
    csv: await fileOf(id, 'csv'),
    alog: await fileOf(id, 'alog'),
    marks: await database.sql`SELECT * FROM roast_marks WHERE roast_id = ${id} ORDER BY id`,
    row: await database.sql`SELECT * FROM roasts WHERE id = ${id}`,
  });
  it('recordings of an earlier revision: are proposed, and those of the newest one are not', async () => {
    const [old, right] = [recordRoast(1, 0), recordRoast(2, 86_400_000)];
    await send(database.sql, serial, old);
    await send(database.sql, serial, right);
    const { revisions, pending } = await read();
    expect(pending).toBe(0);
    expect(revisions).toMatchObject([
      { map_id: mapId, map_rev: 1, maker: 'Ambex', model: 'YM', state: 'proposed', roasts: 1, stated_at: null },
    ]);
    expect(revisions[0]?.first_at).toBe((await roastOf(old.id)).start_time);
  });

  it('recordings of a catalogue map: are proposed for the revisions that the catalogue names', async () => {
    await send(database.sql, serial, recordRoast(1, 0, 'ambex-ym'));
    await send(database.sql, serial, recordRoast(2, 86_400_000, 'ambex-ym'));
    await send(database.sql, serial, recordRoast(1, 2 * 86_400_000, 'no-such-map'));
    expect((await read()).revisions).toMatchObject([
      { map_id: 'ambex-ym', map_rev: 1, maker: 'Ambex', state: 'proposed', roasts: 1 },
    ]);
  });

  it('a confirmed exchange: turns curve, marks and figures, and touches no other roast', async () => {
    const [old, right] = [recordRoast(1, 0), recordRoast(2, 86_400_000)];
    const otherSerial = `${serial}-other`;
    await registerMachine(database.sql, otherSerial, machine.owner);
    const elsewhere = recordRoast(1, 2 * 86_400_000);
    await send(database.sql, serial, old);
    await send(database.sql, serial, right);
    await send(database.sql, otherSerial, elsewhere);
    const untouched = [await allOf(right.id), await allOf(elsewhere.id)];

    await exchange();
    const roast = await roastOf(old.id);
    const charge = markOf(roast, 'charge');
    expect(Date.parse(roast.start_time) - startMs).toBeGreaterThan((chargeSecond - 8) * 1000);
    expect(Date.parse(roast.start_time) - startMs).toBeLessThan((chargeSecond + 8) * 1000);
    expect(charge).toMatchObject({ origin: 'detector', time_seconds: 0 });
    expect(roast.charge_temp).toBeGreaterThan(190);
    expect(roast.charge_temp).toBeLessThan(210);
    expect(roast.duration_seconds).toBeGreaterThan(dropSecond - chargeSecond - 15);
    expect(roast.duration_seconds).toBeLessThan(dropSecond - chargeSecond + 15);
    expect(markOf(roast, 'dry_end')?.temp).toBeCloseTo(150, 0);
    expect(roast.status).toBe('completed');
    const curve = await curveOf(old.id);
    const turn = Math.min(...(curve.channels['bean_temp'] ?? []).flatMap((temp) => temp ?? []));
    expect(turn).toBeLessThan(130);
    expect(await fileOf(old.id, 'csv')).not.toBe(untouched[0]?.csv);
    expect([await allOf(right.id), await allOf(elsewhere.id)]).toEqual(untouched);
    const [audit] = await database.sql<{ detail: unknown }[]>`
      SELECT detail FROM audit_log WHERE action = 'recordings.channels_exchanged' AND subject = ${machine.id}`;
    expect(audit?.detail).toEqual({ revisions: [`${mapId}@1`], roasts: 1 });
  });

  it('exports and forecasts: read the right probe', async () => {
    const [old, later] = [recordRoast(1, 0), recordRoast(2, 86_400_000)];
    await send(database.sql, serial, old);
    await send(database.sql, serial, later);
    const basis = async () => (await admin.send<ForecastBasisAnswer>('GET', `/roasts/${later.id}/forecast-basis`)).body;
    const before = await basis();
    await exchange();
    const lines = (await fileOf(old.id, 'csv')).split('\n');
    const head = lines.findIndex((line) => line.includes('Bean'));
    const column = (lines[head] ?? '').split(',').findIndex((name) => name.includes('Bean'));
    const temps = lines.slice(head + 1).flatMap((line) => (line === '' ? [] : [Number(line.split(',')[column])]));
    expect(Math.max(...temps)).toBeLessThan(220);
    expect(Math.min(...temps.slice(0, 100))).toBeGreaterThan(190);
    expect(await basis()).not.toEqual(before);
    const [list] = (await admin.send<{ roasts: RoastRow[] }>('GET', `/roasts?machine_id=${machine.id}&sort=start_time`))
      .body.roasts;
    expect(list?.charge_temp).toBe((await roastOf(old.id)).charge_temp);
  });

  it('analytics and references: compare the right probes, and undo compares as before', async () => {
    const [old, later] = [recordRoast(1, 0), recordRoast(2, 86_400_000)];
    await send(database.sql, serial, old);
    await send(database.sql, serial, later);
    const recipe = {
      name: `Recipe ${serial}`,
      control_profile: [0, 720].map((time) => ({ time, burner: 60, exhaust: 30, drum: 60 })),
    };
    const { body: profile, status } = await admin.send<{ id: string }>('POST', '/profiles', recipe);
    expect(status).toBe(201);
    for (const { id } of [old, later])
      expect((await admin.send('PUT', `/roasts/${id}`, { profile_id: profile.id })).status).toBe(200);
    const compared = async () => {
      const { body } = await admin.send<{ mean_rms: number }>('GET', `/analytics/consistency/${profile.id}`);
      const groups = await admin.send<{ groups: GroupFigures[] }>('GET', `/analytics/groups/recipe`);
      const own = groups.body.groups.find(({ id }) => id === profile.id);
      return { rms: body.mean_rms, seconds: own?.mean_duration_seconds ?? NaN };
    };
    const before = await compared();
    expect(before.rms).toBeGreaterThan(20);
    await exchange();
    const after = await compared();
    // The same roast twice; the charges differ by some seconds.
    expect(after.rms).toBeLessThan(before.rms / 2);
    expect(after.seconds).not.toBe(before.seconds);
    expect((await undo()).status).toBe(200);
    await settled();
    expect(await compared()).toEqual(before);
  });

  it('marks of a person: stay, with the temperature of the right probe, and a typed one stays as typed', async () => {
    const old = recordRoast(1, 0);
    await send(database.sql, serial, old);
    const put = (kind: string, body: object) => admin.send<Roast>('PUT', `/roasts/${old.id}/marks/${kind}`, body);
    expect((await put('first_crack', { time_seconds: 500 })).status).toBe(200);
    expect((await put('dry_end', { time_seconds: 250, temp: 151.5 })).status).toBe(200);
    const before = await roastOf(old.id);
    const atMs = (roast: Roast, kind: string) =>
      Date.parse(roast.start_time) + (markOf(roast, kind)?.time_seconds ?? NaN) * 1000;
    await exchange();
    const after = await roastOf(old.id);
    for (const kind of ['first_crack', 'dry_end']) {
      expect(markOf(after, kind)?.origin).toBe('person');
      expect(atMs(after, kind)).toBe(atMs(before, kind));
    }
    expect(markOf(before, 'first_crack')?.temp).toBeCloseTo(exhaustAt(932), 0);
    expect(markOf(after, 'first_crack')?.temp).toBeCloseTo(beanAt(932), 0);
    expect(markOf(after, 'dry_end')?.temp).toBe(151.5);
  });

  it('a signal of the machine: keeps its time, and the detector sets no mark of its kind', async () => {
    const old = recordRoast(1, 0);
    const second = 1070;
    const seq = old.board.event(1_399_000, {
      ...markEvent(old.id, 'drop', { seq: second, mono: second * 1000 }, exhaustAt(second)),
      origin: 'machine',
    });
    expect(seq).toBeGreaterThan(0);
    await send(database.sql, serial, old);
    await exchange();
    const drop = markOf(await roastOf(old.id), 'drop');
    expect(drop?.origin).toBe('machine');
    expect(drop?.temp).toBeCloseTo(beanAt(second), 0);
  });

  it('undo: restores curve, marks and figures exactly, and proposes the recordings again', async () => {
    const old = recordRoast(1, 0);
    await send(database.sql, serial, old);
    await admin.send('PUT', `/roasts/${old.id}/marks/first_crack`, { time_seconds: 500 });
    const before = await allOf(old.id);
    await exchange();
    expect((await allOf(old.id)).curve).not.toEqual(before.curve);
    expect((await undo()).status).toBe(200);
    await settled();
    expect(await allOf(old.id)).toEqual(before);
    expect((await read()).revisions).toMatchObject([{ state: 'proposed', roasts: 1 }]);
    expect((await undo()).status).toBe(404);
  });

  it('a mark that a person sets while channels are exchanged: has the recorded temperature after undo', async () => {
    const old = recordRoast(1, 0);
    await send(database.sql, serial, old);
    await exchange();
    const { body } = await admin.send<Roast>('PUT', `/roasts/${old.id}/marks/first_crack`, { time_seconds: 500 });
    const second = (Date.parse(body.start_time) - startMs) / 1000 + 500;
    expect(markOf(body, 'first_crack')?.temp).toBeCloseTo(beanAt(second), 0);
    expect((await undo()).status).toBe(200);
    await settled();
    const after = await roastOf(old.id);
    expect(markOf(after, 'first_crack')?.temp).toBeCloseTo(exhaustAt(second), 0);
    expect(markOf(after, 'charge')?.temp).toBeCloseTo(exhaustAt(432), 0);
    // And exchanged again.
    await exchange();
    expect(markOf(await roastOf(old.id), 'first_crack')?.temp).toBeCloseTo(beanAt(second), 0);
  });

  it('late batches: are stored under the right names, and late marks of the board do not count', async () => {
    const old = recordRoast(1, 0);
    const messages = old.board.batches(() => 200).map((batch) => messageOf(serial, batch));
    // The turning point and the samples around it come last.
    const late = messages.splice(4, 3);
    await commitMessages(database.sql, messages);
    await exchange();
    await commitMessages(database.sql, late);
    const seq = old.board.event(1_399_500, markEvent(old.id, 'charge', { seq: 440, mono: 440_000 }, exhaustAt(440)));
    await commitMessages(
      database.sql,
      old.board.batches(() => 1, seq).map((batch) => messageOf(serial, batch)),
    );
    await until('the charge of the right probe', async () => {
      const roast = await roastOf(old.id);
      return Math.abs(Date.parse(roast.start_time) - startMs - chargeSecond * 1000) < 8000;
    });
    const [layouts] = await database.sql<{ count: number }[]>`
      SELECT count(*) FROM recording_layouts l JOIN recordings r ON r.id = l.recording_id
      WHERE r.machine_id = ${machine.id}`;
    expect(layouts?.count).toBe(1);
    const bean = (await curveOf(old.id)).channels['bean_temp'] ?? [];
    expect(bean.every((temp) => temp !== null)).toBe(true);
    expect(Math.min(...bean.flatMap((temp) => temp ?? []))).toBeLessThan(130);
    const conflicts = await database.sql`SELECT FROM quarantine WHERE serial_number = ${serial}`;
    expect(conflicts).toHaveLength(0);
    // The same entries again are repeats, not a second content.
    const again = await commitMessages(database.sql, [...messages, ...late]);
    expect(again.conflicts).toBe(0);
  });

  it('a full resend after a restore: follows the statement', async () => {
    const old = recordRoast(1, 0);
    await send(database.sql, serial, old);
    await exchange();
    const before = await allOf(old.id);
    // The database lost the recording, not the statement.
    await database.sql`DELETE FROM roast_marks WHERE roast_id = ${old.id}`;
    await database.sql`DELETE FROM replaced_marks WHERE roast_id = ${old.id}`;
    await database.sql`DELETE FROM roasts WHERE machine_id = ${machine.id}`;
    await database.sql`DELETE FROM recording_chunks WHERE recording_id IN (SELECT id FROM recordings WHERE machine_id = ${machine.id})`;
    await database.sql`DELETE FROM recordings WHERE machine_id = ${machine.id}`;
    await send(database.sql, serial, old);
    await until('the roast again', async () => {
      const [row] = await database.sql<{ drop_seq: number | null }[]>`SELECT drop_seq FROM roasts WHERE id = ${old.id}`;
      return row?.drop_seq === before.row[0]?.['drop_seq'];
    });
    expect((await curveOf(old.id)).channels).toEqual(before.curve.channels);
    expect((await roastOf(old.id)).marks).toEqual(before.roast.marks);
  });

  it('“they are right”: ends the proposal until it is undone', async () => {
    await send(database.sql, serial, recordRoast(1, 0));
    expect((await state('right')).body.revisions).toMatchObject([
      { state: 'right', stated_by_name: expect.any(String) },
    ]);
    expect((await state('exchanged')).status).toBe(409);
    expect((await admin.send('DELETE', `${pathOf()}?state=right`)).status).toBe(200);
    expect((await read()).revisions).toMatchObject([{ state: 'proposed' }]);
  });

  it('a killed api: continues where it was, and each roast is done once', async () => {
    await using own = await openMigratedDatabase();
    const killed = await registerMachine(own.sql, 'YM-killed');
    await saveMap(own.sql, killed.owner);
    const roasts = [0, 1, 2].map((day) => recordRoast(1, day * 86_400_000));
    for (const roast of roasts) await send(own.sql, 'YM-killed', roast);
    await own.sql`INSERT INTO channel_exchanges (machine_id, map_id, map_rev, is_exchanged) VALUES (${killed.id}, ${mapId}, 1, true)`;
    // It ends after one of three recordings, and after one of its roasts.
    const [first] = await recordingsToFollow(own.sql, killed.id);
    await own.sql.begin((tx) => followStatement(tx, first ?? ''));
    expect(await followNext({ sql: own.sql, log })).toBe(true);
    expect(await recordingsToFollow(own.sql, undefined)).toHaveLength(2);

    await using again = await startTestApi(own.url);
    const person = await again.signedIn(testAdmin.email, testAdmin.password);
    for (const { id } of roasts) {
      await until('every roast to follow', async () => {
        const { body } = await person.send<Roast>('GET', `/roasts/${id}`);
        return (body.charge_temp ?? 300) < 210;
      });
    }
  });
});
