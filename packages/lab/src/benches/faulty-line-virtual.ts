import type { Link } from '@roastery/contract/machine-map';
import type { Bench, Measurement } from '@roastery/testing/bench';
import { faultPairsOn } from '@roastery/testing/faulty-line/fault-cases';
import type { LayoutName } from '@roastery/testing/faulty-line/layouts';
import { readInVirtualTime } from '@roastery/testing/faulty-line/read-in-virtual-time';
import type { ReadReport } from '@roastery/testing/faulty-line/read-over-faulty-line';
import { everyFault } from '@roastery/testing/faulty-line/record-over-faulty-line';

/** Readings in all. */
const total = Number(process.env['BENCH_READINGS'] ?? 200_000);
const hz = 4;

/** Each kind of line, and each layout of a map on it; `share` of all readings. */
const runs: readonly { kind: Link['kind']; layout: LayoutName; share: number }[] = [
  { kind: 'tcp', layout: 'tables', share: 0.1 },
  { kind: 'tcp', layout: 'single', share: 0.1 },
  { kind: 'rtu-over-tcp', layout: 'tables', share: 0.1 },
  { kind: 'rtu-over-tcp', layout: 'single', share: 0.1 },
  { kind: 'rtu-over-tcp', layout: 'strict', share: 0.15 },
  { kind: 'rtu-over-tcp', layout: 'block', share: 0.1 },
  { kind: 'rtu', layout: 'tables', share: 0.1 },
  { kind: 'rtu', layout: 'single', share: 0.1 },
  { kind: 'ascii', layout: 'single', share: 0.1 },
  { kind: 'ascii', layout: 'strict', share: 0.05 },
];
/** This many machines are read at once, each for this long; then others with other seeds. */
const machines = 50;
const seconds = 60;

/** Each pair of faults, on these. */
const pairRuns: readonly { kind: Link['kind']; layout: LayoutName }[] = [
  { kind: 'tcp', layout: 'tables' },
  ...(['rtu-over-tcp', 'rtu', 'ascii'] as const).flatMap((kind) =>
    (['tables', 'single', 'strict', 'block'] as const).map((layout) => ({ kind, layout })),
  ),
];
const pairMachines = Math.max(1, Math.round(total / 100_000));

type Figures = Record<'readings' | 'values' | 'wrong' | 'sound' | 'kept' | 'asked', number>;

const add = (sum: Figures, reports: readonly ReadReport[]): Figures =>
  reports.reduce(
    (all, { readings, values, wrong, sound, kept }) => ({
      readings: all.readings + readings,
      values: all.values + values,
      wrong: all.wrong + wrong.length,
      sound: all.sound + sound,
      kept: all.kept + kept,
      asked: all.asked + seconds * hz,
    }),
    sum,
  );

const none: Figures = { readings: 0, values: 0, wrong: 0, sound: 0, kept: 0, asked: 0 };

const measure = async (
  { kind, layout, share }: (typeof runs)[number],
  say: (line: string) => void,
): Promise<Measurement[]> => {
  const of = (what: string): string => `${kind}, ${layout}: ${what}`;
  let figures = none;
  for (let seed = 1; figures.readings < total * share; seed += machines) {
    const seeds = Array.from({ length: machines }, (_, index) => seed + index);
    const reports = await readInVirtualTime({ kind, layout, faults: everyFault, seconds, hz }, seeds);
    figures = add(figures, reports);
    for (const [index, { wrong }] of reports.entries())
      for (const line of wrong.slice(0, 3)) say(of(`seed ${seed + index}: ${line}`));
  }
  const { readings, values, wrong, sound, kept, asked } = figures;
  const sample = await readInVirtualTime({ kind, layout, faults: {}, seconds, hz, learningSeconds: 5 }, [1, 2, 3, 4]);
  const clean = add(none, sample);
  say(of(`${readings} readings, ${values} values, ${wrong} wrong`));
  return [
    { what: of('readings with 5 % faults'), value: readings, unit: 'readings' },
    { what: of('wrong values'), value: wrong, unit: 'values', aim: { of: 'value', atMost: 0 } },
    {
      what: of('readings stored of those answered rightly'),
      value: (kept / sound) * 100,
      unit: '%',
      aim: { of: 'value', atLeast: 80 },
    },
    { what: of('readings of those a sound line gives'), value: (readings / asked) * 100, unit: '%' },
    {
      what: of('readings stored on a line without faults'),
      value: (clean.kept / clean.sound) * 100,
      unit: '%',
      aim: { of: 'value', atLeast: 100 },
    },
  ];
};

/** Two faults at once, one answer in twenty each. */
const measurePairs = async (
  { kind, layout }: (typeof pairRuns)[number],
  say: (line: string) => void,
): Promise<Measurement[]> => {
  const pairs = faultPairsOn(kind);
  const of = (what: string): string => `${kind}, ${layout}, ${pairs.length} pairs of faults: ${what}`;
  const share = ({ sound, kept }: Figures): number => (kept / sound) * 100;
  const figures: Figures[] = [];
  for (const [index, { name, faults }] of pairs.entries()) {
    const seeds = Array.from({ length: pairMachines }, (_, machine) => 1000 * index + machine);
    const reports = await readInVirtualTime({ kind, layout, faults, seconds, hz }, seeds);
    figures.push(add(none, reports));
    for (const [machine, { wrong }] of reports.entries())
      for (const line of wrong.slice(0, 3)) say(of(`${name}, seed ${seeds[machine]}: ${line}`));
  }
  const least = figures.reduce((low, one, index) => (share(one) < share(figures[low] ?? one) ? index : low), 0);
  const sum = (key: keyof Figures): number => figures.reduce((all, one) => all + one[key], 0);
  return [
    {
      what: of('wrong values'),
      value: sum('wrong'),
      unit: `of ${sum('values')} values`,
      aim: { of: 'value', atMost: 0 },
    },
    {
      what: of('readings stored of those answered rightly'),
      value: (sum('kept') / sum('sound')) * 100,
      unit: `%, least ${share(figures[least] ?? none).toFixed(1)} % with ${pairs[least]?.name}`,
      aim: { of: 'value', atLeast: 80 },
    },
  ];
};

const run: Bench['run'] = async (say) => {
  const measurements: Measurement[] = [];
  // One after the other: virtual time replaces the clock of the whole process.
  for (const one of runs) measurements.push(...(await measure(one, say)));
  for (const one of pairRuns) measurements.push(...(await measurePairs(one, say)));
  return measurements;
};

export default {
  title: `${total} readings over lines in memory, in virtual time: lost, late, early, repeated, cut, joined, garbled, other unit, other function; and each two of these`,
  onlyWhenNamed: true,
  mustReach: true,
  run,
} satisfies Bench;
