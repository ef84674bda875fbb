import type { Bench, Measurement } from '../bench.ts';
import { clusteredMean, clusteredQuantile } from '../forecast/clustered.ts';
import { judgeCracks, type JudgedCrack } from '../forecast/crack-forecasts.ts';
import {
  aheads,
  heldOutHabits,
  judgeHeldOut,
  simpleBand,
  type JudgedDrop,
  type JudgedForecast,
} from '../forecast/curve-forecasts.ts';
import { forecastRoasts, type ForecastRoast } from '../forecast/past-roasts.ts';
import { recordedRoastsPresent } from '../marks/recorded-roasts.ts';

interface OfRoast {
  readonly roast: ForecastRoast;
}
const roastOf = ({ roast }: OfRoast) => roast;

/** The share inside a band of eight in ten: 80 % must lie in its 95 % interval, with roasts as clusters. */
const inside = <T extends OfRoast>(
  what: string,
  rows: readonly T[],
  covered: (row: T) => boolean,
  width: string,
  held = true,
): Measurement[] => {
  const { mean, low, high, clusters } = clusteredMean(rows, roastOf, (row) => (covered(row) ? 100 : 0));
  const share = {
    what: `${what}: inside the band of 8 in 10`,
    value: mean,
    unit: `% (${clusters} roasts, ${width} wide)`,
  };
  if (!held) return [share];
  return [
    share,
    { what: `${what}: 95 % interval from`, value: low, unit: '%', aim: { of: 'value', atMost: 80 } },
    { what: `${what}: 95 % interval to`, value: high, unit: '%', aim: { of: 'value', atLeast: 80 } },
  ];
};

const meanOf = <T extends OfRoast>(rows: readonly T[], value: (row: T) => number) =>
  clusteredMean(rows, roastOf, value).mean;

/** Beside a straight line and the newest past roast from here on, each with a band fitted to its own errors. */
const beside = (
  what: string,
  rows: readonly JudgedForecast[],
  than: string,
  errorOf: (row: JudgedForecast) => number | null,
): Measurement[] => {
  const known = rows.filter((row) => errorOf(row) !== null);
  const band = simpleBand(rows, errorOf);
  return [
    {
      what: `${what}: mean error`,
      value: meanOf(known, ({ error }) => Math.abs(error)),
      unit: '°C',
      against: { what: than, value: meanOf(known, (row) => Math.abs(errorOf(row) ?? 0)) },
      aim: { of: 'ratio', atMost: 1 },
    },
    {
      what: `${what}: width of the band`,
      value: meanOf(known, ({ half }) => 2 * half),
      unit: '°C',
      against: {
        what: `${than}, ${meanOf(band, ({ covered }) => (covered ? 100 : 0)).toFixed(0)} % inside`,
        value: meanOf(band, ({ width }) => width),
      },
      aim: { of: 'ratio', atMost: 1 },
    },
  ];
};

const holdsTemp = ({ error, half }: JudgedForecast) => Math.abs(error) <= half;
const holdsRate = ({ rateError, rateHalf }: JudgedForecast) => Math.abs(rateError ?? 0) <= rateHalf;

const curveRows = (curves: readonly JudgedForecast[]): Measurement[] =>
  aheads.flatMap((ahead) => {
    const all = curves.filter(({ aheadSeconds }) => aheadSeconds === ahead);
    const at = `bean temperature ${ahead} s ahead`;
    const several = all.filter(({ pastRoasts }) => pastRoasts >= 3);
    const withRate = all.filter(({ rateError }) => rateError !== null);
    const width = (rows: readonly JudgedForecast[]) => `${meanOf(rows, ({ half }) => 2 * half).toFixed(1)} °C`;
    const rateWidth = `${meanOf(withRate, ({ rateHalf }) => 2 * rateHalf).toFixed(1)} °C/min`;
    return [
      ...beside(at, all, 'straight line', ({ lineError }) => lineError),
      ...beside(
        `${at}, where a past roast is known`,
        all,
        'the newest past roast from here on',
        ({ referenceError }) => referenceError,
      ),
      ...inside(at, all, holdsTemp, width(all)),
      ...inside(`${at}, three or more past roasts`, several, holdsTemp, width(several)),
      {
        what: `rate of rise ${ahead} s ahead: mean error`,
        value: meanOf(withRate, ({ rateError }) => Math.abs(rateError ?? 0)),
        unit: '°C/min',
      },
      ...inside(`rate of rise ${ahead} s ahead`, withRate, holdsRate, rateWidth),
    ];
  });

/** Moments of an event this far from a distance count as at it. */
const nearSeconds = 5;

const momentRows = (
  what: string,
  rows: readonly (JudgedDrop | JudgedCrack)[],
  distances: readonly (number | null)[],
): Measurement[] =>
  distances.flatMap((distance) => {
    const at = rows.filter(({ aheadSeconds }) =>
      distance === null ? aheadSeconds >= 20 && aheadSeconds <= 300 : Math.abs(aheadSeconds - distance) <= nearSeconds,
    );
    const name = `${what} ${distance === null ? '20 to 300 s' : `${distance} s`} ahead`;
    const median = (value: (row: JudgedDrop | JudgedCrack) => number) =>
      clusteredQuantile(at, roastOf, (row) => Math.abs(value(row)), 0.5);
    return [
      {
        what: `${name}: median error`,
        value: median(({ errorSeconds }) => errorSeconds),
        unit: 's',
        against: { what: 'straight line', value: median(({ lineErrorSeconds }) => lineErrorSeconds) },
        // At one distance, the medians of 50 roasts differ by chance.
        ...(distance === null ? { aim: { of: 'ratio' as const, atMost: 1 } } : {}),
      },
      ...inside(name, at, ({ covered }) => covered, `${meanOf(at, ({ widthSeconds }) => widthSeconds).toFixed(0)} s`),
    ];
  });

const run: Bench['run'] = (say) => {
  if (!recordedRoastsPresent) {
    say('left out: needs the recorded roasts in ../shared/data, which are absent');
    return Promise.resolve([]);
  }
  const all = forecastRoasts();
  const habits = heldOutHabits(all);
  const { curves, drops } = judgeHeldOut(all, habits);
  const cracks = judgeCracks(all, habits);
  return Promise.resolve([
    ...curveRows(curves),
    ...momentRows('2 °C below the drop', drops, [60, 120, null]),
    ...momentRows('first crack', cracks, [60, 120, null]),
    ...momentRows(
      'first crack, three or more past cracks',
      cracks.filter(({ pastCracks }) => pastCracks >= 3),
      [60, 120, null],
    ),
  ]);
};

export default {
  title: 'Forecast of curve, drop and first crack on recorded roasts, with errors fitted to the roasts of other owners',
  mustReach: true,
  run,
} satisfies Bench;
