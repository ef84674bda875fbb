import { describe, expect, it } from 'vitest';
import { createAlarmWatch, type AlarmCondition, type AlarmContext, type WatchedRule } from './alarm-rules.ts';
import type { MarkKind } from './marks.ts';
import type { Reading } from './curves/series.ts';

interface Given {
  readonly condition: AlarmCondition;
  readonly armedAfter?: MarkKind;
  readonly fromSeconds?: number;
  readonly bean?: (second: number) => Reading;
  readonly marks?: Readonly<Partial<Record<MarkKind, number>>>;
  /** When a mark becomes known, where that is later than the mark. */
  readonly knownAt?: Readonly<Partial<Record<MarkKind, number>>>;
  readonly reference?: (second: number) => Reading;
  /** Seconds without samples. */
  readonly gap?: readonly [number, number];
}

const allMarks: readonly MarkKind[] = ['charge', 'turning_point', 'dry_end', 'first_crack', 'drop'];

/** Falls to 100 °C until the turning point at 60 s, then rises by 12 °C/min. */
const usual = (second: number): number => (second < 60 ? 200 - (second * 100) / 60 : 100 + (second - 60) / 5);

const slowing = (second: number): number => (second < 300 ? usual(second) : usual(300) + (second - 300) / 30);
const dropped = (second: number): number => (second < 400 ? usual(second) : usual(400) - (second - 400) * 2);
const crashing = (second: number): number => (second < 400 ? usual(second) : usual(400) + (second - 400) / 30);
const flicking = (second: number): number =>
  second < 350
    ? usual(second)
    : second < 420
      ? usual(350) + (second - 350) / 12
      : usual(350) + 5.8 + (second - 420) / 4;
const reference = (second: number): number => usual(second) - Math.max(0, second - 200) / 10;

/** The seconds at which a rule fires in ten minutes at 1 Hz. */
const firedAt = ({
  condition,
  armedAfter = 'charge',
  fromSeconds = Number.NEGATIVE_INFINITY,
  bean = usual,
  marks = { charge: 0, turning_point: 60 },
  knownAt = {},
  reference: referenceAt = () => null,
  gap = [-1, -1],
}: Given): number[] => {
  const watch = createAlarmWatch();
  const rule: WatchedRule = { id: 'rule', condition, armedAfter, fromSeconds };
  return Array.from({ length: 600 }, (_, second) => second).flatMap((second) => {
    if (second >= gap[0] && second < gap[1]) return [];
    const context: AlarmContext = {
      rules: [rule],
      marks: allMarks.flatMap((kind) => {
        const timeSeconds = marks[kind];
        return timeSeconds === undefined || second < (knownAt[kind] ?? timeSeconds) ? [] : [{ kind, timeSeconds }];
      }),
      referenceAt,
    };
    const values = { bean_temp: bean(second), exhaust_temp: 220 + second / 50 };
    return watch
      .push(second, values, context)
      .flatMap((finding) => (finding.kind === 'rule' ? [finding.atSeconds] : []));
  });
};

/** The faults that findings name in 40 s of samples and 30 s without. */
const faultsOf = (condition: AlarmCondition, bean: (second: number) => Reading) => {
  const watch = createAlarmWatch();
  const rules = [{ id: 'rule', condition, armedAfter: 'charge' as const, fromSeconds: 0 }];
  const context: AlarmContext = { marks: [], rules, referenceAt: () => null };
  const pushed = Array.from({ length: 40 }, (_, second) =>
    watch.push(second, { bean_temp: bean(second), exhaust_temp: 220 + second }, context),
  );
  return [...pushed.flat(), ...watch.pushSilence(70, context)].map((finding) =>
    finding.kind === 'rule' ? finding.fault : undefined,
  );
};

