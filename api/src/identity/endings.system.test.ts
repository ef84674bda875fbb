import { endpoints } from '@roastery/contract/endpoints';
import { until } from '@roastery/testing/until';
import type { VirtualClock } from '@roastery/testing/virtual-clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPushTargets } from '../domains/alarms/push.ts';
import { exampleRequests } from '../testing/example-requests.ts';
import { openMigratedDatabase } from '../testing/ingest-fixture.ts';
import { presentClock } from '../testing/present.ts';
import { startPlainBroker, startWholeApi, type PlainBroker, type WholeApi } from '../testing/whole-api.ts';
import type { Visitor } from '../testing/visitor.ts';
import { issuedToMachines, issuedToPeople } from './endings.ts';

/** End with the row that they refer to. */
const followers = ['push_subscriptions', 'wall_screens'];
const kinds = [...Object.keys(issuedToPeople), ...Object.keys(issuedToMachines), ...followers];
/** Tables that refer to people, machines or sessions, or hold a secret, and give no right that outlives its owner. */
const records: Readonly<Record<string, string>> = {
  users: 'whether a person is active is asked with each request',
  machines: 'whether a machine is in use is asked with each request',
  machine_members: 'asked with each request; of an inactive person they wait',
  machine_maps: 'asked with each request; a map belongs to the roastery’s machines too',
  roast_import_files: 'the imports of an inactive person wait',
  roast_imports: 'the imports of an inactive person wait',
  lot_imports: 'the imports of an inactive person wait',
  roast_uploads: 'only read by requests of their person; deleted after a day',
  blends: 'history of the roastery',
  roasts: 'history of the roastery',
  roast_marks: 'history of the roastery',
  replaced_marks: 'history of the roastery',
  roast_tombstones: 'history of the roastery',
  roast_alarms: 'history of the roastery',
  board_roasts: 'history of the roastery',
  batch_numbers: 'history of the roastery',
  lot_movements: 'history of the roastery',
  continuing_streams: 'history of the roastery',
  profiles: 'recipes of the roastery',
  recordings: 'history of the roastery',
  recording_files: 'history of the roastery',
  machine_files: 'what a computer sent, by the hash of its content',
  machine_map_revisions: 'history of the roastery',
  map_updates: 'what was done to a machine',
  confirmed_channels: 'a statement about a machine',
  channel_exchanges: 'a statement about recordings',
  times_to_check: 'a statement about recordings',
  roast_favorites: 'bookmarks',
  profile_favorites: 'bookmarks',
  lot_alert_dismissals: 'notices that a person has read',
  machine_departures: 'what its roasts show of a machine',
  machine_drifts: 'what its roasts show of a machine',
  machine_drift_dismissals: 'notices that a person has read',
  map_update_dismissals: 'notices that a person has read',
  alarm_rules: 'rules of the roastery for its machine',
  table_layouts: 'what the roastery says of tables',
  sign_in_limits: 'counts of failures',
  push_keys: 'the key of the roastery itself',
  quarantine: 'messages that could not be stored',
  history_restores: 'an order about history, of its machine',
};

/** A stream of the session; asked by its person for this machine. */
const pathsOfStreams: Readonly<Record<string, (machineId: string) => string>> = {
  machineLive: (id) => `/machines/${id}/live`,
  machinesLive: (id) => `/live?machines=${id}`,
  watchProbe: (id) => `/machines/${id}/probe`,
  wallLive: () => '/wall/live',
};
const streamNames = Object.keys(pathsOfStreams);

const password = 'a long phrase for this person';

const isAnswered = async (visitor: Visitor, path: string, headers = {}) =>
  (await visitor.send('GET', path, undefined, headers)).status === 200;

