import { describe, expect, it } from 'vitest';
import type { Mark, MarkKind } from '../marks.ts';
import { areaAbove, phaseAt, phasesOf } from './phases.ts';

const mark = (kind: MarkKind, timeSeconds: number, tempC: number | null): Mark => ({
  kind,
  timeSeconds,
  tempC,
  origin: 'person',
  confidence: 1,
  provisional: false,
});
const marks = [
  mark('charge', 100, 200),
  mark('turning_point', 160, 90),
  mark('dry_end', 400, 150),
  mark('first_crack', 640, 196),
  mark('drop', 760, 210),
];

describe('phases', () => {
  it('names the running phase with its share of the time since the charge', () => {
    expect(phaseAt(marks, 90)).toBeNull();
    expect(phaseAt(marks, 250)).toEqual({ name: 'drying', durationSeconds: 150, share: 1 });
    expect(phaseAt(marks, 500)).toEqual({ name: 'maillard', durationSeconds: 100, share: 0.25 });
    expect(phaseAt(marks, 700)).toEqual({ name: 'development', durationSeconds: 60, share: 0.1 });
    // Beans cracked before their dry end was marked.
    expect(phaseAt([mark('charge', 0, null), mark('first_crack', 400, null)], 500)?.name).toBe('development');
  });

  it('divides the roast from charge to drop', () => {
    const { phases, totalSeconds, developmentSeconds, developmentRatio } = phasesOf(marks);
    expect(totalSeconds).toBe(660);
    expect(developmentSeconds).toBe(120);
    expect(developmentRatio).toBeCloseTo(120 / 660);
    expect(phases.map(({ name, durationSeconds }) => [name, durationSeconds])).toEqual([
      ['drying', 300],
      ['maillard', 240],
      ['development', 120],
    ]);
    expect(phases.reduce((sum, { share }) => sum + (share ?? 0), 0)).toBeCloseTo(1);
    // Drying is rated from the turning point: 60 °C in 4 minutes, not -50 °C in 5.
    expect(phases.map(({ meanRateC }) => meanRateC)).toEqual([15, 11.5, 7]);
  });

  it('grows during a running roast', () => {
    const { phases, totalSeconds, developmentRatio } = phasesOf(marks.slice(0, 3));
    expect(phases.map(({ name, share }) => [name, share])).toEqual([['drying', null]]);
    expect([totalSeconds, developmentRatio]).toEqual([null, null]);
  });

  it('takes a mark’s missing temperature from the curve, and skips impossible phases', () => {
    const curve = { timesSeconds: [0, 100, 400, 800], beanTempC: [20, 200, 150, 210] };
    const { phases } = phasesOf([mark('charge', 100, null), mark('dry_end', 400, null)], curve);
    expect([phases[0]?.startTempC, phases[0]?.endTempC]).toEqual([200, 150]);
    expect(phasesOf([mark('first_crack', 800, 196), mark('drop', 700, 210)]).phases).toEqual([]);
  });
});

const temp = (t: number) => 90 + 0.25 * t;
const curveOf = (step: number) => {
  const timesSeconds = Array.from({ length: 480 / step + 1 }, (_, k) => k * step);
  return { timesSeconds, beanTempC: timesSeconds.map(temp) };
};

describe('area under the curve', () => {
  it('counts only the part above 100 °C', () => {
    const curve = { timesSeconds: [0, 60, 120], beanTempC: [80, 120, 120] };
    // Above 100 °C from half way: a triangle of 20 °C over 30 s, then 20 °C over 60 s.
    expect(areaAbove(curve, 0, 120)).toBeCloseTo(5 + 20);
    expect(areaAbove(curve, 60, 120)).toBeCloseTo(20);
    expect(areaAbove({ timesSeconds: [0], beanTempC: [200] }, 0, 10)).toBeNull();
  });

  it('does not depend on the sampling rate', () => {
    expect(areaAbove(curveOf(3), 0, 480)).toBeCloseTo(areaAbove(curveOf(0.5), 0, 480) ?? 0, 6);
  });
});
