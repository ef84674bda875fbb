import { createFrozenWatch } from '@roastery/roasting/frozen-values';
import { markOf } from '@roastery/roasting/marks';
import { rateShapeLimits, type RateShapeName } from '@roastery/roasting/rate-shape';
import { judgeAtDrop } from '../alarms/alarms-at-drop.ts';
import { judgeShapes, judgeShapesHeldOut, type JudgedShape } from '../alarms/rate-shape-alarms.ts';
import type { Bench, Measurement } from '../bench.ts';
import { forecastRoasts, type ForecastRoast } from '../forecast/past-roasts.ts';
import { isWholeRoast } from '../marks/doubtful-marks.ts';
import { allFolders, recordedRoasts, recordedRoastsPresent } from '../marks/recorded-roasts.ts';

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

const run: Bench['run'] = (say) => {
  if (!recordedRoastsPresent) {
    say('left out: needs the recorded roasts in ../shared/data, which are absent');
    return Promise.resolve([]);
  }
  const roasts = forecastRoasts();
  const atDrop = judgeAtDrop(roasts.filter(({ dropIsCredible }) => dropIsCredible));
  return Promise.resolve([
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
