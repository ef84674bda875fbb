import { detectorRoasts } from '@roastery/testing/marks/detected-roasts';
import { describe, expect, it } from 'vitest';
import { detectMarks } from './detect-marks.ts';
import { createRoastDetector, type DetectorSample } from './detector.ts';
import { markOf } from '../marks.ts';

const chargedAt = 60;
const dropAt = 660;
const roasting = (time: number) => {
  const since = time - chargedAt;
  if (since < 0) return 200;
  const beans = 25 + 195 * (1 - Math.exp(-since / 260));
  return beans + 175 * Math.exp(-since / 20);
};
const topC = roasting(dropAt);
/** The fall of a drop at this moment, through a lag. */
const dropped = (time: number, at: number) => {
  const since = Math.max(0, time - at);
  return 50 * (1 - (1 + since / 6) * Math.exp(-since / 6));
};
const falling = (time: number) => roasting(Math.min(time, dropAt)) - dropped(time, dropAt);
const series = (tempC: (time: number) => number, end: number, interval = 1): DetectorSample[] =>
  Array.from({ length: Math.floor(end / interval) }, (_, index) => ({
    timeSeconds: index * interval,
    beanTempC: Math.round(10 * tempC(index * interval)) / 10,
  }));
const dropOf = (samples: readonly DetectorSample[]) => detectorRoasts(samples).roasts.map(({ drop }) => drop);

describe('detector: position of the drop', () => {
  it.each([0.25, 1, 3, 5])('marks the steep fall after a slow decline, every %d s', (interval) => {
    const sinking = (time: number) =>
      time < dropAt ? roasting(time) : topC - 0.05 * Math.min(time - dropAt, 45) - dropped(time, dropAt + 45);
    const [drop, ...others] = dropOf(series(sinking, dropAt + 200, interval));
    expect(others).toEqual([]);
    expect(Math.abs((drop ?? 0) - dropAt - 45)).toBeLessThanOrEqual(10);
  });

  it('does not end a roast that stalls below its top for six minutes', () => {
    const stalled = (time: number) =>
      time < dropAt ? roasting(time) : topC - 2.5 * (1 - Math.exp(-(time - dropAt) / 20)) - dropped(time, dropAt + 360);
    const [drop, ...others] = dropOf(series(stalled, dropAt + 560));
    expect(others).toEqual([]);
    expect(Math.abs((drop ?? 0) - dropAt - 360)).toBeLessThanOrEqual(10);
  });

  it.each([
    [0.25, 18],
    [1, 18],
    [1, 40],
    [3, 25],
  ])('does not end a roast whose reading jumps, every %d s by %d °C', (interval, jumpC) => {
    const jumped = (time: number) => falling(time) - (time >= 480 ? jumpC : 0);
    const [drop, ...others] = dropOf(series(jumped, dropAt + 200, interval));
    expect(others).toEqual([]);
    expect(Math.abs((drop ?? 0) - dropAt)).toBeLessThanOrEqual(10);
  });

  it('marks the last reading on the line when the fall began before a silence', () => {
    const samples = series(falling, dropAt + 200).filter(
      ({ timeSeconds }) => timeSeconds <= dropAt + 2 || timeSeconds > dropAt + 40,
    );
    const [drop] = dropOf(samples);
    expect(Math.abs((drop ?? 0) - dropAt)).toBeLessThanOrEqual(4);
  });
});

describe('detector: finish', () => {
  it.each([
    [1, 6],
    [3, 9],
    [5, 11],
  ])('returns the drop that a recording ends in, every %d s', (interval, tail) => {
    const samples = series(falling, dropAt + tail, interval);
    const drop = markOf(detectMarks(samples), 'drop');
    expect(drop?.provisional).toBe(true);
    expect(Math.abs((drop?.timeSeconds ?? 0) - dropAt)).toBeLessThanOrEqual(10);
  });

  it('returns nothing for a recording that ends in mid-roast', () => {
    const detector = createRoastDetector();
    for (const sample of series(roasting, 500)) detector.push(sample);
    expect(detector.finish()).toEqual([]);
  });
});
