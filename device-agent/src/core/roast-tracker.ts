import type { JournalEvent } from '@roastery/contract/mqtt';
import {
  createRoastDetector,
  isRetraction,
  type DetectedKind,
  type Detection,
  type DetectorSnapshot,
  type Finding,
  type RoastDetector,
} from '@roastery/roasting/detection/detector';
import type { MarkKind, MarkOrigin } from '@roastery/roasting/marks';
import { coldestC, hottestC } from '@roastery/roasting/units';
import { createSamplePlaces, type SamplePlaces } from './sample-places.ts';

export interface TrackedSample {
  readonly seq: number;
  /** Rising ms on the tracker's own axis, see `createTrackerAxis`. */
  readonly timeMs: number;
  readonly beanTempC: number | null;
  readonly exhaustTempC: number | null;
  readonly heatPower: number | null;
  readonly fanSpeed: number | null;
}

export interface RunningRoast {
  readonly id: string;
  chargeMs: number;
  /** Kinds that the machine signalled in this roast. The detector's findings of these kinds are ignored. */
  readonly saidByMachine: MarkKind[];
  /** The detector has found this roast too, so it can also end it. */
  followed: boolean;
  /** The detector's current marks of this roast. */
  said?: Partial<Record<DetectedKind, Detection>>;
}

/** The tracker's state, as plain JSON; taken between two samples. */
export interface TrackerSnapshot {
  readonly seq: number;
  readonly lastMs: number | null;
  readonly running: RunningRoast | null;
  readonly endedMs: number | null;
  readonly detector: DetectorSnapshot;
}

/** How the machine is charged, according to its map. */
export type Charging = 'hot' | 'cold';

const detectedKinds: readonly DetectedKind[] = ['charge', 'turning_point', 'dry_end', 'drop'];
/** A charge signal this close to the detector's charge means the same charge. */
const sameChargeMs = 120_000;
/** A roast without samples for this long is aborted; the detector has the same limit. */
const lostAfterMs = 900_000;

/** The tracker's state, which its snapshots record, and what it needs for the sample in work. */
interface Tracker {
  readonly newRoastId: () => string;
  readonly options: { charging: Charging };
  readonly places: SamplePlaces;
  detector: RoastDetector;
  seq: number;
  lastMs: number | null;
  running: RunningRoast | null;
  endedMs: number | null;
  /** Of this sample. */
  events: JournalEvent[];
  /** Converts the tracker's time to the monotonic time of this boot. */
  monoOffset: number;
}

interface Certainty {
  readonly origin: MarkOrigin;
  readonly confidence: number;
  readonly provisional: boolean;
}
const bySignal: Certainty = { origin: 'machine', confidence: 1, provisional: false };
const retracted: Certainty = { origin: 'detector', confidence: 0, provisional: false };

const mark = (
  tracker: Tracker,
  roast: RunningRoast,
  kind: MarkKind,
  at: { timeMs: number; tempC: number | null } | null,
  { origin, confidence, provisional }: Certainty,
): void => {
  const mono = at ? Math.round(at.timeMs - tracker.monoOffset) : null;
  const atSeq = at ? tracker.places.nearest(at.timeMs) : null;
  // The time lies before this boot or before the known samples. The last event of this mark stays valid; null would
  // retract it.
  if (at && (atSeq === null || mono === null || mono < 0)) return;
  const temp = at?.tempC ?? null;
  tracker.events.push({
    type: 'mark',
    roast_id: roast.id,
    kind,
    at_seq: atSeq,
    at_mono: mono,
    temp: temp !== null && temp >= coldestC && temp <= hottestC ? Math.round(temp * 100) / 100 : null,
    origin,
    confidence: Math.min(1, Math.max(0, confidence)),
    provisional,
  });
};

const begin = (tracker: Tracker, chargeMs: number): RunningRoast => {
  tracker.running = { id: tracker.newRoastId(), chargeMs, saidByMachine: [], followed: false };
  tracker.events.push({ type: 'roast', roast_id: tracker.running.id, state: 'in_progress' });
  return tracker.running;
};

const close = (tracker: Tracker, roast: RunningRoast, state: 'completed' | 'aborted'): void => {
  tracker.events.push({ type: 'roast', roast_id: roast.id, state });
  tracker.running = null;
};

const end = (tracker: Tracker, roast: RunningRoast, state: 'completed' | 'aborted', timeMs: number): void => {
  close(tracker, roast, state);
  tracker.endedMs = timeMs;
};

const retractMark = (tracker: Tracker, roast: RunningRoast, kind: DetectedKind): void => {
  if (!roast.said?.[kind]) return;
  delete roast.said[kind];
  mark(tracker, roast, kind, null, retracted);
};

const signalled = (tracker: Tracker, kind: MarkKind, sample: TrackedSample): void => {
  let roast = tracker.running;
  if (kind === 'charge') {
    if (roast && roast.said?.drop) {
      // A new charge confirms the provisional drop.
      const { timeSeconds, tempC, confidence } = roast.said.drop;
      const certainty: Certainty = { origin: 'detector', confidence, provisional: false };
      mark(tracker, roast, 'drop', { timeMs: timeSeconds * 1000, tempC }, certainty);
      end(tracker, roast, 'completed', timeSeconds * 1000);
      roast = null;
    } else if (roast && sample.timeMs - roast.chargeMs > sameChargeMs) {
      end(tracker, roast, 'aborted', sample.timeMs);
      roast = null;
    }
    roast ??= begin(tracker, sample.timeMs);
    roast.chargeMs = sample.timeMs;
    for (const said of detectedKinds) if (said !== 'charge') retractMark(tracker, roast, said);
  }
  if (!roast) return;
  roast.saidByMachine.push(kind);
  mark(tracker, roast, kind, { timeMs: sample.timeMs, tempC: sample.beanTempC }, bySignal);
  if (kind === 'drop') end(tracker, roast, 'completed', sample.timeMs);
};

