import { createAlarmWatch, type WatchedRule } from '@roastery/roasting/alarm-rules';
import { createFrozenWatch } from '@roastery/roasting/curves/frozen-values';
import { markOf } from '@roastery/roasting/marks';
import { rateShapeLimits, type RateShapeName } from '@roastery/roasting/curves/rate-shape';
import { judgeAtDrop } from '../alarms/alarms-at-drop.ts';
import { judgeShapes, judgeShapesHeldOut, type JudgedShape } from '../alarms/rate-shape-alarms.ts';
import type { Bench, Measurement } from '@roastery/testing/bench';
import { forecastRoasts, type ForecastRoast } from '../forecast/past-roasts.ts';
import { isWholeRoast } from '@roastery/testing/marks/doubtful-marks';
import { allFolders, recordedRoasts, recordedRoastsPresent } from '@roastery/testing/marks/recorded-roasts';

const share = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * part) / whole);

const shapeRows = (what: string, rows: readonly JudgedShape[], isJudged: boolean): Measurement[] => {
  const happened = rows.filter((row) => row.happened);
  const found = happened.filter(({ fired, isFalse }) => fired && !isFalse);
  return [
    {
      what: `${what}: roasts with a false alarm`,
      value: share(rows.filter(({ isFalse }) => isFalse).length, rows.length),
      unit: `% of ${rows.length}`,
      ...(isJudged && { aim: { of: 'value' as const, atMost: 5 } }),
    },
    { what: `${what}: found`, value: share(found.length, happened.length), unit: `% of ${happened.length}` },
  ];
};

const ofShape = (roasts: readonly ForecastRoast[], shape: RateShapeName): Measurement[] => [
  ...shapeRows(
    `rate of rise ${shape}, limits chosen without the roast's owner`,
    judgeShapesHeldOut(roasts, shape),
    true,
  ),
  ...shapeRows(
    `rate of rise ${shape}, limits of the product (chosen on these roasts)`,
    judgeShapes(roasts, shape, rateShapeLimits),
    false,
  ),
];

/** Roasts with a frozen temperature; files 23 and 70 have a dead exhaust probe. */
const frozenRows = (): Measurement[] => {
  const roasts = recordedRoasts(allFolders).filter(({ roast }) => isWholeRoast(roast));
  const found = roasts.flatMap(({ id, roast }) => {
    const watch = createFrozenWatch();
    const charge = markOf(roast.marks, 'charge')?.timeSeconds ?? 0;
    const drop = markOf(roast.marks, 'drop')?.timeSeconds ?? 0;
    return roast.timesSeconds.flatMap((time, index) =>
      time < charge || time > drop
        ? []
        : watch
            .push(time - charge, {
              bean_temp: roast.beanTempC[index] ?? null,
              exhaust_temp: roast.exhaustTempC[index] ?? null,
            })
            .filter(({ isFrozen }) => isFrozen)
            .map(({ channel }) => ({ id, channel })),
    );
  });
  const count = (channel: string): number =>
    new Set(found.filter((one) => one.channel === channel).map(({ id }) => id)).size;
  return [
    {
      what: 'frozen bean temperature: roasts with an alarm (none was frozen)',
      value: share(count('bean_temp'), roasts.length),
      unit: `% of ${roasts.length}`,
      aim: { of: 'value', atMost: 0 },
    },
    {
      what: 'frozen exhaust temperature: roasts with an alarm (two probes were dead)',
      value: count('exhaust_temp'),
      unit: `of ${roasts.length}`,
      aim: { of: 'value', atMost: 2 },
    },
  ];
};

/**
 * Evaluation of ten rules over twenty minutes of a roast at 4 Hz with eight channels: the cost of a running roast for
 * the api.
 */
const costRows = (): Measurement[] => {
  const hz = 4;
  const samples = 20 * 60 * hz;
  const channels = [
    'bean_temp',
    'exhaust_temp',
    'burner_front_temp',
    'burner_back_temp',
    'heat_power',
    'fan_speed',
    'drum_speed',
    'inlet_temp',
  ];
  const rules: WatchedRule[] = Array.from({ length: 10 }, (_, n) => ({
    id: `rule ${n}`,
    condition: { kind: 'rate_of_rise', side: 'below', c_per_minute: -100 - n },
    armedAfter: 'charge',
    fromSeconds: 0,
  }));
  const context = { rules, marks: [{ kind: 'turning_point' as const, timeSeconds: 90 }], referenceAt: () => null };
  const watch = createAlarmWatch();
  const begun = performance.now();
  for (let n = 0; n < samples; n++) {
    const values = Object.fromEntries(channels.map((name, index) => [name, 100 + index + n / 100]));
    watch.push(n / hz, values, context);
  }
  const perSampleUs = ((performance.now() - begun) / samples) * 1000;
  return [
    { what: 'evaluation of a sample, ten rules and eight channels', value: perSampleUs, unit: 'µs' },
    {
      what: 'CPU of 300 roasts at 4 Hz',
      value: (perSampleUs * 300 * hz) / 10_000,
      unit: '% of a core',
      aim: { of: 'value', atMost: 10 },
    },
  ];
};

const run: Bench['run'] = (say) => {
  if (!recordedRoastsPresent) {
    say('recorded roasts left out: they are absent in ../shared/data');
    return Promise.resolve(costRows());
  }
  const roasts = forecastRoasts();
  const atDrop = judgeAtDrop(roasts.filter(({ dropIsCredible }) => dropIsCredible));
  return Promise.resolve([
    ...costRows(),
    ...frozenRows(),
    ...ofShape(roasts, 'crash'),
    ...ofShape(roasts, 'flick'),
    {
      what: 'rate of rise below 2 °C/min: fired by the drop itself',
      value: share(atDrop.filter(({ isFalse }) => isFalse).length, atDrop.length),
      unit: `% of ${atDrop.length}`,
      aim: { of: 'value', atMost: 5 },
    },
  ]);
};

export default {
  title: 'False alarms of the ready-made rules and of frozen values on recorded roasts, split by owner',
  mustReach: true,
  run,
} satisfies Bench;
