import { describe, expect, it } from 'vitest';
import { recordedRoastsPresent, recordedRoastsTitle } from '@roastery/testing/marks/recorded-roasts';
import { bothWays, chooseLimits, ofSide, scoreOf, sidesOf, withoutSide } from './exchange-scores.ts';
import { probeConditions, simulatedTwoProbeRoasts, twoProbeRoasts } from './two-probe-roasts.ts';

describe(`exchanged channels on recorded roasts${recordedRoastsTitle}`, () => {
  it.skipIf(!recordedRoastsPresent)('calls no recording exchanged, and none right whose columns are exchanged', () => {
    const both = bothWays(twoProbeRoasts(), { name: 'as recorded' }, 'file');
    const [right, exchanged] = [scoreOf(both.right, 'right'), scoreOf(both.exchanged, 'exchanged')];
    expect(right).toMatchObject({ wrong: 0, saysAfter: null });
    expect(exchanged.wrong).toBe(0);
    // Aillio Bullets have two sensors that see the beans, and some machines an exhaust below the beans: silent.
    expect(exchanged.said / exchanged.roasts).toBeGreaterThan(0.6);
  });

  it.skipIf(!recordedRoastsPresent)('stays so for each maker with limits chosen on the other makers', () => {
    const both = bothWays(twoProbeRoasts(), { name: 'as recorded' }, 'file');
    for (const side of sidesOf(both)) {
      const limits = chooseLimits(withoutSide(both, side));
      const own = ofSide(both, side);
      expect(scoreOf(own.right, 'right', limits), side).toMatchObject({ wrong: 0, saysAfter: null });
      expect(scoreOf(own.exchanged, 'exchanged', limits).wrong, side).toBe(0);
    }
  });

  it.skipIf(!recordedRoastsPresent)('stays so with whole degrees, noise and a slow probe', () => {
    for (const condition of probeConditions.filter(({ change }) => change !== undefined)) {
      const both = bothWays(twoProbeRoasts(), condition, 'file');
      expect(scoreOf(both.right, 'right'), condition.name).toMatchObject({ wrong: 0, saysAfter: null });
      expect(scoreOf(both.exchanged, 'exchanged').wrong, condition.name).toBe(0);
    }
  });
});

describe('exchanged channels on a simulated drum', () => {
  it('recognises them for batches from a fifteenth of the drum on', () => {
    const both = bothWays(simulatedTwoProbeRoasts({ from: 70_000, count: 7 }), { name: 'as read' }, 'file');
    expect(scoreOf(both.right, 'right')).toMatchObject({ said: 7, wrong: 0, saysAfter: null });
    expect(scoreOf(both.exchanged, 'exchanged')).toMatchObject({ said: 7, wrong: 0, saysAfter: 2 });
  });

  it('recognises them between the charge and the drop that a board finds in the wrong probe', () => {
    const both = bothWays(simulatedTwoProbeRoasts({ from: 70_100, count: 3 }, [24]), { name: 'as read' }, 'board');
    expect(scoreOf(both.right, 'right')).toMatchObject({ said: 3, wrong: 0, saysAfter: null });
    expect(scoreOf(both.exchanged, 'exchanged')).toMatchObject({ wrong: 0, saysAfter: 2 });
  });
});
