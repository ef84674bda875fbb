import { randomUUID } from 'node:crypto';
import type { LiveReading } from '@roastery/contract/mqtt';
import { markKinds, type MarkKind } from '@roastery/roasting/marks';
import type { ChannelWatch } from './channel-watch.ts';
import type { BoardClock } from './clock/board-clock.ts';
import { resumeTracker, trackedSample, type RecordedState } from './core/replay.ts';
import type { RoastTracker } from './core/roast-tracker.ts';
import { createSyncPace, type SyncPace } from './core/sync-pace.ts';
import type { Journal } from './journal/journal.ts';
import type { PlanStore } from './plan/plan-store.ts';
import type { Reading, SourceDescription } from './source.ts';

/**
 * How often the tracker's state is recorded between two segments: a restart replays at most this much. Rarely between
 * roasts: it takes as many bytes as some hundred readings.
 */
const stateEveryMs: Readonly<Record<SyncPace, number>> = { each_second: 180_000, gather: 900_000 };

export interface Recorded {
  readonly live: LiveReading;
  readonly roastChanged: boolean;
  /** How often the journal is synced and sent. */
  readonly paceChanged: boolean;
}

const isMarkKind = (name: string): name is MarkKind => markKinds.some((kind) => kind === name);

/**
 * Appends readings to the journal, followed by the events of roasts, and returns the live reading. It continues the
 * roast at the end of the journal. The beginning of a roast names the plan that its charge took.
 */
export const createRecorder = (
  journal: Journal,
  clock: BoardClock,
  source: SourceDescription | undefined,
  plans: PlanStore,
  channelWatch: Pick<ChannelWatch, 'sample' | 'follow'>,
) => {
  const { tracker, offsetMs, owed } = resumeTracker(journal.past, clock.now(), () => randomUUID(), source?.charging);
  let channels: readonly string[] = Object.keys(source?.channels ?? {});
  let beans = JSON.stringify(source?.channels['bean_temp']);
  let stateNotedAt = clock.mono();
  let ended: LiveReading['roast'] = null;
  const syncPace = createSyncPace(clock.mono());
  let pace: SyncPace = 'each_second';
  const begun = owed.some((event) => event.type === 'roast' && event.roast_id === tracker.running()?.id);
  if (!begun) plans.resume(journal.past, tracker.running()?.id ?? null);
  for (const event of owed) journal.appendEvent(clock.now().mono, plans.follow(event));

  return {
    tracker,
    state: (): RecordedState => ({ tracker: tracker.snapshot(), clock: clock.now(), offsetMs }),
    setSource(next: SourceDescription): void {
      channels = Object.keys(next.channels);
      tracker.setCharging(next.charging ?? 'hot');
      const measured = JSON.stringify(next.channels['bean_temp']);
      if (measured === beans || tracker.running()) return;
      beans = measured;
      tracker.forgetTemperatures();
      stateNotedAt = clock.mono();
      journal.noteState();
    },
    roastRuns: (): boolean => tracker.running() !== null,
    runningRoastId: (): string | null => tracker.running()?.id ?? null,

    record({ mono, values, risen }: Reading): Recorded {
      const seq = journal.appendSample(mono, values);
      const before = tracker.running();
      const signals = risen.filter(isMarkKind);
      const sample = trackedSample(seq, mono + offsetMs, channels, values);
      channelWatch.sample(mono, sample.beanTempC, sample.exhaustTempC);
      const events = tracker.push(sample, signals, offsetMs);
      for (const event of events) {
        journal.appendEvent(mono, plans.follow(event));
        channelWatch.follow(event);
        if (event.type === 'roast' && event.state !== 'in_progress' && before?.id === event.roast_id) {
          ended = { id: before.id, charge_mono: chargeMono(before.chargeMs), state: event.state };
        }
      }
      const paceBefore = pace;
      pace = syncPace.after({ mono, beanTempC: sample.beanTempC, roastRuns: tracker.running() !== null });
      journal.setPace(pace);
      if (mono - stateNotedAt >= stateEveryMs[pace]) {
        stateNotedAt = mono;
        journal.noteState();
      }
      const live: LiveReading = {
        v: 1,
        epoch: journal.epoch,
        seq,
        boot: clock.boot,
        t: Math.round(clock.now().wall),
        mono,
        values: Object.fromEntries(channels.map((name, column) => [name, values[column] ?? null])),
        roast: liveRoast(tracker),
        phase: tracker.phase(),
      };
      return { live, roastChanged: events.length > 0, paceChanged: pace !== paceBefore };
    },
  };

  /** A charge before this boot has no monotonic time in it. */
  function chargeMono(chargeMs: number): number {
    return Math.max(0, Math.round(chargeMs - offsetMs));
  }

  /** The running roast; after its drop the ended one, until the drum is at rest. */
  function liveRoast(from: RoastTracker): LiveReading['roast'] {
    const running = from.running();
    if (running) return { id: running.id, charge_mono: chargeMono(running.chargeMs), state: 'in_progress' };
    if (from.phase() === 'idle') ended = null;
    return ended;
  }
};
export type Recorder = ReturnType<typeof createRecorder>;
