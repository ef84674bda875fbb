import { describe, expect, it } from 'vitest';
import { bodyOfBlend, lineError, shareOf, totalKg, type BlendLine } from './blend-values.ts';

const line = (kg: string, leftKg?: number): BlendLine => ({
  roastId: '018f0000-0000-7000-8000-000000000001',
  name: 'R-11 · Guji',
  kg,
  leftKg,
});

describe('the form of a blend', () => {
  it('accepts no more of a roast than its remaining weight, to the milligram', () => {
    expect(lineError(line('4.1', 4.1))).toBeNull();
    expect(lineError(line('4.100001', 4.1))).toBe('Only 4.1 kg left');
    expect(lineError(line('0', 4.1))).toBe('Weight must be greater than 0');
    expect(lineError(line('', 4.1))).toBe('Enter the weight in kg');
    expect(lineError(line('7'))).toBeNull();
  });
  it('has an exact sum and the shares', () => {
    const lines = [line('0.1'), line('0.2'), line('')];
    expect(totalKg(lines)).toBe(0.3);
    expect(lines.map((one) => shareOf(one, totalKg(lines))?.toFixed(6))).toEqual(['0.333333', '0.666667', undefined]);
  });
  it('includes the weight of deleted roasts', () => {
    const one = line('6');
    expect([totalKg([one], 2), shareOf(one, totalKg([one], 2))]).toEqual([8, 0.75]);
  });
  it('sends numbers, and null for no notes', () => {
    expect(bodyOfBlend({ name: ' House ', notes: ' ', lines: [line('2.5')] })).toEqual({
      name: 'House',
      notes: null,
      components: [{ roast_id: '018f0000-0000-7000-8000-000000000001', kg: 2.5 }],
    });
  });
});
