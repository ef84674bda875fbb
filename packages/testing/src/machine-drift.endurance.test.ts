import { describe, expect, it } from 'vitest';
import { falseAlarms, foundWithin, heldOutSeeds } from './forecast/drift-years.ts';

const withinRoasts = 15;
const rightly = (found: ReturnType<typeof foundWithin>, of: string, sign: number) =>
  found.filter((drift) => drift?.of === of && Math.sign(drift.change) === sign && drift.after > 0).length /
  found.length;

describe('drift of a machine in made years that its limits were not chosen on', () => {
  it('raises at most one false alarm in 300 roasts', () => {
    const years = heldOutSeeds(40);
    const alarms = falseAlarms(years);
    expect(alarms.length, JSON.stringify(alarms)).toBeLessThanOrEqual(years.length);
  });

  it.each([-3, 3])('finds a bean probe that reads %i °C otherwise within 15 roasts in nine of ten years', (probeC) => {
    const found = foundWithin(heldOutSeeds(60), withinRoasts, { probeC });
    expect(rightly(found, 'bean_probe', Math.sign(probeC)), JSON.stringify(found)).toBeGreaterThanOrEqual(0.9);
  });

  it('finds a burner that gives 6 % less within 15 roasts in nine of ten years', () => {
    const found = foundWithin(heldOutSeeds(60), withinRoasts, { burnerShare: 0.94 });
    expect(rightly(found, 'burner', -1), JSON.stringify(found)).toBeGreaterThanOrEqual(0.9);
  });
});
