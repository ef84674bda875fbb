import { randomBytes } from 'node:crypto';
import type { CurveColumns, Datapoint } from '@roastery/contract/roast-curves';
import type { PredictedCrack, ForecastBasisAnswer } from '@roastery/contract/roast-forecasts';
import type { Roast, RoastRow } from '@roastery/contract/roasts';
import { uuidV7 } from '@roastery/runtime/uuid';
import { createJournalBoard, type JournalBoard } from '@roastery/testing/journal-board';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitMessages } from '../../ingest/store-batch.ts';
import { messageOf, openMigratedDatabase, registerMachine, roastOn } from '../../testing/ingest-fixture.ts';
import { startTestApi, testAdmin, type TestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';

/** Wall clock minus monotonic clock of a board whose charge is at 65 s. */
const chargedAt = (iso: string): number => Date.parse(iso) - 65_000;

/** LEDGER_OPERATIONS=10000 takes some minutes. */
const ledgerEdits = Number(process.env['LEDGER_OPERATIONS'] ?? 150);

describe('roasts', () => {
  let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
  let test: TestApi;
  let admin: Visitor;
  let owner: Visitor;
  let other: Visitor;

  const newUser = async (name: string): Promise<{ id: string; visitor: Visitor }> => {
    const account = {
      full_name: name,
      email: `${randomBytes(4).toString('hex')}@example.org`,
      password: 'a phrase that is long',
    };
    const answer = await admin.send<{ id: string }>('POST', '/admin/users', account);
    expect(answer.status).toBe(201);
    return { id: answer.body.id, visitor: await test.signedIn(account.email, account.password) };
  };

  const ingestRoast = async (serial: string, wallOffsetMs?: number): Promise<{ id: string; board: JournalBoard }> => {
    const board = createJournalBoard(wallOffsetMs === undefined ? {} : { wallOffsetMs });
    const id = uuidV7();
    roastOn(board, id);
    await commitMessages(
      database.sql,
      board.batches().map((batch) => messageOf(serial, batch)),
    );
    return { id, board };
  };

  const newLot = async (kg: number): Promise<string> => {
    const body = {
      lot_number: randomBytes(4).toString('hex'),
      coffee_name: 'Kochere',
      origin: 'Ethiopia',
      process: 'Washed',
      initial_weight: kg,
    };
    const answer = await admin.send<{ id: string }>('POST', '/inventory/lots', body);
    expect(answer.status).toBe(201);
    return answer.body.id;
  };
  const weightOf = async (lotId: string): Promise<number> => {
    const answer = await admin.send<{ current_weight: number }>('GET', `/inventory/lots/${lotId}`);
    const [sum] = await database.sql<{ kg: number }[]>`SELECT sum(kg) AS kg FROM lot_movements WHERE lot_id = ${lotId}`;
    expect(sum?.kg).toBe(answer.body.current_weight);
    return answer.body.current_weight;
  };

  beforeAll(async () => {
    database = await openMigratedDatabase();
    test = await startTestApi(database.url);
    admin = await test.signedIn(testAdmin.email, testAdmin.password);
    const person = await newUser('Ada Roaster');
    owner = person.visitor;
    other = (await newUser('Another User')).visitor;
    await registerMachine(database.sql, 'RM15-1', person.id);
  });
  afterAll(async () => {
    await test.close();
    await database[Symbol.asyncDispose]();
  });

  it('return the recorded curve sample by sample, as objects and as columns', async () => {
    const { id, board } = await ingestRoast('RM15-1');
    const sent = board.entries().flatMap((entry) => (entry.kind === 'sample' ? [entry] : []));
    const inRoast = sent.filter((entry) => entry.mono >= 65_000 && entry.mono <= 668_000);

    const { body: curve } = await owner.send<{ datapoints: Datapoint[] }>('GET', `/roasts/${id}/curve`);
    expect(curve.datapoints.map((point) => point.time_seconds)).toEqual(
      inRoast.map((entry) => (entry.mono - 65_000) / 1000),
    );
    expect(curve.datapoints.map((point) => point.bean_temp)).toEqual(inRoast.map((entry) => entry.values[0]));
    expect(curve.datapoints[0]).toMatchObject({ time_seconds: 0, bean_temp: 99.6, fan_speed: null });
    expect(curve.datapoints[300]?.ror).toBeCloseTo(9.6, 1);

    const { body: columns } = await owner.send<CurveColumns>('GET', `/roasts/${id}/curve/columns?before=30&after=10`);
    expect(columns.time_seconds[0]).toBe(-30);
    expect(columns.time_seconds.at(-1)).toBe(613);
    expect(Object.keys(columns.channels).sort()).toEqual(['bean_temp', 'exhaust_temp', 'heat_power']);
    const withPreheat = sent.filter((entry) => entry.mono >= 35_000 && entry.mono <= 678_000);
    expect(columns.channels['heat_power']).toEqual(withPreheat.map((entry) => entry.values[2]));
    expect(columns.ror).toHaveLength(columns.time_seconds.length);
  });

  it('return marks, figures and the number derived from the id [P93]', async () => {
    const { id } = await ingestRoast('RM15-1');
    const { body: roast } = await owner.send<Roast>('GET', `/roasts/${id}`);
    expect(roast).toMatchObject({
      id,
      roast_number: `PR-${id.slice(0, 8)}`,
      status: 'completed',
      machine_name: 'Roaster',
      roasted_by: 'Ada Roaster',
      duration_seconds: 603,
      time_quality: 'synchronised',
      channels: ['bean_temp', 'exhaust_temp', 'heat_power'],
    });
    expect(roast.marks.map((mark) => [mark.kind, mark.time_seconds, mark.origin])).toEqual([
      ['charge', 0, 'detector'],
      ['first_crack', 481, 'detector'],
      ['drop', 603, 'detector'],
    ]);
  });

  it('roast: answers 404 to another user', async () => {
    const { id } = await ingestRoast('RM15-1');
    const asked: [string, string, unknown?][] = [
      ['GET', `/roasts/${id}`],
      ['GET', `/roasts/${id}/curve`],
      ['GET', `/roasts/${id}/curve/columns`],
      ['PUT', `/roasts/${id}`, { notes: 'mine' }],
      ['DELETE', `/roasts/${id}`],
      ['PUT', `/roasts/${id}/marks/drop`, { time_seconds: 500 }],
      ['DELETE', `/roasts/${id}/marks/drop`],
      ['PUT', `/roasts/${id}/favorite`, { is_favorite: true }],
    ];
    for (const [method, path, body] of asked) {
      const answer = await other.send(method, path, body);
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
    const { body } = await other.send<{ total: number }>('GET', '/roasts');
    expect(body.total).toBe(0);
    expect((await admin.send('GET', `/roasts/${id}`)).status).toBe(200);
  });

  describe('marks', () => {
    it('set by a person override the board and move the window, until they are withdrawn', async () => {
      const { id } = await ingestRoast('RM15-1');
      const moved = await owner.send<Roast>('PUT', `/roasts/${id}/marks/first_crack`, { time_seconds: 470 });
      expect(moved.status).toBe(200);
      expect(moved.body.first_crack_time).toBe(470);
      // Second 530 of the recording: 90 + 0.16 × 530.
      expect(moved.body.first_crack_temp).toBeCloseTo(174.8, 5);
      expect(moved.body.development_time_seconds).toBe(133);
      expect(moved.body.marks.find((mark) => mark.kind === 'first_crack')?.origin).toBe('person');
      // Sent again because its response did not arrive: still one mark, which one DELETE withdraws.
      const repeated = await owner.send<Roast>('PUT', `/roasts/${id}/marks/first_crack`, { time_seconds: 470 });
      expect([repeated.status, repeated.body.revision]).toEqual([200, moved.body.revision]);

      const charge = await owner.send<Roast>('PUT', `/roasts/${id}/marks/charge`, { time_seconds: -5.5 });
      expect(charge.body.duration_seconds).toBe(608.5);
      expect(charge.body.first_crack_time).toBe(475.5);
      const { body: curve } = await owner.send<{ datapoints: Datapoint[] }>('GET', `/roasts/${id}/curve`);
      expect(curve.datapoints[0]?.time_seconds).toBe(0.5);

      const back = await owner.send<Roast>('DELETE', `/roasts/${id}/marks/charge`);
      expect(back.body.duration_seconds).toBe(603);
      const again = await owner.send<Roast>('DELETE', `/roasts/${id}/marks/first_crack`);
      expect(again.body.first_crack_time).toBe(481);
      const none = await owner.send<{ detail: string; code: string }>('DELETE', `/roasts/${id}/marks/first_crack`);
      expect([none.status, none.body.detail]).toEqual([409, 'First crack was not set by hand.']);
    });

    it('set while the board was offline get their temperature when its readings arrive', async () => {
      const board = createJournalBoard();
      const id = uuidV7();
      roastOn(board, id);
      const [heard, kept] = [true, false].map((isEarly) =>
        board
          .batches()
          .filter(({ seq }) => seq < 490 === isEarly)
          .map((batch) => messageOf('RM15-1', batch)),
      );
      await commitMessages(database.sql, heard ?? []);
      // Second 530 of the recording; the server has received about 500.
      const marked = await owner.send<Roast>('PUT', `/roasts/${id}/marks/first_crack`, { time_seconds: 470 });
      expect([marked.status, marked.body.first_crack_time, marked.body.first_crack_temp]).toEqual([200, 470, null]);
      // More than a minute after the last reading that has arrived: the portal sends it again.
      const early = await owner.send<{ code: string }>('PUT', `/roasts/${id}/marks/first_crack_end`, {
        time_seconds: 540,
      });
      expect([early.status, early.body.code]).toEqual([409, 'not_recorded_yet']);
      await commitMessages(database.sql, kept ?? []);
      const { body } = await owner.send<Roast>('GET', `/roasts/${id}`);
      expect([body.status, body.first_crack_time]).toEqual(['completed', 470]);
      expect(body.first_crack_temp).toBeCloseTo(174.8, 5);
    });

    it('marks: an impossible order is refused with a reason', async () => {
      const { id } = await ingestRoast('RM15-1');
      const late = await owner.send<{ detail: string }>('PUT', `/roasts/${id}/marks/dry_end`, { time_seconds: 490 });
      expect([late.status, late.body.detail]).toEqual([409, 'Dry end (8:10) must come before first crack (8:01).']);
      const never = await owner.send<{ detail: string }>('PUT', `/roasts/${id}/marks/drop`, { time_seconds: 5000 });
      expect([never.status, never.body.detail]).toEqual([409, 'Nothing was recorded at 83:20.']);
    });

    it('marks: a drop is accepted while two other marks are in the wrong order', async () => {
      const board = createJournalBoard();
      const id = uuidV7();
      roastOn(board, id);
      const messages = board.batches().map((batch) => ({ seq: batch.seq, message: messageOf('RM15-1', batch) }));
      const early = messages.filter(({ seq }) => seq < 490);
      await commitMessages(
        database.sql,
        early.map(({ message }) => message),
      );
      expect((await owner.send('PUT', `/roasts/${id}/marks/first_crack_end`, { time_seconds: 400 })).status).toBe(200);
      // The detector's first crack, at 8:01, arrives after the person's end of it.
      await commitMessages(
        database.sql,
        messages.filter((one) => !early.includes(one)).map(({ message }) => message),
      );
      const dropped = await owner.send<Roast>('PUT', `/roasts/${id}/marks/drop`, { time_seconds: 600 });
      expect([dropped.status, dropped.body.status, dropped.body.duration_seconds]).toEqual([200, 'completed', 600]);
    });

    it('of a person stay when the board resends its own, later and corrected', async () => {
      const { id, board } = await ingestRoast('RM15-1');
      await owner.send('PUT', `/roasts/${id}/marks/drop`, { time_seconds: 590 });
      const from = board.length;
      board.event(720_000, {
        type: 'mark',
        roast_id: id,
        kind: 'drop',
        at_seq: 640,
        at_mono: 640_000,
        temp: 190,
        origin: 'detector',
        confidence: 1,
        provisional: false,
      });
      await commitMessages(
        database.sql,
        board.batches(() => 20, from).map((batch) => messageOf('RM15-1', batch)),
      );
      const { body } = await owner.send<Roast>('GET', `/roasts/${id}`);
      expect(body.duration_seconds).toBe(590);
      const back = await owner.send<Roast>('DELETE', `/roasts/${id}/marks/drop`);
      expect(back.body.duration_seconds).toBe(575);
    });
  });

  it('predicted first crack: follows the marks of earlier roasts', async () => {
    const { body: person } = await owner.send<{ id: string }>('GET', '/auth/me');
    await registerMachine(database.sql, 'RM15-9', person.id);
    const lot = await newLot(100);
    const past: string[] = [];
    for (let day = 1; day <= 4; day++) {
      const { id } = await ingestRoast('RM15-9', chargedAt(`2026-03-0${day}T10:00:00Z`));
      await owner.send('PUT', `/roasts/${id}`, { lot_id: lot });
      await owner.send('PUT', `/roasts/${id}/marks/first_crack`, { time_seconds: 470 });
      past.push(id);
    }
    const { id } = await ingestRoast('RM15-9', chargedAt('2026-03-05T10:00:00Z'));
    const learnt = async (who = owner) => (await who.send<PredictedCrack>('GET', `/roasts/${id}/learnt-crack`)).body;
    const byMachine = await learnt();
    expect(byMachine).toMatchObject({ source: 'machine', roasts: 4 });
    for (const roast of past.slice(0, 3)) await owner.send('PUT', `/roasts/${roast}`, { batch_size_kg: 12 });
    await owner.send('PUT', `/roasts/${past[3]}`, { batch_size_kg: 5 });
    await owner.send('PUT', `/roasts/${id}`, { batch_size_kg: 14 });
    expect(await learnt()).toMatchObject({ source: 'batch', roasts: 3 });
    await owner.send('PUT', `/roasts/${id}`, { lot_id: lot });
    const byLot = await learnt();
    expect(byLot).toMatchObject({ source: 'lot', roasts: 4 });
    expect(byLot.spread).toBeLessThan(byMachine.spread);
    expect(Math.abs(byLot.temp - 174.8)).toBeLessThan(2);
    // Corrected: the cracks were 60 s later, so 9.6 °C hotter, and the prediction follows at once.
    for (const roast of past) await owner.send('PUT', `/roasts/${roast}/marks/first_crack`, { time_seconds: 530 });
    expect((await learnt()).temp - byLot.temp).toBeGreaterThan(8);
    // Instead of a person's withdrawn mark the detector's counts again, which predictions do not use.
    for (let word = 1; word <= 2; word++) await owner.send('DELETE', `/roasts/${past[0]}/marks/first_crack`);
    expect(await learnt()).toMatchObject({ source: 'lot', roasts: 3 });
    const hidden = await other.send('GET', `/roasts/${id}/learnt-crack`);
    expect(hidden.status).toBe(404);
  });

  it('forecast basis: the past curves of the closest roasts on the machine', async () => {
    const { body: person } = await owner.send<{ id: string }>('GET', '/auth/me');
    await registerMachine(database.sql, 'RM15-11', person.id);
    const ids: string[] = [];
    for (let day = 1; day <= 5; day++) {
      const { id } = await ingestRoast('RM15-11', chargedAt(`2026-04-0${day}T10:00:00Z`));
      ids.push(id);
    }
    const basis = async (id: string | undefined, who = owner) =>
      await who.send<ForecastBasisAnswer>('GET', `/roasts/${id}/forecast-basis`);
    const last = ids.at(-1);
    const { body: byMachine } = await basis(last);
    expect(byMachine.source).toBe('machine');
    expect(byMachine.curves).toHaveLength(4);
    const { body: curve } = await owner.send<CurveColumns>('GET', `/roasts/${ids[0]}/curve/columns`);
    const at100 = curve.channels['bean_temp']?.[curve.time_seconds.findIndex((time) => time >= 100)];
    expect(Math.abs((byMachine.curves[3]?.[20] ?? 0) - (at100 ?? Number.NaN))).toBeLessThan(1);
    for (const id of [...ids.slice(0, 3), last]) await owner.send('PUT', `/roasts/${id}`, { coffee_name: 'Guji' });
    const { body: byCoffee } = await basis(last);
    expect(byCoffee.source).toBe('coffee');
    expect(byCoffee.curves).toHaveLength(3);
    expect((await basis(ids[0])).body).toEqual({ source: 'none', curves: [], learnt: null });
    expect((await basis(last, other)).status).toBe(404);
  });

  describe('edits', () => {
    it('deduct the coffee from the lot once and correct the ledger [P211]', async () => {
      const { id, board } = await ingestRoast('RM15-1');
      const [first, second] = [await newLot(100), await newLot(50)];
      const edited = await owner.send<Roast>('PUT', `/roasts/${id}`, { lot_id: first, batch_size_kg: 12.345678 });
      expect(edited.body).toMatchObject({ coffee_name: 'Kochere', coffee_origin: 'Ethiopia', revision: 2 });
      expect(await weightOf(first)).toBe(87.654322);
      await commitMessages(
        database.sql,
        board.batches().map((batch) => messageOf('RM15-1', batch)),
      );
      expect(await weightOf(first)).toBe(87.654322);
      await owner.send('PUT', `/roasts/${id}`, { batch_size_kg: 10 });
      expect(await weightOf(first)).toBe(90);
      await owner.send('PUT', `/roasts/${id}`, { lot_id: second });
      expect([await weightOf(first), await weightOf(second)]).toEqual([100, 40]);
      await owner.send('DELETE', `/roasts/${id}`);
      expect(await weightOf(second)).toBe(50);
    });

    it('deduction: is decided when a roast ends and not by later changes of the recipe', async () => {
      const lot = await newLot(100);
      const form = {
        name: 'Samples',
        auto_deduct_inventory: false,
        control_profile: [
          { time: 0, burner: 100, exhaust: 30, drum: 60 },
          { time: 720, burner: 0, exhaust: 90, drum: 30 },
        ],
      };
      const recipe = (await admin.send<{ id: string }>('POST', '/profiles', form)).body.id;
      const body = { coffee_name: 'Guji', start_time: '2026-11-20T07:40:00.000Z', duration_seconds: 640 };
      const facts = { ...body, lot_id: lot, profile_id: recipe, batch_size_kg: 8 };
      const logged = (await owner.send<Roast>('POST', '/roasts', facts)).body;
      expect(await weightOf(lot)).toBe(100);
      await admin.send('PUT', `/profiles/${recipe}`, { ...form, auto_deduct_inventory: true });
      await owner.send('PUT', `/roasts/${logged.id}`, { notes: 'even' });
      expect(await weightOf(lot)).toBe(100);
      await admin.send('DELETE', `/profiles/${recipe}`);
      const after = await owner.send<Roast>('PUT', `/roasts/${logged.id}`, { batch_size_kg: 9, profile_id: null });
      expect(after.body).toMatchObject({ profile_id: null, profile_name: 'Samples' });
      expect(await weightOf(lot)).toBe(100);

      // Setting another recipe also sets how it deducts.
      const other = await admin.send<{ id: string }>('POST', '/profiles', { ...form, auto_deduct_inventory: true });
      await owner.send('PUT', `/roasts/${logged.id}`, { profile_id: other.body.id });
      expect(await weightOf(lot)).toBe(91);
    });

    it('on an older revision are refused', async () => {
      const { id } = await ingestRoast('RM15-1');
      await owner.send('PUT', `/roasts/${id}`, { notes: 'first', revision: 1 });
      const late = await owner.send<{ code: string }>('PUT', `/roasts/${id}`, { notes: 'second', revision: 1 });
      expect([late.status, late.body.code]).toEqual([409, 'changed_meanwhile']);
    });

    it('of many roasts on two lots at once leave the ledger exact [P211]', async () => {
      const lots = [await newLot(1000), await newLot(1000)] as const;
      const roasts = await Promise.all(Array.from({ length: 6 }, () => ingestRoast('RM15-1')));
      let seed = 7;
      const random = () => {
        seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
        return seed / 2 ** 32;
      };
      const last = new Map<string, { lot: 0 | 1; kg: number }>();
      for (let round = 0; round < ledgerEdits / roasts.length; round++) {
        await Promise.all(
          roasts.map(async ({ id }) => {
            const lot = random() < 0.5 ? 0 : 1;
            const kg = Math.round(random() * 15e6 + 1) / 1e6;
            const answer = await owner.send('PUT', `/roasts/${id}`, { lot_id: lots[lot], batch_size_kg: kg });
            expect(answer.status).toBe(200);
            last.set(id, { lot, kg });
          }),
        );
      }
      for (const lot of [0, 1] as const) {
        const used = [...last.values()]
          .filter((entry) => entry.lot === lot)
          .reduce((mg, { kg }) => mg + Math.round(kg * 1e6), 0);
        expect(Math.round((await weightOf(lots[lot])) * 1e6)).toBe(1_000_000_000 - used);
      }
    });
  });

  it('that were deleted stay deleted when the board sends them again', async () => {
    const { id, board } = await ingestRoast('RM15-1');
    expect((await owner.send('DELETE', `/roasts/${id}`)).status).toBe(200);
    board.event(721_000, { type: 'roast', roast_id: id, state: 'completed' });
    await commitMessages(
      database.sql,
      board.batches(() => 7).map((batch) => messageOf('RM15-1', batch)),
    );
    expect((await owner.send('GET', `/roasts/${id}`)).status).toBe(404);
    const [marks] = await database.sql<{ n: number }[]>`SELECT count(*) AS n FROM roast_marks WHERE roast_id = ${id}`;
    expect(marks?.n).toBe(0);
    const [audit] = await database.sql`SELECT action FROM audit_log WHERE subject = ${id}`;
    expect(audit?.['action']).toBe('roast.deleted');
  });

  it('count for their recipe when completed', async () => {
    const profile = await admin.send<{ id: string }>('POST', '/profiles', {
      name: 'House',
      control_profile: [
        { time: 0, burner: 100, exhaust: 30, drum: 60 },
        { time: 720, burner: 0, exhaust: 90, drum: 30 },
      ],
    });
    const roasts = await Promise.all([ingestRoast('RM15-1'), ingestRoast('RM15-1')]);
    await Promise.all(roasts.map(({ id }) => owner.send('PUT', `/roasts/${id}`, { profile_id: profile.body.id })));
    const used = async () =>
      (await admin.send<{ times_used: number }>('GET', `/profiles/${profile.body.id}`)).body.times_used;
    expect(await used()).toBe(2);
    await owner.send('PUT', `/roasts/${roasts[0]?.id ?? ''}`, { profile_id: null });
    expect(await used()).toBe(1);
  });

  it('are found, filtered, sorted and paged on the server, in the roastery’s days', async () => {
    await database.sql`INSERT INTO roastery_settings (time_zone) VALUES ('America/New_York') ON CONFLICT (only_row) DO UPDATE SET time_zone = excluded.time_zone`;
    const two = await newUser('Lister');
    await registerMachine(database.sql, 'RM7-1', two.id);
    // 03:30 UTC on the 2nd is the evening of the 1st in New York.
    const evening = await ingestRoast('RM7-1', chargedAt('2026-07-02T03:30:00Z'));
    const morning = await ingestRoast('RM7-1', chargedAt('2026-07-02T14:00:00Z'));
    await two.visitor.send('PUT', `/roasts/${evening.id}`, {
      coffee_name: '100% Kenya_AA',
      roast_level: 'Medium-Dark',
    });
    await two.visitor.send('PUT', `/roasts/${morning.id}`, {
      coffee_name: 'Brasil',
      roast_level: 'Light',
      batch_size_kg: 6,
    });
    await two.visitor.send('PUT', `/roasts/${morning.id}/favorite`, { is_favorite: true });
    const list = async (query: string) => {
      const { body } = await two.visitor.send<{ roasts: RoastRow[]; total: number }>('GET', `/roasts?${query}`);
      return body.roasts.map((row) => row.coffee_name);
    };
    expect(await list('')).toEqual(['Brasil', '100% Kenya_AA']);
    expect(await list('from=2026-07-01&to=2026-07-01')).toEqual(['100% Kenya_AA']);
    expect(await list('from=2026-07-02&to=2026-07-02')).toEqual(['Brasil']);
    expect(await list('q=%25')).toEqual(['100% Kenya_AA']);
    expect(await list('q=kenya_')).toEqual(['100% Kenya_AA']);
    expect(await list(`q=%23pr-${morning.id.slice(0, 8)}`)).toContain('Brasil');
    expect(await list('level=Medium')).toEqual(['100% Kenya_AA']);
    expect(await list('favorites_only=true')).toEqual(['Brasil']);
    expect(await list('sort=coffee_name')).toEqual(['100% Kenya_AA', 'Brasil']);
    expect(await list('sort=-batch_size_kg')).toEqual(['Brasil', '100% Kenya_AA']);
    expect(await list('sort=batch_size_kg&limit=1&offset=1')).toEqual(['100% Kenya_AA']);
    for (const sort of [
      'said_number',
      'machine_name',
      '-roasted_by',
      '-drop_temp',
      'duration_seconds',
      'profile_name',
    ]) {
      expect(await list(`sort=${sort}`)).toHaveLength(2);
    }
  });
});
