import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { realClock, type Clock } from '@roastery/runtime/clock';
import { ClientStream } from './client-stream.ts';
import { createFrameGuard, type Frame } from '@roastery/runtime/mqtt-frames';
import { createAllowance } from './allowance.ts';
import { type Connection, type ListenerName, openedConnection, waitingBytes } from './connection.ts';
import type { BrokerLimits } from './limits.ts';
import type { RefusalReason } from './refusals.ts';
import type { Principal } from './topic-rules.ts';

export interface ConnectionEvents {
  onAdmitted(connection: Connection): void;
  onRefused(connection: Connection, reason: RefusalReason): void;
  onThrottled(connection: Connection): void;
  onClosed(connection: Connection): void;
  /** Whether this message was forwarded, so that aedes need not handle it. */
  forward(connection: Connection, bytes: Buffer, frame: Frame): boolean;
}

/** All open connections: checks what they send, monitors what they read, closes them with a reason. */
export class Connections {
  readonly #limits: BrokerLimits;
  readonly #events: ConnectionEvents;
  readonly #clock: Clock;
  readonly #open = new Set<Connection>();
  readonly #byStream = new WeakMap<object, Connection>();
  readonly #closedBytes = { in: 0, out: 0 };

  constructor(limits: BrokerLimits, events: ConnectionEvents, clock: Clock = realClock) {
    this.#limits = limits;
    this.#events = events;
    this.#clock = clock;
  }

  get open(): ReadonlySet<Connection> {
    return this.#open;
  }

  of(stream: object): Connection | undefined {
    return this.#byStream.get(stream);
  }

  refuse(connection: Connection, reason: RefusalReason): void {
    if (connection.refused !== undefined) return;
    connection.refused = reason;
    this.#events.onRefused(connection, reason);
    connection.stream.destroy();
    connection.socket.destroy();
  }

