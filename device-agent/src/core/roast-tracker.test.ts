import { eventBatchShape, type JournalEvent } from '@roastery/contract/mqtt';
import type { MarkKind } from '@roastery/roasting/marks';
import { describe, expect, it } from 'vitest';
import { curveMoments, roastCurve, type CurvePoint } from '../testing/roast-curve.ts';
import type { Entry, RecordingContext } from './entry.ts';
import { resumeTracker, trackedSample, type RecordedState } from './replay.ts';
import { createRoastTracker, type RoastTracker } from './roast-tracker.ts';

const ids = () => {
  let next = 0;
  return () => `01900000-0000-7000-8000-${String(++next).padStart(12, '0')}`;
};
const channels = ['bean_temp'];
const push = (tracker: RoastTracker, seq: number, point: CurvePoint, signals: MarkKind[] = [], offsetMs = 0) =>
  tracker.push(trackedSample(seq, point.seconds * 1000 + offsetMs, channels, [point.beanTempC]), signals, offsetMs);

const follow = (
  tracker: RoastTracker,
  curve: readonly CurvePoint[],
  signalAt: Partial<Record<number, MarkKind>> = {},
) =>
  curve.flatMap((point, seq) => {
    const signal = signalAt[point.seconds];
    return push(tracker, seq, point, signal ? [signal] : []);
  });
const states = (events: readonly JournalEvent[]) =>
  events.flatMap((event) => (event.type === 'roast' ? [event.state] : []));
const lastMarks = (events: readonly JournalEvent[]) =>
  new Map(events.flatMap((event) => (event.type === 'mark' ? [[event.kind, event] as const] : [])));

/** Two minutes at 205 °C, then `to` °C from one sample to the next. */
const stepped = (to: number, between: (tracker: RoastTracker) => void) => {
  const tracker = createRoastTracker(ids());
  const events: JournalEvent[] = [];
  for (let seq = 0; seq < 240; seq += 1) {
    if (seq === 120) between(tracker);
    events.push(...push(tracker, seq, { seconds: seq, beanTempC: seq < 120 ? 205 : to }));
  }
  return states(events);
};

