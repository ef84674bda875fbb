import { describe, expect, it } from 'vitest';
import { isBounded, onlyInFull } from './endurance/volume.ts';
import { falseAlarms, foundWithin, heldOutSeeds, type FoundDrift } from './forecast/drift-years.ts';

const withinRoasts = 15;
const shareOf = (found: ReturnType<typeof foundWithin>, holds: (drift: FoundDrift) => boolean) =>
  found.filter((drift) => drift !== null && drift.after > 0 && holds(drift)).length / found.length;

const isWeakBurner = ({ of, change }: FoundDrift) => of === 'burner' && change < 0;

describe.skipIf(isBounded)(`drift of a machine in made years that its limits were not chosen on${onlyInFull}`, () => {
  it('raises at most one false alarm in 300 roasts', () => {
    const years = heldOutSeeds(40);
    const alarms = falseAlarms(years);
    expect(alarms.length, JSON.stringify(alarms)).toBeLessThanOrEqual(years.length);
  });

  it.each([-3, 3])('finds a bean probe that reads %i °C otherwise within 15 roasts in nine of ten years', (probeC) => {
    const found = foundWithin(heldOutSeeds(60), withinRoasts, { probeC });
    expect(
      shareOf(found, () => true),
      JSON.stringify(found),
    ).toBeGreaterThanOrEqual(0.9);
    const isNamed = ({ of, change }: FoundDrift) => of === 'bean_probe' && Math.sign(change) === Math.sign(probeC);
    expect(shareOf(found, isNamed), JSON.stringify(found)).toBeGreaterThanOrEqual(0.8);
  });

  it.each([-3, 3])(
    'finds an exhaust probe that reads %i °C otherwise within 15 roasts in nine of ten years',
    (exhaustC) => {
      const found = foundWithin(heldOutSeeds(60), withinRoasts, { exhaustC });
      expect(
        shareOf(found, () => true),
        JSON.stringify(found),
      ).toBeGreaterThanOrEqual(0.9);
    },
  );

  it('finds and names a burner that gives 6 % less within 15 roasts in nine of ten years', () => {
    const found = foundWithin(heldOutSeeds(60), withinRoasts, { burnerShare: 0.94 });
    expect(shareOf(found, isWeakBurner), JSON.stringify(found)).toBeGreaterThanOrEqual(0.9);
  });
});
