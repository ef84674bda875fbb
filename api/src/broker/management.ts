import type { Logger } from '@roastery/runtime/logger';

export interface BrokerManagement {
  /** Closes a client's connection at once. Never throws: a broker that is away has no connections to close. */
  disconnect(clientId: string): Promise<boolean>;
}

/** Speaks the broker's management address in EMQX's shape: `DELETE /api/v5/clients/{clientid}`. */
export const createBrokerManagement = (baseUrl: string, secret: string, log: Logger): BrokerManagement => ({
  async disconnect(clientId) {
    try {
      const answer = await fetch(`${baseUrl}/api/v5/clients/${encodeURIComponent(clientId)}`, {
        method: 'DELETE',
        headers: { 'x-broker-secret': secret },
        signal: AbortSignal.timeout(2000),
      });
      if (!answer.ok && answer.status !== 404)
        log.warn({ clientId, status: answer.status }, 'broker did not disconnect');
      return answer.ok;
    } catch (error) {
      log.warn({ clientId, err: error }, 'broker could not be asked to disconnect');
      return false;
    }
  },
});
