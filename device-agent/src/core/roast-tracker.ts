import type { JournalEvent } from '@roastery/contract/mqtt';
import {
  createRoastDetector,
  isRetraction,
  type DetectedKind,
  type Detection,
  type DetectorSnapshot,
  type Finding,
} from '@roastery/roasting/detector';
import type { MarkKind, MarkOrigin } from '@roastery/roasting/marks';
import { coldestC, hottestC } from '@roastery/roasting/units';
import { createSamplePlaces } from './sample-places.ts';

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
  let detector = createRoastDetector(options, snapshot?.detector);
  const places = createSamplePlaces();
  let seq = snapshot?.seq ?? -1;
  let lastMs = snapshot?.lastMs ?? null;
  let running: RunningRoast | null = snapshot?.running ? structuredClone(snapshot.running) : null;
  let endedMs = snapshot?.endedMs ?? null;
  let events: JournalEvent[] = [];
  let monoOffset = 0;

  const mark = (
    roast: RunningRoast,
    kind: MarkKind,
    at: { timeMs: number; tempC: number | null } | null,
    origin: MarkOrigin,
    confidence: number,
    provisional: boolean,
  ): void => {
    const mono = at ? Math.round(at.timeMs - monoOffset) : null;
    const atSeq = at ? places.nearest(at.timeMs) : null;
    // The time lies before this boot or before the known samples. The last event of this mark stays valid; null would
    // retract it.
    if (at && (atSeq === null || mono === null || mono < 0)) return;
    const temp = at?.tempC ?? null;
    events.push({
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

  const begin = (chargeMs: number): RunningRoast => {
    running = { id: newRoastId(), chargeMs, saidByMachine: [], followed: false };
    events.push({ type: 'roast', roast_id: running.id, state: 'in_progress' });
    return running;
  };
  const end = (roast: RunningRoast, state: 'completed' | 'aborted', timeMs: number): void => {
    close(roast, state);
    endedMs = timeMs;
  };
  const close = (roast: RunningRoast, state: 'completed' | 'aborted'): void => {
    events.push({ type: 'roast', roast_id: roast.id, state });
    running = null;
  };

  const retractMark = (roast: RunningRoast, kind: DetectedKind): void => {
    if (!roast.said?.[kind]) return;
    delete roast.said[kind];
    mark(roast, kind, null, 'detector', 0, false);
  };

  const signalled = (kind: MarkKind, sample: TrackedSample): void => {
    let roast = running;
    if (kind === 'charge') {
      if (roast && roast.said?.drop) {
        // A new charge confirms the provisional drop.
        const { timeSeconds, tempC, confidence } = roast.said.drop;
        mark(roast, 'drop', { timeMs: timeSeconds * 1000, tempC }, 'detector', confidence, false);
        end(roast, 'completed', timeSeconds * 1000);
        roast = null;
      } else if (roast && sample.timeMs - roast.chargeMs > sameChargeMs) {
        end(roast, 'aborted', sample.timeMs);
        roast = null;
      }
      roast ??= begin(sample.timeMs);
      roast.chargeMs = sample.timeMs;
      for (const said of detectedKinds) if (said !== 'charge') retractMark(roast, said);
    }
    if (!roast) return;
    roast.saidByMachine.push(kind);
    mark(roast, kind, { timeMs: sample.timeMs, tempC: sample.beanTempC }, 'machine', 1, false);
    if (kind === 'drop') end(roast, 'completed', sample.timeMs);
  };

  const found = (finding: Finding): void => {
    if (isRetraction(finding)) {
      if (!running || running.saidByMachine.includes(finding.retract)) return;
      if (running.said) delete running.said[finding.retract];
      mark(running, finding.retract, null, 'detector', 0, false);
      // `endedMs` stays: the detector may find this charge again, and it lies before this time.
      if (finding.retract === 'charge') close(running, 'aborted');
      return;
    }
    const timeMs = finding.timeSeconds * 1000;
    if (finding.kind === 'charge') {
      // This finding belongs to the roast that the machine has already ended.
      if (endedMs !== null && timeMs <= endedMs) return;
      const roast = running ?? begin(timeMs);
      roast.followed = true;
      if (roast.saidByMachine.includes('charge')) return;
      roast.chargeMs = timeMs;
    }
    const roast = running;
    if (!roast?.followed || roast.saidByMachine.includes(finding.kind)) return;
    // The machine signalled a later charge. Marks before it belong to no roast or to the previous one.
    if (timeMs < roast.chargeMs) return;
    mark(roast, finding.kind, { timeMs, tempC: finding.tempC }, 'detector', finding.confidence, finding.provisional);
    roast.said = { ...roast.said, [finding.kind]: finding };
    if (finding.kind === 'drop' && !finding.provisional) end(roast, 'completed', timeMs);
  };

  return {
    /**
     * Takes the next sample and the signals that the machine raised with it. Returns the events to record after it.
     * `offsetMs` converts the tracker's time to the monotonic time of this boot.
     */
    push(sample: TrackedSample, signals: readonly MarkKind[], offsetMs: number): JournalEvent[] {
      events = [];
      monoOffset = offsetMs;
      places.add(sample.timeMs, sample.seq);
      const silenceMs = lastMs === null ? 0 : sample.timeMs - lastMs;
      if (running && silenceMs > lostAfterMs) end(running, 'aborted', sample.timeMs);
      seq = sample.seq;
      lastMs = sample.timeMs;
      for (const kind of signals) signalled(kind, sample);
      const findings = detector.push({
        timeSeconds: sample.timeMs / 1000,
        beanTempC: sample.beanTempC,
        exhaustTempC: sample.exhaustTempC,
        heatPower: sample.heatPower,
        fanSpeed: sample.fanSpeed,
      });
      for (const finding of findings) found(finding);
      // The detector ended the roast without a finding: no bean temperature for too long.
      const lost = running?.followed && detector.state === 'idle' && !running.saidByMachine.includes('charge');
      if (running && lost) end(running, 'aborted', sample.timeMs);
      return events;
    },

    /** Registers an earlier sample, so that a mark can refer to it. */
    remember(timeMs: number, sampleSeq: number): void {
      places.add(timeMs, sampleSeq);
    },

    /** Applies a changed machine map; only between two roasts. */
    setCharging(next: Charging): void {
      options.charging = next;
    },
    /**
     * Call when another probe measures the beans: the step between two probes is not a charge. Only between two roasts.
     * Take a snapshot before the next sample, because a replay does not contain this call.
     */
    forgetTemperatures(): void {
      detector = createRoastDetector(options);
    },
    running: (): RunningRoast | null => running,
    phase(): 'idle' | 'roasting' | 'dropped' {
      if (running) return 'roasting';
      return detector.state === 'dropped' ? 'dropped' : 'idle';
    },
    snapshot: (): TrackerSnapshot => ({
      seq,
      lastMs,
      running: running && structuredClone(running),
      endedMs,
      detector: detector.snapshot(),
    }),
  };
};
export type RoastTracker = ReturnType<typeof createRoastTracker>;