describe('alarm rules', () => {
  it('time: fires once, at its time since the charge', () => {
    expect(firedAt({ condition: { kind: 'time', after: 'charge', seconds: 240 } })).toEqual([240]);
  });

  it('time: fires with the first sample after a gap', () => {
    expect(firedAt({ condition: { kind: 'time', after: 'charge', seconds: 240 }, gap: [200, 400] })).toEqual([400]);
  });

  it('time: counts from a mark, also when the mark is reported slightly late, but not when it is long past', () => {
    const condition = { kind: 'time', after: 'first_crack', seconds: 60 } as const;
    const marks = { charge: 0, turning_point: 60, first_crack: 400 };
    expect(firedAt({ condition, marks })).toEqual([460]);
    expect(firedAt({ condition, marks, knownAt: { first_crack: 480 } })).toEqual([480]);
    expect(firedAt({ condition, marks, knownAt: { first_crack: 500 } })).toEqual([]);
    expect(firedAt({ condition, marks: { charge: 0 } })).toEqual([]);
  });

  it('a rule added during the roast: ignores earlier samples', () => {
    expect(firedAt({ condition: { kind: 'time', after: 'charge', seconds: 60 }, fromSeconds: 300 })).toEqual([]);
    const hot = { kind: 'temperature', channel: 'bean_temp', side: 'above', temp_c: 120 } as const;
    expect(firedAt({ condition: hot, armedAfter: 'turning_point', fromSeconds: 300 })).toEqual([300]);
  });

  it('temperature: fires once, after the mark that arms it', () => {
    const condition = { kind: 'temperature', channel: 'bean_temp', side: 'above', temp_c: 150 } as const;
    expect(firedAt({ condition })).toEqual([0]);
    expect(firedAt({ condition, armedAfter: 'turning_point' })).toEqual([311]);
    const exhaust = { kind: 'temperature', channel: 'exhaust_temp', side: 'above', temp_c: 225 } as const;
    expect(firedAt({ condition: exhaust })).toEqual([251]);
  });

  it('rate of rise: fires where the live rate crosses its limit', () => {
    const condition = { kind: 'rate_of_rise', side: 'below', c_per_minute: 4 } as const;
    const [at] = firedAt({
      condition,
      armedAfter: 'turning_point',
      bean: slowing,
      marks: { charge: 0, turning_point: 80 },
    });
    expect(at).toBeGreaterThan(305);
    expect(at).toBeLessThan(325);
  });

  it('conditions below a limit: do not fire on the drop before its mark is known', () => {
    const marks = { charge: 0, turning_point: 60, drop: 400 };
    const knownAt = { drop: 412 };
    const rate = { kind: 'rate_of_rise', side: 'below', c_per_minute: 4 } as const;
    expect(
      firedAt({
        condition: rate,
        armedAfter: 'turning_point',
        bean: dropped,
        marks: { ...marks, turning_point: 90 },
        knownAt,
        gap: [412, 600],
      }),
    ).toEqual([]);
  });

  it('reference distance: fires where the beans leave the reference by more than its limit', () => {
    const condition = { kind: 'reference_distance', side: 'above', distance_c: 5 } as const;
    expect(firedAt({ condition, reference })).toEqual([251]);
    expect(firedAt({ condition: { ...condition, side: 'below' }, reference })).toEqual([]);
    expect(firedAt({ condition })).toEqual([]);
  });

  it('phase share: fires in its phase only', () => {
    const marks = { charge: 0, turning_point: 60, dry_end: 250, first_crack: 400 };
    expect(firedAt({ condition: { kind: 'phase_share', phase: 'development', percent: 20 }, marks })).toEqual([500]);
    expect(firedAt({ condition: { kind: 'phase_share', phase: 'development', percent: 40 }, marks })).toEqual([]);
  });

  it('a silent channel: fires without readings, and without samples', () => {
    const condition = { kind: 'channel_silent', channel: 'bean_temp', seconds: 20 } as const;
    expect(firedAt({ condition, bean: (second) => (second >= 100 ? null : usual(second)) })).toEqual([119]);
    const watch = createAlarmWatch();
    const context: AlarmContext = {
      marks: [],
      rules: [{ id: 'rule', condition, armedAfter: 'charge', fromSeconds: 0 }],
      referenceAt: () => null,
    };
    watch.push(10, { bean_temp: 200 }, context);
    expect(watch.pushSilence(29, context)).toEqual([]);
    expect(watch.pushSilence(30, context)).toEqual([{ kind: 'rule', ruleId: 'rule', atSeconds: 30, fault: 'silent' }]);
    expect(watch.pushSilence(31, context)).toEqual([]);
  });

  it('a frozen channel: fires after the time of the rule', () => {
    const condition = { kind: 'channel_frozen', channel: 'bean_temp', seconds: 12 } as const;
    expect(firedAt({ condition, bean: (second) => usual(Math.min(second, 300)) })).toEqual([312]);
  });

  it('a rule about a fault of the machine: names the fault; a silent board for every channel', () => {
    const silent = { kind: 'channel_silent', channel: 'bean_temp', seconds: 20 } as const;
    expect(faultsOf(silent, () => null)).toEqual(['silent bean_temp']);
    expect(faultsOf(silent, usual)).toEqual(['silent']);
    expect(faultsOf({ ...silent, kind: 'channel_frozen' }, () => 180)).toContain('frozen bean_temp');
    expect(faultsOf({ kind: 'time', after: 'charge', seconds: 10 }, usual)).toEqual([null]);
  });

  it('a sample that is not later than the previous one: is ignored', () => {
    const watch = createAlarmWatch();
    const context: AlarmContext = { marks: [], rules: [], referenceAt: () => null };
    watch.push(10, { bean_temp: 200 }, context);
    expect(watch.push(10, { bean_temp: 100 }, context)).toEqual([]);
  });

  it('rate crash and flick: fire only before first crack', () => {
    const crash = { kind: 'rate_crash' } as const;
    expect(firedAt({ condition: crash, bean: crashing })).toHaveLength(1);
    expect(firedAt({ condition: crash })).toEqual([]);
    expect(
      firedAt({ condition: crash, bean: crashing, marks: { charge: 0, turning_point: 60, first_crack: 380 } }),
    ).toEqual([]);
    const [at] = firedAt({ condition: { kind: 'rate_flick' }, bean: flicking });
    expect(at).toBeGreaterThan(420);
    expect(at).toBeLessThan(440);
  });
});
