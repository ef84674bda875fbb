import { topicKinds, topicOf } from '@roastery/contract/mqtt';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { openCuttableLine } from '@roastery/testing/cuttable-line';
import { createTestDatabase } from '@roastery/testing/test-database';
import { until } from '@roastery/testing/until';
import { connectAsync } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startPlainBroker, startWholeApi, type PlainBroker } from '../../testing/whole-api.ts';
import { migratedTemplate } from '../../testing/ingest-fixture.ts';
import { fromNow } from '../../testing/present.ts';

const form = { display_name: 'Big Drum', machine_type: 'RM30', max_capacity_kg: 30 };
const secretHost = '10.9.8.7';

describe('retained messages of a serial number', () => {
  let broker: PlainBroker;
  beforeAll(async () => {
    broker = await startPlainBroker();
  });
  afterAll(() => broker.close());

  /** The retained messages of a serial number, by kind. */
  const retained = async (serial: string): Promise<Record<string, string>> => {
    const client = await connectAsync(broker.url);
    const found: Record<string, string> = {};
    client.on('message', (topic, payload, { retain }) => {
      if (retain && payload.length > 0) found[topic.split('/').at(-1) ?? ''] = payload.toString();
    });
    for (const kind of topicKinds) await client.subscribeAsync(topicOf(serial, kind), { qos: 1 });
    // Retained messages arrive right after the SUBACK, before the answer to the next packet.
    await client.publishAsync('marker', '', { qos: 1 });
    await client.endAsync();
    return found;
  };
  const leaveBehind = async (serial: string): Promise<void> => {
    const client = await connectAsync(broker.url);
    for (const kind of ['ack', 'config', 'plan', 'probe', 'status']) {
      const payload = JSON.stringify({ of: 'the former owner', host: secretHost });
      await client.publishAsync(`roastery/v1/${serial}/${kind}`, payload, { qos: 1, retain: true });
    }
    await client.endAsync();
  };

  it('are cleared with the machine, also when the broker was unavailable', async () => {
    await using database = await createTestDatabase(migratedTemplate);
    await using line = await openCuttableLine(Number(new URL(broker.url).port));
    await using api = await startWholeApi(database.url, `mqtt://127.0.0.1:${line.port}`, { sweep: false });
    const admin = await api.signedIn();
    const { mqtt } = api.api.context;
    await until('the broker', () => mqtt.isConnected);
    const register = async (serial: string, map_id: string | null = 'rm30') =>
      (await admin.send<{ id: string }>('POST', '/machines', { serial_number: serial, map_id, ...form })).body.id;
    const ids = [await register('C-1'), await register('C-2')];
    for (const id of ids)
      await admin.send('PUT', `/machines/${id}/board-config`, { map_id: 'rm30', host: secretHost, hz: 2 });
    expect((await retained('C-1'))['config']).toContain(secretHost);
    for (const serial of ['C-1', 'C-2']) await leaveBehind(serial);

    expect((await admin.send('DELETE', `/machines/${ids[0]}`)).status).toBe(200);
    expect(await retained('C-1')).toEqual({});

    await line.cut();
    await until('the broker to be away', () => !mqtt.isConnected, { timeoutMs: 30_000 });
    expect((await admin.send('DELETE', `/machines/${ids[1]}`)).status).toBe(200);
    expect((await retained('C-2'))['config']).toContain(secretHost);
    // The number is registered again before the broker is back.
    await register('C-2', null);
    await line.mend();
    const leftOfFormerOwner = async () =>
      Object.values(await retained('C-2')).filter((text) => text.includes('former owner') || text.includes(secretHost));
    await expect.poll(leftOfFormerOwner, { timeout: 30_000 }).toEqual([]);
  });

  it('of a machine deleted by an earlier version are cleared when the number is registered again', async () => {
    await using database = await createTestDatabase(migratedTemplate);
    await using api = await startWholeApi(database.url, broker.url, { sweep: false });
    const admin = await api.signedIn();
    await until('the broker', () => api.api.context.mqtt.isConnected);
    await leaveBehind('C-3');
    await admin.send('POST', '/machines', { serial_number: 'C-3', map_id: 'rm30', ...form });
    const left = await retained('C-3');
    expect(Object.values(left).join(' ')).not.toContain(secretHost);
    // The new machine's own config is published.
    expect(Object.keys(left)).toContain('config');
  });

  it('after a restore: configs are published above the board’s revision, missing plans are withdrawn', async () => {
    await using database = await createTestDatabase(migratedTemplate);
    const serial = 'C-4';
    const kept = async (kind: string): Promise<Record<string, unknown>> =>
      parseOrThrow(z.record(z.string(), z.unknown()), JSON.parse((await retained(serial))[kind] ?? '{}'));
    let revision = 0;
    {
      await using api = await startWholeApi(database.url, broker.url, { sweep: false });
      const admin = await api.signedIn();
      await until('the broker', () => api.api.context.mqtt.isConnected);
      const { body } = await admin.send<{ id: string }>('POST', '/machines', { serial_number: serial, ...form });
      await admin.send('PUT', `/machines/${body.id}/board-config`, { map_id: 'rm30', hz: 2 });
      const plan = { machine_id: body.id, coffee_name: 'Guji', batch_size_kg: 12 };
      expect((await admin.send('POST', '/roasts/planned', plan)).status).toBe(201);
      await expect.poll(async () => (await kept('plan'))['plans']).toHaveLength(1);
      revision = Number((await kept('config'))['rev']);
      // As in an earlier backup: its word is not the one that the broker has.
      const { sql } = api.api.context;
      await sql`UPDATE broker_memories SET memory = 'of the backup'`;
      await sql`DELETE FROM planned_roasts`;
      await sql`
        UPDATE machines SET config_rev = config_rev - 1000, board_settings = '{"hz": 3}' WHERE serial_number = ${serial}`;
    }
    const board = await connectAsync(broker.url);
    const plans = JSON.stringify({ v: 1, plans: [{ id: 'unknown' }] });
    await board.publishAsync(topicOf(serial, 'plan'), plans, { qos: 1, retain: true });
    await using api = await startWholeApi(database.url, broker.url, { sweep: false });
    await until('the broker', () => api.api.context.mqtt.isConnected);
    await expect.poll(async () => (await kept('plan'))['plans']).toEqual([]);
    const status = { v: 1, online: true, session: 's', t: fromNow(0), config: { rev: revision, state: 'running' } };
    await board.publishAsync(topicOf(serial, 'status'), JSON.stringify(status), { qos: 1, retain: true });
    await expect.poll(() => kept('config'), { timeout: 30_000 }).toMatchObject({ hz: 3, rev: revision + 1 });
    // A late report of the board about it changes nothing.
    const taken = { ...status, config: { rev: revision + 1, state: 'running' } };
    await board.publishAsync(topicOf(serial, 'status'), JSON.stringify(taken), { qos: 1, retain: true });
    await until('the board’s word', async () => {
      const [row] = await api.api.context.sql<{ rev: number }[]>`
        SELECT (status->'config'->>'rev')::bigint AS rev FROM machines WHERE serial_number = ${serial}`;
      return row?.rev === revision + 1;
    });
    expect(await kept('config')).toMatchObject({ rev: revision + 1 });
    await board.endAsync();
  });
});
