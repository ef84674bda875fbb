import { good, notConfigured, trouble, type Check } from './check.ts';
import { aboutTheWay, peerOf } from './connection-trouble.ts';
import { reach } from './tls-handshake.ts';

/** Checks that there is a route from the board to the roastery's server. */
export const checkNetwork: Check = {
  name: 'network',
  async run({ config }) {
    if (!config) return notConfigured;
    const peer = peerOf(config.apiUrl, 'API_URL');
    const began = performance.now();
    try {
      await reach(peer);
      return good(`${peer.host}, port ${peer.port}, within ${Math.round(performance.now() - began)} ms`);
    } catch (error) {
      const known = aboutTheWay(error, peer);
      return (
        known ??
        trouble(
          `No connection to ${peer.host}: ${String(error)}.`,
          'Check the network of the board: ip address; ip route',
        )
      );
    }
  },
};
