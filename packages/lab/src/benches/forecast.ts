import type { Bench, Measurement } from '@roastery/testing/bench';
import { bootstrapInterval } from '../forecast/bootstrap.ts';
import { clusteredMean, clusteredQuantile, meansByCluster } from '../forecast/clustered.ts';
import { crackAheads, judgeCrack, type JudgedCrack } from '../forecast/crack-forecasts.ts';
import {
  aheads,
  forwardInTime,
  judgeCurve,
  judgeDrop,
  type JudgedDrop,
  type JudgedForecast,
} from '../forecast/curve-forecasts.ts';
import { createHeatEffect, type JudgedStep } from '../forecast/heat-steps.ts';
import { forecastRoasts, type ForecastRoast } from '../forecast/past-roasts.ts';
import { ownerFolders, recordedRoastsPresent } from '@roastery/testing/marks/recorded-roasts';

interface OfRoast {
  readonly roast: ForecastRoast;
}
const roastOf = ({ roast }: OfRoast) => roast;
const countOf = (rows: readonly OfRoast[]) => new Set(rows.map(roastOf)).size;
const meanOf = <T extends OfRoast>(rows: readonly T[], value: (row: T) => number) =>
  clusteredMean(rows, roastOf, value).mean;

/** The plain regression needs this many. */
const pastRoastsOfTheYardstick = 8;
const largeMachine = 20;

/** All together, and each machine with enough roasts. */
const groupsOf = <T extends OfRoast>(rows: readonly T[], fewest: number) => {
  const keyOf = ({ roast }: OfRoast) => `${roast.owner} ${roast.machine}`;
  const machines = [...new Set(rows.map(keyOf))].map((key) => rows.filter((row) => keyOf(row) === key));
  const large = machines.filter((own) => countOf(own) >= fewest);
  const named = large.map((own) => ({ name: `${own[0]?.roast.maker} (${countOf(own)} roasts)`, rows: own }));
  return [{ name: 'all machines', rows }, ...named];
};

/** The share inside a band of eight in ten, and its interval. */
const inside = <T extends OfRoast>(
  what: string,
  rows: readonly T[],
  { covered, width, from, to }: { covered: (row: T) => boolean; width: string; from?: number; to?: number },
): Measurement[] => {
  const means = meansByCluster(rows, roastOf, (row) => (covered(row) ? 100 : 0));
  const { low, high } = bootstrapInterval(means);
  const share = meanOf(rows, (row) => (covered(row) ? 100 : 0));
  const unit = `% (${low.toFixed(0)} to ${high.toFixed(0)}, ${countOf(rows)} roasts, ${width} wide)`;
  const name = `${what}: inside the band of 8 in 10`;
  if (from === undefined || to === undefined) return [{ what: name, value: share, unit }];
  return [
    { what: name, value: share, unit, aim: { of: 'value', atLeast: from } },
    { what: name, value: share, unit, aim: { of: 'value', atMost: to } },
  ];
};

const curveRows = (what: string, rows: readonly JudgedForecast[], isPooled: boolean): Measurement[] => {
  const error = meanOf(rows, (row) => Math.abs(row.error));
  const withRate = rows.filter(({ rateError }) => rateError !== null);
  const isJudged = isPooled || countOf(rows) >= largeMachine;
  return [
    {
      what: `${what}: mean error`,
      value: error,
      unit: '°C',
      against: { what: 'rate of now', value: meanOf(rows, ({ persistentError }) => Math.abs(persistentError)) },
      aim: { of: 'ratio', atMost: 0.6 },
    },
    {
      what: `${what}: mean error`,
      value: error,
      unit: '°C',
      against: { what: 'plain regression', value: meanOf(rows, ({ plainError }) => Math.abs(plainError)) },
      aim: { of: 'ratio', atMost: 1 },
    },
    ...inside(what, rows, {
      covered: (row) => Math.abs(row.error) <= row.half,
      width: `${meanOf(rows, ({ half }) => 2 * half).toFixed(1)} °C`,
      ...(isJudged ? (isPooled ? { from: 77, to: 84 } : { from: 72, to: 88 }) : {}),
    }),
    ...inside(`${what}, rate of rise`, withRate, {
      covered: (row) => Math.abs(row.rateError ?? 0) <= row.rateHalf,
      width: `${meanOf(withRate, ({ rateHalf }) => 2 * rateHalf).toFixed(1)} °C/min`,
    }),
  ];
};

const median = <T extends OfRoast>(rows: readonly T[], value: (row: T) => number) =>
  clusteredQuantile(rows, roastOf, (row) => Math.abs(value(row)), 0.5);
const secondsWide = (rows: readonly { roast: ForecastRoast; widthSeconds: number }[]) =>
  `${meanOf(rows, ({ widthSeconds }) => widthSeconds).toFixed(0)} s`;
const isCovered = ({ covered }: { covered: boolean }) => covered;

/** Times within this distance of an event's lead time count for it. */
const nearSeconds = 5;

