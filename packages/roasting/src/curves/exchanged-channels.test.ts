import { describe, expect, it } from 'vitest';
import { channelsLookExchanged, exchangedInRow, type ChannelVerdict, type ProbeRoast } from './exchanged-channels.ts';
import type { Reading } from './series.ts';

const chargeSeconds = 60;
const dropSeconds = 660;

/** A probe in the beans: from the level at the charge down to about 90 °C within 70 s, then up to 210 °C. */
const inBeans = (time: number): number => {
  const since = time - chargeSeconds;
  return since <= 0 ? 195 : 215 - 135 * Math.exp(-since / 260) + 115 * Math.exp(-since / 18);
};
/** A probe in the gas around them: it falls by `fallC` within seconds and follows the burner. */
const inGas =
  (fallC: number, aboveC = 0) =>
  (time: number): number => {
    const since = time - chargeSeconds;
    return (since <= 0 ? 210 : 235 - (25 + fallC) * Math.exp(-since / 200) + fallC * Math.exp(-since / 6)) + aboveC;
  };

const roastOf = (bean: (time: number) => Reading, exhaust: (time: number) => Reading, everySeconds = 1): ProbeRoast => {
  const timesSeconds = Array.from({ length: Math.floor(760 / everySeconds) }, (_, index) => index * everySeconds);
  return {
    timesSeconds,
    beanTempC: timesSeconds.map(bean),
    exhaustTempC: timesSeconds.map(exhaust),
    chargeSeconds,
    dropSeconds,
  };
};
const exchanged = (roast: ProbeRoast): ProbeRoast => ({
  ...roast,
  beanTempC: roast.exhaustTempC,
  exhaustTempC: roast.beanTempC,
});
const verdictOf = (roast: ProbeRoast): ChannelVerdict => channelsLookExchanged(roast).verdict;
const after = (...verdicts: readonly ChannelVerdict[]): number =>
  verdicts.reduce((before, verdict) => exchangedInRow(before, { verdict }), 0);
const opposite: Readonly<Record<ChannelVerdict, ChannelVerdict>> = {
  right: 'exchanged',
  exchanged: 'right',
  unsure: 'unsure',
};

describe('exchanged channels: verdict', () => {
  it('tells the probe in the beans from one in the gas', () => {
    const { verdict, evidence } = channelsLookExchanged(roastOf(inBeans, inGas(30)));
    expect(verdict).toBe('right');
    expect(evidence?.bean.fallC).toBeGreaterThan(80);
    expect(evidence?.bean.turnSeconds).toBeGreaterThan(40);
    expect(evidence?.exhaustAboveC).toBeGreaterThan(20);
  });

  it.each([0, 10, 30, 60, 90, 120])(
    'exchanging the columns exchanges the verdict, an exhaust that falls by %i °C',
    (fallC) => {
      for (const aboveC of [-60, -20, 0, 40]) {
        const roast = roastOf(inBeans, inGas(fallC, aboveC));
        expect(verdictOf(exchanged(roast)), `${aboveC} °C higher`).toBe(opposite[verdictOf(roast)]);
      }
    },
  );

  it.each([0, 10, 30, 60, 90, 120])('calls no exhaust above the beans exchanged, one that falls by %i °C', (fallC) => {
    for (const aboveC of [0, 20, 40]) expect(verdictOf(roastOf(inBeans, inGas(fallC, aboveC)))).not.toBe('exchanged');
  });

  it('does not decide by the fall alone: an exhaust that an open door cools further, but stays hotter than the beans', () => {
    expect(verdictOf(roastOf(inBeans, inGas(120, 60)))).toBe('right');
  });

  it('is unsure about an exhaust below the beans, as some machines have it', () => {
    expect(verdictOf(roastOf(inBeans, inGas(10, -80)))).toBe('unsure');
  });

  it.each([0.25, 1, 3, 5])('decides the same with a reading every %d s', (everySeconds) => {
    expect(verdictOf(roastOf(inBeans, inGas(30), everySeconds))).toBe('right');
  });

  it('bears marks that are off, as the detector sets them in the wrong probe', () => {
    const roast = roastOf(inGas(30), inBeans);
    for (const late of [-10, 10])
      for (const dropLate of [-120, 60]) {
        const marks = { chargeSeconds: chargeSeconds + late, dropSeconds: dropSeconds + dropLate };
        expect(verdictOf({ ...roast, ...marks }), JSON.stringify(marks)).toBe('exchanged');
      }
  });
});

describe('exchanged channels: one live probe', () => {
  const silentOnes: Readonly<Record<string, (time: number) => Reading>> = {
    absent: () => null,
    constant: () => 180,
    'at room temperature': (time) => 22 + 3 * Math.sin(time / 90),
    'a copy': inBeans,
    'a copy with noise': (time) => inBeans(time) + Math.sin(time * 7),
    'lost for most of the roast': (time) => (time < 300 ? inGas(30)(time) : null),
    'an infrared sensor that looks into the drum': (time) =>
      time < chargeSeconds ? 240 : 25 + 190 * (1 - Math.exp(-(time - chargeSeconds) / 200)),
  };

  it.each(Object.keys(silentOnes))('is unsure when the other is %s', (name) => {
    const other = silentOnes[name] ?? (() => null);
    expect(verdictOf(roastOf(inBeans, other))).toBe('unsure');
    expect(verdictOf(roastOf(other, inBeans))).toBe('unsure');
  });

  it('is unsure without a whole roast', () => {
    const roast = roastOf(inGas(30), inBeans);
    expect(verdictOf({ ...roast, dropSeconds: chargeSeconds + 60 })).toBe('unsure');
    expect(verdictOf({ ...roast, timesSeconds: [], beanTempC: [], exhaustTempC: [] })).toBe('unsure');
    expect(
      verdictOf(
        roastOf(
          () => 25,
          (time) => (time < 300 ? 25 : 26),
        ),
      ),
    ).toBe('unsure');
  });
});

describe('exchanged channels: roasts in a row', () => {
  it('counts roasts that agree; a right one begins again, an unsure one says nothing', () => {
    expect(after('exchanged', 'exchanged')).toBe(2);
    expect(after('exchanged', 'unsure', 'exchanged')).toBe(2);
    expect(after('exchanged', 'right', 'exchanged')).toBe(1);
    expect(after('exchanged', 'exchanged', 'right')).toBe(0);
    expect(after('unsure', 'unsure')).toBe(0);
  });
});
