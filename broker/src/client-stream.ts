import type { Duplex } from 'node:stream';
import type { Cancel, Clock } from '@roastery/runtime/clock';
import { PacketStream } from '@roastery/runtime/packet-stream';

/** Forwarded messages for the api wait this long for more, up to this many bytes: one write and one read serve them all. */
const gatherMs = 5;
const gatherBytes = 32 * 1024;

export interface ClientStreamOptions {
  readonly clock: Clock;
  /**
   * Receives bytes before aedes does. `mayForward`: aedes has processed everything that it read and waits for more, so that
   * these bytes cannot overtake any. Returns those that aedes has to handle.
   */
  readonly receive: (chunk: Buffer, mayForward: boolean) => Buffer | null;
}

/** What aedes reads and writes instead of a client's connection. */
export class ClientStream extends PacketStream {
  readonly #options: ClientStreamOptions;
  #isIdle = false;
  /** What arrived while the client is not read, the end last; undefined while it is read. */
  #held: (Buffer | null)[] | undefined;
  /** Who reads what is gathered; undefined while all is written as it comes. */
  #reader: 'board' | 'api' | undefined;
  #pieces: Uint8Array[] = [];
  #gatheredBytes = 0;
  #isFlushDue = false;
  #cancelFlush: Cancel | undefined;

  constructor(carrier: Duplex, options: ClientStreamOptions) {
    super(carrier);
    this.#options = options;
  }

  /** Bytes that aedes has not read yet. */
  get unreadBytes(): number {
    return this.readableLength + (this.#held ?? []).reduce((sum, chunk) => sum + (chunk?.length ?? 0), 0);
  }

  /** Bytes to this client that its socket has not taken yet. */
  get gatheredBytes(): number {
    return this.#gatheredBytes;
  }

  /** The client does not take what is written. */
  get isFull(): boolean {
    return this.carrier.writableNeedDrain;
  }

  /** Stops reading the client; what it has sent waits. */
  hold(): void {
    this.#held ??= [];
    this.carrier.pause();
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const chunk of held) {
      if (chunk === null) this.push(null);
      else this.pass(chunk);
    }
    if (this.readableLength < this.readableHighWaterMark) this.carrier.resume();
  }

  protected override arrived(chunk: Buffer): void {
    const mayForward = this.#isIdle && this.readableLength === 0 && this.#held === undefined;
    const rest = this.#options.receive(chunk, mayForward);
    if (rest === null) return;
    this.#isIdle = false;
    if (this.#held === undefined) this.pass(rest);
    else this.#held.push(rest);
  }

  protected override arrivedLast(): void {
    if (this.#held === undefined) super.arrivedLast();
    else this.#held.push(null);
  }

  override _read(): void {
    if (this.#held === undefined) super._read();
  }

  override read(size?: number): unknown {
    const chunk: unknown = super.read(size);
    // The stream itself reads 0 bytes.
    if (size !== 0) this.#isIdle = chunk === null;
    return chunk;
  }

  /**
   * From now on everything written within one turn of the event loop becomes one system call, and forwarded messages for
   * the api wait a few milliseconds for more of them. A board that reads nothing must not delay other clients, and aedes
   * would make its publishers wait. So writes to it never report a full buffer; the owner limits that buffer instead.
   */
  gather(reader: 'board' | 'api'): void {
    this.#reader = reader;
  }

  /** A message that was forwarded. */
  deliver(message: Uint8Array): void {
    this.#gather(message);
    if (this.#reader !== 'api' || this.#gatheredBytes >= gatherBytes) this.#flushThisTurn();
    else this.#cancelFlush ??= this.#options.clock.after(gatherMs, () => this.#flush());
  }

  // mqtt-packet writes each packet in several pieces, texts in UTF-8, between `cork` and `uncork` in the next tick.
  override write(piece: string | Uint8Array): boolean {
    if (this.#reader === undefined) return super.write(piece);
    this.#gather(typeof piece === 'string' ? Buffer.from(piece) : piece);
    this.#flushThisTurn();
    return this.#reader === 'board' || !this.isFull;
  }
  override cork(): void {
    if (this.#reader === undefined) super.cork();
  }
  override uncork(): void {
    if (this.writableCorked > 0) super.uncork();
  }

  override _final(done: () => void): void {
    this.#flush();
    super._final(done);
  }

  #gather(bytes: Uint8Array): void {
    this.#pieces.push(bytes);
    this.#gatheredBytes += bytes.length;
  }

  #flushThisTurn(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    if (this.#reader === 'api') setImmediate(() => this.#flush());
    else process.nextTick(() => this.#flush());
  }

  #flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    this.#isFlushDue = false;
    const [first] = this.#pieces;
    if (first === undefined) return;
    const gathered = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces, this.#gatheredBytes);
    this.#pieces = [];
    this.#gatheredBytes = 0;
    if (this.carrier.writable) this.carrier.write(gathered);
  }
}
