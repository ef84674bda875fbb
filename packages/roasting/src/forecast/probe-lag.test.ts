import { describe, expect, it } from 'vitest';
import { probeLagSeconds } from './probe-lag.ts';

/** A probe at 200 °C that falls into beans which warm up from 70 °C, read to a tenth. */
const fallOf = (lagSeconds: number, seconds = 300): number[] => {
  let [probe, around] = [200, 70];
  return Array.from({ length: seconds }, () => {
    probe += (around - probe) / lagSeconds;
    around += 0.25;
    return Math.round(probe * 10) / 10;
  });
};

describe('lag of the probe', () => {
  it.each([8, 15, 30, 45])('is found in its fall after the charge: %i s', (lag) => {
    expect(Math.abs((probeLagSeconds(fallOf(lag)) ?? 0) / lag - 1)).toBeLessThan(0.12);
  });

  it('is unknown where the probe does not fall, and where readings are missing', () => {
    expect(probeLagSeconds(Array.from({ length: 300 }, (_, second) => 90 + 0.2 * second))).toBeNull();
    expect(probeLagSeconds(fallOf(30).map(() => null))).toBeNull();
    expect(probeLagSeconds([])).toBeNull();
  });
});
