import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { describe, expect, it } from 'vitest';
import { ApiAwayError } from './api-access.ts';
import { createDeviceAccess } from './device-access.ts';
import {
  asApi,
  asDevice,
  brokerSecret,
  connect,
  deviceOne,
  deviceTwo,
  keptLog,
  metric,
  startPair,
} from './testing/peers.ts';

describe('broker authentication', () => {
  it('accepts a machine with its token, by a request to the api in the shape of EMQX', async () => {
    await using pair = await startPair();
    const client = await connect(pair.broker.ports.mqtt, deviceOne);
    expect(pair.api.asked).toEqual([
      { path: 'auth', body: { clientid: 'board-RM30-1', username: 'RM30-1', password: 'token-one' } },
    ]);
    await client.endAsync();
  });

  it('refuses a wrong token, an unknown machine and a missing password', async () => {
    await using pair = await startPair();
    const port = pair.broker.ports.mqtt;
    await expect(connect(port, asDevice('RM30-1', 'wrong'))).rejects.toMatchObject({ code: 4 });
    await expect(connect(port, asDevice('unknown', 'token-one'))).rejects.toMatchObject({ code: 4 });
    await expect(connect(port, { clientId: 'board-RM30-1', username: 'RM30-1' })).rejects.toMatchObject({ code: 4 });
    expect(await metric(pair.broker, 'refused_total{reason="credentials"}')).toBe(3);
  });

  it('binds the client id to the user name and refuses an empty one', async () => {
    await using pair = await startPair();
    const port = pair.broker.ports.mqtt;
    const { username, password } = asDevice('RM30-1', 'token-one') as { username: string; password: string };
    await expect(connect(port, { username, password, clientId: 'board-RM15' })).rejects.toMatchObject({ code: 2 });
    await expect(connect(port, { username, password, clientId: 'anything' })).rejects.toMatchObject({ code: 2 });
    await expect(connect(port, { username, password, clientId: '' })).rejects.toMatchObject({ code: 2 });
    await expect(connect(port, { ...asApi(), clientId: 'board-RM30-1' })).rejects.toMatchObject({ code: 2 });
    expect(pair.api.asked).toEqual([]);
  });

  it('keeps a serial number with any characters apart from topics', async () => {
    await using pair = await startPair();
    const client = await connect(pair.broker.ports.mqtt, deviceTwo);
    expect(client.connected).toBe(true);
    await client.endAsync();
  });

  it('accepts the service’s user name from the api only', async () => {
    await using pair = await startPair();
    pair.api.tokens.set('RM-super', 'x');
    await expect(connect(pair.broker.ports.mqtt, { ...asApi(), password: 'token-one' })).rejects.toMatchObject({
      code: 4,
    });
    const api = await connect(pair.broker.ports.mqtt, asApi());
    await api.endAsync();
  });

  it('does not repeat the request about a machine that was just confirmed', async () => {
    await using pair = await startPair();
    for (let round = 0; round < 3; round++) {
      const client = await connect(pair.broker.ports.mqtt, deviceOne);
      await client.endAsync();
    }
    expect(pair.api.asked.filter(({ path }) => path === 'auth')).toHaveLength(1);
    expect(await metric(pair.broker, 'admissions_total{by="cache"}')).toBe(2);
  });

  it('accepts known machines and refuses all others while the api is away', async () => {
    const clock = createVirtualClock();
    await using pair = await startPair({ clock });
    const port = pair.broker.ports.mqtt;
    await (await connect(port, deviceOne)).endAsync();
    await pair.api.close();
    await (await connect(port, deviceOne)).endAsync();
    await expect(connect(port, asDevice('RM30-1', 'wrong'))).rejects.toMatchObject({ code: 3 });
    await expect(connect(port, deviceTwo)).rejects.toMatchObject({ code: 3 });
    await pair.api.reopen();
    await clock.advance(1_100);
    await (await connect(port, deviceTwo)).endAsync();
  });

  it.each(['failing', 'hanging', 'garbage'] as const)('refuses an unknown machine when the api is %s', async (mode) => {
    await using pair = await startPair();
    pair.api.mode = mode;
    await expect(connect(pair.broker.ports.mqtt, deviceOne)).rejects.toMatchObject({ code: 3 });
  });

  it('logs a repeated wrong token once a minute, and never the token', async () => {
    const { log, lines } = keptLog();
    await using pair = await startPair({ log });
    for (let round = 0; round < 6; round++) {
      await expect(connect(pair.broker.ports.mqtt, asDevice('RM30-1', 'canary-token'))).rejects.toMatchObject({
        code: 4,
      });
    }
    expect(lines.filter(({ msg }) => msg === 'refused')).toEqual([
      expect.objectContaining({ reason: 'credentials', username: 'RM30-1', address: '127.0.0.1' }),
    ]);
    expect(pair.api.asked).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain('canary-token');
    expect(JSON.stringify(lines)).not.toContain(brokerSecret);
  });
});

