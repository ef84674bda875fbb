import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const canMakeCertificates = spawnSync('openssl', ['version']).status === 0;

/** A self-signed certificate with its key, for an address, valid for this many days; below 0: expired. */
export const makeCertificate = (folder: string, name: string, address: string, days: number) => {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
  const words = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-subj',
    `/CN=${name}`,
  ];
  const more = [
    '-days',
    String(Math.max(days, 1)),
    '-addext',
    `subjectAltName=${address}`,
    '-keyout',
    key,
    '-out',
    cert,
  ];
  execFileSync('openssl', [...words, ...more], { stdio: 'ignore' });
  if (days < 0)
    execFileSync('openssl', ['x509', '-in', cert, '-signkey', key, '-days', String(days), '-out', cert], {
      stdio: 'ignore',
    });
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8'), path: cert };
};
