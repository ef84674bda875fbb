import { createConnection, isIP } from 'node:net';
import { connect } from 'node:tls';
import type { Peer } from './connection-trouble.ts';

const timeoutMs = 5000;

const timedOut = (): Error => Object.assign(new Error(`no answer within ${timeoutMs} ms`), { code: 'ETIMEDOUT' });

/** Opens a TCP connection and closes it. Rejects with the system's error. */
export const reach = ({ host, port }: Peer): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = createConnection({ host, port, timeout: timeoutMs });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => socket.destroy(timedOut()));
    socket.once('error', reject);
  });

/**
 * Opens a TLS connection and returns the expiry of the certificate. Rejects with the reason when it is not trusted.
 */
export const shakeHands = ({ host, port }: Peer, ca: string | undefined): Promise<Date> =>
  new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      timeout: timeoutMs,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(ca === undefined ? {} : { ca }),
    });
    socket.once('secureConnect', () => {
      const validTo = new Date(socket.getPeerCertificate().valid_to);
      socket.destroy();
      resolve(validTo);
    });
    socket.once('timeout', () => socket.destroy(timedOut()));
    socket.once('error', reject);
  });
