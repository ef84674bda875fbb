import type { JournalEvent } from '@roastery/contract/mqtt';
import type { Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import type { RecordingContext } from '../core/entry.ts';
import type { SyncPace } from '../core/sync-pace.ts';
import type { CurrentStream } from './current-stream.ts';
import type { JournalOptions } from './journal-types.ts';

/** Readings are synced at these intervals at the pace `each_second`, and at the slow pace between roasts. */
export const syncIntervalMs = 1000;
export const idleSyncIntervalMs = 60_000;
/** After a roast its segment stays open for late corrections of its marks. */
const roastTailMs = 60_000;

export interface AppendsParts extends Pick<JournalOptions, 'context' | 'syncMs' | 'idleSyncMs'> {
  readonly current: () => CurrentStream;
  readonly log: Logger;
  readonly time: Clock;
}

/** What is appended to the current stream, and when the disk is synced. */
export class Appends {
  readonly #parts: AppendsParts;
  readonly #syncMs: number;
  readonly #idleSyncMs: number;
  #context: RecordingContext;
  #roastRuns = false;
  #rollAtMono: number | undefined;
  #pace: SyncPace = 'each_second';
  #syncedAt: number;

  constructor(parts: AppendsParts) {
    const { context, syncMs = syncIntervalMs, idleSyncMs = idleSyncIntervalMs } = parts;
    this.#parts = parts;
    this.#context = context;
    this.#syncMs = syncMs;
    this.#idleSyncMs = idleSyncMs;
    this.#syncedAt = parts.time.monotonic();
  }

  get context(): RecordingContext {
    return this.#context;
  }

  setContext(context: RecordingContext): void {
    this.#context = context;
  }

  setPace(pace: SyncPace): void {
    if (pace !== this.#pace) this.#parts.log.debug({ pace }, 'journal: pace');
    this.#pace = pace;
  }

  roastRuns(): boolean {
    return this.#roastRuns;
  }

  sample(mono: number, values: readonly (number | null)[]): number {
    const current = this.#parts.current();
    const { tail } = current.get();
    if (this.#rollAtMono !== undefined && mono > this.#rollAtMono) {
      this.#rollAtMono = undefined;
      if (tail?.kind === 'disk') tail.requestRoll();
    }
    const seq = current.get().takeSeq();
    current.append({ kind: 'sample', seq, mono, context: this.#context, values });
    return seq;
  }

  event(mono: number, event: JournalEvent): number {
    if (event.type === 'roast') {
      this.#roastRuns = event.state === 'in_progress';
      this.#rollAtMono = this.#roastRuns ? undefined : mono + roastTailMs;
    }
    const current = this.#parts.current();
    const seq = current.get().takeSeq();
    current.append({ kind: 'event', seq, mono, context: this.#context, event });
    // Events are few, and must survive a power cut at once.
    this.#syncNow();
    return seq;
  }

  async flush(): Promise<void> {
    const { tail } = this.#parts.current().get();
    if (tail?.kind !== 'disk') return;
    this.#syncedAt = this.#parts.time.monotonic();
    await tail.flush();
  }

  /** How often samples are synced, ms; there is nothing to gather for in memory. */
  syncEveryMs(): number {
    const isOnDisk = this.#parts.current().get().tail?.kind === 'disk';
    return this.#pace === 'gather' && isOnDisk ? this.#idleSyncMs : this.#syncMs;
  }

  /** @param leewayMs how much earlier than its time a sync is due */
  syncIfDue(leewayMs: number): void {
    const { tail } = this.#parts.current().get();
    const sinceMs = this.#parts.time.monotonic() - this.#syncedAt;
    if (sinceMs >= this.syncEveryMs() - leewayMs && tail?.kind === 'disk' && tail.dirty()) this.#syncNow();
  }

  #syncNow(): void {
    const { tail } = this.#parts.current().get();
    if (tail?.kind !== 'disk') return;
    this.#syncedAt = this.#parts.time.monotonic();
    tail.requestSync();
  }
}
