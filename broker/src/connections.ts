import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TopicKind } from '@roastery/contract/mqtt';
import { realClock, type Cancel, type Clock } from '@roastery/runtime/clock';
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
  readonly stream: Duplex;
  /** The underlying socket: the same one, except for WebSocket. */
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
  /** Bytes that are about to be written to this client. */
  gatheredBytes: number;
  /** Sends a forwarded message, once admitted. */
  deliver: (message: Uint8Array) => void;
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

/** Forwarded messages for the api wait this long for more, up to this many bytes: one write and one read serve them all. */
const gatherMs = 5;
const gatherBytes = 32 * 1024;

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

  /**
   * Passes received bytes through the guard before the stream buffers them, so that plain messages skip the stream's
   * machinery. Pauses reading when the client exceeds its allowance.
   */
  const guardReading = (connection: Connection): void => {
    const { stream } = connection;
    const read = stream.read.bind(stream);
    const push = stream.push.bind(stream);
    /** aedes has processed everything that it read and waits for more, so new bytes cannot overtake any. */
    let isIdle = false;
    const throttle = (waitMs: number): void => {
      events.onThrottled(connection);
      connection.cancelThrottle = clock.after(waitMs, () => {
        connection.cancelThrottle = undefined;
        // The stream assumes that a read is in progress until something is pushed.
        push(nothing);
        stream.emit('readable');
      });
    };
    stream.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (!Buffer.isBuffer(chunk)) return push(chunk, encoding);
      const frames: Frame[] = [];
      const packets = connection.guard.inspect(chunk, frames);
      if (typeof packets === 'string') {
        refuse(connection, packets);
        return false;
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
        if (waitMs > 0 && connection.cancelThrottle === undefined) throttle(waitMs);
      }
      const rest = isIdle && stream.readableLength === 0 ? forwardPlain(connection, chunk, frames) : chunk;
      if (rest !== null) isIdle = false;
      const mayGoOn = rest === null || push(rest);
      return mayGoOn && connection.cancelThrottle === undefined;
    };
    stream.read = (size?: number): unknown => {
      if (connection.cancelThrottle) return null;
      const chunk: unknown = read(size);
      // The stream itself reads 0 bytes.
      if (size !== 0) isIdle = chunk === null;
      return chunk;
    };
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

  /**
   * Everything written within one turn of the event loop becomes one system call, and forwarded messages for the api wait
   * a few milliseconds for more of them. A board that reads nothing must not delay other clients, and aedes would make
   * its publishers wait. So writes to it never report a full buffer; `checkWaiting` limits that buffer instead.
   */
  const batchWrites = (connection: Connection, isService: boolean): void => {
    const { stream } = connection;
    const write = stream.write.bind(stream);
    let pieces: Uint8Array[] = [];
    let isDue = false;
    let cancelFlush: Cancel | undefined;
    const flush = (): void => {
      cancelFlush?.();
      cancelFlush = undefined;
      isDue = false;
      if (pieces.length === 0) return;
      const gathered = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, connection.gatheredBytes);
      pieces = [];
      connection.gatheredBytes = 0;
      if (stream.writable) write(gathered);
    };
    const gather = (bytes: Uint8Array): void => {
      pieces.push(bytes);
      connection.gatheredBytes += bytes.length;
    };
    const flushThisTurn = (): void => {
      if (isDue) return;
      isDue = true;
      if (isService) setImmediate(flush);
      else process.nextTick(flush);
    };
    stream.cork = stream.uncork = () => undefined;
    stream.write = (piece: string | Uint8Array): boolean => {
      gather(typeof piece === 'string' ? Buffer.from(piece) : piece);
      flushThisTurn();
      return !isService || !stream.writableNeedDrain;
    };
    connection.deliver = (message: Uint8Array): void => {
      gather(message);
      if (!isService || connection.gatheredBytes >= gatherBytes) flushThisTurn();
      else cancelFlush ??= clock.after(gatherMs, flush);
    };
  };

  const waitingBytes = ({ stream, socket, gatheredBytes }: Connection): number =>
    gatheredBytes + socket.writableLength + (stream === socket ? 0 : stream.writableLength);

  const readable: ReadonlySet<Connection> = open;
  return {
    open: readable,
    of: (stream: object): Connection | undefined => byStream.get(stream),
    refuse,
    add(listener: ListenerName, stream: Duplex, socket: Socket): Connection {
      const connection: Connection = {
        listener,
        address: socket.remoteAddress ?? 'unknown',
        stream,
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
        gatheredBytes: 0,
        deliver: () => undefined,
        taken: { bytes: 0, at: monotonic() },
        refused: undefined,
        cancelConnectLimit: undefined,
        cancelThrottle: undefined,
        allowances: undefined,
      };
      limitConnect(connection, limits.connectTimeoutMs);
      open.add(connection);
      byStream.set(stream, connection);
      guardReading(connection);
      if (stream !== socket) limitUnframed(connection);
      socket.once('close', () => forget(connection));
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
      batchWrites(connection, principal.kind === 'service');
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
        const unanswered = connection.stream.readableLength > 0 ? Infinity : (connection.unansweredSince ?? Infinity);
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
const nothing = Buffer.alloc(0);
export type Connections = ReturnType<typeof createConnections>;
