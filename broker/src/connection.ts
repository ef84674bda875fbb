import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TopicKind } from '@roastery/contract/mqtt';
import type { Cancel } from '@roastery/runtime/clock';
import type { FrameGuard } from '@roastery/runtime/mqtt-frames';
import type { Allowance } from './allowance.ts';
import type { ClientStream } from './client-stream.ts';
import type { RefusalReason } from './refusals.ts';
import type { Principal } from './topic-rules.ts';

export type ListenerName = 'tcp' | 'tls' | 'ws';

/** One connection, from the accepted socket to its end. */
export interface Connection {
  readonly listener: ListenerName;
  readonly address: string;
  /** What aedes reads and writes. */
  readonly stream: ClientStream;
  /** What carries its bytes: the socket, or the stream of a WebSocket on it. */
  readonly carrier: Duplex;
  readonly socket: Socket;
  readonly guard: FrameGuard;
  /** Set by CONNECT, before the api has confirmed it. */
  clientId: string;
  username: string;
  emptyClientId: boolean;
  willTopic: string | undefined;
  willRetained: boolean;
  keepaliveSeconds: number;
  /** From its CONNECT until it is admitted; aedes reads it again after that. */
  connectPacket: { keepalive?: number | undefined } | undefined;
  /** aedes has answered CONNECT and reads packets as they arrive. */
  isReady: boolean;
  /** When its last packet arrived, monotonic ms. */
  receivedAt: number;
  /** Set when the credentials were accepted. */
  principal: Principal | undefined;
  admittedAt: number;
  /** The granted QoS by topic kind: shows whether a message must be acknowledged. */
  readonly grantedQos: Map<TopicKind, number>;
  /** When the first message was sent after which no packet has arrived, monotonic ms. */
  unansweredSince: number | undefined;
  /** Last progress of the bytes queued for this client. */
  taken: { bytes: number; at: number };
  /** Why the broker closed it, if it did. */
  refused: RefusalReason | undefined;
  cancelConnectLimit: Cancel | undefined;
  /** Set while it is not read. */
  cancelThrottle: Cancel | undefined;
  allowances: { packets: Allowance; bytes: Allowance } | undefined;
}

/** A connection whose client has sent nothing yet. */
export const openedConnection = (
  parts: Pick<Connection, 'listener' | 'stream' | 'carrier' | 'socket' | 'guard'>,
  nowMs: number,
): Connection => ({
  ...parts,
  address: parts.socket.remoteAddress ?? 'unknown',
  clientId: '',
  username: '',
  emptyClientId: false,
  willTopic: undefined,
  willRetained: false,
  keepaliveSeconds: 0,
  connectPacket: undefined,
  isReady: false,
  receivedAt: nowMs,
  principal: undefined,
  admittedAt: 0,
  grantedQos: new Map(),
  unansweredSince: undefined,
  taken: { bytes: 0, at: nowMs },
  refused: undefined,
  cancelConnectLimit: undefined,
  cancelThrottle: undefined,
  allowances: undefined,
});

/** Bytes that the client has not taken yet. */
export const waitingBytes = ({ stream, carrier, socket }: Connection): number =>
  stream.gatheredBytes +
  stream.writableLength +
  carrier.writableLength +
  (carrier === socket ? 0 : socket.writableLength);