describe('roast tracker', () => {
  it('follows one roast from charge to drop by the bean temperature alone', () => {
    const tracker = createRoastTracker(ids());
    const events = follow(tracker, roastCurve());
    expect(states(events)).toEqual(['in_progress', 'completed']);
    const marks = lastMarks(events);
    expect(Math.abs((marks.get('charge')?.at_mono ?? 0) / 1000 - curveMoments.chargeSeconds)).toBeLessThan(5);
    expect(Math.abs((marks.get('drop')?.at_mono ?? 0) / 1000 - curveMoments.dropSeconds)).toBeLessThan(5);
    expect([...marks.keys()]).toContain('turning_point');
    expect([...marks.values()].every(({ provisional }) => !provisional)).toBe(true);
    const ev = events.map((event) => ({ dt: 0, e: event }));
    const head = { v: 1, epoch: '0123456789abcdef', seq: 0, boot: '0123abcd', synced: true, t: 0, mono: 0 };
    expect(eventBatchShape.safeParse({ ...head, k: 'events', ev }).error).toBeUndefined();
  });

  it('reports no charge for a step between two probes', () => {
    for (const to of [40, 120, 190]) {
      expect(stepped(to, () => undefined)).toContain('in_progress');
      expect(stepped(to, (tracker) => tracker.forgetTemperatures())).toEqual([]);
    }
  });

  it('completes a roast whose charge looked like a door, with its true charge, at the drop', () => {
    // A drum heated by 3.6 °C/min; few beans are back on its line two minutes after the charge at 100 s. Drop at 850 s.
    const curve = Array.from({ length: 1_150 }, (_, seconds) => {
      const since = Math.max(0, seconds - 100);
      const fallen = 14 * (1 - Math.exp(-since / 10)) * Math.exp(-since / 45);
      const open = 40 * (1 - Math.exp(-Math.max(0, seconds - 850) / 12));
      return { seconds, beanTempC: 145 + 0.06 * Math.min(seconds, 850) - fallen - open };
    });
    const events = follow(createRoastTracker(ids()), curve);
    expect(states(events)).toEqual(['in_progress', 'aborted', 'in_progress', 'completed']);
    const marks = lastMarks(events);
    expect(Math.abs((marks.get('charge')?.at_mono ?? 0) / 1000 - 100)).toBeLessThan(5);
    expect(Math.abs((marks.get('drop')?.at_mono ?? 0) / 1000 - 850)).toBeLessThan(10);
  });

  it('refers to the sample of a mark', () => {
    const charge = lastMarks(follow(createRoastTracker(ids()), roastCurve(2))).get('charge');
    expect(charge?.at_seq).toBe(Math.round(((charge?.at_mono ?? 0) / 1000) * 2));
  });

  it('prefers machine signals to its own findings', () => {
    const curve = roastCurve();
    const events = follow(createRoastTracker(ids()), curve, { 61: 'charge', 400: 'first_crack', 655: 'drop' });
    expect(states(events)).toEqual(['in_progress', 'completed']);
    const marks = lastMarks(events);
    expect(marks.get('charge')).toMatchObject({
      at_mono: 61_000,
      origin: 'machine',
      confidence: 1,
      provisional: false,
    });
    expect(marks.get('first_crack')).toMatchObject({ at_mono: 400_000, origin: 'machine' });
    expect(marks.get('drop')).toMatchObject({ at_mono: 655_000, origin: 'machine' });
    expect(marks.get('turning_point')).toMatchObject({ origin: 'detector' });
  });

  it('merges a detected charge with the signal that follows it', () => {
    const events = follow(createRoastTracker(ids()), roastCurve(), { 90: 'charge' });
    expect(states(events)).toEqual(['in_progress', 'completed']);
    expect(lastMarks(events).get('charge')).toMatchObject({ at_mono: 90_000, origin: 'machine' });
  });

  it('begins the next roast under a new id', () => {
    const tracker = createRoastTracker(ids());
    const curve = roastCurve();
    const again = curve.map(({ seconds, beanTempC }) => ({ seconds: seconds + 900, beanTempC }));
    const events = follow(tracker, [...curve, ...again]);
    expect(states(events)).toEqual(['in_progress', 'completed', 'in_progress', 'completed']);
    expect(new Set(events.map((event) => ('roast_id' in event ? event.roast_id : ''))).size).toBe(2);
  });

  it('begins the next roast at a second charge signal after a suspected drop, with no mark before its charge', () => {
    // A machine whose clock was set to run twelve times as fast: the next beans go in within two minutes.
    const curve = roastCurve(2).map((point) => ({ ...point, seconds: point.seconds / 6 }));
    for (let at = 20; at < 118; at += 14) {
      const tracker = createRoastTracker(ids());
      const charges = new Map<string, number>();
      const events = curve.flatMap((point, seq) =>
        push(
          tracker,
          seq,
          point,
          Math.abs(point.seconds - at) < 0.04 || Math.abs(point.seconds - at - 50) < 0.04 ? ['charge'] : [],
        ),
      );
      const standing = new Map<string, number>();
      for (const event of events) {
        if (event.type !== 'mark') continue;
        const key = `${event.roast_id} ${event.kind}`;
        if (event.at_mono === null) standing.delete(key);
        else standing.set(key, event.at_mono);
        if (event.kind === 'charge' && event.at_mono !== null) charges.set(event.roast_id, event.at_mono);
      }
      for (const [key, mono] of standing) {
        expect(mono, `${key}, signalled at ${at} s`).toBeGreaterThanOrEqual(charges.get(key.split(' ')[0] ?? '') ?? 0);
      }
    }
  });

  it('follows a machine that is charged cold, as its map says', () => {
    const coldly = Array.from({ length: 700 }, (_, seconds) => ({
      seconds,
      beanTempC:
        seconds < 40
          ? 22
          : seconds < 400
            ? 22 + 190 * (1 - Math.exp(-(seconds - 40) / 200))
            : 181 - (seconds - 400) * 1.2,
    })).filter(({ beanTempC }) => beanTempC > 20);
    expect(states(follow(createRoastTracker(ids()), coldly))).not.toContain('completed');
    const events = follow(createRoastTracker(ids(), undefined, 'cold'), coldly);
    expect(states(events)).toEqual(['in_progress', 'completed']);
    expect(Math.abs((lastMarks(events).get('charge')?.at_mono ?? 0) / 1000 - 40)).toBeLessThan(5);
  });

  it('aborts a roast after 15 minutes without the machine', () => {
    const curve = roastCurve().filter(({ seconds }) => seconds < 300);
    const tracker = createRoastTracker(ids());
    const events = follow(tracker, [...curve, { seconds: 1300, beanTempC: 30 }]);
    expect(states(events)).toEqual(['in_progress', 'aborted']);
    expect(tracker.running()).toBeNull();
  });

  it('reports nothing for an idle machine', () => {
    const idle = Array.from({ length: 2000 }, (_, seconds) => ({ seconds, beanTempC: 200 + Math.sin(seconds / 40) }));
    expect(follow(createRoastTracker(ids()), idle)).toEqual([]);
  });
});

