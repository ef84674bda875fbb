import { describe, expect, it } from 'vitest';
import { detectRoasts } from './detect-marks.ts';
import type { DetectorSample } from './detector.ts';
import { markOf } from '../marks.ts';

const chargedAt = 90;
const dropAt = 720;
const readings = (tempC: (time: number) => number): DetectorSample[] =>
  Array.from({ length: 400 }, (_, index) => ({ timeSeconds: 2 * index, beanTempC: Math.round(tempC(2 * index)) }));
/** Beans that are charged into a drum of this temperature, seen by a probe that needs half a minute, in whole degrees. */
const chargedAtC = (drumC: number) => (time: number) => {
  const since = Math.min(time, dropAt) - chargedAt;
  if (since < 0) return drumC + 0.03 * since;
  const beans = 30 + 175 * (1 - Math.exp(-since / 330));
  const fallen = time > dropAt ? 40 * (1 - Math.exp(-(time - dropAt) / 15)) : 0;
  return beans + (drumC - 30) * Math.exp(-since / 30) - fallen;
};

describe('detector: cool drums', () => {
  it.each([65, 78, 90, 97, 120])('finds the whole roast that begins in a drum of %d °C', (drumC) => {
    const [roast, ...others] = detectRoasts(readings(chargedAtC(drumC)), { charging: 'hot' });
    expect(others).toEqual([]);
    expect(Math.abs((markOf(roast?.marks ?? [], 'charge')?.timeSeconds ?? 0) - chargedAt)).toBeLessThanOrEqual(5);
    expect(Math.abs((markOf(roast?.marks ?? [], 'drop')?.timeSeconds ?? 0) - dropAt)).toBeLessThanOrEqual(10);
    expect(roast?.complete).toBe(true);
  });

  it.each([30, 60, 90])('reports no roast for a drum of %d °C whose door is opened', (drumC) => {
    const opened = (time: number) => {
      const since = time - 200;
      return drumC - (since > 0 ? 14 * (since / 8) * Math.exp(1 - since / 8) : 0);
    };
    expect(detectRoasts(readings(opened), { charging: 'hot' })).toEqual([]);
  });
});

const lateChargeAt = 660;
const lateDropAt = 1320;
const heatedAtC = (rate: number, time: number) => Math.min(185, 118 + rate * (time - 300));
/** A drum heated at this rate, in °C/s, whose probe falls for a while and comes back slowly, six minutes before the charge. */
const dipped = (rate: number, deepC: number, backSeconds: number) => (time: number) => {
  if (time >= lateChargeAt) {
    const since = Math.min(time, lateDropAt) - lateChargeAt;
    const beans = 30 + 175 * (1 - Math.exp(-since / 330));
    const fallen = 45 * (1 - Math.exp(-Math.max(0, time - lateDropAt) / 15));
    return beans + (heatedAtC(rate, lateChargeAt) - 30) * Math.exp(-since / 20) - fallen;
  }
  const fallenC = deepC * (1 - Math.exp(-Math.min(20, Math.max(0, time - 300)) / 8));
  return heatedAtC(rate, time) - fallenC * Math.exp(-Math.max(0, time - 320) / backSeconds);
};

describe('detector: a dip of the preheat', () => {
  it.each([
    [0.15, 8, 60],
    [0.15, 12, 100],
    [0.25, 8, 15],
    [0.25, 12, 60],
    [0.35, 12, 15],
    [0.35, 12, 100],
  ])('is not the charge in a drum heated by %d °C/s: %d °C, back within %d s', (rate, deepC, backSeconds) => {
    const samples = Array.from({ length: 1500 }, (_, timeSeconds) => {
      return { timeSeconds, beanTempC: Math.round(10 * dipped(rate, deepC, backSeconds)(timeSeconds)) / 10 };
    });
    const [roast, ...others] = detectRoasts(samples, { charging: 'hot' });
    expect(others).toEqual([]);
    expect(Math.abs((markOf(roast?.marks ?? [], 'charge')?.timeSeconds ?? 0) - lateChargeAt)).toBeLessThanOrEqual(5);
    expect(Math.abs((markOf(roast?.marks ?? [], 'drop')?.timeSeconds ?? 0) - lateDropAt)).toBeLessThanOrEqual(10);
  });
});
