import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, randomUUID, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { raiseAlarms, type NewAlarm } from '../domains/alarms/stored-alarms.ts';
import { addRoast } from '../testing/example-data.ts';
import { openMigratedDatabase } from '../testing/ingest-fixture.ts';
import { startPlainBroker, startWholeApi, type PlainBroker, type WholeApi } from '../testing/whole-api.ts';
import type { Visitor } from '../testing/visitor.ts';

interface Pushed {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const derive = (secret: Buffer, salt: Buffer, info: Buffer, length: number) =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length));

/** A browser's keys, and the messages it decrypts. */
const openBrowser = () => {
  const keys = createECDH('prime256v1');
  keys.generateKeys();
  const auth = randomBytes(16);
  return {
    p256dh: keys.getPublicKey('base64url'),
    auth: auth.toString('base64url'),
    read(body: Buffer): unknown {
      const [salt, sender, sealed] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)];
      const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), sender]);
      const input = derive(keys.computeSecret(sender), auth, keyInfo, 32);
      const key = derive(input, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
      const nonce = derive(input, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
      const decipher = createDecipheriv('aes-128-gcm', key, nonce);
      decipher.setAuthTag(sealed.subarray(-16));
      const text = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
      expect(text.at(-1)).toBe(2);
      return JSON.parse(text.subarray(0, -1).toString());
    },
  };
};

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let broker: PlainBroker;
let api: WholeApi;
let admin: Visitor;
let service: Server;
let host = '';
const pushed: Pushed[] = [];
/** The push service's answer for paths with this prefix. */
const answers = new Map<string, number>();

beforeAll(async () => {
  service = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const path = request.url ?? '';
      pushed.push({ path, headers: request.headers, body: Buffer.concat(parts) });
      response.statusCode = answers.get(path) ?? 201;
      response.end();
    });
  });
  await new Promise<void>((resolve) => {
    service.listen(0, '127.0.0.1', resolve);
  });
  host = `127.0.0.1:${(service.address() as AddressInfo).port}`;
  database = await openMigratedDatabase();
  broker = await startPlainBroker();
  api = await startWholeApi(database.url, broker.url, {}, { env: { PUSH_HOSTS: host } });
  admin = await api.signedIn();
});
afterAll(async () => {
  await api.close();
  await broker.close();
  await database[Symbol.asyncDispose]();
  service.closeAllConnections();
  await new Promise((resolve) => {
    service.close(resolve);
  });
});

const raise = async (ownerId: string, change: Partial<NewAlarm> = {}): Promise<NewAlarm> => {
  const roastId = await addRoast(database.sql, ownerId);
  const [roast] = await database.sql<{ machine_id: string }[]>`SELECT machine_id FROM roasts WHERE id = ${roastId}`;
  const alarm: NewAlarm = {
    id: randomUUID(),
    roast_id: roastId,
    machine_id: roast?.machine_id ?? '',
    kind: 'rule',
    occurrence: randomUUID(),
    rule_id: null,
    channel: null,
    message: 'Open the air now',
    colour: 'blue',
    sound: true,
    push: true,
    mono_ms: 1000,
    happened_at: new Date().toISOString(),
    is_late: false,
    ...change,
  };
  await raiseAlarms(database.sql, [alarm]);
  return alarm;
};

const adminId = async (): Promise<string> => {
  const { body } = await admin.send<{ id: string }>('GET', '/auth/me');
  return body.id;
};

const roastOf = ({ roast_id: id }: NewAlarm): string => `PR-${id?.slice(0, 8)} · Yirgacheffe`;

