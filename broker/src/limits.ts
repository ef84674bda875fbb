import { maxPacketBytes } from '@roastery/contract/mqtt';

/**
 * What one client may cost the broker. Defaults hold a roastery of a few thousand machines on a small server; each one
 * can be set through the environment (`env.ts`).
 */
export interface BrokerLimits {
  /** Open connections over all listeners. */
  readonly maxConnections: number;
  /** Open connections from one address. A whole roastery sits behind one address translation. */
  readonly maxConnectionsPerAddress: number;
  /** Bytes a connection may send before it is authenticated: CONNECT with a will is well under 2 KB. */
  readonly maxBytesBeforeAuthentication: number;
  /** Bytes of one packet after authentication. */
  readonly maxPacketBytes: number;
  /** From the accepted socket to its CONNECT, TLS included. */
  readonly connectTimeoutMs: number;
  /** From CONNECT to the api's answer: in a reconnect storm boards wait in line. */
  readonly maxAnswerWaitMs: number;
  /** Longest keepalive; 0 (never) is refused, so that a board that lost its power is noticed. */
  readonly maxKeepaliveSeconds: number;
  /** Sustained packets of one board per second, and how many it may save up. Beyond it is read more slowly, not cut. */
  readonly packetsPerSecond: number;
  readonly packetBurst: number;
  /** The same for bytes. */
  readonly bytesPerSecond: number;
  readonly byteBurst: number;
  /** A subscriber that takes nothing or answers nothing for this long is cut (promise: within 30 s). */
  readonly frozenAfterMs: number;
  /** Bytes waiting for one board; more and it is cut. */
  readonly maxWaitingBytes: number;
  /** Bytes waiting for the api, which reads the journals of all boards. */
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
