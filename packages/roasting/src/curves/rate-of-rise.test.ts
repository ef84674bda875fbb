import { describe, expect, it } from 'vitest';
import { movingAverage, createLiveRateOfRise, rateOfRise, smoothRateOfRise } from './rate-of-rise.ts';
import { isReading, type Reading } from './series.ts';
import { normal, randomStream } from '@roastery/testing/marks/random';

const seconds = (count: number, step = 1) => Array.from({ length: count }, (_, k) => k * step);

/** Of a curve whose rate falls from 18 °C/min. */
const truth = (t: number) => (0.3 - 0.0002 * t) * 60;

/** Scatter around 6 °C/min. */
const scatter = (rates: readonly Reading[]) => {
  const present = rates.slice(30).filter(isReading);
  return Math.sqrt(present.reduce((sum, rate) => sum + (rate - 6) ** 2, 0) / present.length);
};

/** The span of a curve that begins with its charge and has no drop. */
const whole = { chargeSeconds: 0, dropSeconds: null };

describe('rate of rise of a stored curve', () => {
  it('depends only on the samples between charge and drop', () => {
    const times = seconds(900);
    // A drum that cools down before the charge, a roast that rises by 13.7 °C/min, and beans that fall out.
    const temps = times.map((t) =>
      t < 120 ? 220 - t / 10 : t <= 720 ? 90 + ((t - 120) * 13.7) / 60 : 227 - (t - 720) / 2,
    );
    const window = { chargeSeconds: 120, dropSeconds: 720 };
    const rates = rateOfRise(times, temps, window);
    expect(rates[720]).toBeCloseTo(13.7, 6);
    expect(rates[120]).toBeCloseTo(13.7, 6);
    expect([...rates.slice(0, 120), ...rates.slice(721)].every((rate) => rate === null)).toBe(true);
    expect(rates.slice(120, 721)).toEqual(rateOfRise(times.slice(120, 721), temps.slice(120, 721), window));
  });

  it('is the slope in °C/min, whatever the sampling', () => {
    const random = randomStream(1);
    let time = 0;
    const times = Array.from({ length: 300 }, () => (time += 0.2 + 3 * random()));
    const rates = rateOfRise(
      times,
      times.map((t) => 100 + t * 0.15),
      whole,
    );
    for (const rate of rates) expect(rate).toBeCloseTo(9, 6);
  });

  it('is the 5-point moving average of the slopes [P96]', () => {
    const temps = [100, 101, 103, 104, 108, 109, 111, 114, 118, 119];
    const times = seconds(10, 3);
    expect(rateOfRise(times, temps, whole)).toEqual(movingAverage(smoothRateOfRise(times, temps), 5));
  });

  it('takes the slope between neighbours where readings are far apart', () => {
    const rates = rateOfRise(seconds(5, 30), [100, 105, 111, 118, 126], whole);
    expect(rates[0]).toBeNull();
    expect(rates[2]).toBeCloseTo((10 + 12 + 14 + 16) / 4);
  });

  it('stays readable at 4 Hz with a resolution of 0.1 °C', () => {
    const times = seconds(1200, 0.25);
    const rates = rateOfRise(
      times,
      times.map((t) => Math.round((120 + t * 0.1) * 10) / 10),
      whole,
    );
    expect(scatter(rates)).toBeLessThan(0.3);
  });

  it('bridges three missing readings and never a fourth', () => {
    const with3: Reading[] = [100, 101, null, null, null, 105, 106];
    const bridged = rateOfRise(seconds(7), with3, whole);
    expect(bridged.map((rate) => rate !== null)).toEqual([true, true, false, false, false, true, true]);
    expect(bridged[5]).toBeCloseTo(60);
    const with4: Reading[] = [100, 101, null, null, null, null, 150, 151];
    const rates = rateOfRise(seconds(8), with4, whole);
    expect(rates[6]).toBeNull();
    expect(rates[7]).toBeCloseTo(60);
  });

  it('accepts repeated times', () => {
    const rates = rateOfRise([0, 1, 1, 2], [100, 101, 140, 102], whole);
    expect(rates[2]).toBeNull();
    expect(rates[3]).toBeCloseTo(60);
  });
});

describe('rate of rise without lag', () => {
  it('follows a falling rate at its own time, where a trailing one is late', () => {
    const times = seconds(600);
    const temps = times.map((t) => 90 + 0.3 * t - 0.0001 * t * t);
    const rates = smoothRateOfRise(times, temps);
    expect(rates[300]).toBeCloseTo(truth(300), 6);
    const live = createLiveRateOfRise();
    const trailing = times.map((t, k) => live.push(t, temps[k] ?? null));
    expect(trailing[300]).toBeCloseTo(truth(290), 6);
  });

  it('keeps its precision over hours and across gaps', () => {
    const times = seconds(57_600, 0.25);
    const temps = times.map((t, k) => (k % 5000 > 4990 ? null : 20 + t * 0.01));
    const rates = smoothRateOfRise(times, temps);
    expect(rates.filter(isReading).length).toBeGreaterThan(57_000);
    const furthest = Math.max(...rates.filter(isReading).map((rate) => Math.abs(rate - 0.6)));
    expect(furthest).toBeLessThan(1e-6);
  });
});

describe('live rate of rise', () => {
  it('is quieter than the two-point rule on a noisy probe', () => {
    const random = randomStream(7);
    const temps = seconds(2000).map((t) => 100 + t * 0.1 + 0.1 * normal(random));
    const live = createLiveRateOfRise();
    const ours = temps.map((temp, t) => live.push(t, temp));
    const mean = (from: number) => temps.slice(from - 2, from + 3).reduce((sum, temp) => sum + temp, 0) / 5;
    const twoPoint = temps.map((temp, t) => (t < 22 ? null : ((temp - mean(t - 20)) / 20) * 60));
    expect(scatter(ours)).toBeLessThan(0.8 * scatter(twoPoint));
  });

  it('returns null across a gap, after a reset and too early', () => {
    const live = createLiveRateOfRise();
    expect([0, 1, 2, 3, 4].map((t) => live.push(t, 100 + t))).toEqual([null, null, null, null, null]);
    expect(live.push(5, 105)).toBeCloseTo(60);
    for (const t of [6, 7, 8, 9]) expect(live.push(t, null)).toBeNull();
    expect(live.push(10, 200)).toBeNull();
    live.reset();
    expect(live.push(11, 100)).toBeNull();
    expect(live.push(5, 100)).toBeNull();
  });
});

it('smoothing: keeps a straight line straight away from the ends', () => {
  const line = Array.from({ length: 40 }, (_, k) => 3 + 2 * k);
  const smooth = movingAverage(line, 5);
  for (let k = 6; k < 34; k++) expect(smooth[k]).toBeCloseTo(line[k] ?? 0, 9);
});

it('smoothing: keeps gaps and does not count them', () => {
  expect(movingAverage([1, null, 3], 3)).toEqual([1, null, 3]);
});

it('smoothing: refuses a window without a middle', () => {
  expect(() => movingAverage([1, 2], 4)).toThrow(RangeError);
});
