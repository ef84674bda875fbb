import { lateAlarmSeconds } from '@roastery/contract/alarms';
import type { SampleBatch } from '@roastery/contract/mqtt';
import { type AlarmFinding, createAlarmWatch } from '@roastery/roasting/alarm-rules';
import type { Clock } from '@roastery/runtime/clock';
import { uuidV7 } from '@roastery/runtime/uuid';
import { ruleOccurrence, type NewAlarm } from '../domains/alarms/stored-alarms.ts';
import type { Samples } from '../recordings/recordings.ts';
import type { WatchedRoast } from './read-watched.ts';

/** The results of an evaluation to be stored. */
export interface AlarmChanges {
  readonly raised: NewAlarm[];
  /** Occurrences that are over. */
  readonly cleared: string[];
}

export interface RoastEvaluation {
  /** Evaluates samples in order, within an index range; samples that were already evaluated are skipped. */
  push(roast: WatchedRoast, samples: Samples, from?: number, to?: number): AlarmChanges;
  /** No sample has arrived until this time. */
  pushSilence(roast: WatchedRoast, seconds: number): AlarmChanges;
  /** The sequence number after the last evaluated one. */
  nextSeq: number;
  /** Seconds since charge of the newest sample; null before the first. */
  readonly lastSeconds: number | null;
}

export const columnsOf = (batch: SampleBatch, bootNo: number, from: number, to: number): Samples => {
  const [start, end] = [from - batch.seq, to - batch.seq];
  const dt = batch.dt.slice(start, end);
  return {
    seq: dt.map((_, index) => from + index),
    bootNo: dt.map(() => bootNo),
    monoMs: dt.map((ms) => batch.mono + ms),
    channels: new Map(batch.ch.map((name, index) => [name, (batch.s[index] ?? []).slice(start, end)])),
  };
};

/** Seconds since charge of a time in the recording; undefined if the clocks of two boots can't be compared. */
export const secondsSinceCharge = (
  { row, clocks }: WatchedRoast,
  bootNo: number,
  monoMs: number,
): number | undefined => {
  const at = clocks.onClockOf(row.boot_no, bootNo, monoMs);
  return at === undefined ? undefined : (at - row.charge_mono_ms) / 1000;
};

/** Age of this time in the roast, s. */
export const ageSeconds = ({ row }: WatchedRoast, seconds: number, nowMs: number): number =>
  (nowMs - Date.parse(row.start_time)) / 1000 - seconds;

export const newAlarm = (
  roast: WatchedRoast,
  atSeconds: number,
  nowMs: number,
  alarm: Pick<NewAlarm, 'kind' | 'occurrence'> & Partial<NewAlarm>,
): NewAlarm => ({
  id: uuidV7(),
  roast_id: roast.row.id,
  machine_id: roast.row.machine_id,
  rule_id: null,
  channel: null,
  message: null,
  colour: 'red',
  sound: true,
  // A failing probe or board is always sent to phones; for a rule its setting decides.
  push: true,
  mono_ms: Math.round(roast.row.charge_mono_ms + atSeconds * 1000),
  happened_at: new Date(Date.parse(roast.row.start_time) + atSeconds * 1000).toISOString(),
  is_late: ageSeconds(roast, atSeconds, nowMs) > lateAlarmSeconds,
  ...alarm,
});

const noChanges = (): AlarmChanges => ({ raised: [], cleared: [] });

const note = (changes: AlarmChanges, roast: WatchedRoast, nowMs: number, finding: AlarmFinding): void => {
  if (finding.kind === 'rule') {
    const rule = roast.rules.find(({ id }) => id === finding.ruleId);
    if (rule === undefined) return;
    const { id, message, colour, sound, push } = rule;
    const occurrence = ruleOccurrence(id, finding.fault);
    const what = { kind: 'rule', occurrence, rule_id: id, message, colour, sound, push } as const;
    changes.raised.push(newAlarm(roast, finding.atSeconds, nowMs, what));
    return;
  }
  const { channel, sinceSeconds } = finding;
  const occurrence = `frozen ${channel} ${Math.round(roast.row.charge_mono_ms + sinceSeconds * 1000)}`;
  if (finding.isFrozen)
    changes.raised.push(newAlarm(roast, finding.atSeconds, nowMs, { kind: 'frozen', occurrence, channel }));
  else changes.cleared.push(occurrence);
};

/** Evaluates the rules of one running roast, and the alarms that need none, over its samples. */
export const createRoastEvaluation = (firstSeq: number, clock: Pick<Clock, 'now'>): RoastEvaluation => {
  const watch = createAlarmWatch();
  const state = { nextSeq: firstSeq, lastSeconds: null as number | null };

  return {
    get nextSeq() {
      return state.nextSeq;
    },
    set nextSeq(seq) {
      state.nextSeq = seq;
    },
    get lastSeconds() {
      return state.lastSeconds;
    },
    push(roast, samples, from = 0, to = samples.seq.length) {
      const changes = noChanges();
      const channels = [...samples.channels];
      for (let index = from; index < to; index++) {
        const seq = samples.seq[index] ?? 0;
        if (seq < state.nextSeq) continue;
        state.nextSeq = seq + 1;
        const seconds = secondsSinceCharge(roast, samples.bootNo[index] ?? 0, samples.monoMs[index] ?? 0);
        if (seconds === undefined || seconds < 0) continue;
        state.lastSeconds = seconds;
        if (seconds > roast.dropSeconds) continue;
        const values = Object.fromEntries(channels.map(([name, column]) => [name, column[index] ?? null]));
        for (const finding of watch.push(seconds, values, roast)) note(changes, roast, clock.now(), finding);
      }
      return changes;
    },
    pushSilence(roast, seconds) {
      const changes = noChanges();
      if (seconds > roast.dropSeconds) return changes;
      for (const finding of watch.pushSilence(seconds, roast)) note(changes, roast, clock.now(), finding);
      return changes;
    },
  };
};
