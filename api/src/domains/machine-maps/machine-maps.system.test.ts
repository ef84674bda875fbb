import type { MachineMapInput } from '@roastery/contract/machine-map';
import {
  maxOwnMaps,
  type BoardConfig,
  type MapDetail,
  type MapRevision,
  type MapSummary,
} from '@roastery/contract/machine-maps';
import type { Device } from '@roastery/contract/fleet';
import type { Machine } from '@roastery/contract/machines';
import { configShape, topicOf, type DeviceConfig, type DeviceStatus } from '@roastery/contract/mqtt';
import { createTestDatabase } from '@roastery/testing/test-database';
import { until } from '@roastery/testing/until';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examplePassword } from '../../testing/example-requests.ts';
import type { Visitor } from '../../testing/visitor.ts';
import { startPlainBroker, startWholeApi, type PlainBroker, type WholeApi } from '../../testing/whole-api.ts';
import { migratedTemplate } from '../../testing/ingest-fixture.ts';
import { fromNow } from '../../testing/present.ts';

interface Refusal {
  code: string;
  detail: string | { field: string; message: string }[];
}
const serial = 'LORING-1';
const drum: MachineMapInput = {
  v: 1,
  id: 'from-a-file',
  maker: 'Öztürk & Sons',
  model: 'Drum 15',
  link: { kind: 'rtu', path: '/dev/ttyUSB0', baud: 19_200 },
  channels: {
    exhaust_temp: { at: 'h:7', as: 'i16', scale: 0.1 },
    bean_temp: { at: 'h:6', as: 'i16', scale: 0.1 },
  },
};

/** The registers of bean and exhaust temperature. */
const placesIn = ({ channels }: MapDetail['map']) => [channels['bean_temp']?.at, channels['exhaust_temp']?.at];

const find = async (visitor: Visitor, q: string) =>
  (await visitor.send<{ maps: MapSummary[]; total: number }>('GET', `/machine-maps?q=${encodeURIComponent(q)}`)).body;

