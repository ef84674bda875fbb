import { massUnits, type MassUnit } from '@roastery/roasting/units';
import { afterEach, describe, expect, it } from 'vitest';
import { offeredRegions } from '../features/account/regions.ts';
import { bagsText, kilogramsOfBags, readBags } from './bags.ts';
import { defaultConventions, setConventions } from './conventions.ts';
import { numberInField, readNumber } from './numbers.ts';
import { exactWeight, inOwnUnits, kilogramsOf, typedWeight, weightCell, weightText } from './weights.ts';

afterEach(() => setConventions(defaultConventions));
const read = (weightUnit: MassUnit, region = 'en-US') => setConventions({ ...defaultConventions, weightUnit, region });

describe('weights in kg', () => {
  it('show a tenth in lists, and grams below a kilogram', () => {
    expect([12.125, 60, 19_200, 0.35, -0.0001].map((kg) => weightText(kg))).toEqual([
      '12.13 kg',
      '60.0 kg',
      '19,200.0 kg',
      '0.35 kg',
      '0.0 kg',
    ]);
    expect([exactWeight(12.1251), exactWeight(12)]).toEqual(['12.125 kg', '12 kg']);
    expect([weightCell(null), weightCell(12.34), weightCell(0.1152)]).toEqual(['--', '12.3', '0.115']);
  });
});

describe('weights in other units', () => {
  it('have the decimals of a scale', () => {
    read('g');
    expect([0.1152, 12, 0.35].map((kg) => exactWeight(kg))).toEqual(['115.2 g', '12,000 g', '350 g']);
    expect(weightText(0.1152)).toBe('115.2 g');
    read('lb');
    expect([12, 0.45359237, 68.94604].map((kg) => weightText(kg))).toEqual(['26.46 lb', '1.0 lb', '152.0 lb']);
    expect(exactWeight(12)).toBe('26.46 lb');
    read('oz');
    expect(exactWeight(0.45359237)).toBe('16 oz');
    read('lb', 'de');
    expect(weightText(1000)).toBe('2.204,62 lb');
  });

  it('are shown in sentences of the server', () => {
    read('lb', 'de');
    expect(inOwnUnits('Only 10.2 kg of PR-1 is left')).toBe('Only 22,49 lb of PR-1 is left');
    expect(inOwnUnits('Batch size: 0-10000 kg')).toBe('Batch size: 0-22.046,23 lb');
    expect(inOwnUnits('Enter the capacity in kg')).toBe('Enter the capacity in lb');
    expect(inOwnUnits('Capacity must be at most 10,000 kg')).toBe('Capacity must be at most 22.046,23 lb');
    read('kg');
    expect(inOwnUnits('Only 10.2 kg of PR-1 is left')).toBe('Only 10.2 kg of PR-1 is left');
  });
});

/** A weight as typed: up to the decimals of a good scale. */
const typedWeights = (unit: MassUnit): string[] => {
  const decimals = { kg: 3, g: 1, lb: 3, oz: 2 }[unit];
  let seed = 11;
  return Array.from({ length: 300 }, (_, count) => {
    seed = (seed * 48_271) % 2_147_483_647;
    const digits = count % (decimals + 1);
    return String((seed % 10 ** (2 + (count % 4))) / 10 ** digits);
  });
};

describe.each(massUnits)('a weight typed in %s', (unit) => {
  it('is shown as typed after the api stored its milligrams', () => {
    read(unit);
    for (const typed of typedWeights(unit)) {
      const stored = Math.round(kilogramsOf(Number(typed)) * 1e6) / 1e6;
      expect(typedWeight(stored), `${typed} ${unit}`).toBe(typed);
    }
  });

  it.each(offeredRegions)('is read as formatted in the region %s', (region) => {
    read(unit, region);
    for (const typed of typedWeights(unit).slice(0, 60)) {
      const field = numberInField(typedWeight(kilogramsOf(Number(typed))));
      expect(readNumber(field), field).toBe(typed);
    }
  });
});

describe('bags', () => {
  it('have sizes in their own units', () => {
    const sizes = readBags('60 kg; 152 lb;69.5kg');
    expect(sizes).toEqual([
      { weight: 60, unit: 'kg' },
      { weight: 152, unit: 'lb' },
      { weight: 69.5, unit: 'kg' },
    ]);
    expect(bagsText(sizes ?? [])).toBe('60 kg; 152 lb; 69.5 kg');
    expect([readBags('60'), readBags('0 kg'), readBags('60 bags'), readBags('')]).toEqual([
      undefined,
      undefined,
      undefined,
      [],
    ]);
  });

  it('have the weight on the label', () => {
    expect(kilogramsOfBags(8, { weight: 69, unit: 'kg' })).toBe(552);
    expect(kilogramsOfBags(60, { weight: 152, unit: 'lb' }), 'in pounds, read in kg').toBe(4136.76);
    read('lb');
    expect(typedWeight(kilogramsOfBags(3, { weight: 152, unit: 'lb' }))).toBe('456');
  });
});
