import { detectRoasts } from '@roastery/roasting/detection/detect-marks';
import type { DetectorSample } from '@roastery/roasting/detection/detector';
import { channelEvidence, type ChannelEvidence } from '@roastery/roasting/curves/exchanged-channels';
import { markOf } from '@roastery/roasting/marks';
import { isReading, type Reading } from '@roastery/roasting/curves/series';
import { simulateRoast } from '@roastery/simulator/simulate-roast';
import { readEvery } from '@roastery/testing/marks/conditions';
import { lag, lost, noise, wholeDegrees, type FieldCondition } from '@roastery/testing/marks/field-conditions';
import { recordedRoasts } from '@roastery/testing/marks/recorded-roasts';

export interface TwoProbeRoast {
  readonly file: string;
  /** The maker of the machine; where it is not named, the owner of the files. */
  readonly side: string;
  readonly timesSeconds: readonly number[];
  readonly beanTempC: readonly Reading[];
  readonly exhaustTempC: readonly Reading[];
  /** As marked in the file; null where a person marked no whole roast. */
  readonly marked: { readonly chargeSeconds: number; readonly dropSeconds: number } | null;
}

/** What each roast of one recording shows: between its marks, or between those that a board finds in it. */
export interface SeenRoasts {
  readonly side: string;
  readonly evidences: readonly (ChannelEvidence | null)[];
}

/** Where charge and drop come from. A board finds them in the channel that its map names bean temperature. */
export type MarksFrom = 'file' | 'board';

/** How a board might have read both probes. */
export interface ProbeCondition {
  readonly name: string;
  readonly everySeconds?: number;
  readonly change?: FieldCondition['apply'];
}

export const probeConditions: readonly ProbeCondition[] = [
  { name: 'as recorded' },
  ...[0.25, 1, 3, 5].map((everySeconds) => ({ name: `every ${everySeconds} s`, everySeconds })),
  { name: 'whole °C', change: wholeDegrees },
  { name: 'noise 0.5 °C', change: noise(0.5) },
  { name: 'lag 8 s', change: lag(8) },
  { name: '1 in 10 lost', change: lost(0.1) },
];

const folders = ['alog', 'alog2', 'alog3'] as const;
const leastReadings = 20;
const leastRangeC = 5;

const moves = (values: readonly Reading[]): boolean => {
  const read = values.filter(isReading);
  return read.length >= leastReadings && Math.max(...read) - Math.min(...read) >= leastRangeC;
};

/** All recorded roasts in which both probes move. */
export function twoProbeRoasts(): TwoProbeRoast[] {
  return recordedRoasts(folders).flatMap(({ file, roast, owner, maker }) => {
    const { timesSeconds, beanTempC, exhaustTempC, marks } = roast;
    if (!moves(beanTempC) || !moves(exhaustTempC)) return [];
    const [charge, drop] = [markOf(marks, 'charge'), markOf(marks, 'drop')];
    // The mark of a roast that was dropped by mistake a second after its charge says nothing.
    const marked =
      charge && drop && drop.timeSeconds - charge.timeSeconds >= 120
        ? { chargeSeconds: charge.timeSeconds, dropSeconds: drop.timeSeconds }
        : null;
    const side = maker === 'not named' ? `not named (${owner})` : maker;
    return [{ file, side, timesSeconds, beanTempC, exhaustTempC, marked }];
  });
}

const drumKg = 30;
const allBatchesKg = [2, 4, 8, 14, 20, 26, drumKg] as const;

/** A simulated drum roaster with batches of these weights in turn. */
export function simulatedTwoProbeRoasts(
  seeds: { readonly from: number; readonly count: number },
  batchesKg: readonly number[] = allBatchesKg,
): TwoProbeRoast[] {
  return Array.from({ length: seeds.count }, (_, index) => {
    const seed = seeds.from + index;
    const batchKg = batchesKg[index % batchesKg.length] ?? drumKg;
    const { timesSeconds, columns, marks } = simulateRoast({
      seed,
      capacityKg: drumKg,
      batchKg,
      leadSeconds: 90,
      tailSeconds: 120,
    });
    return {
      file: `seed ${seed}, ${batchKg} kg`,
      side: 'simulated drum',
      timesSeconds,
      beanTempC: columns.bean_temp,
      exhaustTempC: columns.exhaust_temp,
      marked: {
        chargeSeconds: markOf(marks, 'charge')?.timeSeconds ?? 0,
        dropSeconds: markOf(marks, 'drop')?.timeSeconds ?? 0,
      },
    };
  });
}

export const withExchangedColumns = (roast: TwoProbeRoast): TwoProbeRoast => ({
  ...roast,
  beanTempC: roast.exhaustTempC,
  exhaustTempC: roast.beanTempC,
});

/** The same roast as read under a condition. */
export function readUnder(condition: ProbeCondition, roast: TwoProbeRoast, seed: number): TwoProbeRoast {
  const column = (values: readonly Reading[], noiseSeed: number): DetectorSample[] => {
    const samples = roast.timesSeconds.map((timeSeconds, index) => ({
      timeSeconds,
      beanTempC: values[index] ?? null,
    }));
    // Both probes are read at the same times.
    const read =
      condition.everySeconds === undefined ? samples : readEvery(condition.everySeconds)(samples, undefined, seed);
    return condition.change?.(read, noiseSeed) ?? [...read];
  };
  const beans = column(roast.beanTempC, seed);
  return {
    ...roast,
    timesSeconds: beans.map(({ timeSeconds }) => timeSeconds),
    beanTempC: beans.map(({ beanTempC }) => beanTempC),
    exhaustTempC: column(roast.exhaustTempC, seed + 5_000).map(({ beanTempC }) => beanTempC),
  };
}

export function seen(roast: TwoProbeRoast, marksFrom: MarksFrom): SeenRoasts {
  const { side, marked } = roast;
  const marks = marksFrom === 'board' ? foundByBoard(roast) : marked === null ? [] : [marked];
  return { side, evidences: marks.map((each) => channelEvidence({ ...roast, ...each })) };
}

function foundByBoard({ timesSeconds, beanTempC }: TwoProbeRoast) {
  const samples = timesSeconds.map((timeSeconds, index) => ({ timeSeconds, beanTempC: beanTempC[index] ?? null }));
  return detectRoasts(samples).flatMap(({ marks }) => {
    const charge = marks.find(({ kind }) => kind === 'charge');
    const drop = marks.find(({ kind }) => kind === 'drop');
    return charge && drop ? [{ chargeSeconds: charge.timeSeconds, dropSeconds: drop.timeSeconds }] : [];
  });
}
