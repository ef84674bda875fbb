import { expect, it } from 'vitest';
import { bandInUnits, bandSummary } from './band-figures.ts';

const band = {
  time_seconds: [0, 5, 10],
  reference: [200, 100, 204.5],
  low: [198, 99, null],
  middle: [200, 101, null],
  high: [203, 103.5, null],
};
const fahrenheit = { temperature_unit: 'F', rate_unit: 'per_minute' } as const;

it('bandSummary: uses the reader’s temperature unit', () => {
  const { low } = bandInUnits(band, fahrenheit);
  expect(low[0]).toBeCloseTo(388.4, 6);
  expect(low[2]).toBeNull();
  expect(bandSummary(band, { ...fahrenheit, temperature_unit: 'C' })).toBe(
    'The reference runs from 200.0 °C at charge to 204.5 °C at its drop. The middle 80% of the roasts lie within 5.0 °C of each other.',
  );
  expect(bandSummary(band, fahrenheit)).toContain('lie within 9.0 °F');
});
