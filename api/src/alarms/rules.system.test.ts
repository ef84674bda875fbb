import { randomUUID } from 'node:crypto';
import { allMachines } from '@roastery/contract/mqtt';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMigratedDatabase, registerMachine } from '../testing/ingest-fixture.ts';
import { openLiveBoard } from '../testing/live-journal.ts';
import { presentClock } from '../testing/present.ts';
import { startPlainBroker, startWholeApi, type PlainBroker, type WholeApi } from '../testing/whole-api.ts';

type Database = Awaited<ReturnType<typeof openMigratedDatabase>>;

describe('alarm rules', () => {
  let database: Database;
  let broker: PlainBroker;
  const clock = presentClock();

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
    const api = await startWholeApi(database.url, broker.url, {}, { clock });
    await until('ingest to listen', () => broker.subscriptionsTo(journals) > before);
    return api;
  };
  const alarmsOf = (roastId: string) =>
    database.sql<{ rule_id: string; message: string; colour: string; is_late: boolean; mono_ms: number }[]>`
      SELECT rule_id, message, colour, is_late, mono_ms FROM roast_alarms
      WHERE roast_id = ${roastId} AND kind = 'rule' ORDER BY happened_at`;

  it('rule: two instances without a browser raise one alarm, and a restart continues', async () => {
    const machine = await registerMachine(database.sql, 'RULE-1');
    const roastId = randomUUID();
    await using live = await openLiveBoard(broker.url, 'RULE-1', { clock });
    const charge = live.chargeAgo(roastId, 20);
    let sampled = charge;
    const sampleUntilNow = async () => {
      await clock.advance(500);
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
        { timeoutMs: 60_000 },
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
      { timeoutMs: 60_000 },
    );
    const [, second, ...others] = await alarmsOf(roastId);
    expect(others).toEqual([]);
    // It has not changed since the first second, most of that time before the restart.
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
    // Created long before the roast.
    await database.sql`UPDATE alarm_rules SET changed_at = now() - interval '1 day' WHERE id = ${made.body.id}`;
    await admin.send('POST', '/roasts/planned', {
      machine_id: machine.id,
      profile_id: profile.body.id,
      batch_size_kg: 10,
    });
    const roastId = randomUUID();
    await using live = await openLiveBoard(broker.url, 'RULE-2', { clock });
    const charge = live.chargeAgo(roastId, 10);
    live.sample(
      charge + 1000,
      live.now(),
      (second) => 190 - second,
      (second) => 205 - second,
    );
    await until('the alarm', async () => {
      await live.send();
      await clock.advance(100);
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

  it('rule: a machine accepts thirty at most', async () => {
    await using api = await startWholeApi(database.url, broker.url);
    const admin = await api.signedIn();
    const { id } = await registerMachine(database.sql, 'RULE-3');
    const body = { condition: { kind: 'time', after: 'charge', seconds: 60 }, message: 'Open the air' };
    const answers: number[] = [];
    for (let n = 0; n < 31; n++) answers.push((await admin.send('POST', `/machines/${id}/alarm-rules`, body)).status);
    expect(answers).toEqual([...Array.from({ length: 30 }, () => 201), 409]);
  });
});
