import { describe, expect, it } from 'vitest';
import { artisanMarks, isBreak, type ArtisanMode } from './artisan-rule.ts';

const read = (intervalSeconds: number, temps: readonly (number | null)[]) =>
  temps.map((beanTempC, index) => ({ timeSeconds: index * intervalSeconds, beanTempC }));
const chargeOf = (mode: ArtisanMode, intervalSeconds: number, temps: readonly (number | null)[]) =>
  artisanMarks(read(intervalSeconds, temps), mode).charge;
const dropOf = (mode: ArtisanMode, intervalSeconds: number, temps: readonly (number | null)[]) =>
  artisanMarks(read(intervalSeconds, temps), mode, -421).drop;

describe('artisan rule: charge', () => {
  it('marks the reading two before the newest, where the fall began', () => {
    // d3 = -2, d4 = -3; before 0, after -2.5: 2.5 > min(6.4, 0.5).
    expect(chargeOf('standard', 1, [200, 200, 200, 200, 198, 195])).toBe(3);
  });

  it('needs six readings', () => {
    expect(chargeOf('standard', 1, [200, 200, 200, 198, 195])).toBeNull();
  });

  it('needs both of the two newest steps below the limit', () => {
    // Standard at 1 s: -0.67. Strict: d4 = -0.6. The loose test has no eleven readings.
    expect(chargeOf('standard', 1, [200, 200, 200, 200, 198, 197.4])).toBeNull();
    // Sensitive: 0; after = -1.3 exceeds 0.5.
    expect(chargeOf('sensitive', 1, [200, 200, 200, 200, 198, 197.4])).toBe(3);
  });

  it('compares the fall with the slope over the first three readings, not with the step to the fourth', () => {
    // Before = (201-200 + 200-199)/2 = 1: after = -2.5 < 0.5 + 2.5. The fourth reading alone would make it 0.67: a break.
    expect(chargeOf('standard', 1, [201, 200, 199, 199, 197, 194])).toBeNull();
    // After = -3.5 > 3.
    expect(chargeOf('standard', 1, [201, 200, 199, 199, 196, 192])).toBe(3);
  });

  it('accepts a fall of more than 6.4 °C a reading, whatever the slope before', () => {
    // Before = 4, so 0.5 + 10; after = -6.5.
    expect(isBreak([212, 208, 204, 200, 193.5, 187], -0.67, 0.5, 0.78)).toBe(true);
    expect(isBreak([212, 208, 204, 200, 193.7, 187.4], -0.67, 0.5, 0.78)).toBe(false);
  });

  it('needs a bean temperature above 77 °C', () => {
    expect(chargeOf('standard', 1, [80, 80, 80, 80, 78.5, 77])).toBeNull();
    expect(chargeOf('standard', 1, [80, 80, 80, 80, 78.9, 77.1])).toBe(3);
  });

  it('marks four before the newest where only every second reading shows it', () => {
    // Steps of -0.6 a reading: the strict test requires -0.67. Every second: d3 = -1.2, d4 = -1.2 < -1.005, after =
    // -1.2 > 0.5.
    expect(chargeOf('standard', 1, [200, 200, 200, 200, 200, 200, 200, 199.4, 198.8, 198.2, 197.6])).toBe(6);
    // Steps of -0.5 are too small for the loose test, too: d3 = d4 = -1.
    expect(chargeOf('standard', 1, [200, 200, 200, 200, 200, 200, 200, 199.5, 199, 198.5, 198])).toBeNull();
  });

  it('has smaller limits for faster sampling', () => {
    // d3 = d4 = -0.4.
    const slow = [200, 200, 200, 200, 199.6, 199.2];
    expect(chargeOf('standard', 1, slow)).toBeNull();
    expect(chargeOf('standard', 0.5, slow)).toBe(1.5);
    // d3 = d4 = -0.25.
    const slower = [200, 200, 200, 200, 199.75, 199.5];
    expect(chargeOf('standard', 0.5, slower)).toBeNull();
    expect(chargeOf('standard', 0.25, slower)).toBe(0.75);
  });

  it('reads past dropouts', () => {
    expect(chargeOf('standard', 1, [200, 200, null, 200, 200, null, 198, 195])).toBe(4);
  });
});

describe('artisan rule: the second alternative', () => {
  // Rose 0.4 a reading before (before = -0.4), falls 0.5 after: 0.5 < 0.2 + 2.5 · 0.4, but 0.4 + 0.5 > 0.78.
  const turned = [209.2, 209.6, 210, 210.4, 209.9, 209.4];

  it('fires where the temperature rose before and falls after', () => {
    expect(dropOf('standard', 1, turned)).toBe(3);
  });

  it('does not fire where it fell before, too', () => {
    // Before = +0.4, after = -0.5.
    expect(dropOf('standard', 1, [211.2, 210.8, 210.4, 210, 209.5, 209])).toBeNull();
  });

  it('is practically off in the sensitive mode and below 0.5 s', () => {
    expect(dropOf('sensitive', 1, turned)).toBeNull();
    expect(dropOf('standard', 0.25, turned)).toBeNull();
  });
});

describe('artisan rule: drop', () => {
  const falls = [210, 210, 210, 210, 209.5, 209];

  it('marks the reading two before the newest', () => {
    // d3 = d4 = -0.5 < -0.34; 0.5 > 0.2.
    expect(dropOf('standard', 1, falls)).toBe(3);
  });

  it('needs more than 160 °C', () => {
    expect(
      dropOf(
        'standard',
        1,
        falls.map((tempC) => tempC - 50),
      ),
    ).toBeNull();
  });

  it('needs more than seven minutes since the charge', () => {
    expect(artisanMarks(read(1, falls), 'standard', -415).drop).toBeNull();
    expect(artisanMarks(read(1, falls), 'standard', -415.5).drop).toBe(3);
  });

  it('starts from its own charge when none is marked by a person', () => {
    const roast = Array.from({ length: 460 }, (_, second) => {
      if (second < 10) return 200;
      if (second < 20) return 200 - 10 * (second - 9);
      return second < 450 ? 100 + 0.25 * (second - 19) : 207.5 - 2 * (second - 449);
    });
    expect(artisanMarks(read(1, roast), 'standard')).toEqual({ charge: 9, drop: 449 });
    expect(artisanMarks(read(1, roast), 'sensitive')).toEqual({ charge: 9, drop: 449 });
  });

  it('fires at the first two noisy steps down in the sensitive mode', () => {
    const noisy = [210, 210, 210, 210.1, 209.95, 209.75];
    expect(dropOf('sensitive', 1, noisy)).toBeNull();
    // After = -0.25 > 0.2.
    expect(dropOf('sensitive', 1, [210, 210, 210, 210.2, 210, 209.7])).toBe(3);
    expect(dropOf('standard', 1, [210, 210, 210, 210.2, 210, 209.7])).toBeNull();
  });
});
