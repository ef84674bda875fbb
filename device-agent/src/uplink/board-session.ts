import { randomUUID } from 'node:crypto';
import { clientIdOf, topicOf, type DeviceStatus, type LiveReading, type TopicKind } from '@roastery/contract/mqtt';
import type { ProbeMessage } from '@roastery/contract/probe';
import { pause } from '@roastery/runtime/backoff';
import type { Clock } from '@roastery/runtime/clock';
import type { WallClock } from '../core/wall-clock.ts';
import type { BrokerAttempt } from './broker-rounds.ts';
import { openSession, SessionError, type Session } from './session.ts';

export type StatusDetails = Omit<DeviceStatus, 'v' | 'online' | 'session' | 't' | 'connection'>;

export interface BoardSessionParts {
  readonly serialNumber: string;
  readonly token: string;
  readonly ca: string | undefined;
  readonly clock: WallClock;
  /** The number of this run: greater than that of every earlier one. */
  readonly run: number;
  /** The content of the status besides connection and session. */
  readonly status: () => Promise<StatusDetails>;
  readonly message: (topic: string, payload: Buffer) => void;
  /** Called for each packet of the broker. */
  readonly heard: () => void;
  readonly signal: AbortSignal;
  readonly time: Clock;
}

/** An acknowledgement that takes longer is given up. */
const reachMs = 5000;

/** The status of one session, online or offline. */
const statusTexts = ({ run, clock }: BoardSessionParts, count: number) => {
  const session = randomUUID();
  return (online: boolean, details?: StatusDetails): string =>
    JSON.stringify({ v: 1, online, session, t: clock.now().wall, connection: { run, count }, ...details });
};

/** A session on the topics of one board. The status is online while it lasts; the last will says that it ended. */
export class BoardSession {
  readonly line: Session;
  readonly #parts: BoardSessionParts;
  readonly #statusOf: ReturnType<typeof statusTexts>;

  private constructor(parts: BoardSessionParts, line: Session, statusOf: ReturnType<typeof statusTexts>) {
    this.#parts = parts;
    this.line = line;
    this.#statusOf = statusOf;
  }

  /** Throws `SessionError` when the broker does not accept the board. */
  static async open(parts: BoardSessionParts, { url, login, count, answerMs }: BrokerAttempt): Promise<BoardSession> {
    const { serialNumber, token, ca, message, heard, signal, time } = parts;
    const statusOf = statusTexts(parts, count);
    const line = await openSession({
      url,
      clientId: clientIdOf(serialNumber),
      ...(login ?? { username: serialNumber, password: token }),
      ca,
      will: { topic: topicOf(serialNumber, 'status'), payload: statusOf(false) },
      message,
      heard,
      signal,
      clock: time,
      connackMs: answerMs,
    });
    return new BoardSession(parts, line, statusOf);
  }

  /** Subscribes, then says that the board is online. Ends the session when the broker refuses, or answers too late. */
  async begin({ answerMs, hasOthers }: BrokerAttempt): Promise<void> {
    const cancel = hasOthers ? this.#parts.time.after(answerMs, this.line.abort) : undefined;
    try {
      const topics = (['ack', 'config', 'plan'] as const).map((kind) => this.#topic(kind));
      await Promise.race([this.line.subscribe(topics), this.#broken()]);
      await Promise.race([this.publishStatus(true), this.#broken()]);
    } catch (error) {
      this.line.abort();
      throw error;
    } finally {
      cancel?.();
    }
  }

  /** A server that is older than this agent does not know this topic: it may refuse it. */
  async hearProbe(): Promise<void> {
    await this.line.subscribe([this.#topic('probe')]);
  }

  /** Resolves once the broker has it. */
  async publishStatus(online: boolean): Promise<void> {
    const text = this.#statusOf(online, await this.#parts.status());
    await this.line.publish(this.#topic('status'), text, { retain: true });
  }

  /** Whether the broker acknowledges a status now. */
  async reaches(): Promise<boolean> {
    const acknowledged = this.publishStatus(true).then(() => true);
    const given = pause(reachMs, this.#parts.signal, this.#parts.time).then(() => false);
    return Promise.race([acknowledged, this.#broken(), given]).catch(() => false);
  }

  show(reading: LiveReading): void {
    this.line.show(this.#topic('live'), JSON.stringify(reading));
  }

  async tellProbe(message: ProbeMessage): Promise<void> {
    await this.line.publish(this.#topic('probed'), JSON.stringify(message));
  }

  #topic(kind: TopicKind): string {
    return topicOf(this.#parts.serialNumber, kind);
  }

  /** Rejects when the connection ends: promises that wait for it may never settle. */
  async #broken(): Promise<never> {
    throw new SessionError('busy', await this.line.closed);
  }
}
