import { describe, expect, it } from 'vitest';
import { createErrorBand, fewestRoasts } from './error-band.ts';

/** Ten errors up to a size. */
const errors = (size: number) => Array.from({ length: 10 }, (_, index) => ((index + 1) * size) / 10);

describe('error band', () => {
  it('is unknown with too few roasts, then holds eight in ten of the errors at each distance', () => {
    const band = createErrorBand(2, 0.1);
    for (let roast = 1; roast < fewestRoasts; roast++) band.add([errors(1), errors(4)]);
    expect(band.halves()).toBeNull();
    band.add([errors(1), errors(4)]);
    expect(band.halves()).toEqual([0.8, 3.2]);
  });

  it('counts each roast once, however long it took', () => {
    const band = createErrorBand(1, 0.1);
    const long = Array.from({ length: 100 }, () => 9);
    for (let roast = 1; roast <= 5; roast++) band.add([roast === 1 ? long : errors(1)]);
    expect(band.halves()?.[0]).toBeLessThan(2);
  });

  it('narrows after roasts that keep far inside, and is never narrower than a probe reads', () => {
    const band = createErrorBand(1, 0.1);
    for (let roast = 1; roast <= 4; roast++) band.add([errors(4)]);
    const before = band.halves()?.[0] ?? 0;
    for (let roast = 1; roast <= 3; roast++) band.add([errors(0.5)]);
    expect(band.halves()?.[0]).toBeLessThan(before * 0.8);
    for (let roast = 1; roast <= 25; roast++) band.add([errors(0.001)]);
    expect(band.halves()).toEqual([0.1]);
  });

  it('widens after roasts that leave it', () => {
    const band = createErrorBand(1, 0.1);
    for (let roast = 1; roast <= 10; roast++) band.add([errors(1)]);
    const before = band.halves()?.[0] ?? 0;
    for (let roast = 1; roast <= 2; roast++) band.add([errors(6)]);
    expect(band.halves()?.[0]).toBeGreaterThan(before * 2);
  });

  it('ignores distances that a roast did not reach', () => {
    const band = createErrorBand(2, 0.1);
    for (let roast = 1; roast <= 4; roast++) band.add([errors(1), []]);
    expect(band.halves()).toBeNull();
    for (let roast = 1; roast <= 3; roast++) band.add([errors(1), errors(2)]);
    expect(band.halves()).not.toBeNull();
  });
});
