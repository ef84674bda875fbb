import { expect, it } from 'vitest';
import { curveDistance } from './compare.ts';

const curve = (zeroSeconds: number, step: number, raisedC: number) => {
  const timesSeconds = Array.from({ length: Math.floor(700 / step) }, (_, k) => k * step);
  return { timesSeconds, beanTempC: timesSeconds.map((t) => 90 + raisedC + (t - zeroSeconds) * 0.15), zeroSeconds };
};

it('compare: a roast has no distance to itself with another start and sampling rate', () => {
  const distance = curveDistance(curve(0, 1, 0), curve(40, 2, 0));
  expect(distance?.rmsC).toBeCloseTo(0, 9);
  expect(distance?.comparedSeconds).toBeGreaterThan(600);
});

it('compare: measures °C', () => {
  expect(curveDistance(curve(0, 1, 0), curve(0, 1, 3))?.rmsC).toBeCloseTo(3, 9);
});

it('compare: skips gaps and returns null for too few readings', () => {
  const gap = curve(0, 1, 0);
  const missing = { ...gap, beanTempC: gap.beanTempC.map((temp, k) => (k > 100 && k < 300 ? null : temp)) };
  expect(curveDistance(missing, curve(0, 1, 2))).toMatchObject({ comparedSeconds: 501 });
  expect(curveDistance({ ...gap, endSeconds: 20 }, gap)).toBeNull();
});