const dropRows = (drops: readonly JudgedDrop[]): Measurement[] =>
  [60, 120].flatMap((distance) => {
    const rows = drops.filter(({ aheadSeconds }) => Math.abs(aheadSeconds - distance) <= nearSeconds);
    const what = `2 °C below the drop ${distance} s ahead`;
    return [
      {
        what: `${what}: median error`,
        value: median(rows, ({ errorSeconds }) => errorSeconds),
        unit: 's',
        against: { what: 'straight line', value: median(rows, ({ lineErrorSeconds }) => lineErrorSeconds) },
      },
      ...inside(what, rows, { covered: isCovered, width: secondsWide(rows) }),
    ];
  });

const crackRows = (what: string, rows: readonly JudgedCrack[], atMostSeconds: number | undefined): Measurement[] => {
  const error = median(rows, ({ errorSeconds }) => errorSeconds);
  const shown = rows.filter(({ isShown }) => isShown);
  return [
    {
      what: `${what}: median error`,
      value: error,
      unit: 's',
      ...(atMostSeconds === undefined ? {} : { aim: { of: 'value', atMost: atMostSeconds } }),
    },
    {
      what: `${what}: median error`,
      value: error,
      unit: 's',
      against: {
        what: 'straight line to the median of earlier cracks',
        value: median(rows, ({ medianErrorSeconds }) => medianErrorSeconds),
      },
      aim: { of: 'ratio', atMost: 1 },
    },
    ...inside(what, rows, { covered: isCovered, width: secondsWide(rows) }),
    { what: `${what}: a time is shown`, value: (100 * countOf(shown)) / countOf(rows), unit: '% of the roasts' },
    ...(shown.length === 0
      ? []
      : inside(`${what}, where a time is shown`, shown, { covered: isCovered, width: secondsWide(shown) })),
  ];
};

const asForecast = ({ forecast }: JudgedStep) => forecast;
const withEffect = (row: JudgedStep) => row.withEffect;

/** Whether the rate of rise turns as forecast after a step of heat, and whether earlier steps teach their effect. */
const stepRows = (what: string, rows: readonly JudgedStep[]): Measurement[] => {
  const rightOf = (value: (row: JudgedStep) => number) =>
    (100 * rows.filter((row) => Math.sign(value(row)) === Math.sign(row.change)).length) / rows.length;
  const errorOf = (value: (row: JudgedStep) => number) =>
    rows.reduce((sum, row) => sum + Math.abs(value(row) - row.change), 0) / rows.length;
  const unit = `% of ${rows.length}`;
  return [
    { what: `${what}: direction right`, value: rightOf(asForecast), unit, aim: { of: 'value', atLeast: 90 } },
    { what: `${what}: direction right with the effect of earlier steps`, value: rightOf(withEffect), unit },
    {
      what: `${what}: mean error with the effect of earlier steps`,
      value: errorOf(withEffect),
      unit: '°C/min',
      against: { what: 'without it', value: errorOf(asForecast) },
    },
  ];
};

const run: Bench['run'] = (say) => {
  if (!recordedRoastsPresent) {
    say('left out: needs the recorded roasts in ../shared/data, which are absent');
    return Promise.resolve([]);
  }
  const effects = new Map<string, ReturnType<typeof createHeatEffect>>();
  const effectOf = ({ owner, machine }: ForecastRoast) => {
    const effect = effects.get(`${owner} ${machine}`) ?? createHeatEffect();
    effects.set(`${owner} ${machine}`, effect);
    return effect;
  };
  const judged = forwardInTime(forecastRoasts(ownerFolders), (known) => ({
    step: effectOf(known.roast).judge(known),
    curve: known.pastRoasts >= pastRoastsOfTheYardstick ? judgeCurve(known) : [],
    drop: judgeDrop(known),
    crack: judgeCrack(known),
  }));
  const curves = groupsOf(
    judged.flatMap(({ curve }) => curve),
    5,
  );
  const cracks = groupsOf(
    judged.flatMap(({ crack }) => crack),
    5,
  );
  return Promise.resolve([
    ...curves.flatMap(({ name, rows }, group) =>
      [false, true].flatMap((isHotOnly) =>
        aheads.flatMap((ahead) =>
          curveRows(
            `${ahead} s ahead${isHotOnly ? ' from 150 °C' : ''}, ${name}`,
            rows.filter(({ aheadSeconds, isHot }) => aheadSeconds === ahead && (isHot || !isHotOnly)),
            group === 0,
          ),
        ),
      ),
    ),
    ...cracks.flatMap(({ name, rows }, group) =>
      crackAheads.flatMap((ahead) =>
        crackRows(
          `first crack ${ahead} s ahead, ${name}`,
          rows.filter(({ aheadSeconds }) => aheadSeconds === ahead),
          group > 0 ? undefined : ahead === 120 ? 16 : 10,
        ),
      ),
    ),
    ...dropRows(judged.flatMap(({ drop }) => drop)),
    ...groupsOf(
      judged.flatMap(({ step }) => step),
      5,
    ).flatMap(({ name, rows }) => stepRows(`rate of rise 45 s after a step of heat, ${name}`, rows)),
  ]);
};

export default {
  title:
    'Forecast of curve, first crack and drop on recorded roasts, each machine learning from its own, forward in time',
  run,
} satisfies Bench;
