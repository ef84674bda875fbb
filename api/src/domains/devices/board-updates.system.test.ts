import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BoardUpdates } from '@roastery/contract/board-updates';
import type { Device } from '@roastery/contract/fleet';
import type { BoardConfig } from '@roastery/contract/machine-maps';
import { configShape, topicOf, type DeviceConfig, type DeviceStatus } from '@roastery/contract/mqtt';
import { createTestDatabase } from '@roastery/testing/test-database';
import { until } from '@roastery/testing/until';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migratedTemplate } from '../../testing/ingest-fixture.ts';
import type { Visitor } from '../../testing/visitor.ts';
import { startPlainBroker, startWholeApi, type PlainBroker, type WholeApi } from '../../testing/whole-api.ts';
import { fromNow } from '../../testing/present.ts';

const version = '0.2.0';
/** The last one is of an agent that accepts no orders. */
const serials = Array.from({ length: 12 }, (_, n) => `B-${String(n).padStart(2, '0')}`);

describe('updates of boards', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let broker: PlainBroker;
  let whole: WholeApi;
  let boards: MqttClient;
  let admin: Visitor;
  let packages: string;
  const configs = new Map<string, DeviceConfig>();
  const ids = new Map<string, string>();

  const says = (serial: string, status: Partial<DeviceStatus>) =>
    boards.publishAsync(
      topicOf(serial, 'status'),
      JSON.stringify({ v: 1, online: true, session: 'one', t: fromNow(0), agent_version: '0.1.0', ...status }),
      { qos: 1, retain: true },
    );
  const updates = async () => (await admin.send<BoardUpdates>('GET', '/admin/board-updates')).body;
  const order = (which: unknown, of = version) =>
    admin.send<BoardUpdates>('POST', '/admin/board-updates', { version: of, boards: which });
  const device = async (serial: string) =>
    (await admin.send<{ devices: Device[] }>('GET', `/admin/devices?q=${serial}`)).body.devices[0];
  const ordered = () => serials.filter((serial) => configs.get(serial)?.update !== undefined);
  const reports = async (serial: string, state: NonNullable<DeviceStatus['order']>['state'], reason?: string) => {
    const update = configs.get(serial)?.update;
    if (update === undefined) throw new Error(`${serial} has no order`);
    const agent_version = state === 'done' || state === 'trial' ? version : '0.1.0';
    await says(serial, { agent_version, order: { ...update, state, ...(reason === undefined ? {} : { reason }) } });
    await expect.poll(async () => (await device(serial))?.order?.state).toBe(state);
  };

  beforeAll(async () => {
    packages = await mkdtemp(join(tmpdir(), 'board-updates-'));
    await writeFile(
      join(packages, 'repository.json'),
      JSON.stringify({ version, fingerprints: ['A'.repeat(40)], packages: [] }),
    );
    [database, broker] = await Promise.all([createTestDatabase(migratedTemplate), startPlainBroker()]);
    whole = await startWholeApi(database.url, broker.url, { sweep: false }, { env: { PACKAGES_DIR: packages } });
    admin = await whole.signedIn();
    boards = await connectAsync(broker.url);
    boards.on('message', (topic, payload) => {
      const serial = topic.split('/')[2] ?? '';
      if (payload.length > 0) configs.set(serial, configShape.parse(JSON.parse(payload.toString())));
    });
    await boards.subscribeAsync('roastery/v1/+/config', { qos: 1 });
    await until('the broker', () => whole.api.context.mqtt.isConnected);
    for (const serial of serials) {
      const facts = { display_name: serial, machine_type: 'RM15', max_capacity_kg: 15 };
      const { body } = await admin.send<{ id: string }>('POST', '/machines', { ...facts, serial_number: serial });
      ids.set(serial, body.id);
      await says(serial, serial === serials.at(-1) ? {} : { order: null });
    }
    await until('all boards', async () => {
      const { ready, by_hand: byHand } = await updates();
      return ready === 11 && byHand === 1;
    });
  });
  afterAll(async () => {
    await boards.endAsync();
    await whole.close();
    await broker.close();
    await database.drop();
    await rm(packages, { recursive: true });
  });

  it('order a tenth first, then all others that accept orders, and count the states', async () => {
    expect(await updates()).toEqual({
      version,
      boards: 12,
      updated: 0,
      ready: 11,
      by_hand: 1,
      under_way: 0,
      turned_back: 0,
      failed: 0,
    });
    expect((await order('all', '0.9.0')).status).toBe(409);
    expect((await order('tenth')).body).toMatchObject({ under_way: 2, ready: 9 });
    await expect.poll(ordered).toEqual(['B-00', 'B-01']);
    expect(await device('B-00')).toMatchObject({ order: { version, state: 'wanted' }, takes_orders: true });
    await reports('B-00', 'fetching');
    await reports('B-00', 'done');
    await reports('B-01', 'turned_back', 'it hung, 3 times');
    expect(await updates()).toMatchObject({ updated: 1, turned_back: 1, under_way: 0, ready: 9 });
    expect((await device('B-01'))?.order?.reason).toBe('it hung, 3 times');

    // The rolled back one is only ordered again by its machine.
    const before = configs.get('B-01')?.update?.id;
    expect((await order('all')).body).toMatchObject({ under_way: 9, ready: 0 });
    await expect.poll(() => ordered().length).toBe(11);
    expect(configs.get('B-01')?.update?.id).toBe(before);
    await order([ids.get('B-01')]);
    await expect.poll(() => configs.get('B-01')?.update?.id).not.toBe(before);
    expect((await order('all')).status).toBe(409);
    expect((await order([ids.get('B-11')])).status).toBe(409);
  });

  it('are withdrawn from boards that have not finished, and leave audit rows', async () => {
    await reports('B-02', 'failed', 'the packages of the server are not signed with the key of this board');
    expect((await device('B-02'))?.warnings).toContain('update_failed');
    const one = await admin.send<BoardUpdates>('POST', '/admin/board-updates/withdrawals', {
      boards: [ids.get('B-03')],
    });
    expect(one.body).toMatchObject({ under_way: 8 });
    await expect.poll(() => configs.get('B-03')).toEqual({ v: 1, rev: 0, map: null });
    expect((await device('B-03'))?.order).toBeNull();
    const all = await admin.send<BoardUpdates>('POST', '/admin/board-updates/withdrawals', { boards: 'all' });
    expect(all.body).toMatchObject({ under_way: 0, updated: 1, failed: 1 });
    // Finished orders stay listed.
    await expect.poll(ordered).toEqual(['B-00', 'B-02']);
    const { sql } = whole.api.context;
    const rows = await sql<{ action: string; n: number }[]>`
      SELECT action, count(*) AS n FROM audit_log WHERE action LIKE 'board_update.%' GROUP BY action ORDER BY action`;
    expect([...rows]).toEqual([
      { action: 'board_update.ordered', n: 12 },
      { action: 'board_update.withdrawn', n: 9 },
    ]);
  });

  it('do not change the settings of a board, and report settings that a board reverted', async () => {
    const id = ids.get('B-04') ?? '';
    const set = await admin.send<BoardConfig>('PUT', `/machines/${id}/board-config`, {
      map_id: 'loring-auto',
      timeout_ms: 400,
      gap_ms: 10,
      status_page: 'off',
    });
    const settings = { timeout_ms: 400, gap_ms: 10, status_page: 'off' };
    expect(set.body).toMatchObject({ settings, state: 'waiting' });
    const rev = set.body.revision;
    await order([id]);
    await expect.poll(() => configs.get('B-04')).toMatchObject({ rev, update: { version }, ...settings });
    const state = async () => {
      const { body } = await admin.send<BoardConfig>('GET', `/machines/${id}/board-config`);
      return [body.state, body.reason];
    };
    // An agent that supports none of these settings.
    await says('B-04', { config: { rev, state: 'running' } });
    await expect.poll(state).toEqual(['refused', 'the board’s software is too old for some of these settings']);
    await says('B-04', { order: null, config: { rev, state: 'running', trial: true } });
    await expect.poll(state).toEqual(['trial', null]);
    const reason = 'the machine did not answer reliably with these settings';
    await says('B-04', { order: null, config: { rev, state: 'refused', reason, reverted: true, trial: false } });
    await expect.poll(state).toEqual(['reverted', reason]);
    expect((await device('B-04'))?.warnings).toContain('config_refused');
    for (const wrong of [{ timeout_ms: 10 }, { timeout_ms: 20_000 }, { gap_ms: -1 }, { status_page: '10.0.0.1' }]) {
      const answer = await admin.send('PUT', `/machines/${id}/board-config`, { map_id: null, ...wrong });
      expect(answer.status, JSON.stringify(wrong)).toBe(422);
    }
  });
});
