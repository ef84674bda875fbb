import type { MqttLogin } from '@roastery/contract/devices';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { clientIdOf, serviceUserName, topicOf } from '@roastery/contract/mqtt';
import { freePort } from '@roastery/stack/ports';
import { registerBoards } from '@roastery/testing/fleet/register-boards';
import { hasMosquitto, needsMosquitto, startMosquitto } from '@roastery/testing/mosquitto';
import { createTestDatabase } from '@roastery/testing/test-database';
import { until } from '@roastery/testing/until';
import { connectAsync } from 'mqtt';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { endOverlaps } from '../domains/devices/end-overlaps.ts';
import { migratedTemplate } from '../testing/ingest-fixture.ts';
import { startTestApi, testAdmin, testBrokerSecret } from '../testing/test-api.ts';

const openRoastery = async (apis: 1 | 2 = 1) => {
  const port = await freePort();
  const broker = await startMosquitto(port, { [serviceUserName]: testBrokerSecret });
  const database = await createTestDatabase(migratedTemplate);
  const mqttUrl = `mqtt://127.0.0.1:${port}`;
  const settings = { mqttUrls: [mqttUrl], mqttPublicUrls: [mqttUrl], mosquittoUsers: true };
  const one = await startTestApi(database.url, settings);
  const two = apis === 2 ? await startTestApi(database.url, settings) : one;
  for (const { api } of [one, two]) await until('the broker', () => api.context.mqtt.isConnected);
  const admin = await one.signedIn(testAdmin.email, testAdmin.password);
  const other = await two.signedIn(testAdmin.email, testAdmin.password);
  const register = async (serial: string): Promise<RegisteredMachine> => {
    const form = { serial_number: serial, display_name: 'Drum', machine_type: 'RM30', max_capacity_kg: 30 };
    return (await admin.send<RegisteredMachine>('POST', '/machines', form)).body;
  };
  /** The request of a board before each connection. */
  const askLogin = async (serial: string, token: string) => {
    const headers = { authorization: `Bearer ${token}`, 'x-machine-serial': encodeURIComponent(serial) };
    return one.visitor().send<{ mqtt_login: MqttLogin }>('GET', '/devices/me', undefined, headers);
  };
  const loginOf = async (serial: string, token: string): Promise<MqttLogin> => {
    const { body } = await askLogin(serial, token);
    return body.mqtt_login;
  };
  const connect = (serial: string, login: MqttLogin, clientId = clientIdOf(serial)) =>
    connectAsync(mqttUrl, { ...login, clientId, reconnectPeriod: 0 });
  return {
    broker,
    one,
    two,
    admin,
    other,
    register,
    askLogin,
    loginOf,
    connect,
    databaseUrl: database.url,
    async [Symbol.asyncDispose]() {
      await one.close();
      if (two !== one) await two.close();
      await database.drop();
      await broker.close();
    },
  };
};

const refused = /not authorized/i;