const found = (tracker: Tracker, finding: Finding): void => {
  if (isRetraction(finding)) {
    if (!tracker.running || tracker.running.saidByMachine.includes(finding.retract)) return;
    if (tracker.running.said) delete tracker.running.said[finding.retract];
    mark(tracker, tracker.running, finding.retract, null, retracted);
    // `endedMs` stays: the detector may find this charge again, and it lies before this time.
    if (finding.retract === 'charge') close(tracker, tracker.running, 'aborted');
    return;
  }
  const timeMs = finding.timeSeconds * 1000;
  if (finding.kind === 'charge') {
    // This finding belongs to the roast that the machine has already ended.
    if (tracker.endedMs !== null && timeMs <= tracker.endedMs) return;
    const roast = tracker.running ?? begin(tracker, timeMs);
    roast.followed = true;
    if (roast.saidByMachine.includes('charge')) return;
    roast.chargeMs = timeMs;
  }
  const roast = tracker.running;
  if (!roast?.followed || roast.saidByMachine.includes(finding.kind)) return;
  // The machine signalled a later charge. Marks before it belong to no roast or to the previous one.
  if (timeMs < roast.chargeMs) return;
  const { kind, tempC, confidence, provisional } = finding;
  mark(tracker, roast, kind, { timeMs, tempC }, { origin: 'detector', confidence, provisional });
  roast.said = { ...roast.said, [finding.kind]: finding };
  if (finding.kind === 'drop' && !finding.provisional) end(tracker, roast, 'completed', timeMs);
};

const push = (
  tracker: Tracker,
  sample: TrackedSample,
  signals: readonly MarkKind[],
  offsetMs: number,
): JournalEvent[] => {
  tracker.events = [];
  tracker.monoOffset = offsetMs;
  tracker.places.add(sample.timeMs, sample.seq);
  const silenceMs = tracker.lastMs === null ? 0 : sample.timeMs - tracker.lastMs;
  if (tracker.running && silenceMs > lostAfterMs) end(tracker, tracker.running, 'aborted', sample.timeMs);
  tracker.seq = sample.seq;
  tracker.lastMs = sample.timeMs;
  for (const kind of signals) signalled(tracker, kind, sample);
  const findings = tracker.detector.push({
    timeSeconds: sample.timeMs / 1000,
    beanTempC: sample.beanTempC,
    exhaustTempC: sample.exhaustTempC,
    heatPower: sample.heatPower,
    fanSpeed: sample.fanSpeed,
  });
  for (const finding of findings) found(tracker, finding);
  // The detector ended the roast without a finding: no bean temperature for too long.
  const lost =
    tracker.running?.followed && tracker.detector.state === 'idle' && !tracker.running.saidByMachine.includes('charge');
  if (tracker.running && lost) end(tracker, tracker.running, 'aborted', sample.timeMs);
  return tracker.events;
};

/**
 * Converts samples and machine signals into roast events: begin, marks with corrections, end. Machine signals take precedence
 * over the detector. The same input gives the same events, so a restart resumes from a snapshot and replays the later samples.
 * Only the ids of new roasts come from outside.
 */
export const createRoastTracker = (
  newRoastId: () => string,
  snapshot?: TrackerSnapshot,
  charging: Charging = 'hot',
) => {
  const options = { charging };
  const tracker: Tracker = {
    newRoastId,
    options,
    places: createSamplePlaces(),
    detector: createRoastDetector(options, snapshot?.detector),
    seq: snapshot?.seq ?? -1,
    lastMs: snapshot?.lastMs ?? null,
    running: snapshot?.running ? structuredClone(snapshot.running) : null,
    endedMs: snapshot?.endedMs ?? null,
    events: [],
    monoOffset: 0,
  };

  return {
    /**
     * Takes the next sample and the signals that the machine raised with it. Returns the events to record after it.
     * `offsetMs` converts the tracker's time to the monotonic time of this boot.
     */
    push: (sample: TrackedSample, signals: readonly MarkKind[], offsetMs: number): JournalEvent[] =>
      push(tracker, sample, signals, offsetMs),

    /** Registers an earlier sample, so that a mark can refer to it. */
    remember(timeMs: number, sampleSeq: number): void {
      tracker.places.add(timeMs, sampleSeq);
    },

    /** Applies a changed machine map; only between two roasts. */
    setCharging(next: Charging): void {
      tracker.options.charging = next;
    },
    /**
     * Call when another probe measures the beans: the step between two probes is not a charge. Only between two roasts.
     * Take a snapshot before the next sample, because a replay does not contain this call.
     */
    forgetTemperatures(): void {
      tracker.detector = createRoastDetector(tracker.options);
    },
    running: (): RunningRoast | null => tracker.running,
    phase(): 'idle' | 'roasting' | 'dropped' {
      if (tracker.running) return 'roasting';
      return tracker.detector.state === 'dropped' ? 'dropped' : 'idle';
    },
    snapshot: (): TrackerSnapshot => ({
      seq: tracker.seq,
      lastMs: tracker.lastMs,
      running: tracker.running && structuredClone(tracker.running),
      endedMs: tracker.endedMs,
      detector: tracker.detector.snapshot(),
    }),
  };
};
export type RoastTracker = ReturnType<typeof createRoastTracker>;