describe('roast tracker: resume after a kill', () => {
  const boot = '0a1b2c3d-0000-4000-8000-000000000001';
  const context: RecordingContext = { boot, map: { id: 'demo', rev: 1 }, channels };
  const clockAt = (seconds: number, of = boot, wall = seconds) => ({
    boot: of,
    mono: seconds * 1000,
    wall: 1_800_000_000_000 + wall * 1000,
    synced: true,
  });

  /**
   * Runs until the kill, and returns the state of the disk: a snapshot and the entries after it, without a few lost
   * last ones.
   */
  const runUntil = (curve: readonly CurvePoint[], stateEvery: number, lose: number) => {
    const tracker = createRoastTracker(ids());
    let seq = 0;
    let state: RecordedState | undefined;
    let entries: Entry[] = [];
    for (const [index, point] of curve.entries()) {
      const events = push(tracker, seq, point);
      entries.push({ kind: 'sample', seq: seq++, mono: point.seconds * 1000, context, values: [point.beanTempC] });
      for (const event of events)
        entries.push({ kind: 'event', seq: seq++, mono: point.seconds * 1000, context, event });
      if (index % stateEvery === stateEvery - 1) {
        state = structuredClone({ tracker: tracker.snapshot(), clock: clockAt(point.seconds), offsetMs: 0 });
        entries = [];
      }
    }
    return { state, entries: entries.slice(0, Math.max(0, entries.length - lose)), nextSeq: seq };
  };

  it('resumes the same roast and repeats no event after a kill at any sample', () => {
    const curve = roastCurve(1);
    const wanted = lastMarks(follow(createRoastTracker(ids()), curve));
    for (let killed = 40; killed < curve.length; killed += 7) {
      const before = curve.slice(0, killed);
      const past = runUntil(before, 50, killed % 3);
      const told = runUntil(before, 100_000, 0).entries;
      const { tracker, owed } = resumeTracker(past, clockAt(killed), () => 'a new one');
      const kept = told
        .slice(0, told.length - (killed % 3))
        .flatMap((entry) => (entry.kind === 'event' ? [entry.event] : []));
      const rest = curve.slice(killed).flatMap((point, index) => push(tracker, past.nextSeq + index, point));
      const all = [...kept, ...owed, ...rest].map((event) =>
        'roast_id' in event ? { ...event, roast_id: '' } : event,
      );
      expect(states(all), `killed at ${killed} s`).toEqual(['in_progress', 'completed']);
      for (const [kind, mark] of lastMarks(all)) {
        expect(Math.abs((mark.at_mono ?? 0) - (wanted.get(kind)?.at_mono ?? 0)), `${kind}, ${killed} s`).toBeLessThan(
          3000,
        );
      }
      const newIds = [...owed, ...rest].filter((event) => 'roast_id' in event && event.roast_id === 'a new one');
      expect(states(kept).length === 0 || newIds.length === 0, `killed at ${killed} s`).toBe(true);
    }
  }, 120_000);

  it('keeps the roast through a reboot of the board', () => {
    const curve = roastCurve(1);
    const past = runUntil(curve.slice(0, 300), 50, 0);
    const id = past.state?.tracker.running?.id;
    expect(id).toBeDefined();
    // Twenty seconds off; the monotonic clock of the new boot begins at zero.
    const { tracker, offsetMs } = resumeTracker(
      past,
      clockAt(2, 'ffffffff-0000-4000-8000-000000000002', 320),
      () => 'new',
    );
    const events = curve.slice(320).flatMap(({ seconds, beanTempC }, index) => {
      const mono = (seconds - 318) * 1000;
      return tracker.push(trackedSample(1000 + index, mono + offsetMs, channels, [beanTempC]), [], offsetMs);
    });
    expect(states(events)).toEqual(['completed']);
    expect(events.every((event) => !('roast_id' in event) || event.roast_id === id)).toBe(true);
    const drop = lastMarks(events).get('drop');
    expect(Math.abs((drop?.at_mono ?? 0) / 1000 - (curveMoments.dropSeconds - 318))).toBeLessThan(5);
  });

  it('aborts a roast that is too old to resume', () => {
    const past = runUntil(roastCurve(1).slice(0, 300), 50, 0);
    const { tracker, offsetMs } = resumeTracker(past, clockAt(5, 'ffffffff-0000-4000-8000-000000000002', 7200), ids());
    const events = tracker.push(trackedSample(1000, 5000 + offsetMs, channels, [200]), [], offsetMs);
    expect(states(events)).toEqual(['aborted']);
  });
});

