import type { Clock } from '@roastery/runtime/clock';

/** A broker that has sent nothing for so long, while a batch waits for its acknowledgement, is asked for a sign of life. */
const pingAfterMs = 3500;
/** Without one it is left: its computer hangs, or the cable is cut. */
const silentMs = 7000;
/**
 * A broker that answers, but brings no acknowledgement: no api reads from it, or none can store. Longer than an api needs to take
 * the machines of another over, and than a batch waits to be sent again.
 */
const muteMs = 12_000;
/**
 * Where every broker is silent or mute, because the network is slow, the database is away or a fleet sends what waited, a change
 * is no use and costs them a login: each one doubles the times, and each span of so long over one connection with acknowledgements
 * halves them.
 */
const maxFactor = 32;
const calmMs = 30_000;

export type LineVerdict = 'ping' | 'silent' | 'mute' | undefined;

/** Whether a connection that is still open brings anything; only for boards that have another broker. */
export class LineWatch {
  readonly #now: Clock['monotonic'];
  #heardAt = 0;
  #acknowledgedAt = 0;
  /** When the connection began, or the times were last halved. */
  #calmSince = 0;
  /** Since when batches wait and none was acknowledged. */
  #waitsSince: number | undefined;
  #factor = 1;

  constructor({ monotonic }: Pick<Clock, 'monotonic'>) {
    this.#now = monotonic;
  }

  connected(): void {
    this.#waitsSince = undefined;
    this.#heardAt = this.#calmSince = this.#now();
  }

  heard(): void {
    this.#heardAt = this.#now();
  }

  acknowledged(): void {
    this.#waitsSince = undefined;
    const now = (this.#acknowledgedAt = this.#now());
    if (now - this.#calmSince < calmMs) return;
    this.#factor = Math.max(1, this.#factor / 2);
    this.#calmSince = now;
  }

  /** @param sentAt when the oldest batch was sent that waits for its acknowledgement, on the monotonic clock; infinite where none does */
  look(sentAt: number): LineVerdict {
    if (sentAt === Infinity) {
      this.#waitsSince = undefined;
      return undefined;
    }
    const now = this.#now();
    // Stays when the batch is sent again.
    this.#waitsSince ??= Math.max(sentAt, this.#acknowledgedAt);
    const silence = now - Math.max(this.#heardAt, this.#waitsSince);
    if (silence >= silentMs * this.#factor) return this.#leave('silent');
    if (now - this.#waitsSince >= muteMs * this.#factor) return this.#leave('mute');
    return silence >= pingAfterMs ? 'ping' : undefined;
  }

  #leave(verdict: LineVerdict): LineVerdict {
    this.#factor = Math.min(maxFactor, this.#factor * 2);
    return verdict;
  }
}
