import type { ChannelCheck } from '@roastery/contract/channel-check';
import type { Machine } from '@roastery/contract/machines';
import type { BoardConfig, MapDetail } from '@roastery/contract/machine-maps';
import { configShape, topicOf, type DeviceConfig, type DeviceStatus } from '@roastery/contract/mqtt';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { createTestDatabase } from '@roastery/testing/test-database';
import { until } from '@roastery/testing/until';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { housekeeping } from '../../housekeeping.ts';
import { examplePassword } from '../../testing/example-requests.ts';
import { migratedTemplate } from '../../testing/ingest-fixture.ts';
import { tcpSettings } from '../../testing/artisan-settings.ts';
import type { Visitor } from '../../testing/visitor.ts';
import { startPlainBroker, startWholeApi, type PlainBroker, type WholeApi } from '../../testing/whole-api.ts';
import { updateCatalogueMaps } from './map-updates.ts';

/** Its bean is at h:768 and its exhaust at h:774, and the other way round in revision 1. */
const mapId = 'loring-auto';

const machineOf = async (visitor: Visitor, id: string) => (await visitor.send<Machine>('GET', `/machines/${id}`)).body;

describe('maps of machines in use', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let broker: PlainBroker;
  let whole: WholeApi;
  let mqtt: MqttClient;
  let admin: Visitor;
  let owner: Visitor;
  const configs = new Map<string, DeviceConfig>();

  beforeAll(async () => {
    [database, broker] = await Promise.all([createTestDatabase(migratedTemplate), startPlainBroker()]);
    whole = await startWholeApi(database.url, broker.url);
    admin = await whole.signedIn();
    const email = 'owner@example.com';
    await admin.send('POST', '/admin/users', { full_name: 'owner', email, password: examplePassword });
    owner = await whole.signedIn(email, examplePassword);
    mqtt = await connectAsync(broker.url);
    mqtt.on('message', (topic, payload) => {
      if (payload.length > 0) configs.set(topic, configShape.parse(JSON.parse(payload.toString())));
    });
    await mqtt.subscribeAsync('roastery/v1/+/config', { qos: 1 });
    await until('the api is connected to the broker', () => whole.api.context.mqtt.isConnected);
  });
  afterAll(async () => {
    await mqtt.endAsync();
    await whole.close();
    await broker.close();
    await database.drop();
  });

  const register = async (serial: string): Promise<string> => {
    const form = { serial_number: serial, display_name: `Drum ${serial}`, machine_type: 'RM7', max_capacity_kg: 7 };
    return (await owner.send<{ id: string }>('POST', '/machines', form)).body.id;
  };
  const set = (id: string, body: object) => owner.send<BoardConfig>('PUT', `/machines/${id}/board-config`, body);
  const config = (serial: string) => configs.get(topicOf(serial, 'config'));
  const says = (serial: string, status: Partial<DeviceStatus>) =>
    mqtt.publishAsync(
      topicOf(serial, 'status'),
      JSON.stringify({ v: 1, online: true, session: 'one', t: 1_000, ...status }),
      { qos: 1, retain: true },
    );
  const check = async (id: string) => (await owner.send<ChannelCheck>('GET', `/machines/${id}/channel-check`)).body;
  const audited = (id: string) =>
    whole.api.context.sql<{ actor: string; action: string; detail: object }[]>`
      SELECT actor, action, detail FROM audit_log WHERE subject = ${id} ORDER BY at, id`;

  it('of an earlier revision of the catalogue get the newest one, with the machine’s own settings', async () => {
    const id = await register('UP-1');
    await set(id, { map_id: mapId, map_rev: 1, host: '10.1.2.3', port: 1502, hz: 2 });
    await expect.poll(() => config('UP-1')?.map).toMatchObject({ rev: 1, channels: { bean_temp: { at: 'h:774' } } });
    const service = await housekeeping(whole.api.context);
    await service.close();
    await expect
      .poll(() => config('UP-1'))
      .toMatchObject({
        hz: 2,
        map: { id: mapId, rev: 2, link: { host: '10.1.2.3', port: 1502 }, channels: { bean_temp: { at: 'h:768' } } },
      });
    expect((await audited(id)).at(-1)).toEqual({
      actor: 'system',
      action: 'machine.map_updated',
      detail: { serial_number: 'UP-1', map: `${mapId}@2`, before: `${mapId}@1` },
    });
  });

  it('are named to the owner until read, with what the board made of the new one', async () => {
    const id = await register('UP-2');
    await set(id, { map_id: mapId, map_rev: 1 });
    await updateCatalogueMaps(whole.api.context);
    const rev = config('UP-2')?.rev ?? 0;
    const update = { map_id: mapId, from_rev: 1, to_rev: 2, exchanged: true, state: 'waiting', reason: null };
    expect((await machineOf(owner, id)).map_update).toMatchObject(update);
    await says('UP-2', { config: { rev, state: 'waiting', reason: 'a roast is running' } });
    await expect
      .poll(async () => (await machineOf(owner, id)).map_update)
      .toMatchObject({ state: 'waiting', reason: 'a roast is running' });
    await says('UP-2', { config: { rev, state: 'running', trial: true } });
    await expect.poll(async () => (await machineOf(owner, id)).map_update).toMatchObject({ state: 'trial' });
    await says('UP-2', { config: { rev, state: 'refused', reverted: true, reason: 'no answer' } });
    await expect
      .poll(async () => (await machineOf(owner, id)).map_update)
      .toMatchObject({ state: 'reverted', reason: 'no answer' });
    for (let times = 0; times < 2; times++)
      expect((await owner.send('POST', `/machines/${id}/map-update/dismiss`)).status).toBe(200);
    expect((await machineOf(owner, id)).map_update).toBeNull();
    for (let times = 0; times < 2; times++)
      expect((await owner.send('POST', `/machines/${id}/map-update/show`)).status).toBe(200);
    expect((await machineOf(owner, id)).map_update).toMatchObject({ state: 'reverted' });
    expect((await owner.send('POST', `/machines/${id}/map-update/dismiss`)).status).toBe(200);
    // Each person reads it once.
    expect((await machineOf(admin, id)).map_update).toMatchObject({ exchanged: true });
    // Who returns to the earlier revision keeps it.
    await set(id, { map_id: mapId, map_rev: 1 });
    await updateCatalogueMaps(whole.api.context);
    expect(config('UP-2')?.map?.rev).toBe(1);
    expect((await owner.send('POST', `/machines/${id}/map-update/dismiss`)).status).toBe(404);
  });

  it('are updated once by several instances, and each owner gets one mail', async () => {
    const ids = [await register('UP-3'), await register('UP-4')];
    for (const id of ids) await set(id, { map_id: mapId, map_rev: 1 });
    const context = { ...whole.api.context, sendMail: () => Promise.resolve() };
    await Promise.all([1, 2, 3].map(() => updateCatalogueMaps(context)));
    for (const id of ids) {
      const rows = await audited(id);
      expect(rows.filter(({ action }) => action === 'machine.map_updated')).toHaveLength(1);
    }
    const mails = await context.sql<{ recipients: string[]; subject: string; body: string }[]>`
      SELECT recipients, subject, body FROM outgoing_mail`;
    expect(mails).toEqual([
      {
        recipients: ['owner@example.com'],
        subject: 'The maps of 2 machines were updated',
        body: expect.stringContaining(
          `Drum UP-3: bean and exhaust temperature were exchanged in its map (${mapId}). Revision 2 is right.`,
        ),
      },
    ]);
  });

  it('own ones stay, ask their owner with the present values, and are exchanged with one request and back', async () => {
    const ids = [await register('OWN-1'), await register('OWN-2')];
    const [id = '', second = ''] = ids;
    const { body: catalogue } = await owner.send<MapDetail>('GET', `/machine-maps/${mapId}?rev=1`);
    const { body: own } = await owner.send<MapDetail>('POST', '/machine-maps', { map: catalogue.map, based_on: mapId });
    for (const each of ids) await set(each, { map_id: own.id, host: '10.1.2.9' });
    await updateCatalogueMaps(whole.api.context);
    expect(config('OWN-1')?.map).toMatchObject({ id: own.id, rev: 1, channels: { bean_temp: { at: 'h:774' } } });
    expect(await machineOf(owner, id)).toMatchObject({ asks_channels: true, map_update: null });
    expect(await check(id)).toMatchObject({
      map: { id: own.id, rev: 1, source: 'copy' },
      bean: { at: 'h:774', value: null },
      read_at: null,
      asks: true,
      makes_copy: false,
      others: { names: ['Drum OWN-2'], hidden: 0 },
    });

    const board = createJournalBoard({
      channels: ['drum_temp', 'exhaust_temp', 'bean_temp'],
      wallOffsetMs: Date.parse('2026-11-27T20:00:00.000Z'),
    });
    board.sample(1000, 1, 180, 230);
    board.sample(2000, 1, 181, 231);
    for (const batch of board.batches())
      await mqtt.publishAsync(topicOf('OWN-1', 'journal'), JSON.stringify({ ...batch, map: { id: own.id, rev: 1 } }), {
        qos: 1,
      });
    await expect
      .poll(() => check(id))
      .toMatchObject({ bean: { at: 'h:774', value: 231 }, exhaust: { at: 'h:768', value: 181 } });
    expect((await check(id)).read_at).toBe('2026-11-27T20:00:02.000Z');

    const exchange = (rev: number) =>
      owner.send<ChannelCheck>('POST', `/machines/${id}/exchange-channels`, { map_id: own.id, map_rev: rev });
    const twice = await Promise.all([exchange(1), exchange(1)]);
    expect(twice.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(twice.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'changed_meanwhile' });
    // The values are those of the earlier revision until the board reads with the new one.
    expect(await check(id)).toMatchObject({
      map: { id: own.id, rev: 2 },
      bean: { at: 'h:768', value: null },
      exhaust: { at: 'h:774', value: null },
      asks: false,
    });
    for (const serial of ['OWN-1', 'OWN-2'])
      await expect
        .poll(() => config(serial)?.map)
        .toMatchObject({
          rev: 2,
          link: { host: '10.1.2.9' },
          channels: {
            bean_temp: { ...catalogue.map.channels['exhaust_temp'] },
            exhaust_temp: { ...catalogue.map.channels['bean_temp'] },
          },
        });
    expect((await machineOf(owner, second)).asks_channels).toBe(false);
    expect((await exchange(2)).body).toMatchObject({ map: { rev: 3 }, bean: { at: 'h:774' }, asks: false });
    const exchanges = (await audited(id)).filter(({ action }) => action === 'machine.channels_exchanged');
    expect(exchanges.map(({ actor, detail }) => ({ actor, ...detail }))).toMatchObject([
      { actor: 'owner@example.com', before: `${own.id}@1`, map: `${own.id}@2`, bean_temp: 'h:768' },
      { actor: 'owner@example.com', before: `${own.id}@2`, map: `${own.id}@3`, bean_temp: 'h:774' },
    ]);
  });

  it('from a settings file of Artisan: ask until confirmed, also through later revisions with the same registers', async () => {
    const id = await register('ART-1');
    const imported = await owner.sendFile<{ map: MapDetail }>(
      '/machine-maps/artisan-settings?file_name=w15.aset',
      tcpSettings,
    );
    expect(imported.status).toBe(201);
    const { map } = imported.body;
    await set(id, { map_id: map.id });
    expect(await check(id)).toMatchObject({ map: { source: 'artisan_settings' }, asks: true });
    const seen = { map_id: map.id, map_rev: 1 };
    const confirmed = await owner.send<ChannelCheck>('POST', `/machines/${id}/confirm-channels`, seen);
    expect(confirmed.body).toMatchObject({ asks: false });
    await owner.send('PUT', `/machine-maps/${map.id}`, { map: { ...map.map, hz: 3 }, rev: 1 });
    expect(await check(id)).toMatchObject({ map: { rev: 2 }, asks: false });
    expect((await owner.send('POST', `/machines/${id}/confirm-channels`, seen)).status).toBe(409);
  });

  it('of the catalogue or of another user: become an own copy of this machine', async () => {
    const id = await register('COPY-1');
    await set(id, { map_id: mapId, host: '10.1.2.4' });
    expect(await check(id)).toMatchObject({ map: { source: 'catalogue' }, asks: false, makes_copy: true });
    const seen = { map_id: mapId, map_rev: 2 };
    const { body } = await owner.send<ChannelCheck>('POST', `/machines/${id}/exchange-channels`, seen);
    expect(body).toMatchObject({
      map: { rev: 1, source: 'copy' },
      bean: { at: 'h:774' },
      makes_copy: false,
      asks: false,
    });
    const own = await owner.send<MapDetail>('GET', `/machine-maps/${body.map?.id}`);
    expect(own.body).toMatchObject({ based_on: mapId, may_edit: true, map: { link: { host: '192.168.1.199' } } });
    await expect.poll(() => config('COPY-1')?.map).toMatchObject({ id: body.map?.id, link: { host: '10.1.2.4' } });
  });

  it('in which a board finds the two exchanged: ask until a person confirms them', async () => {
    const id = await register('FOUND-1');
    await set(id, { map_id: 'rm30' });
    const { map } = await check(id);
    const seen = { map_id: 'rm30', map_rev: map?.rev ?? 0 };
    await says('FOUND-1', { channels_exchanged: { roasts: 3, map: { id: 'rm30', rev: seen.map_rev } } });
    await expect.poll(() => check(id)).toMatchObject({ suspected: true, asks: true });
    expect(await machineOf(owner, id)).toMatchObject({ channels_exchanged: 3, asks_channels: true });
    await owner.send('POST', `/machines/${id}/confirm-channels`, seen);
    expect(await machineOf(owner, id)).toMatchObject({ channels_exchanged: null, asks_channels: false });
  });

  it('with one of the two only: are not exchanged', async () => {
    const id = await register('ONE-1');
    const channels = { bean_temp: { at: 'h:6' } };
    const link = { kind: 'tcp', host: '192.168.0.20' };
    const { body: own } = await owner.send<MapDetail>('POST', '/machine-maps', {
      map: { v: 1, id: 'x', maker: 'Maker', model: 'Drum', link, channels },
    });
    await set(id, { map_id: own.id });
    expect(await check(id)).toMatchObject({ bean: { at: 'h:6' }, exhaust: null, asks: false });
    const seen = { map_id: own.id, map_rev: 1 };
    const refused = await owner.send<{ detail: string }>('POST', `/machines/${id}/exchange-channels`, seen);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'This map does not have both a bean and an exhaust temperature.',
    ]);
  });
});
