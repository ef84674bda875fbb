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
  /** Kinds the machine itself has signalled in this roast: the detector has no say in them any more. */
  readonly saidByMachine: MarkKind[];
  /** The detector follows this roast too, so that it may also lose it. */
  followed: boolean;
  /** What the detector has said of this roast and not taken back. */
  said?: Partial<Record<DetectedKind, Detection>>;
}

/** Everything the tracker remembers, as plain JSON; taken between two samples. */
export interface TrackerSnapshot {
  readonly seq: number;
  readonly lastMs: number | null;
  readonly running: RunningRoast | null;
  readonly endedMs: number | null;
  readonly detector: DetectorSnapshot;
}

/** How the machine is charged, as its map says. */
export type Charging = 'hot' | 'cold';

const detectedKinds: readonly DetectedKind[] = ['charge', 'turning_point', 'dry_end', 'drop'];
/** A charge signal this close to the detector's charge means the same charge. */
const sameChargeMs = 120_000;
/** Without a sample for so long nobody knows what became of the roast: the detector's own limit. */
const lostAfterMs = 900_000;

/**
 * Turns samples and the machine's own signals into the events of roasts: which begin, their marks with corrections, how
 * they end. The machine's signals take precedence over the detector. The same input gives the same events, so that a
 * restart can go on from a snapshot by replaying what came after it; only the ids of new roasts come from outside.
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
    // Before this boot, or before the samples we remember: what was said about this mark last stands. Null would
    // take it back.
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

  const takeBack = (roast: RunningRoast, kind: DetectedKind): void => {
    if (!roast.said?.[kind]) return;
    delete roast.said[kind];
    mark(roast, kind, null, 'detector', 0, false);
  };

  const signalled = (kind: MarkKind, sample: TrackedSample): void => {
    let roast = running;
    if (kind === 'charge') {
      if (roast && roast.said?.drop) {
        // Charged again: what looked like a drop was one.
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
      for (const said of detectedKinds) if (said !== 'charge') takeBack(roast, said);
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
      // The detector may find the charge again, before this moment; no roast has ended.
      if (finding.retract === 'charge') close(running, 'aborted');
      return;
    }
    const timeMs = finding.timeSeconds * 1000;
    if (finding.kind === 'charge') {
      // Still about the roast that the machine has already ended.
      if (endedMs !== null && timeMs <= endedMs) return;
      const roast = running ?? begin(timeMs);
      roast.followed = true;
      if (roast.saidByMachine.includes('charge')) return;
      roast.chargeMs = timeMs;
    }
    const roast = running;
    if (!roast?.followed || roast.saidByMachine.includes(finding.kind)) return;
    // The machine charged later than the detector thought: what lies before belongs to no roast, or to the one before.
    if (timeMs < roast.chargeMs) return;
    mark(roast, finding.kind, { timeMs, tempC: finding.tempC }, 'detector', finding.confidence, finding.provisional);
    roast.said = { ...roast.said, [finding.kind]: finding };
    if (finding.kind === 'drop' && !finding.provisional) end(roast, 'completed', timeMs);
  };

  return {
    /**
     * Takes the next sample with the signals the machine raised at it, answers the events to put down after it.
     * `offsetMs` leads from the tracker's time to this boot's monotonic one.
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
      // The detector gave the roast up without a word: too long without a bean temperature.
      const lost = running?.followed && detector.state === 'idle' && !running.saidByMachine.includes('charge');
      if (running && lost) end(running, 'aborted', sample.timeMs);
      return events;
    },

    /** Tells where an earlier sample lies, so that a mark may point back to it. */
    remember(timeMs: number, sampleSeq: number): void {
      places.add(timeMs, sampleSeq);
    },

    /** The machine's map changed, between two roasts. */
    setCharging(next: Charging): void {
      options.charging = next;
    },
    /**
     * The beans are measured elsewhere from now on: a step from one probe to another is no charge. Not while a roast runs. A
     * snapshot has to be taken before the next sample, since a replay knows nothing of this.
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