describe.skipIf(!hasMosquitto)(`users of Mosquitto${needsMosquitto}`, () => {
  it.each(['RM30-1', 'größe 7/+#%'])(
    '%s: its board gets a login that is bound to its client id and topics',
    async (serial) => {
      await using place = await openRoastery();
      const machine = await place.register(serial);
      const login = await place.loginOf(serial, machine.auth_token);
      const board = await place.connect(serial, login);
      const received: string[] = [];
      place.one.api.context.mqtt.subscribe(topicOf(serial, 'live'), 1, (topic) => received.push(topic));
      await until('what the board sent', async () => {
        await board.publishAsync(topicOf(serial, 'live'), '{}', { qos: 1 });
        return received.length > 0;
      });
      await expect(place.connect(serial, login, clientIdOf('RM30-2'))).rejects.toThrow(refused);
      const byToken = { ...login, password: machine.auth_token };
      await expect(place.connect(serial, byToken)).rejects.toThrow(refused);
      expect(board.connected).toBe(true);
      await board.endAsync(true);
    },
  );

  it('a revoked machine is disconnected, its login refused, others stay connected', async () => {
    await using place = await openRoastery();
    const [one, two] = [await place.register('RM30-1'), await place.register('RM30-2')];
    const login = await place.loginOf('RM30-1', one.auth_token);
    const left = await place.connect('RM30-1', login);
    const right = await place.connect('RM30-2', await place.loginOf('RM30-2', two.auth_token));
    const revoked = await place.admin.send('DELETE', `/machines/${one.id}/credential`);
    await until('the end of its connection', () => !left.connected);
    expect(revoked.body).toMatchObject({ credentials: 1, disconnected: true });
    expect(right.connected).toBe(true);
    await expect(place.connect('RM30-1', login)).rejects.toThrow(refused);
    expect((await place.askLogin('RM30-1', one.auth_token)).status).toBe(401);
    await right.endAsync(true);
  });

  it('revoking a machine does not wait for boards that request their first login', async () => {
    const asking = 300;
    await using place = await openRoastery();
    const sql = postgres(place.databaseUrl, { max: 1 });
    const [first = '', ...others] = await registerBoards(sql, asking);
    const [machine] = await sql<{ id: string }[]>`SELECT id FROM machines WHERE serial_number = ${first}`;
    await sql.end();
    const board = await place.connect(first, await place.loginOf(first, first));
    let answered = 0;
    const answers = others.map((serial) => place.loginOf(serial, serial).then(() => (answered += 1)));
    await until('the first of them', () => answered > 0);
    await place.admin.send('DELETE', `/machines/${machine?.id}/credential`);
    await until('the end of its connection', () => !board.connected);
    expect(answered).toBeLessThan(asking - 1);
    await Promise.all(answers);
  });

  it('rotation: both tokens keep the connection during an overlap; without one the login is replaced', async () => {
    await using place = await openRoastery();
    const machine = await place.register('RM30-1');
    const rotate = async (hours: number): Promise<string> => {
      const path = `/machines/${machine.id}/credential/rotate`;
      return (await place.admin.send<{ auth_token: string }>('POST', path, { overlap_hours: hours })).body.auth_token;
    };
    const login = await place.loginOf('RM30-1', machine.auth_token);
    const board = await place.connect('RM30-1', login);
    const second = await rotate(24);
    expect(await place.loginOf('RM30-1', second)).toEqual(login);
    expect(await place.loginOf('RM30-1', machine.auth_token)).toEqual(login);
    expect(board.connected).toBe(true);
    const sql = postgres(place.databaseUrl, { max: 1 });
    await sql`UPDATE machine_credentials SET expires_at = now() WHERE expires_at IS NOT NULL`;
    await sql.end();
    await endOverlaps(place.one.api.context);
    await until('the end of the connection', () => !board.connected);
    await expect(place.connect('RM30-1', login)).rejects.toThrow(refused);
    const next = await place.loginOf('RM30-1', second);
    const again = await place.connect('RM30-1', next);
    const third = await rotate(0);
    await until('the end of the second connection', () => !again.connected);
    await expect(place.connect('RM30-1', next)).rejects.toThrow(refused);
    const last = await place.connect('RM30-1', await place.loginOf('RM30-1', third));
    await last.endAsync(true);
  });

  it('applies changes made while Mosquitto was down after it returns, also when it lost its users', async () => {
    await using place = await openRoastery();
    const [one, two] = [await place.register('RM30-1'), await place.register('RM30-2')];
    const logins = [
      await place.loginOf('RM30-1', one.auth_token),
      await place.loginOf('RM30-2', two.auth_token),
    ] as const;
    await place.broker.kill();
    expect((await place.admin.send('DELETE', `/machines/${one.id}/credential`)).body).toMatchObject({
      credentials: 1,
      disconnected: false,
    });
    await place.broker.start();
    await until('the removal', () =>
      place.connect('RM30-1', logins[0]).then(
        (client) => client.endAsync(true).then(() => false),
        () => true,
      ),
    );
    const kept = await place.connect('RM30-2', logins[1]);
    await kept.endAsync(true);

    await place.broker.kill();
    // As `mosquitto_ctrl dynsec init` writes it: without a rule everyone may read everything.
    place.broker.forgetMachines('{"defaultACLAccess":{"publishClientReceive":true}}');
    await place.broker.start();
    await expect(place.connect('RM30-2', logins[1])).rejects.toThrow(refused);
    const again = await until('the board', async () => {
      await place.loginOf('RM30-2', two.auth_token);
      return place.connect('RM30-2', logins[1]).catch(() => undefined);
    });
    expect(await place.loginOf('RM30-2', two.auth_token)).toEqual(logins[1]);
    const received: string[] = [];
    again.on('message', (topic) => received.push(topic));
    await again.subscribeAsync('#', { qos: 1 });
    for (const serial of ['RM30-1', 'RM30-2'])
      await place.one.api.context.mqtt.publish(topicOf(serial, 'ack'), '{}', { qos: 1 });
    await until('its own topic', () => received.length > 0);
    expect(received).toEqual([topicOf('RM30-2', 'ack')]);
    await again.endAsync(true);
  });

  it('a reload of Mosquitto keeps its connections open', async () => {
    await using place = await openRoastery();
    const machine = await place.register('RM30-1');
    const board = await place.connect('RM30-1', await place.loginOf('RM30-1', machine.auth_token));
    place.broker.reload();
    // It reloads before it handles the next connection.
    const next = await place.register('RM30-2');
    const other = await place.connect('RM30-2', await place.loginOf('RM30-2', next.auth_token));
    await board.publishAsync(topicOf('RM30-1', 'live'), '{}', { qos: 1 });
    expect([board.connected, place.one.api.context.mqtt.isConnected]).toEqual([true, true]);
    await Promise.all([board, other].map((client) => client.endAsync(true)));
  });

  it('two apis that change many machines concurrently leave Mosquitto in step with the database', async () => {
    await using place = await openRoastery(2);
    const machines = await Promise.all(Array.from({ length: 30 }, (_, n) => place.register(`RM30-${n}`)));
    const logins = await Promise.all(
      machines.map((machine) => place.loginOf(machine.serial_number, machine.auth_token)),
    );
    const rotated = await Promise.all(
      machines.map(async ({ id }, n) => {
        const revoking = n % 2 === 0 ? place.other.send('DELETE', `/machines/${id}/credential`) : undefined;
        const rotating = place.admin.send<{ auth_token: string }>('POST', `/machines/${id}/credential/rotate`, {
          overlap_hours: 0,
        });
        await revoking;
        return (await rotating).body.auth_token;
      }),
    );
    const statuses: number[] = [];
    for (const [n, { serial_number: serial }] of machines.entries()) {
      await expect(place.connect(serial, logins[n] as MqttLogin)).rejects.toThrow(refused);
      const { status, body } = await place.askLogin(serial, rotated[n] ?? '');
      const comesIn = status === 200 && (await place.connect(serial, body.mqtt_login));
      if (comesIn) await comesIn.endAsync(true);
      statuses.push(status);
    }
    // Machines that were only rotated by one api have a working token; for the others it depends on the order.
    expect(statuses.filter((_, n) => n % 2 === 1)).toEqual(Array.from({ length: 15 }, () => 200));
  });
});
