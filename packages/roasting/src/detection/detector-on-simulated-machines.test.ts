import { detectorRoasts } from '@roastery/testing/marks/detected-roasts';
import { physicalSeries } from '@roastery/testing/marks/physical-roast';
import { describe, expect, it } from 'vitest';

describe('detector: simulated machines', () => {
  // Seeds from development for which an earlier version missed a charge or reported a false roast.
  it.each([
    [5_000_071, 'beans that slow down to less than half of their rate over two minutes'],
    [5_000_236, 'noise in whole degrees, read every 5 s'],
    [5_000_544, 'noise in whole degrees, in a drum that is heated'],
    [5_000_354, 'a fall of 5 °C in a drum that is heated by 13 °C/min'],
    [900_033, 'a fall of 14 °C in a heated drum, back on its line after four minutes'],
    [900_057, 'a drum that drifts down by 10 °C/min, read every 5 s'],
    [900_160, 'a fall of 6 °C through a slow probe in a heated drum'],
    [70_001_113, 'few beans that slow down under noise, read every 5 s'],
    [70_001_862, 'few beans on the line of a heated drum'],
    [50_001_400, 'a roast that stands still for ten minutes before its drop'],
    [110_000_159, 'beans that follow a door in a heated drum'],
    [50_004_425, 'a fall of 4 °C below the line of a drum that drifts down by 9 °C/min'],
    [350_004_593, 'noise, with a top that is higher than the end of the roast'],
    [310_000_169, 'a door, a drum that drifts down, and then the beans'],
    [110_003_455, 'a fall below 6 °C in a drum that drifts down'],
    [360_000_902, 'a fall of 4 °C in a drum that was heated for 40 s only'],
    [360_000_829, 'a fall of 6 °C in a drum that was heated for 40 s only, in half degrees'],
    [380_005_415, 'a fall of 3 °C in a drum that was heated for 45 s only, read every 5 s'],
    [380_000_115, 'a fall of 6 °C one minute after a door'],
    [370_001_401, 'beans that follow the drop of a roast that had stood still for minutes'],
    [380_000_073, 'a drop that a slow probe, read every 3 s with losses, shows late'],
    [410_005_954, 'a door and a drift of a minute before the beans'],
  ])('finds every charge of machine %i: %s', (seed) => {
    const { samples, roasts } = physicalSeries(seed);
    const { roasts: found } = detectorRoasts(samples);
    const missed = roasts.filter(({ charge }) => !found.some((each) => Math.abs(each.charge - charge) <= 60));
    expect(missed).toEqual([]);
  });

  it.each([
    [5_000_072, 'a probe that was moved before the drum is heated'],
    [900_129, 'a door before a drum that is heated further'],
    [900_068, 'a drum that drifts down, with noise in whole degrees'],
    [900_073, 'a door after a moved probe'],
    [7_000_081, 'a roast that stands still below its top before the drop'],
    [7_000_442, 'a roast that stands still, with noise'],
    [7_000_881, 'a roast that stands still for four minutes, in whole degrees'],
    [7_001_243, 'a door in a drum that is charged two minutes later'],
  ])('reports no false roast of machine %i: %s', (seed) => {
    const { samples, roasts } = physicalSeries(seed);
    expect(detectorRoasts(samples).roasts).toHaveLength(roasts.length);
  });

  it('places every drop of machine 900003 within 10 s, which a slow probe shows late', () => {
    const { samples, roasts } = physicalSeries(900_003);
    const { roasts: found } = detectorRoasts(samples);
    expect(found).toHaveLength(roasts.length);
    for (const [index, { drop = 0 }] of roasts.entries())
      expect(Math.abs((found[index]?.drop ?? 0) - drop)).toBeLessThanOrEqual(10);
  });
});
