import { request } from 'node:http';
import { hostname } from 'node:os';
import { createLogger } from '@roastery/runtime/logger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BoardStatus } from './board-status.ts';
import { concernsOf } from './concerns.ts';
import { healthyBoard as healthy } from '../testing/board-status.ts';
import { planOf } from '../testing/roast-plan.ts';
import { planText } from './plan-words.ts';
import { startStatusServer, type StatusServer } from './status-server.ts';

const { now } = healthy;
let shown = healthy;
let server: StatusServer;
const log = createLogger('test', 'silent');
beforeAll(async () => {
  server = await startStatusServer({ host: '127.0.0.1', port: 0, status: () => Promise.resolve(shown), log });
});
afterAll(() => server.close());

const ask = (path: string, host: string | undefined = `127.0.0.1:${server.port}`, method = 'GET') =>
  new Promise<{ status: number | undefined; text: string; policy: unknown }>((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: server.port, path, method, headers: { host } }, (response) => {
      let text = '';
      response.on('data', (data) => (text += String(data)));
      response.on('end', () =>
        resolve({ status: response.statusCode, text, policy: response.headers['content-security-policy'] }),
      );
    });
    asked.on('error', reject);
    asked.end();
  });

describe('the page on the board', () => {
  it('shows values, roast, line and journal without any script', async () => {
    shown = healthy;
    const { status, text, policy } = await ask('/');
    expect(status).toBe(200);
    expect(text).toContain('Bean temp');
    expect(text).toMatch(/201\.3<small>°C/);
    expect(text).toContain('In 0:25 · Burner 80 → 60 %');
    expect(text).toContain('burner is 12 % above plan');
    expect(text).toContain('House &lt;filter&gt;');
    expect(text).toContain('running for 7:41');
    expect(text).toContain('RM30-&lt;7&gt;');
    expect(text).toContain('Drum &amp; Son');
    expect(text).toContain('http-equiv="refresh"');
    expect(text).not.toMatch(/<script/i);
    expect(policy).toContain("default-src 'none'");
  });

  it('shows how often readings are sent at the slow pace', async () => {
    shown = healthy;
    expect((await ask('/')).text).toContain('2 entries not confirmed yet, 4 KiB');
    shown = { ...healthy, journal: { ...healthy.journal, send_every_seconds: 60 } };
    expect((await ask('/')).text).toContain('2 entries not confirmed yet, sent every 60 s, 4 KiB');
  });

  it('shows which version was installed, which runs, and why', async () => {
    const update = { installed: '0.2.0', earlier: '0.1.0', at: now } as const;
    shown = { ...healthy, update: { ...update, state: 'turned_back', reason: 'it hung, 3 times' } };
    expect((await ask('/')).text).toContain('Version 0.2.0 was installed and rolled back to 0.1.0: it hung, 3 times.');
    shown = { ...healthy, update: { ...update, state: 'on_trial' } };
    expect((await ask('/')).text).toContain('version 0.2.0 is on trial');
    expect(concernsOf(shown)).toEqual([]);
  });

  it('reports a line that is too slow for the map', () => {
    const slow = { ...healthy, machine: { ...healthy.machine, reached_hz: 1.6 } };
    expect(concernsOf(slow)).toEqual([
      {
        urgency: 'warning',
        says: 'Only 1.6 of 2 readings a second: the line or the machine is too slow for this map.',
        todo: expect.stringContaining('fewer readings a second'),
      },
    ]);
    expect(concernsOf(healthy)).toEqual([]);
  });

  it('status page: reports a missing machine map, with an instruction', async () => {
    const machine = { state: 'starting', detail: null, line: null, reached_hz: null } as const;
    shown = { ...healthy, machine, map: null, values: [], values_age_ms: null };
    expect(concernsOf(shown)).toEqual([
      {
        urgency: 'trouble',
        says: 'No machine map yet: choose one in the portal.',
        todo: expect.stringContaining('Map and settings'),
      },
    ]);
    const { text } = await ask('/');
    expect(text).toContain('No machine map yet: choose one in the portal.');
    expect(text).toContain('none yet');
    expect(text).not.toMatch(/null|undefined/);
  });

  it('shows problems and instructions at the top', async () => {
    shown = {
      ...healthy,
      machine: { ...healthy.machine, state: 'failing', detail: 'ECONNREFUSED' },
      uplink: { ...healthy.uplink, connected: false, since: now - 600_000, reason: 'no connection to the broker' },
    };
    const { text } = await ask('/');
    expect(text).toContain('Needs attention');
    expect(text).toContain('Check that the machine is on');
    expect(text).toContain('No connection to the server for 10 minutes');
  });

  it('names the broker that is in use only where there are several', async () => {
    shown = healthy;
    expect((await ask('/')).text).not.toContain('Broker');
    const brokers = ['one.example:8883', 'two.example:8883', 'three.example:8883'];
    shown = { ...healthy, uplink: { ...healthy.uplink, broker: 'two.example:8883', brokers } };
    expect((await ask('/')).text.replaceAll(/<[^>]*>/g, ' ')).toMatch(
      /Broker\s+two\.example:8883\s+Other brokers\s+one\.example:8883, three\.example:8883/,
    );
  });

  it('serves the same as JSON, with the concerns', async () => {
    shown = { ...healthy, clock: { synced: false, server_offset_ms: null } };
    const { text } = await ask('/status.json?x');
    expect(JSON.parse(text)).toMatchObject({ ...shown, concerns: [{ urgency: 'warning' }] });
  });

  it.each(['localhost:8321', hostname(), `${hostname().toUpperCase()}.local:1`, '[::1]:8321', '127.0.0.1'])(
    'answers under the name %s',
    async (name) => expect((await ask('/', name)).status).toBe(200),
  );

  it.each(['evil.example', 'localhost.evil.example:8321', '127.0.0.1.evil.example', 'x y'])(
    'refuses a foreign host name that resolves to the board: %j',
    async (name) => {
      const { status, text } = await ask('/status.json', name);
      expect([400, 421]).toContain(status);
      expect(text).not.toContain('RM30');
    },
  );

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('refuses %s', async (method) =>
    expect((await ask('/', undefined, method)).status).toBe(405),
  );

  it('does not disturb recording when its port is in use', async () => {
    const { port = 0 } = server;
    const second = await startStatusServer({ host: '127.0.0.1', port, status: () => Promise.resolve(shown), log });
    expect(second.port).toBeUndefined();
    await second.close();
    expect((await ask('/')).status).toBe(200);
  });
});