/** A drum that is heated up by 6 °C a minute. */
const lineAt = (seconds: number) => 130 + 0.1 * seconds;

describe('roast tracker: a retracted charge', () => {
  const chargedAt = 120;
  const dropAt = 560;
  /** A drum that is being heated up; the probe returns to its former line, and rises above it only later. */
  const backOnItsLine: CurvePoint[] = Array.from({ length: 640 }, (_, seconds) => {
    const since = seconds - chargedAt;
    if (since < 0) return { seconds, beanTempC: lineAt(seconds) };
    const fallen = 30 * (1 - Math.exp(-since / 8)) * Math.exp(-since / 30);
    const beans = (at: number) => lineAt(at) + 0.14 * Math.max(0, at - chargedAt - 190);
    if (seconds < dropAt) return { seconds, beanTempC: beans(seconds) - fallen };
    return { seconds, beanTempC: beans(dropAt) - 45 * (1 - Math.exp(-(seconds - dropAt) / 15)) };
  });

  it('reopens the roast before its drop, although its charge lies before the retraction', () => {
    const untilCrack = follow(createRoastTracker(ids()), backOnItsLine.slice(0, 400));
    expect(states(untilCrack)).toEqual(['in_progress', 'aborted', 'in_progress']);
    const events = follow(createRoastTracker(ids()), backOnItsLine);
    expect(states(events)).toEqual(['in_progress', 'aborted', 'in_progress', 'completed']);
    const reopened = lastMarks(events);
    expect(Math.abs((reopened.get('charge')?.at_mono ?? 0) / 1000 - chargedAt)).toBeLessThan(5);
    expect(Math.abs((reopened.get('drop')?.at_mono ?? 0) / 1000 - dropAt)).toBeLessThan(10);
  });
});