describe('machine maps', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let broker: PlainBroker;
  let whole: WholeApi;
  let board: MqttClient;
  let admin: Visitor;
  let owner: Visitor;
  let other: Visitor;
  let machineId: string;
  const configs: DeviceConfig[] = [];

  const signUp = async (name: string): Promise<Visitor> => {
    const email = `${name}@example.com`;
    await admin.send('POST', '/admin/users', { full_name: name, email, password: examplePassword });
    return whole.signedIn(email, examplePassword);
  };
  const says = (status: Partial<DeviceStatus>) =>
    board.publishAsync(
      topicOf(serial, 'status'),
      JSON.stringify({ v: 1, online: true, session: 'one', t: fromNow(0), ...status }),
      { qos: 1, retain: true },
    );
  const boardConfig = async () => (await owner.send<BoardConfig>('GET', `/machines/${machineId}/board-config`)).body;
  const exchangedRoasts = async () =>
    (await owner.send<Machine>('GET', `/machines/${machineId}`)).body.channels_exchanged;
  const fleetEntry = async () =>
    (await admin.send<{ devices: Device[] }>('GET', '/admin/devices')).body.devices.find(
      (device) => device.machine_id === machineId,
    );

  beforeAll(async () => {
    [database, broker] = await Promise.all([createTestDatabase(migratedTemplate), startPlainBroker()]);
    whole = await startWholeApi(database.url, broker.url);
    admin = await whole.signedIn();
    [owner, other] = [await signUp('owner'), await signUp('other')];
    board = await connectAsync(broker.url);
    board.on('message', (_topic, payload) => {
      // An empty message clears the messages retained under the serial number before its registration.
      if (payload.length > 0) configs.push(configShape.parse(JSON.parse(payload.toString())));
    });
    await board.subscribeAsync(topicOf(serial, 'config'), { qos: 1 });
    await until('the api is connected to the broker', () => whole.api.context.mqtt.isConnected);
  });
  afterAll(async () => {
    await board.endAsync();
    await whole.close();
    await broker.close();
    await database.drop();
  });

  it('are found by words of maker and model, without accents', async () => {
    expect((await find(owner, 'gemma sweet')).maps.map(({ id }) => id)).toContain('sweet-coffee-italia-gemma-2ind');
    expect((await find(owner, 'OZTURK')).maps[0]).toMatchObject({
      id: 'ozturk-oks',
      maker: 'Öztürk',
      origin: 'catalogue',
    });
    const all = await find(owner, '');
    expect(all.total).toBeGreaterThan(150);
    expect(all.maps.every(({ verified }) => verified === 'simulator')).toBe(true);
    expect((await find(owner, 'no such maker')).total).toBe(0);
    expect((await owner.send('GET', '/machine-maps/..%2F..%2Fpackage')).status).toBe(404);
  });

  it('of the catalogue are pushed to the board of a machine that is registered with one', async () => {
    const answer = await owner.send<{ id: string }>('POST', '/machines', {
      serial_number: serial,
      display_name: 'Loring',
      machine_type: 'RM7',
      max_capacity_kg: 7,
      map_id: 'loring-auto',
    });
    expect(answer.status).toBe(201);
    machineId = answer.body.id;
    await expect.poll(() => configs.at(-1)?.map).toMatchObject({ id: 'loring-auto', link: { host: '192.168.1.199' } });
    expect(await boardConfig()).toMatchObject({ state: 'waiting', map: { maker: 'Loring', verified: 'simulator' } });
    expect((await owner.send('PUT', '/machine-maps/loring-auto', { map: drum, rev: 1 })).status).toBe(409);
  });

  it('of the catalogue stay readable in each revision: as a map, in the list and as a file', async () => {
    const path = '/machine-maps/loring-auto';
    const newest = await owner.send<MapDetail>('GET', path);
    expect(newest.body).toMatchObject({ rev: 2, map: { rev: 2 } });
    expect(placesIn(newest.body.map)).toEqual(['h:768', 'h:774']);
    const first = await owner.send<MapDetail>('GET', `${path}?rev=1`);
    expect(first.body).toMatchObject({ rev: 2, map: { rev: 1 } });
    expect(placesIn(first.body.map)).toEqual(['h:774', 'h:768']);
    const { body } = await owner.send<{ revisions: MapRevision[] }>('GET', `${path}/revisions`);
    expect(body.revisions.map(({ rev, note }) => [rev, note?.split(':')[0]])).toEqual([
      [2, 'Bean and exhaust temperature exchanged'],
      [1, undefined],
    ]);
    expect(body.revisions[1]?.map).toEqual(first.body.map);
    expect((await owner.send<MapDetail['map']>('GET', `${path}/file?rev=1`)).body).toEqual(first.body.map);
    expect((await owner.send('GET', `${path}?rev=3`)).status).toBe(404);
    expect((await owner.send('GET', '/machine-maps/rm7/file?rev=2')).status).toBe(404);
  });

  it('contain the machine’s own address, rate and log level, and the board’s report about them', async () => {
    const set = await owner.send<BoardConfig>('PUT', `/machines/${machineId}/board-config`, {
      map_id: 'loring-auto',
      host: '10.1.2.3',
      hz: 2,
      log_level: 'debug',
    });
    expect(set.body).toMatchObject({
      link: { host: '10.1.2.3', port: 502 },
      map_hz: 1,
      settings: { hz: 2, path: null },
    });
    await expect
      .poll(() => configs.at(-1))
      .toMatchObject({ hz: 2, log_level: 'debug', map: { link: { host: '10.1.2.3' } } });
    const { rev = 0 } = configs.at(-1) ?? {};
    expect(rev).toBe(set.body.revision);

    await says({
      map: { id: 'loring-auto', rev: 1 },
      config: { rev, state: 'waiting', reason: 'a roast is running' },
    });
    await expect.poll(boardConfig).toMatchObject({ state: 'waiting', reason: 'a roast is running' });
    await says({ map: { id: 'loring-auto', rev: 1 }, config: { rev, state: 'running' } });
    await expect
      .poll(fleetEntry)
      .toMatchObject({ config: { state: 'running', map: { id: 'loring-auto' } }, warnings: [] });
    await says({ config: { rev, state: 'refused', reason: 'newer on the board' } });
    await expect.poll(fleetEntry).toMatchObject({
      config: { state: 'refused', reason: 'newer on the board' },
      warnings: ['config_refused'],
    });
    const update = { state: 'turned_back', installed: '0.3.0', earlier: '0.2.0', reason: 'it hung', at: 1e12 } as const;
    await says({ agent_version: '0.2.0', update });
    await expect.poll(fleetEntry).toMatchObject({ agent_version: '0.2.0', update, warnings: ['update_turned_back'] });
    // Unknown fields of a later agent do not invalidate the others.
    const later: object = { update: { state: 'moonstruck' } };
    await says({ agent_version: '0.4.0', ...later });
    await expect.poll(fleetEntry).toMatchObject({ agent_version: '0.4.0', update: null, warnings: [] });
  });

  it('are imported from a file, or refused field by field', async () => {
    const wrong = await owner.send<Refusal>('POST', '/machine-maps', {
      map: { ...drum, hz: 99, channels: { bean_temp: { at: '40007' } }, colour: 'red' },
    });
    expect(wrong.status).toBe(422);
    expect(wrong.body.detail).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ field: 'map.channels.bean_temp.at', message: expect.stringContaining('"h:6"') }),
        expect.objectContaining({ field: 'map.hz' }),
      ]),
    );
    const taken = await owner.send<MapDetail>('POST', '/machine-maps', { map: { ...drum, rev: 12 } });
    expect(taken.status).toBe(201);
    expect(taken.body).toMatchObject({ rev: 1, may_edit: true, map: { rev: 1, verified: 'none' } });
    expect(taken.body.id).toMatch(/^own-ozturk-sons-drum-15-[0-9a-f]{6}$/);
    expect(Object.keys(taken.body.map.channels)).toEqual(['exhaust_temp', 'bean_temp']);
    expect((await find(owner, 'sons drum')).maps[0]).toMatchObject({ id: taken.body.id, owner_name: 'owner' });
  });

  it('of another user are not found, unless one of the caller’s machines uses it', async () => {
    const own = await admin.send<MapDetail>('POST', '/machine-maps', { map: drum });
    const path = `/machine-maps/${own.body.id}`;
    expect((await other.send('GET', path)).status).toBe(404);
    expect((await owner.send('GET', path)).status).toBe(404);
    await admin.send('PUT', `/machines/${machineId}/board-config`, { map_id: own.body.id, path: '/dev/ttyS1' });
    const seen = await owner.send<MapDetail>('GET', path);
    expect(seen.body).toMatchObject({ may_edit: false, machines: [{ id: machineId, rev: 1 }] });
    expect((await owner.send('PUT', path, { map: drum, rev: 1 })).status).toBe(404);
    expect((await other.send('PUT', `/machines/${machineId}/board-config`, { map_id: null })).status).toBe(404);
  });

  it('get a revision with every save, which is sent to the boards that use them', async () => {
    const { map } = await boardConfig();
    const path = `/machine-maps/${map?.id}`;
    const changed = { ...drum, channels: { ...drum.channels, drum_temp: { at: 'h:9' } } };
    const saved = await admin.send<MapDetail>('PUT', path, { map: changed, rev: 1, note: 'drum probe' });
    expect(saved.body).toMatchObject({ rev: 2, machines: [{ id: machineId, rev: 2 }] });
    await expect
      .poll(() => configs.at(-1)?.map)
      .toMatchObject({
        rev: 2,
        link: { path: '/dev/ttyS1', baud: 19_200 },
        channels: { drum_temp: { at: 'h:9' } },
      });
    expect((await admin.send<Refusal>('PUT', path, { map: changed, rev: 1 })).body.code).toBe('changed_meanwhile');
    const { body } = await admin.send<{ revisions: MapRevision[] }>('GET', `${path}/revisions`);
    expect(body.revisions.map(({ rev, note, saved_by_name: by }) => [rev, note, by])).toEqual([
      [2, 'drum probe', expect.any(String)],
      [1, null, expect.any(String)],
    ]);
    // An earlier one may be chosen again.
    await owner.send('PUT', `/machines/${machineId}/board-config`, { map_id: map?.id, map_rev: 1 });
    await expect.poll(() => configs.at(-1)?.map).toMatchObject({ rev: 1, link: { path: '/dev/ttyUSB0' } });

    const file = await owner.send<MapDetail['map']>('GET', `${path}/file?rev=2`);
    expect(file.body).toMatchObject({ id: map?.id, rev: 2, maker: drum.maker });
    const back = await other.send<MapDetail>('POST', '/machine-maps', { map: file.body });
    expect(back.body.map).toEqual({ ...file.body, id: back.body.id, rev: 1 });
    const rows = await whole.api.context.sql<{ action: string }[]>`
      SELECT action FROM audit_log WHERE action LIKE 'machine_map.%' OR action = 'machine.board_configured'`;
    expect(new Set(rows.map(({ action }) => action))).toEqual(
      new Set(['machine_map.created', 'machine_map.saved', 'machine.board_configured']),
    );
  });

  it('channels that look exchanged: are shown for the map that the machine has now', async () => {
    const { id = '', rev = 0 } = configs.at(-1)?.map ?? {};
    await says({ map: { id, rev }, channels_exchanged: { roasts: 2, map: { id, rev } } });
    await expect.poll(exchangedRoasts).toBe(2);
    await says({ map: { id, rev: rev + 1 }, channels_exchanged: { roasts: 3, map: { id, rev: rev + 1 } } });
    await expect.poll(exchangedRoasts).toBeNull();
    await says({ map: { id, rev }, channels_exchanged: { roasts: 3, map: { id, rev } } });
    await expect.poll(exchangedRoasts).toBe(3);
    await says({ map: { id, rev }, channels_exchanged: null });
    await expect.poll(exchangedRoasts).toBeNull();
  });

  it('config: is cleared when the map is removed, and is retained for a board that connects later', async () => {
    await owner.send('PUT', `/machines/${machineId}/board-config`, { map_id: null, hz: 3 });
    await expect.poll(() => configs.at(-1)).toMatchObject({ map: null, hz: 3 });
    await owner.send('PUT', `/machines/${machineId}/board-config`, { map_id: 'rm30' });
    const late = await connectAsync(broker.url);
    const heard: DeviceConfig[] = [];
    late.on('message', (_topic, payload) => heard.push(configShape.parse(JSON.parse(payload.toString()))));
    await late.subscribeAsync(topicOf(serial, 'config'), { qos: 1 });
    await expect.poll(() => heard.at(-1)?.map).toMatchObject({ id: 'rm30', hz: 4 });
    expect(heard.at(-1)).not.toHaveProperty('hz');
    await late.endAsync();
  });

  it('maps beyond the current limits: are shown and can be reduced', async () => {
    const { body: own } = await other.send<MapDetail>('POST', '/machine-maps', { map: drum });
    const path = `/machine-maps/${own.id}`;
    const many = Array.from({ length: 70 }, (_, n): [string, object] => [`probe_${n}`, { at: `h:${n + 10}` }]);
    const wide = { ...own.map, channels: { ...own.map.channels, ...Object.fromEntries(many) } };
    await whole.api.context.sql`
      UPDATE machine_map_revisions SET map = ${JSON.stringify(wide)}::text::json WHERE map_id = ${own.id}`;
    expect((await find(other, 'sons drum')).maps).toContainEqual(expect.objectContaining({ id: own.id, channels: 72 }));
    expect((await other.send<MapDetail>('GET', path)).body.map.channels).toHaveProperty('probe_69');
    expect((await other.send<{ revisions: MapRevision[] }>('GET', `${path}/revisions`)).body.revisions).toHaveLength(1);
    const refused = await other.send<Refusal>('PUT', path, { map: wide, rev: 1 });
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      [{ field: 'map.channels', message: expect.stringContaining('at most 64') }],
    ]);
    expect((await other.send('PUT', path, { map: drum, rev: 1 })).status).toBe(200);
  });

  it('own maps: are limited per user, also when two are created at once', async () => {
    const collector = await signUp('collector');
    await whole.api.context.sql`
      INSERT INTO machine_maps (id, owner_id, rev)
      SELECT 'own-many-' || n, (SELECT id FROM users WHERE email = 'collector@example.com'), 1
        FROM generate_series(1, ${maxOwnMaps - 1}) n`;
    const made = await Promise.all([1, 2].map(() => collector.send<Refusal>('POST', '/machine-maps', { map: drum })));
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201, 409]));
    const detail = expect.stringContaining('Delete one that no machine uses');
    expect(made.find(({ status }) => status === 409)?.body).toMatchObject({ detail });
    await whole.api.context.sql`UPDATE machine_maps SET deleted_at = now() WHERE id = 'own-many-1'`;
    expect((await collector.send('POST', '/machine-maps', { map: drum })).status).toBe(201);
  });

  it('large maps: are refused before they exceed the broker’s packet limit', async () => {
    const huge = { ...drum, channels: { ...drum.channels, bean_temp: { at: 'h:6', bad: Array(60_000).fill(12_345) } } };
    const refused = await owner.send<Refusal>('POST', '/machine-maps', { map: huge });
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      [expect.objectContaining({ field: 'map.channels.bean_temp.bad' })],
    ]);
    const { mqtt } = whole.api.context;
    await expect(mqtt.publish(topicOf(serial, 'config'), JSON.stringify(huge))).rejects.toThrow(/too large/);
    expect(mqtt.isConnected).toBe(true);
  });

  it('config: the newest stays retained, also when changes come at once', async () => {
    const path = `/machines/${machineId}/board-config`;
    const changes = [1, 2, 1, 2, 1].map((hz) => owner.send<BoardConfig>('PUT', path, { map_id: 'rm30', hz }));
    const newest = Math.max(...(await Promise.all(changes)).map(({ body }) => body.revision));
    const kept = await connectAsync(broker.url);
    const heard: DeviceConfig[] = [];
    kept.on('message', (_topic, payload) => heard.push(configShape.parse(JSON.parse(payload.toString()))));
    await kept.subscribeAsync(topicOf(serial, 'config'), { qos: 1 });
    await expect.poll(() => heard.at(-1)?.rev).toBe(newest);
    await kept.endAsync();
  });

  it('are deleted when no machine uses them; their revisions stay', async () => {
    const { body: own } = await owner.send<MapDetail>('POST', '/machine-maps', { map: drum });
    const path = `/machine-maps/${own.id}`;
    await owner.send('PUT', `/machines/${machineId}/board-config`, { map_id: own.id });
    const used = await owner.send<Refusal>('DELETE', path);
    expect([used.status, used.body.code]).toEqual([409, 'conflict']);
    expect(used.body.detail).toMatch(/^“.+” is read by this map\. Choose another map there first/);
    expect((await other.send('DELETE', path)).status).toBe(404);
    expect((await owner.send<Refusal>('DELETE', '/machine-maps/rm30')).body.detail).toMatch(/catalogue/);

    await owner.send('PUT', `/machines/${machineId}/board-config`, { map_id: 'rm30' });
    // A concurrent request that sets it for a machine gets it or an error; no machine keeps a deleted map.
    const [gone, given] = await Promise.all([
      owner.send('DELETE', path),
      owner.send('PUT', `/machines/${machineId}/board-config`, { map_id: own.id }),
    ]);
    expect([
      [200, 404],
      [409, 200],
    ]).toContainEqual([gone.status, given.status]);
    await owner.send('PUT', `/machines/${machineId}/board-config`, { map_id: 'rm30' });
    await owner.send('DELETE', path);
    expect((await owner.send('GET', path)).status).toBe(404);
    expect((await find(owner, own.id)).total).toBe(0);
    const { sql } = whole.api.context;
    expect(await sql`SELECT rev FROM machine_map_revisions WHERE map_id = ${own.id}`).toHaveLength(1);
    expect(
      await sql`SELECT 1 FROM audit_log WHERE action = 'machine_map.deleted' AND subject = ${own.id}`,
    ).toHaveLength(1);
  });
});
