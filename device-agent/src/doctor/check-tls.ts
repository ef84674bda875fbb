import { isIP } from 'node:net';
import { good, notConfigured, skipped, trouble, warning, type Check } from './check.ts';
import { aboutTheWay, aboutTls, peerOf } from './connection-trouble.ts';
import { shakeHands } from './tls-handshake.ts';

const soonMs = 14 * 86_400_000;
const isThisBoard = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** Checks the server's certificate and its expiry. */
export const checkTls: Check = {
  name: 'TLS',
  async run({ config }) {
    if (!config) return notConfigured;
    const peer = peerOf(config.apiUrl, 'API_URL');
    if (config.apiUrl.startsWith('http:'))
      return isThisBoard(peer.host)
        ? good('the server is on this computer: no encryption needed')
        : warning(
            `The connection to ${peer.host} is not encrypted: others on the network can read the machine's token.`,
            `Use https:// in API_URL. If the server has no certificate yet, set one up first.`,
          );
    try {
      const validTo = await shakeHands(peer, undefined);
      const days = Math.floor((validTo.getTime() - Date.now()) / 86_400_000);
      const says = `the certificate of ${peer.host} is valid for ${days} more days`;
      return validTo.getTime() - Date.now() < soonMs
        ? warning(
            `${says.replace('the', 'The')} only.`,
            'The operator of the server must renew it; the board accepts the new one automatically.',
          )
        : good(says);
    } catch (error) {
      if (aboutTheWay(error, peer)) return skipped('no connection to the server');
      return (
        aboutTls(error, peer) ??
        trouble(
          `No encrypted connection to ${peer.host}: ${String(error)}.`,
          'Check whether a proxy of your network is in between.',
        )
      );
    }
  },
};
