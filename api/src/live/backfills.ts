import type { MachineEvent } from '@roastery/contract/live';
import type { Cancel, Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { loggable } from '../db/postgres-errors.ts';
import type { Sql } from '../db/sql.ts';
import { readSince, type StreamPlace } from './backlog.ts';
import type { MachineChannel } from './machine-channel.ts';

/**
 * By then a new subscription is active, and samples that arrived before it are usually committed. With a slow database they
 * are read again, until all entries up to the newest of then are stored.
 */
const backfillsAfterMs = [1500, 6000, 12_000, 24_000, 48_000, 96_000, 192_000] as const;
/** The first of these is too early for a subscription that takes long. */
const leastBackfills = 2;
/** A backfill begins earlier by as many samples, since live readings and journal batches overtake each other. */
const overlapSeqs = 100;

export interface BackfillsParts {
  readonly sql: Sql;
  readonly log: Logger;
  readonly clock: Clock;
  /** Whether a channel still has watchers. */
  readonly isOpen: (channel: MachineChannel) => boolean;
}

/** Sends the samples that are stored after a place and did not come as events. */
export class Backfills {
  readonly #parts: BackfillsParts;
  readonly #timers = new Set<Cancel>();

  constructor(parts: BackfillsParts) {
    this.#parts = parts;
  }

  begin(channel: MachineChannel, after: StreamPlace, send: (event: MachineEvent) => void): void {
    let { epoch, seq } = after;
    let newestSeq = -1;
    const readAfter = async (): Promise<boolean> => {
      const place = { epoch, seq: seq - overlapSeqs };
      const { samples, isComplete } = await readSince(this.#parts.sql, channel.machine.id, place, newestSeq);
      if (samples !== undefined && (channel.newest.epoch ?? samples.epoch) === samples.epoch) {
        // What is stored later may have lower numbers than these.
        if (isComplete) ({ epoch, seq } = { epoch: samples.epoch, seq: samples.seq.at(-1) ?? seq });
        send({ type: 'samples', samples });
      }
      return isComplete;
    };
    const next = (index: number): void => {
      const [ms, before = 0] = [backfillsAfterMs[index], backfillsAfterMs[index - 1]];
      if (ms === undefined) return;
      this.#later(ms - before, async () => {
        if (!this.#parts.isOpen(channel)) return;
        if (index < leastBackfills) newestSeq = channel.newest.seq;
        let isComplete = false;
        try {
          isComplete = await readAfter();
        } finally {
          if (index + 1 < leastBackfills || !isComplete) next(index + 1);
        }
      });
    };
    next(0);
  }

  close(): void {
    for (const cancel of this.#timers) cancel();
  }

  #later(ms: number, work: () => Promise<unknown>): void {
    const cancel = this.#parts.clock.after(ms, () => {
      this.#timers.delete(cancel);
      work().catch((error: unknown) => this.#parts.log.warn(loggable(error), 'live backfill failed'));
    });
    this.#timers.add(cancel);
  }
}
