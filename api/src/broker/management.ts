import type { MqttLogin } from '@roastery/contract/devices';
import type { Logger } from '@roastery/runtime/logger';

/** Tells the broker which clients may connect. */
export interface BrokerManagement {
  /**
   * Closes the connection of a client whose credential has ended. Never throws: an unavailable broker has no connections to
   * close.
   */
  disconnect(clientId: string): Promise<boolean>;
  /** The login of this machine's board; undefined where the broker verifies tokens with the api. */
  loginOf(serialNumber: string): Promise<MqttLogin | undefined>;
  close(): void;
}

/**
 * For a broker that verifies logins with the api: ours, or another one that has its management address,
 * `DELETE /api/v5/clients/{clientid}`.
 */
export const createBrokerManagement = (baseUrl: string, secret: string, log: Logger): BrokerManagement => ({
  async disconnect(clientId) {
    try {
      const answer = await fetch(`${baseUrl}/api/v5/clients/${encodeURIComponent(clientId)}`, {
        method: 'DELETE',
        headers: { 'x-broker-secret': secret },
        signal: AbortSignal.timeout(2000),
      });
      if (!answer.ok && answer.status !== 404)
        log.warn({ clientId, status: answer.status }, 'broker disconnect refused');
      return answer.ok;
    } catch (error) {
      log.warn({ clientId, err: error }, 'broker disconnect failed');
      return false;
    }
  },
  loginOf: () => Promise.resolve(undefined),
  close: () => undefined,
});

/** A board may be connected to any of these brokers. */
export const allBrokers = (brokers: readonly BrokerManagement[]): BrokerManagement => ({
  async disconnect(clientId) {
    const isDisconnected = await Promise.all(brokers.map((broker) => broker.disconnect(clientId)));
    return isDisconnected.includes(true);
  },
  async loginOf(serialNumber) {
    const [login] = await Promise.all(brokers.map((broker) => broker.loginOf(serialNumber)));
    return login;
  },
  close() {
    for (const broker of brokers) broker.close();
  },
});