it('push: sends an alarm once to the browsers of the machine’s people, sealed and signed', async () => {
  const browser = openBrowser();
  const { p256dh, auth } = browser;
  const endpoint = `http://${host}/one`;
  expect((await admin.send('POST', '/account/push', { endpoint, p256dh, auth })).status).toBe(201);
  const { body } = await admin.send<{ public_key: string; devices: { endpoint: string }[] }>('GET', '/account/push');
  expect(body.devices.map((device) => device.endpoint)).toEqual([endpoint]);
  await using second = await startWholeApi(database.url, broker.url, {}, { env: { PUSH_HOSTS: host } });
  expect(second.url).not.toBe(api.url);
  const alarm = await raise(await adminId());
  const message = await until('the message', () => pushed.find(({ path }) => path === '/one'));
  expect(message.headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '120', urgency: 'high' });
  expect(browser.read(message.body)).toMatchObject({
    body: `Open the air now · ${roastOf(alarm)}`,
    tag: alarm.id,
    url: `/machines/${alarm.machine_id}/live`,
  });
  const [, token = '', key = ''] = /^vapid t=(.+), k=(.+)$/.exec(message.headers.authorization ?? '') ?? [];
  expect(key).toBe(body.public_key);
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const publicKey = createPublicKey({ format: 'jwk', key: jwk });
  const signed = Buffer.from(`${head}.${claims}`);
  expect(
    verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')),
  ).toBe(true);
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ aud: `http://${host}` });

  const frozen = await raise(await adminId(), { kind: 'frozen', channel: 'bean_temp', message: null });
  const silent = await raise(await adminId(), { kind: 'silent', message: null });
  // Neither a late alarm nor one without push is sent, and none twice: this one comes after them all.
  await raise(await adminId(), { is_late: true });
  await raise(await adminId(), { push: false });
  const last = await raise(await adminId());
  await until('the last message', () => pushed.filter(({ path }) => path === '/one').length >= 4);
  const messages = pushed.map((one) => browser.read(one.body) as { tag: string; body: string });
  expect(messages.map(({ tag }) => tag).toSorted()).toEqual([alarm.id, frozen.id, silent.id, last.id].toSorted());
  const bodyOf = ({ id }: NewAlarm) => messages.find(({ tag }) => tag === id)?.body;
  expect(bodyOf(frozen)).toBe(`Bean Temp is frozen. Check the probe. · ${roastOf(frozen)}`);
  expect(bodyOf(silent)).toBe(`No readings arrive. Check the board. · ${roastOf(silent)}`);
});

const sentTo = (wanted: string): number => pushed.filter(({ path }) => path === wanted).length;

it('push and bell: reach only the people of the machine, while they are members', async () => {
  const account = { full_name: 'Vera', email: 'vera@example.org', password: 'a phrase that is long' };
  const { body: made } = await admin.send<{ id: string }>('POST', '/admin/users', account);
  const vera = await api.signedIn(account.email, account.password);
  const { p256dh, auth } = openBrowser();
  const endpoint = `http://${host}/vera`;
  expect((await vera.send('POST', '/account/push', { endpoint, p256dh, auth })).status).toBe(201);
  const alarmsOfVera = async () => (await vera.send<{ alarms: { id: string }[] }>('GET', '/alarms')).body.alarms;
  /** An alarm of another machine, sent after the previous one: earlier alarms have arrived. */
  const settle = async () => {
    const before = sentTo('/one');
    await raise(await adminId());
    await until('the next message', () => sentTo('/one') > before);
  };
  const alarm = await raise(await adminId());
  await settle();
  expect([sentTo('/vera'), await alarmsOfVera()]).toEqual([0, []]);

  const member = `/machines/${alarm.machine_id}/members/${made.id}`;
  expect((await admin.send('PUT', member, { role: 'viewer' })).status).toBe(200);
  expect((await alarmsOfVera()).map(({ id }) => id)).toEqual([alarm.id]);
  const again = { roast_id: alarm.roast_id, machine_id: alarm.machine_id };
  await raise(await adminId(), again);
  await until('the message', () => sentTo('/vera') === 1);

  expect((await admin.send('DELETE', member)).status).toBe(200);
  await raise(await adminId(), again);
  await settle();
  expect([sentTo('/vera'), await alarmsOfVera()]).toEqual([1, []]);
});

it('push: deletes the subscription of a browser that is gone, and retries a failing service', async () => {
  const [gone, failing] = [openBrowser(), openBrowser()];
  answers.set('/gone', 410);
  answers.set('/failing', 503);
  for (const [path, { p256dh, auth }] of [
    ['/gone', gone],
    ['/failing', failing],
  ] as const) {
    await admin.send('POST', '/account/push', { endpoint: `http://${host}${path}`, p256dh, auth });
  }
  await raise(await adminId());
  await until('both tries', () => pushed.filter(({ path }) => path === '/failing').length === 2);
  await until('the gone browser to be forgotten', async () => {
    const { body } = await admin.send<{ devices: { endpoint: string }[] }>('GET', '/account/push');
    return !body.devices.some(({ endpoint }) => endpoint.endsWith('/gone'));
  });
  expect(pushed.filter(({ path }) => path === '/gone')).toHaveLength(1);
});

it('push: refuses an address that is not of a push service, and invalid keys', async () => {
  const { p256dh, auth } = openBrowser();
  for (const endpoint of [
    'http://127.0.0.1:1/x',
    'https://example.org/x',
    'https://evil-push.apple.com.example.org/x',
  ]) {
    expect((await admin.send('POST', '/account/push', { endpoint, p256dh, auth })).status, endpoint).toBe(422);
  }
  const endpoint = `http://${host}/two`;
  expect((await admin.send('POST', '/account/push', { endpoint, p256dh: 'AAAA', auth })).status).toBe(422);
});