const attempt = { clientid: 'board-A', username: 'A', password: 'right', address: '10.0.0.1', isOpen: () => true };
const peer = () => {
  let time = 1_000_000;
  let away = false;
  let valid = 'right';
  let asked = 0;
  let busy = false;
  const revoked: string[] = [];
  const access = createDeviceAccess(
    {
      authenticate: ({ password }) => {
        asked += 1;
        if (away) return Promise.reject(new ApiAwayError('away'));
        return Promise.resolve({ allow: password === valid, superuser: false });
      },
      isBusy: () => busy,
    },
    (clientId) => revoked.push(clientId),
    () => time,
  );
  return {
    access,
    asked: () => asked,
    revoked,
    setBusy: (value: boolean) => (busy = value),
    later: (ms: number) => (time += ms),
    setAway: (value: boolean) => (away = value),
    setValid: (value: string) => (valid = value),
  };
};

describe('credential cache of the broker', () => {
  it('repeats the request after 30 seconds, and then refuses a revoked token', async () => {
    const { access, asked, later, setValid } = peer();
    expect(await access.admit(attempt)).toMatchObject({ allow: true, by: 'api' });
    later(29_000);
    expect(await access.admit(attempt)).toMatchObject({ allow: true, by: 'cache' });
    later(2_000);
    setValid('another');
    expect(await access.admit(attempt)).toMatchObject({ allow: false, reason: 'credentials' });
    expect(asked()).toBe(2);
  });

  it('admits a confirmed machine for a day without the api, then no longer', async () => {
    const { access, later, setAway } = peer();
    await access.admit(attempt);
    setAway(true);
    later(23 * 3_600_000);
    expect(await access.admit(attempt)).toMatchObject({ allow: true, by: 'memory' });
    later(2 * 3_600_000);
    expect(await access.admit(attempt)).toMatchObject({ allow: false, reason: 'api_away' });
  });

  it('admits a known machine while the api is busy, and disconnects it when the api refuses it', async () => {
    const { access, later, revoked, setBusy, setValid } = peer();
    await access.admit(attempt);
    later(60_000);
    setBusy(true);
    setValid('another');
    expect(await access.admit(attempt)).toMatchObject({ allow: true, by: 'memory' });
    await expect.poll(() => revoked).toEqual(['board-A']);
    expect(await access.admit(attempt)).toMatchObject({ allow: false });
  });

  it('sends one request for a machine that opens several connections at once', async () => {
    const { access, asked } = peer();
    const admissions = await Promise.all([1, 2, 3].map(() => access.admit(attempt)));
    expect(admissions.map(({ allow }) => allow)).toEqual([true, true, true]);
    expect(asked()).toBe(1);
  });

  it('removes a revoked machine from the cache immediately, also without the api', async () => {
    const { access, setAway } = peer();
    await access.admit(attempt);
    access.forget('board-A');
    setAway(true);
    expect(await access.admit(attempt)).toMatchObject({ allow: false, reason: 'api_away' });
  });

  it('asks again when a revocation overtakes a question: its answer neither admits nor is remembered', async () => {
    const answers: ((allow: boolean) => void)[] = [];
    const access = createDeviceAccess(
      {
        authenticate: () =>
          new Promise((resolve) => {
            answers.push((allow) => resolve({ allow, superuser: false }));
          }),
        isBusy: () => false,
      },
      () => undefined,
    );
    const before = access.admit({ ...attempt, isOpen: () => false });
    access.forget('board-A');
    const after = access.admit(attempt);
    expect(answers).toHaveLength(2);
    answers[0]?.(true);
    answers[1]?.(false);
    expect(await after).toMatchObject({ allow: false, reason: 'credentials' });
    expect(await before).toMatchObject({ allow: false });
    void access.admit({ ...attempt, address: '10.0.0.2' });
    expect(answers).toHaveLength(3);
  });

  it('does not cache an answer that arrives after its connection was closed', async () => {
    const { access, setAway } = peer();
    await access.admit({ ...attempt, isOpen: () => false });
    setAway(true);
    expect(await access.admit(attempt)).toMatchObject({ allow: false, reason: 'api_away' });
  });

  it('stops requests for one address for a minute after ten different wrong passwords', async () => {
    const { access, asked, later } = peer();
    for (let guess = 0; guess < 50; guess++) {
      expect((await access.admit({ ...attempt, password: `guess ${guess}` })).allow).toBe(false);
    }
    expect(asked()).toBe(10);
    expect(await access.admit({ ...attempt, address: '10.0.0.2' })).toMatchObject({ allow: true });
    later(61_000);
    expect(await access.admit(attempt)).toMatchObject({ allow: true });
  });
});
