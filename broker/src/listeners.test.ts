import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type SecureVersion } from 'node:tls';
import { heldBytes } from '@roastery/testing/held-memory';
import mqtt from 'mqtt';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokerEnvShape, configOf } from './env.ts';
import {
  asApi,
  closed,
  connect,
  deviceOne,
  metric,
  ownTopic,
  rawConnect,
  startPair,
  waitUntil,
} from './testing/peers.ts';

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
})();

describe.skipIf(!hasOpenssl)('TLS (skipped without openssl, which makes the certificates)', () => {
  let folder = '';
  const makeCertificate = (name: string): void => {
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
        '-subj',
        '/CN=localhost',
      ]
        .concat(['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'])
        .concat(['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.crt`)]),
      { stdio: 'ignore' },
    );
  };
  const tls = () => ({
    host: '127.0.0.1',
    port: 0,
    certFile: join(folder, 'live.crt'),
    keyFile: join(folder, 'live.key'),
  });
  const install = (name: string): void => {
    for (const end of ['crt', 'key'])
      writeFileSync(join(folder, `live.${end}`), readFileSync(join(folder, `${name}.${end}`)));
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'roastery-broker-tls-'));
    makeCertificate('first');
    makeCertificate('second');
    install('first');
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const secure = (name: string) => ({
    ...deviceOne,
    protocol: 'mqtts' as const,
    ca: readFileSync(join(folder, `${name}.crt`)),
  });

  it('connects a machine that trusts the certificate, and refuses one that does not', async () => {
    await using pair = await startPair({ tls: tls() });
    const port = pair.broker.ports.tls ?? 0;
    const one = await connect(port, secure('first'));
    await one.publishAsync(ownTopic('journal'), 'x', { qos: 1 });
    expect(await metric(pair.broker, 'connections{listener="tls",state="device"}')).toBe(1);
    await one.endAsync();
    await expect(connect(port, secure('second'))).rejects.toThrow(/self-signed|certificate/i);
  });

  it('accepts TLS 1.2 and above only', async () => {
    await using pair = await startPair({ tls: tls() });
    const attempt = (maxVersion: SecureVersion): Promise<string | null> =>
      new Promise((resolve, reject) => {
        const socket = connectTls(
          {
            port: pair.broker.ports.tls ?? 0,
            host: '127.0.0.1',
            minVersion: 'TLSv1',
            maxVersion,
            rejectUnauthorized: false,
            ciphers: 'DEFAULT@SECLEVEL=0',
          },
          () => {
            resolve(socket.getProtocol());
            socket.destroy();
          },
        );
        socket.on('error', reject);
      });
    await expect(attempt('TLSv1.1')).rejects.toThrow(/alert|version|protocol/i);
    expect(await attempt('TLSv1.2')).toBe('TLSv1.2');
    expect(await attempt('TLSv1.3')).toBe('TLSv1.3');
  });

  it('closes a connection without a handshake', async () => {
    await using pair = await startPair({ tls: tls(), limits: { connectTimeoutMs: 400 } });
    const socket = await rawConnect(pair.broker.ports.tls ?? 0);
    expect(await closed(socket)).toBe(true);
    await waitUntil(async () => (await metric(pair.broker, 'sockets')) === 0);
  });

  it('uses a renewed certificate without a restart', async () => {
    install('first');
    await using pair = await startPair({ tls: tls() });
    const port = pair.broker.ports.tls ?? 0;
    const early = await connect(port, secure('first'));
    install('second');
    await pair.broker.reloadCertificate();
    const api = await connect(port, { ...asApi(), protocol: 'mqtts', ca: readFileSync(join(folder, 'second.crt')) });
    expect(early.connected).toBe(true);
    await Promise.all([early.endAsync(), api.endAsync()]);
    install('first');
  });

  it('a certificate that is missing or does not fit stops the start with one line', async () => {
    await expect(startPair({ tls: { ...tls(), certFile: join(folder, 'nothing.crt') } })).rejects.toThrow(
      /can't be read/,
    );
    await expect(startPair({ tls: { ...tls(), keyFile: join(folder, 'second.key') } })).rejects.toThrow(/don't match/);
  });
});

const startWithWebSocket = () => startPair({ webSocket: { host: '127.0.0.1', port: 0 } });
const webSocketUrl = (port: number | undefined) => `ws://127.0.0.1:${port}/mqtt`;

describe('WebSocket', () => {
  it('connects a machine under the same rules', async () => {
    await using pair = await startWithWebSocket();
    const port = pair.broker.ports.webSocket;
    const one = await mqtt.connectAsync(webSocketUrl(port), { ...deviceOne, reconnectPeriod: 0 }, false);
    await one.publishAsync(ownTopic('journal'), Buffer.alloc(200_000), { qos: 1 });
    expect(await metric(pair.broker, 'connections{listener="ws",state="device"}')).toBe(1);
    const gone = closed(one);
    one.publish('anything', 'x', { qos: 1 });
    expect(await gone).toBe(true);
    one.end(true);
    await expect(
      mqtt.connectAsync(webSocketUrl(port), { ...deviceOne, password: 'wrong', reconnectPeriod: 0 }, false),
    ).rejects.toMatchObject({ code: 4 });
  });

  it('accepts at most 8 KB before authentication, also within one WebSocket frame', async () => {
    await using pair = await startWithWebSocket();
    const before = heldBytes();
    const webSockets = Array.from(
      { length: 20 },
      () => new WebSocket(webSocketUrl(pair.broker.ports.webSocket), 'mqtt'),
    );
    await Promise.all(
      webSockets.map(
        (webSocket) =>
          new Promise((resolve) => {
            webSocket.on('open', () => webSocket.send(new Uint8Array(200_000)));
            webSocket.on('close', resolve);
            webSocket.on('error', resolve);
          }),
      ),
    );
    expect((heldBytes() - before) / 1024 / 1024).toBeLessThan(10);
    expect(await metric(pair.broker, 'connections{listener="ws",state="opening"}')).toBe(0);
    expect(await metric(pair.broker, 'refused_total{reason="too_large"}')).toBe(20);
  });
});

const faults = (env: Record<string, string>) =>
  brokerEnvShape.safeParse(env).error?.issues.map(({ path }) => path.join('.'));

describe('environment', () => {
  const least = { BROKER_SECRET: 'sixteen-letters-x' };

  it('listens on loopback only by default', () => {
    expect(configOf(brokerEnvShape.parse(least))).toMatchObject({
      mqtt: { host: '127.0.0.1', port: 1883 },
      management: { host: '127.0.0.1', port: 18083 },
      apiUrl: 'http://127.0.0.1:3000/api/v1',
    });
  });

  it('names contradictory variables', () => {
    expect(faults({ ...least, TLS_CERT: '/x' })).toEqual(['TLS_KEY']);
    expect(faults({ ...least, TLS_KEY: '/x' })).toEqual(['TLS_CERT']);
    expect(faults({ BROKER_SECRET: 'short', MQTT_PORT: '70000', API_URL: 'nonsense' })).toEqual([
      'MQTT_PORT',
      'API_URL',
      'BROKER_SECRET',
    ]);
  });
});
