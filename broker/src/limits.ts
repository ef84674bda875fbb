import { maxPacketBytes } from '@roastery/contract/mqtt';

/**
 * Limits per client. The defaults suit a roastery of a few thousand machines on a small server; each can be set by an
 * environment variable (`env.ts`).
 */
export interface BrokerLimits {
  /** Open connections of all listeners. */
  readonly maxConnections: number;
  /** Open connections from one address. All machines of a roastery may share one address (NAT). */
  readonly maxConnectionsPerAddress: number;
  /** Bytes a connection may send before it is authenticated: CONNECT with a will is well under 2 KB. */
  readonly maxBytesBeforeAuthentication: number;
  /** Bytes of one packet after authentication. */
  readonly maxPacketBytes: number;
  /** From the accepted socket to its CONNECT, including TLS. */
  readonly connectTimeoutMs: number;
  /** From CONNECT to the api's answer: when many boards reconnect at once, they queue. */
  readonly maxAnswerWaitMs: number;
  /** Longest keepalive. 0 (never) is refused: a board that lost power must be noticed. */
  readonly maxKeepaliveSeconds: number;
  /**
   * Packets per second of one board, and its burst. A board that sends more is read more slowly; it is not
   * disconnected.
   */
  readonly packetsPerSecond: number;
  readonly packetBurst: number;
  /** The same for bytes. */
  readonly bytesPerSecond: number;
  readonly byteBurst: number;
  /** A subscriber that reads or acknowledges nothing for this long is disconnected (promised within 30 s). */
  readonly frozenAfterMs: number;
  /** Bytes queued for one board; with more it is disconnected. */
  readonly maxWaitingBytes: number;
  /** Bytes queued for the api, which reads the journals of all boards. */
  readonly maxServiceWaitingBytes: number;
}

export const defaultLimits: BrokerLimits = {
  maxConnections: 10_000,
  maxConnectionsPerAddress: 1_000,
  maxBytesBeforeAuthentication: 8 * 1024,
  maxPacketBytes,
  connectTimeoutMs: 10_000,
  maxAnswerWaitMs: 30_000,
  maxKeepaliveSeconds: 300,
  packetsPerSecond: 200,
  packetBurst: 1_000,
  bytesPerSecond: 2 * 1024 * 1024,
  byteBurst: 8 * 1024 * 1024,
  frozenAfterMs: 25_000,
  maxWaitingBytes: 1024 * 1024,
  maxServiceWaitingBytes: 64 * 1024 * 1024,
};