  #limitConnect(connection: Connection, ms: number): void {
    connection.cancelConnectLimit?.();
    connection.cancelConnectLimit = this.#clock.after(ms, () => this.refuse(connection, 'connect_timeout'));
  }

  #forget(connection: Connection): void {
    if (!this.#open.delete(connection)) return;
    connection.cancelConnectLimit?.();
    connection.cancelThrottle?.();
    this.#closedBytes.in += connection.socket.bytesRead;
    this.#closedBytes.out += connection.socket.bytesWritten;
    this.#events.onClosed(connection);
  }

  /**
   * Forwards the messages that aedes need not handle. Returns the rest, from the first other packet on, so that
   * messages keep their order.
   */
  #forwardPlain(connection: Connection, chunk: Buffer, frames: readonly Frame[]): Buffer | null {
    let rest = 0;
    if (connection.isReady)
      for (const frame of frames) {
        if (frame.start !== rest || !this.#events.forward(connection, chunk, frame)) break;
        rest = frame.end;
      }
    return rest === chunk.length ? null : chunk.subarray(rest);
  }

  #throttle(connection: Connection, waitMs: number): void {
    this.#events.onThrottled(connection);
    connection.stream.hold();
    connection.cancelThrottle = this.#clock.after(waitMs, () => {
      connection.cancelThrottle = undefined;
      connection.stream.release();
    });
  }

  /**
   * Received bytes pass through the guard before anything is buffered. A client that exceeds its allowance is not read for
   * a while.
   */
  #receive(connection: Connection, chunk: Buffer, mayForward: boolean): Buffer | null {
    const frames: Frame[] = [];
    const packets = connection.guard.inspect(chunk, frames);
    if (typeof packets === 'string') {
      this.refuse(connection, packets);
      return null;
    }
    const now = this.#clock.monotonic();
    if (packets > 0) {
      connection.unansweredSince = undefined;
      connection.receivedAt = now;
    }
    if (connection.allowances) {
      const waitMs = Math.max(
        connection.allowances.packets.spend(packets, now),
        connection.allowances.bytes.spend(chunk.length, now),
      );
      if (waitMs > 0 && connection.cancelThrottle === undefined) this.#throttle(connection, waitMs);
    }
    return mayForward ? this.#forwardPlain(connection, chunk, frames) : chunk;
  }

  /**
   * A WebSocket frame is buffered before its bytes reach the guard, so until authentication the bytes of the socket
   * itself are counted.
   */
  #limitUnframed(connection: Connection): void {
    const start = connection.socket.bytesRead;
    connection.socket.on('data', () => {
      if (connection.principal) return;
      if (connection.socket.bytesRead - start > this.#limits.maxBytesBeforeAuthentication + 1024)
        this.refuse(connection, 'too_large');
    });
  }

  add(listener: ListenerName, carrier: Duplex, socket: Socket): Connection {
    const stream = new ClientStream(carrier, {
      clock: this.#clock,
      receive: (chunk, mayForward) => this.#receive(connection, chunk, mayForward),
    });
    const connection = openedConnection(
      { listener, stream, carrier, socket, guard: createFrameGuard(this.#limits) },
      this.#clock.monotonic(),
    );
    this.#limitConnect(connection, this.#limits.connectTimeoutMs);
    this.#open.add(connection);
    this.#byStream.set(stream, connection);
    if (carrier !== socket) this.#limitUnframed(connection);
    stream.once('close', () => this.#forget(connection));
    return connection;
  }

  /** CONNECT has arrived: from now on the client waits for the broker. */
  awaitAnswer(connection: Connection): void {
    this.#limitConnect(connection, this.#limits.maxAnswerWaitMs);
  }

  /** The credentials were accepted. */
  admit(connection: Connection, principal: Principal): void {
    connection.principal = principal;
    connection.admittedAt = this.#clock.now();
    connection.receivedAt = this.#clock.monotonic();
    // aedes does not see forwarded messages, so `cutUnresponsive` checks the keepalive.
    if (connection.connectPacket) connection.connectPacket.keepalive = 0;
    // It holds the password.
    connection.connectPacket = undefined;
    connection.guard.authenticated();
    connection.cancelConnectLimit?.();
    this.#events.onAdmitted(connection);
    connection.stream.gather(principal.kind === 'service' ? 'api' : 'board');
    if (principal.kind === 'service') return;
    connection.allowances = {
      packets: createAllowance(this.#limits.packetsPerSecond, this.#limits.packetBurst, this.#clock.monotonic()),
      bytes: createAllowance(this.#limits.bytesPerSecond, this.#limits.byteBurst, this.#clock.monotonic()),
    };
  }

  /** A message was sent that this client has to acknowledge. */
  awaitAcknowledgement(connection: Connection): void {
    connection.unansweredSince ??= this.#clock.monotonic();
  }

  /**
   * Before a message is delivered to this client: false when too many bytes are queued for it; it is then
   * disconnected.
   */
  checkWaiting(connection: Connection): boolean {
    const max =
      connection.principal?.kind === 'service' ? this.#limits.maxServiceWaitingBytes : this.#limits.maxWaitingBytes;
    if (waitingBytes(connection) <= max) return true;
    this.refuse(connection, 'too_slow');
    return false;
  }

  /**
   * Disconnects every client that for `frozenAfterMs` read none of the bytes queued for it, or acknowledged no
   * message, and every client that sent nothing for one and a half times its keepalive.
   */
  cutUnresponsive(): void {
    const now = this.#clock.monotonic();
    for (const connection of this.#open) {
      if (!connection.principal) continue;
      if (now - connection.receivedAt > connection.keepaliveSeconds * 1500) {
        this.refuse(connection, 'keepalive');
        continue;
      }
      const waiting = waitingBytes(connection);
      const bytes = connection.socket.bytesWritten - connection.socket.writableLength;
      if (waiting === 0 || bytes !== connection.taken.bytes) connection.taken = { bytes, at: now };
      // The acknowledgement may be among the bytes that the broker has not read yet.
      const unanswered = connection.stream.unreadBytes > 0 ? Infinity : (connection.unansweredSince ?? Infinity);
      const silentSince = Math.min(connection.taken.at, unanswered);
      if (now - silentSince >= this.#limits.frozenAfterMs) this.refuse(connection, 'frozen');
    }
  }

  /** Closes every connection that uses or claims this client id, including one that is being authenticated. */
  closeClient(clientId: string, reason: RefusalReason): number {
    const found = [...this.#open].filter((connection) => connection.clientId === clientId);
    for (const connection of found) this.refuse(connection, reason);
    return found.length;
  }

  bytes(): { in: number; out: number } {
    const sum = { ...this.#closedBytes };
    for (const { socket } of this.#open) {
      sum.in += socket.bytesRead;
      sum.out += socket.bytesWritten;
    }
    return sum;
  }
}
