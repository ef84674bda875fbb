import { Socket } from 'node:net';

/** A TCP connection that says when it was lost after it had worked, as opposed to being closed by us. */
export class WatchedSocket extends Socket {
  readonly #onLost: () => void;
  #isLeaving = false;

  constructor(onLost: () => void) {
    super();
    this.#onLost = onLost;
  }

  /** The driver leaves with a last message; Node itself, answering the other side's end, has none. */
  override end(...args: unknown[]): this {
    if (args.length > 0) this.#isLeaving = true;
    return super.end(...(args as Parameters<Socket['end']>));
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (this.bytesRead > 0 && !this.#isLeaving) this.#onLost();
    // oxlint-disable-next-line no-underscore-dangle -- the name that Node gives to the place every end of a stream passes
    super._destroy(error, callback);
  }
}