describe('what the api issues', () => {
  let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
  let broker: PlainBroker;
  let api: WholeApi;
  let admin: Visitor;
  let clock: VirtualClock;
  let count = 0;
  beforeAll(async () => {
    [database, broker] = await Promise.all([openMigratedDatabase(), startPlainBroker()]);
    clock = presentClock();
    api = await startWholeApi(database.url, broker.url, { sweep: false }, { clock });
    await until('the broker', () => api.api.context.mqtt.isConnected);
    admin = await api.signedIn();
  });
  afterAll(async () => {
    await api.close();
    await broker.close();
    await database[Symbol.asyncDispose]();
  });

  it('is listed with what ends it: every table that could hold a right, and every live stream', async () => {
    const tables = await database.sql<{ name: string }[]>`
      SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'
       WHERE c.relkind = 'r' AND (
         EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f'
                    AND k.confrelid = ANY('{users,sessions,machines,wall_links,wall_screens,pairing_tickets}'::regclass[]))
         OR c.relname IN ('users', 'machines')
         OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
                       AND a.attname ~ '(token|secret|auth|password|pin_hash|code_hash|private_key|endpoint|expire)'))`;
    expect(tables.map(({ name }) => name).filter((name) => !kinds.includes(name) && !(name in records))).toEqual([]);
    const streams = endpoints.filter(({ produces }) => produces === 'text/event-stream').map(({ name }) => name);
    expect(streams.toSorted()).toEqual(streamNames.toSorted());
  });

  /** Opens a stream; false once the server has ended it. */
  const openStream = async (path: string, cookie: string) => {
    const answer = await fetch(`${api.url}/api/v1${path}`, { headers: { cookie } });
    expect([path, answer.status]).toEqual([path, 200]);
    let isOpen = true;
    const read = answer.body?.pipeTo(new WritableStream());
    void read?.finally(() => (isOpen = false));
    return () => isOpen;
  };
  const machineOf = async (visitor: Visitor) => {
    const form = {
      serial_number: `END-${(count += 1)}`,
      display_name: 'Drum',
      machine_type: 'RM15',
      max_capacity_kg: 15,
    };
    const { body } = await visitor.send<{ id: string; auth_token: string }>('POST', '/machines', form);
    return { ...body, serial: form.serial_number };
  };

  /** An administrator with a machine of their own and one that is shared with them, who has one of everything. */
  const issueAll = async () => {
    const email = `person-${(count += 1)}@example.com`;
    const account = { full_name: 'Rita', email, password };
    const { id } = (await admin.send<{ id: string }>('POST', '/admin/users', account)).body;
    await admin.send('PATCH', `/admin/users/${id}`, { is_admin: true });
    const [here, elsewhere] = [await api.signedIn(email, password), await api.signedIn(email, password)];
    const { sessions } = (
      await here.send<{ sessions: { id: string; is_current: boolean }[] }>('GET', '/account/sessions')
    ).body;
    const [own, shared] = [await machineOf(here), await machineOf(admin)];
    await admin.send('PUT', `/machines/${shared.id}/members/${id}`, { role: 'roaster' });
    await here.send('POST', `/machines/${shared.id}/pairing-ticket`, {});
    await here.send('PUT', `/machines/${shared.id}/roaster`, { user_id: id });
    await here.send('POST', '/account/push', exampleRequests['subscribePush']?.body?.(email));
    const plan = await here.send<{ id: string }>('POST', '/roasts/planned', { machine_id: own.id, batch_size_kg: 12 });
    const link = await here.send<{ token: string }>('POST', '/admin/wall-links', { name: `Wall of ${email}` });
    const open = () => api.visitor().send('POST', '/wall/session', { token: link.body.token });
    const screen = (await open()).headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const streams = new Map<string, () => boolean>();
    for (const [name, path] of Object.entries(pathsOfStreams))
      streams.set(name, await openStream(path(own.id), here.cookie ?? ''));
    streams.set('wallLive of a screen', await openStream('/wall/live', screen));

    const isPending = async (serial: string) => {
      const path = `/admin/pairing-tickets?state=pending&q=${serial}`;
      return (await admin.send<{ total: number }>('GET', path)).body.total > 0;
    };
    const isPushed = async () => {
      const targets = await Promise.all([own, shared].map((machine) => readPushTargets(database.sql, machine.id)));
      return targets.flat().some(({ endpoint }) => endpoint.endsWith(email));
    };
    const device = { authorization: `Bearer ${own.auth_token}`, 'x-machine-serial': own.serial };
    /** What works, by use. Streams are opened before, and tell by themselves. */
    const uses: Record<string, () => Promise<boolean>> = {
      sessions: () => isAnswered(here, '/auth/me'),
      'sessions elsewhere': () => isAnswered(elsewhere, '/auth/me'),
      push_subscriptions: isPushed,
      wall_links: async () => (await open()).status === 200,
      wall_screens: () => isAnswered(api.visitor(), '/wall', { cookie: screen }),
      pairing_tickets: () => isPending(own.serial),
      'pairing_tickets of a machine of others': () => isPending(shared.serial),
      machine_credentials: () => isAnswered(api.visitor(), '/devices/me', device),
      roasters_at_machines: async () => {
        const path = `/machines/${shared.id}/roasters`;
        const { body } = await admin.send<{ current: { user_id: string } | null }>('GET', path);
        return body.current?.user_id === id;
      },
      planned_roasts: async () => {
        const { body } = await admin.send<{ planned: { id: string }[] }>('GET', '/roasts/planned');
        return body.planned.some((one) => one.id === plan.body.id);
      },
    };
    const ended = async (): Promise<string[]> => {
      const names = [...streams].flatMap(([name, isOpen]) => (isOpen() ? [] : [name]));
      for (const [name, works] of Object.entries(uses)) if (!(await works())) names.push(name);
      return names.toSorted();
    };
    expect(await ended()).toEqual([]);
    const tried = [...Object.keys(uses), 'live_streams'];
    expect(kinds.filter((kind) => !tried.includes(kind))).toEqual([]);
    const idOf = (isCurrent: boolean) => sessions.find(({ is_current: current }) => current === isCurrent)?.id ?? '';
    return { id, here, elsewhere, own, shared, session: idOf(true), ended };
  };
  type Issued = Awaited<ReturnType<typeof issueAll>>;

  const streams = streamNames;
  const ofSession = ['sessions', 'push_subscriptions', ...streams];
  const ofLinks = ['wall_links', 'wall_screens', 'wallLive of a screen'];
  const ofAdmin = [...streams, ...ofLinks, 'pairing_tickets of a machine of others'];
  const ofMachine = ['machine_credentials', 'pairing_tickets', 'planned_roasts'];
  /** The wall connects again and shows the other machines. */
  const withMachine = [...ofMachine, ...streams, 'wallLive of a screen'];
  const patch = (change: object) => (issued: Issued) => admin.send('PATCH', `/admin/users/${issued.id}`, change);

  it.each<[way: string, end: (issued: Issued) => Promise<unknown>, gone: readonly string[]]>([
    ['a sign-out', ({ here }) => here.send('POST', '/auth/logout'), ofSession],
    [
      'the end of a session from elsewhere',
      ({ elsewhere, session }) => elsewhere.send('DELETE', `/account/sessions/${session}`),
      ofSession,
    ],
    [
      'twelve idle hours',
      async ({ session }) => {
        await database.sql`UPDATE sessions SET last_seen_at = now() - interval '12 hours 1 minute' WHERE id = ${session}`;
        await clock.advance(60_000);
      },
      ofSession,
    ],
    [
      'a changed password',
      ({ here }) =>
        here.send('POST', '/account/password', { current_password: password, new_password: `${password}, another` }),
      ['sessions elsewhere'],
    ],
    [
      'a password that was reset',
      ({ id }) => admin.send('POST', `/admin/users/${id}/reset-password`, {}),
      [...ofSession, 'sessions elsewhere'],
    ],
    [
      'a deactivation',
      patch({ is_active: false }),
      [
        ...ofSession,
        'sessions elsewhere',
        ...ofLinks,
        'pairing_tickets',
        'pairing_tickets of a machine of others',
        'roasters_at_machines',
      ],
    ],
    ['a demotion', patch({ is_admin: false }), ofAdmin],
    [
      'a demotion and the role of a viewer',
      async (issued) => {
        await patch({ is_admin: false })(issued);
        await admin.send('PUT', `/machines/${issued.shared.id}/members/${issued.id}`, { role: 'viewer' });
      },
      [...ofAdmin, 'roasters_at_machines'],
    ],
    [
      'a machine that is no longer shared',
      ({ id, shared }) => admin.send('DELETE', `/machines/${shared.id}/members/${id}`),
      streams,
    ],
    [
      'the deletion of a machine',
      async ({ own }) => {
        await admin.send('DELETE', `/machines/${own.id}`);
        await clock.advance(10_000);
      },
      withMachine,
    ],
    [
      'the archiving of a machine',
      async ({ own }) => {
        await database.sql`INSERT INTO recordings (id, machine_id, source) VALUES (gen_random_uuid(), ${own.id}, 'agent')`;
        const { body } = await admin.send<{ archived: boolean }>('DELETE', `/machines/${own.id}`);
        expect(body.archived).toBe(true);
        await clock.advance(10_000);
      },
      withMachine,
    ],
    [
      'the revocation of a board',
      ({ own }) => admin.send('DELETE', `/machines/${own.id}/credential`),
      ['machine_credentials', 'pairing_tickets'],
    ],
    [
      'another token at once',
      ({ own }) => admin.send('POST', `/machines/${own.id}/credential/rotate`, { overlap_hours: 0 }),
      ['machine_credentials'],
    ],
    [
      'the deletion of a person’s row',
      async ({ id, shared }) => {
        await database.sql`DELETE FROM machines WHERE owner_id = ${id}`;
        await database.sql`DELETE FROM pairing_tickets WHERE machine_id = ${shared.id}`;
        await database.sql`DELETE FROM users WHERE id = ${id}`;
        await clock.advance(60_000);
      },
      [
        ...ofSession,
        'sessions elsewhere',
        ...ofLinks,
        ...ofMachine,
        'pairing_tickets of a machine of others',
        'roasters_at_machines',
      ],
    ],
  ])('ends with %s, and nothing else does', async (_way, end, gone) => {
    const issued = await issueAll();
    await end(issued);
    await expect.poll(issued.ended).toEqual(gone.toSorted());
  });
});
