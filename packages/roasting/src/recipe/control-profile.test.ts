import { describe, expect, it } from 'vitest';
import {
  defaultControlPoints,
  interpolateControlProfile,
  nextControlPoint,
  percentToRpm,
  rpmToPercent,
  validateControlProfile,
} from './control-profile.ts';

describe('a control profile', () => {
  it('has 721 points from 0 to 720 s, linear and rounded [P209]', () => {
    const points = interpolateControlProfile(defaultControlPoints);
    expect(points).toHaveLength(721);
    expect(points[0]).toEqual(defaultControlPoints[0]);
    expect(points[360]).toEqual({ timeSeconds: 360, burner: 50, exhaust: 60, drumRpm: 45 });
    expect(points[720]).toEqual(defaultControlPoints[1]);
    for (const point of points) expect(Object.values(point).every(Number.isInteger)).toBe(true);
  });

  it('goes through every control point, in whatever order they were entered', () => {
    const entered = [
      { timeSeconds: 300, burner: 40, exhaust: 70, drumRpm: 50 },
      ...defaultControlPoints,
      { timeSeconds: 301, burner: 90, exhaust: 30, drumRpm: 85 },
    ];
    const points = interpolateControlProfile(entered);
    for (const point of entered) expect(points[point.timeSeconds]).toEqual(point);
    expect(points.map(({ timeSeconds }) => timeSeconds)).toEqual(Array.from({ length: 721 }, (_, k) => k));
  });

  it('is refused with the document’s messages [P186]', () => {
    const messages = validateControlProfile([
      { timeSeconds: 0, burner: 101, exhaust: 29, drumRpm: 86 },
      { timeSeconds: 0, burner: Number.NaN, exhaust: 90, drumRpm: 30 },
    ]).map(({ index, field, message }) => `${index} ${field} ${message}`);
    expect(messages).toEqual([
      '0 burner Burner: 0-100%',
      '0 exhaust Exhaust: 30-90%',
      '0 drumRpm Drum: 30-85 RPM',
      '1 timeSeconds Time: two points at the same time',
      '1 burner Burner: 0-100%',
    ]);
    expect(validateControlProfile([])[0]?.message).toBe('At least 2 control points are required');
    expect(validateControlProfile(defaultControlPoints)).toEqual([]);
  });

  it('adds its next point a minute later [P204]', () => {
    expect(nextControlPoint(defaultControlPoints)).toEqual({ timeSeconds: 780, burner: 50, exhaust: 60, drumRpm: 60 });
  });

  it('accepts an empty curve or a single point', () => {
    expect(interpolateControlProfile([])).toEqual([]);
    expect(interpolateControlProfile([{ timeSeconds: 5, burner: 1, exhaust: 30, drumRpm: 30 }])).toHaveLength(1);
  });
});

it('turns drum speed into % of the machine’s own maximum and back', () => {
  expect(rpmToPercent(60, 80)).toBe(75);
  expect(percentToRpm(75, 80)).toBe(60);
  expect(rpmToPercent(90, 80)).toBe(100);
});