describe('concerns', () => {
  it('are empty on a healthy board, also just after a reconnect', () => {
    expect(concernsOf(healthy)).toEqual([]);
    expect(
      concernsOf({ ...healthy, uplink: { ...healthy.uplink, connected: false, since: now - 20_000, reason: 'gone' } }),
    ).toEqual([]);
  });

  it.each<[string, Partial<BoardStatus>, RegExp]>([
    ['an old reading', { values_age_ms: 40_000 }, /40 s old/],
    ['exchanged channels', { channels_exchanged: 3 }, /look exchanged .* 3 roasts/],
    ['a missing probe', { values: [{ channel: 'exhaust_temp', value: null, unit: '°C' }] }, /exhaust_temp/],
    ['a full disk', { journal: { ...healthy.journal, trouble: 'ENOSPC' } }, /does not accept writes: ENOSPC/],
    [
      'a disk that refuses writes',
      { journal: { ...healthy.journal, trouble: 'EROFS', in_memory: true, entries_in_memory: 12 } },
      /keeps 12 readings in memory/,
    ],
    [
      'history of an earlier pairing',
      { journal: { ...healthy.journal, streams_awaiting_owner: 1 } },
      /has not confirmed its owner/,
    ],
    ['lost entries', { journal: { ...healthy.journal, dropped_entries: 12 } }, /12 entries were dropped/],
    ['little room', { disk: { free_bytes: 9e7 } }, /86 MiB are free/],
  ])('include %s, with an instruction', (_what, part, says) => {
    const [concern, ...others] = concernsOf({ ...healthy, ...part });
    expect(concern?.says).toMatch(says);
    expect(concern?.todo).toMatch(/\w+/);
    expect(others).toEqual([]);
  });

  it('list faults first', () => {
    const both = concernsOf({
      ...healthy,
      clock: { synced: false, server_offset_ms: null },
      machine: { ...healthy.machine, state: 'failing' },
    });
    expect(both.map(({ urgency }) => urgency)).toEqual(['trouble', 'warning']);
  });
});

describe('a plan as text', () => {
  it('shows the first settings, then the next step and deviations', () => {
    const plan = planOf(1, {
      points: [
        { time: 0, burner: 80, exhaust: 40, drum: 60, drum_percent: 60 },
        { time: 60, burner: 50, exhaust: 40, drum: 60, drum_percent: 60 },
      ],
    });
    const begins = 'Burner 80 % · Airflow 40 % · Drum 60 RPM';
    expect(planText(plan, null, {})).toEqual({
      name: 'House filter',
      is_running: false,
      settings: begins,
      step: null,
      deviations: [],
    });
    expect(planText(plan, 35, { heat_power: 92, fan_speed: 41, drum_speed: 60 })).toMatchObject({
      is_running: true,
      settings: begins,
      step: 'In 0:25 · Burner 80 → 50 %',
      deviations: ['burner is 12 % above plan'],
    });
    expect(planText(plan, 62, {})?.step).toBe('Now · Burner 80 → 50 %');
    expect(planText(undefined, 62, {})).toBeNull();
  });
});
