import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { Aedes } from 'aedes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession, SessionError, type SessionOptions } from './session.ts';

const folder = mkdtempSync(join(tmpdir(), 'session-'));
/** A self-signed certificate for `localhost` only. */
const makeCertificate = (): { key: Buffer; cert: Buffer } => {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const how = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', [...how, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(cert) };
};

let broker: Aedes;
let tls: Server;
let port = 0;
let authority = '';
const passwords: string[] = [];

beforeAll(async () => {
  const { key, cert } = makeCertificate();
  authority = cert.toString();
  broker = await Aedes.createBroker({ concurrency: 0 });
  broker.authenticate = (_client, _username, password, done) => {
    passwords.push(String(password));
    done(null, true);
  };
  tls = createServer({ key, cert }, (socket) => broker.handle(socket));
  await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
  port = (tls.address() as AddressInfo).port;
});
afterAll(async () => {
  tls.close();
  await new Promise<void>((resolve) => broker.close(resolve));
  rmSync(folder, { recursive: true });
});

const optionsFor = (host: string, ca: string | undefined): SessionOptions => ({
  url: `mqtts://${host}:${port}`,
  clientId: 'board-1',
  username: '1',
  password: 'secret',
  will: { topic: 'status', payload: '{}' },
  ca,
  message: () => undefined,
  signal: new AbortController().signal,
});

describe('session over TLS', () => {
  it.each([
    ['an authority it does not know', 'localhost', false],
    ['a certificate of another host', '127.0.0.1', true],
  ] as const)('refuses %s, and does not send its password', async (_what, host, trusted) => {
    const error = await openSession(optionsFor(host, trusted ? authority : undefined)).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(SessionError);
    expect(error).toMatchObject({ stage: 'refused' });
    expect(passwords).toEqual([]);
  });

  it('trusts the configured authority', async () => {
    const session = await openSession(optionsFor('localhost', authority));
    expect(passwords).toEqual(['secret']);
    await session.end();
    expect(session.isOpen()).toBe(false);
  });
});

describe('session', () => {
  it('distinguishes a closed port from a peer that does not speak MQTT', async () => {
    const closed = await openSession({ ...optionsFor('127.0.0.1', undefined), url: 'mqtt://127.0.0.1:1' }).catch(
      (reason: unknown) => reason,
    );
    expect(closed).toMatchObject({ stage: 'network' });
    // A TLS port treats the plain CONNECT as invalid and closes the connection.
    const other = await openSession({ ...optionsFor('127.0.0.1', undefined), url: `mqtt://127.0.0.1:${port}` }).catch(
      (reason: unknown) => reason,
    );
    expect(other).toMatchObject({ stage: 'busy' });
  });
});
