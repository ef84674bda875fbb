import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TopicKind } from '@roastery/contract/mqtt';
import { realClock, type Cancel, type Clock } from '@roastery/runtime/clock';
import { ClientStream } from './client-stream.ts';
import { createAllowance, type Allowance } from './allowance.ts';
import { createFrameGuard, type Frame, type FrameGuard } from '@roastery/runtime/mqtt-frames';
import type { BrokerLimits } from './limits.ts';
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
  heardAt: number;
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

export interface ConnectionEvents {
  onAdmitted(connection: Connection): void;
  onRefused(connection: Connection, reason: RefusalReason): void;
  onThrottled(connection: Connection): void;
  onClosed(connection: Connection): void;
  /** Whether this message was forwarded, so that aedes need not handle it. */
  forward(connection: Connection, bytes: Buffer, frame: Frame): boolean;
}

/** All open connections: checks what they send, monitors what they read, closes them with a reason. */
export const createConnections = (limits: BrokerLimits, events: ConnectionEvents, clock: Clock = realClock) => {
  const { monotonic } = clock;
  const open = new Set<Connection>();
  const byStream = new WeakMap<object, Connection>();
  const closedBytes = { in: 0, out: 0 };

  const refuse = (connection: Connection, reason: RefusalReason): void => {
    if (connection.refused !== undefined) return;
    connection.refused = reason;
    events.onRefused(connection, reason);
    connection.stream.destroy();
    connection.socket.destroy();
  };

  const limitConnect = (connection: Connection, ms: number): void => {
    connection.cancelConnectLimit?.();
    connection.cancelConnectLimit = clock.after(ms, () => refuse(connection, 'connect_timeout'));
  };

  const forget = (connection: Connection): void => {
    if (!open.delete(connection)) return;
    connection.cancelConnectLimit?.();
    connection.cancelThrottle?.();
    closedBytes.in += connection.socket.bytesRead;
    closedBytes.out += connection.socket.bytesWritten;
    events.onClosed(connection);
  };

  /**
   * Forwards the messages that aedes need not handle. Returns the rest, from the first other packet on, so that
   * messages keep their order.
   */
  const forwardPlain = (connection: Connection, chunk: Buffer, frames: readonly Frame[]): Buffer | null => {
    let rest = 0;
    if (connection.isReady)
      for (const frame of frames) {
        if (frame.start !== rest || !events.forward(connection, chunk, frame)) break;
        rest = frame.end;
      }
    return rest === chunk.length ? null : chunk.subarray(rest);
  };

  const throttle = (connection: Connection, waitMs: number): void => {
    events.onThrottled(connection);
    connection.stream.hold();
    connection.cancelThrottle = clock.after(waitMs, () => {
      connection.cancelThrottle = undefined;
      connection.stream.release();
    });
  };

  /**
   * Received bytes pass through the guard before anything is buffered. A client that exceeds its allowance is not read for
   * a while.
   */
  const receive = (connection: Connection, chunk: Buffer, mayForward: boolean): Buffer | null => {
    const frames: Frame[] = [];
    const packets = connection.guard.inspect(chunk, frames);
    if (typeof packets === 'string') {
      refuse(connection, packets);
      return null;
    }
    const now = monotonic();
    if (packets > 0) {
      connection.unansweredSince = undefined;
      connection.heardAt = now;
    }
    if (connection.allowances) {
      const waitMs = Math.max(
        connection.allowances.packets.spend(packets, now),
        connection.allowances.bytes.spend(chunk.length, now),
      );
      if (waitMs > 0 && connection.cancelThrottle === undefined) throttle(connection, waitMs);
    }
    return mayForward ? forwardPlain(connection, chunk, frames) : chunk;
  };
  /**
   * A WebSocket frame is buffered before its bytes reach the guard, so until authentication the bytes of the socket
   * itself are counted.
   */
  const limitUnframed = (connection: Connection): void => {
    const start = connection.socket.bytesRead;
    connection.socket.on('data', () => {
      if (connection.principal) return;
      if (connection.socket.bytesRead - start > limits.maxBytesBeforeAuthentication + 1024)
        refuse(connection, 'too_large');
    });
  };

  const waitingBytes = ({ stream, carrier, socket }: Connection): number =>
    stream.gatheredBytes +
    stream.writableLength +
    carrier.writableLength +
    (carrier === socket ? 0 : socket.writableLength);

  const readable: ReadonlySet<Connection> = open;
  return {
    open: readable,
    of: (stream: object): Connection | undefined => byStream.get(stream),
    refuse,
    add(listener: ListenerName, carrier: Duplex, socket: Socket): Connection {
      const stream = new ClientStream(carrier, {
        clock,
        receive: (chunk, mayForward) => receive(connection, chunk, mayForward),
      });
      const connection: Connection = {
        listener,
        address: socket.remoteAddress ?? 'unknown',
        stream,
        carrier,
        socket,
        guard: createFrameGuard(limits),
        clientId: '',
        username: '',
        emptyClientId: false,
        willTopic: undefined,
        willRetained: false,
        keepaliveSeconds: 0,
        connectPacket: undefined,
        isReady: false,
        heardAt: monotonic(),
        principal: undefined,
        admittedAt: 0,
        grantedQos: new Map(),
        unansweredSince: undefined,
        taken: { bytes: 0, at: monotonic() },
        refused: undefined,
        cancelConnectLimit: undefined,
        cancelThrottle: undefined,
        allowances: undefined,
      };
      limitConnect(connection, limits.connectTimeoutMs);
      open.add(connection);
      byStream.set(stream, connection);
      if (carrier !== socket) limitUnframed(connection);
      stream.once('close', () => forget(connection));
      return connection;
    },
    /** CONNECT has arrived: from now on the client waits for the broker. */
    awaitAnswer(connection: Connection): void {
      limitConnect(connection, limits.maxAnswerWaitMs);
    },
    /** The credentials were accepted. */
    admit(connection: Connection, principal: Principal): void {
      connection.principal = principal;
      connection.admittedAt = clock.now();
      connection.heardAt = monotonic();
      // aedes does not see forwarded messages, so `cutUnresponsive` checks the keepalive.
      if (connection.connectPacket) connection.connectPacket.keepalive = 0;
      // It holds the password.
      connection.connectPacket = undefined;
      connection.guard.authenticated();
      connection.cancelConnectLimit?.();
      events.onAdmitted(connection);
      connection.stream.gather(principal.kind === 'service' ? 'api' : 'board');
      if (principal.kind === 'service') return;
      connection.allowances = {
        packets: createAllowance(limits.packetsPerSecond, limits.packetBurst, monotonic()),
        bytes: createAllowance(limits.bytesPerSecond, limits.byteBurst, monotonic()),
      };
    },
    /** A message was sent that this client has to acknowledge. */
    awaitAcknowledgement(connection: Connection): void {
      connection.unansweredSince ??= monotonic();
    },
    /**
     * Before a message is delivered to this client: false when too many bytes are queued for it; it is then
     * disconnected.
     */
    checkWaiting(connection: Connection): boolean {
      const max = connection.principal?.kind === 'service' ? limits.maxServiceWaitingBytes : limits.maxWaitingBytes;
      if (waitingBytes(connection) <= max) return true;
      refuse(connection, 'too_slow');
      return false;
    },
    /**
     * Disconnects every client that for `frozenAfterMs` read none of the bytes queued for it, or acknowledged no
     * message, and every client that sent nothing for one and a half times its keepalive.
     */
    cutUnresponsive(): void {
      const now = monotonic();
      for (const connection of open) {
        if (!connection.principal) continue;
        if (now - connection.heardAt > connection.keepaliveSeconds * 1500) {
          refuse(connection, 'keepalive');
          continue;
        }
        const waiting = waitingBytes(connection);
        const bytes = connection.socket.bytesWritten - connection.socket.writableLength;
        if (waiting === 0 || bytes !== connection.taken.bytes) connection.taken = { bytes, at: now };
        // The acknowledgement may be among the bytes that the broker has not read yet.
        const unanswered = connection.stream.unreadBytes > 0 ? Infinity : (connection.unansweredSince ?? Infinity);
        const silentSince = Math.min(connection.taken.at, unanswered);
        if (now - silentSince >= limits.frozenAfterMs) refuse(connection, 'frozen');
      }
    },
    /** Closes every connection that uses or claims this client id, including one that is being authenticated. */
    closeClient(clientId: string, reason: RefusalReason): number {
      const found = [...open].filter((connection) => connection.clientId === clientId);
      for (const connection of found) refuse(connection, reason);
      return found.length;
    },
    bytes(): { in: number; out: number } {
      const sum = { ...closedBytes };
      for (const { socket } of open) {
        sum.in += socket.bytesRead;
        sum.out += socket.bytesWritten;
      }
      return sum;
    },
  };
};
export type Connections = ReturnType<typeof createConnections>;
