import type { JournalEvent } from '@roastery/contract/mqtt';
import type { ClockReading, Entry, SampleEntry } from './entry.ts';
import {
  createRoastTracker,
  type Charging,
  type RoastTracker,
  type TrackedSample,
  type TrackerSnapshot,
} from './roast-tracker.ts';

/** The data of a journal to resume from: the newest snapshot and the entries of the newest segment. */
export interface RecordedPast {
  readonly state: RecordedState | undefined;
  readonly entries: readonly Entry[];
}

export interface RecordedState {
  readonly tracker: TrackerSnapshot;
  /** Clock when it was taken. */
  readonly clock: ClockReading;
  readonly offsetMs: number;
}

/** A sample as the tracker receives it. */
export const trackedSample = (
  seq: number,
  timeMs: number,
  channels: readonly string[],
  values: readonly (number | null)[],
): TrackedSample => {
  const of = (name: string): number | null => values[channels.indexOf(name)] ?? null;
  return {
    seq,
    timeMs,
    beanTempC: of('bean_temp'),
    exhaustTempC: of('exhaust_temp'),
    heatPower: of('heat_power'),
    fanSpeed: of('fan_speed'),
  };
};

/** A pause that ends every roast; used when it is unknown how long the board was off. */
const unknownPauseMs = 3_600_000;
const longestKnownPauseMs = 900_000;

/**
 * Tracker time = monotonic time + offset, so that it keeps rising through a reboot. After a reboot the wall clocks show
 * how long the board was off, unless they run backwards or far ahead.
 */
const offsetAfterReboot = (state: RecordedState, now: ClockReading): number => {
  const awayMs = now.wall - state.clock.wall;
  const pauseMs = awayMs > 0 && awayMs < longestKnownPauseMs ? awayMs : unknownPauseMs;
  return state.clock.mono + state.offsetMs + pauseMs - now.mono;
};

type RoastOrMark = Extract<JournalEvent, { type: 'mark' | 'roast' }>;
const isRoastOrMark = (event: JournalEvent): event is RoastOrMark => event.type === 'mark' || event.type === 'roast';

/**
 * Advances a tracker to the end of the journal, so that a roast continues under its id after a SIGKILL at any moment.
 * Returns the events that follow from the samples but did not reach the disk before the end.
 */
export const resumeTracker = (
  past: RecordedPast,
  now: ClockReading,
  newRoastId: () => string,
  charging?: Charging,
): { tracker: RoastTracker; offsetMs: number; owed: JournalEvent[] } => {
  const { state, entries } = past;
  const after = state?.tracker.seq ?? -1;
  const recorded = entries.flatMap((entry) =>
    entry.kind === 'event' && entry.seq > after && isRoastOrMark(entry.event)
      ? [{ seq: entry.seq, event: entry.event }]
      : [],
  );
  const recordedIds = recorded.flatMap(({ event }) =>
    event.type === 'roast' && event.state === 'in_progress' ? [event.roast_id] : [],
  );
  const tracker = createRoastTracker(() => recordedIds.shift() ?? newRoastId(), state?.tracker, charging);
  const offsetMs = state && state.clock.boot !== now.boot ? offsetAfterReboot(state, now) : (state?.offsetMs ?? 0);
  const recordedBoot = state?.clock.boot ?? entries.at(-1)?.context.boot;
  const recordedOffset = recordedBoot === now.boot ? offsetMs : (state?.offsetMs ?? 0);

  const produced: JournalEvent[] = [];
  const samples = entries.filter((entry): entry is SampleEntry => entry.kind === 'sample');
  for (const [index, sample] of samples.entries()) {
    if (sample.context.boot !== recordedBoot) continue;
    const timeMs = sample.mono + recordedOffset;
    if (sample.seq <= after) {
      tracker.remember(timeMs, sample.seq);
      continue;
    }
    const next = samples[index + 1]?.seq ?? Infinity;
    const signals = recorded.flatMap(({ seq, event }) =>
      event.type === 'mark' && event.origin === 'machine' && seq > sample.seq && seq < next ? [event.kind] : [],
    );
    const { channels } = sample.context;
    produced.push(...tracker.push(trackedSample(sample.seq, timeMs, channels, sample.values), signals, recordedOffset));
  }
  return { tracker, offsetMs, owed: produced.slice(recorded.length) };
};
