import type { Bench, Measurement } from '../bench.ts';
import { clusteredMean, clusteredQuantile } from '../forecast/clustered.ts';
import { judgeCracks, scatterOfMarks, type JudgedCrack, type SimpleErrors } from '../forecast/crack-forecasts.ts';
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

/**
 * Compared with a straight line and the continuation of the newest past roast, each with a band fitted to its own
 * errors.
 */
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

/** Times within this distance of an event's lead time count for it. */
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

/** Groups by past cracks of the machine. */
const byPastCracks = [
  ['no past crack', 0, 0],
  ['1-2 past cracks', 1, 2],
  ['3-5 past cracks', 3, 5],
  ['6-10 past cracks', 6, 10],
  ['more than 10 past cracks', 11, Number.POSITIVE_INFINITY],
] as const;
/** With a wider band the portal names the temperature instead of a time. */
const shownSeconds = 60;
const simpleNames = {
  othersLine: 'straight line to the temperature of other owners',
  ownLine: 'straight line to the machine’s own temperature',
  reference: 'time of the newest past crack',
} as const satisfies Record<keyof SimpleErrors, string>;

/** The rows of each roastery with ten roasts: a band may hold all of one and few of another. */
const large = <T extends OfRoast>(rows: readonly T[]): T[][] =>
  [...new Set(rows.map(({ roast }) => roast.owner))]
    .map((owner) => rows.filter(({ roast }) => roast.owner === owner))
    .filter((own) => new Set(own.map(roastOf)).size >= 10);

const widthOf = (rows: readonly JudgedCrack[]) => `${meanOf(rows, ({ widthSeconds }) => widthSeconds).toFixed(0)} s`;

const shareOf = <T extends OfRoast>(rows: readonly T[], holds: (row: T) => boolean) =>
  meanOf(rows, (row) => (holds(row) ? 100 : 0));
const isCovered = ({ covered }: { covered: boolean }) => covered;

/** By the number of past cracks, beside simple bands, and the forecasts that are precise enough to act on. */
const crackRows = (cracks: readonly JudgedCrack[], distance: number): Measurement[] => {
  const at = cracks.filter(({ aheadSeconds }) => Math.abs(aheadSeconds - distance) <= nearSeconds);
  const name = `first crack ${distance} s ahead`;
  const several = at.filter(({ pastCracks }) => pastCracks >= 3);
  const shown = several.filter(({ widthSeconds }) => widthSeconds <= shownSeconds);
  const known = several.filter(({ knownTempWidthSeconds: width }) => width !== null);
  return [
    ...byPastCracks.flatMap(([group, least, most]) => {
      const rows = at.filter(({ pastCracks }) => pastCracks >= least && pastCracks <= most);
      const { low, high } = clusteredMean(rows, roastOf, (row) => (row.covered ? 100 : 0));
      const interval = `95 % interval ${low.toFixed(0)} to ${Math.min(100, high).toFixed(0)}, ${widthOf(rows)}`;
      return [
        {
          what: `${name}, ${group}: median error`,
          value: clusteredQuantile(rows, roastOf, ({ errorSeconds }) => Math.abs(errorSeconds), 0.5),
          unit: 's',
        },
        ...inside(`${name}, ${group}`, rows, isCovered, interval, false),
      ];
    }),
    ...(['othersLine', 'ownLine', 'reference'] as const).map((simple): Measurement => {
      const rows = several.filter((row) => row.simple[simple] !== null);
      const band = simpleBand(rows, (row) => row.simple[simple]);
      const inBand = `${shareOf(band, isCovered).toFixed(0)} % inside, at one roastery ${Math.min(...large(band).map((own) => shareOf(own, isCovered))).toFixed(0)} %`;
      return {
        what: `${name}, three or more past cracks: width of the band`,
        value: meanOf(rows, ({ widthSeconds }) => widthSeconds),
        unit: 's',
        against: {
          what: `${simpleNames[simple]}, ${inBand}`,
          value: meanOf(band, ({ width }) => width),
        },
      };
    }),
    ...large(several).flatMap((rows) =>
      inside(`${name}, three or more past cracks, one roastery`, rows, isCovered, widthOf(rows), false),
    ),
    {
      what: `${name}, three or more past cracks: a time is shown (band of ${shownSeconds} s or less)`,
      value: shareOf(several, ({ widthSeconds }) => widthSeconds <= shownSeconds),
      unit: '% of the roasts',
    },
    ...inside(`${name}, where a time is shown`, shown, isCovered, widthOf(shown)),
    {
      what: `${name}, three or more past cracks: width if the temperature of its mark were known`,
      value: meanOf(known, ({ knownTempWidthSeconds: width }) => width ?? 0),
      unit: 's',
    },
  ];
};

/** The limit of the forecast: the spread of a person's marks on one machine. */
const scatterRows = (all: readonly ForecastRoast[]): Measurement[] =>
  scatterOfMarks(all).map(({ roasts, eightOfTenC, ratePerMinuteC }) => ({
    what: `marks of one machine, ${roasts} roasts: 8 in 10 within ± of the newest five before (${ratePerMinuteC.toFixed(1)} °C/min)`,
    value: eightOfTenC,
    unit: `°C, so ± ${((60 * eightOfTenC) / ratePerMinuteC).toFixed(0)} s`,
  }));

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
    ...[60, 120].flatMap((distance) => crackRows(cracks, distance)),
    ...scatterRows(all),
  ]);
};

export default {
  title: 'Forecast of curve, drop and first crack on recorded roasts, with errors fitted to the roasts of other owners',
  mustReach: true,
  run,
} satisfies Bench;
