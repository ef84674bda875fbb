import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { here } from './program-files.ts';
import { isInstalled } from './systemd-units.ts';

const withTools = isInstalled('openssl');

const run = (folder: string, ...args: string[]) =>
  spawnSync('sh', [path.join(here, 'certificate.sh'), ...args], {
    env: { ...process.env, TLS_DIR: folder, TLS_OWNER: `${process.getuid?.() ?? 0}` },
    encoding: 'utf8',
  });

describe.skipIf(!withTools)('certificate.sh (skipped without openssl)', () => {
  it.each([
    ['roastery.test', 'roastery.test'],
    ['192.168.7.20', '192.168.7.20'],
  ])('creates a certificate for %s, signed by its private authority', (host) => {
    const place = mkdtempSync(path.join(tmpdir(), 'roastery-certificate-'));
    const folder = path.join(place, 'tls');
    const made = run(folder, 'private', host);
    expect(made.stderr).toBe('');
    const certificate = new X509Certificate(readFileSync(path.join(folder, 'fullchain.pem')));
    const authority = new X509Certificate(readFileSync(path.join(place, 'tls-authority/authority.pem')));
    expect(/^[\d.]+$/.test(host) ? certificate.checkIP(host) : certificate.checkHost(host)).toBe(host);
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(statSync(path.join(folder, 'privkey.pem')).mode & 0o777).toBe(0o640);
    expect(statSync(path.join(place, 'tls-authority/authority.key')).mode & 0o777).toBe(0o600);

    // A second one is signed by the same authority, so boards need no new one.
    run(folder, 'private', host);
    const renewed = new X509Certificate(readFileSync(path.join(folder, 'fullchain.pem')));
    expect(renewed.serialNumber).not.toBe(certificate.serialNumber);
    expect(renewed.verify(authority.publicKey)).toBe(true);
    rmSync(place, { recursive: true });
  });

  it('private: keeps the authority’s key outside the folder that proxy and broker read, also one created earlier', () => {
    const place = mkdtempSync(path.join(tmpdir(), 'roastery-certificate-'));
    const folder = path.join(place, 'tls');
    expect(run(folder, 'private', 'roastery.test').stderr).toBe('');
    const made = readFileSync(path.join(place, 'tls-authority/authority.key'));
    expect(statSync(path.join(place, 'tls-authority')).mode & 0o777).toBe(0o700);
    // As an earlier version left it.
    renameSync(path.join(place, 'tls-authority'), path.join(folder, 'authority'));
    run(folder, 'private', 'roastery.test');
    expect(readFileSync(path.join(place, 'tls-authority/authority.key'))).toEqual(made);
    expect(readdirSync(folder, { recursive: true }).map(String).sort()).toEqual(['fullchain.pem', 'privkey.pem']);
    rmSync(place, { recursive: true });
  });

  it('prints its usage', () => {
    expect(run(tmpdir(), 'nonsense')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('certificate.sh install') as string,
    });
  });
});
