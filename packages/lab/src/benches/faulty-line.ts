import type { Link } from '@roastery/contract/machine-map';
import type { Bench, Measurement } from '@roastery/testing/bench';
import type { LayoutName } from '@roastery/testing/faulty-line/layouts';
import { recordOverFaultyLine } from '@roastery/testing/faulty-line/record-over-faulty-line';
import { hasSerialCables } from '@roastery/testing/serial-cable';

const seconds = Number(process.env['BENCH_SECONDS'] ?? 600);

/** A map of several tables, and one register per request: where the answers of one line are most alike. */
const runs: readonly { kind: Link['kind']; layout: LayoutName }[] = [
  { kind: 'tcp', layout: 'tables' },
  { kind: 'rtu-over-tcp', layout: 'single' },
  { kind: 'rtu-over-tcp', layout: 'strict' },
  { kind: 'rtu', layout: 'tables' },
  { kind: 'rtu', layout: 'single' },
  { kind: 'ascii', layout: 'single' },
];

const measure = async (
  { kind, layout }: { kind: Link['kind']; layout: LayoutName },
  say: (line: string) => void,
): Promise<Measurement[]> => {
  const cuts = Math.max(1, Math.round(seconds / 60));
  const report = await recordOverFaultyLine({ kind, layout, seconds, cuts, seed: 11 });
  const of = (what: string): string => `${kind}, ${layout}: ${what}`;
  say(of(`${report.samples} samples, ${report.faulty} answers met a fault, ${report.sound} readings met none`));
  for (const line of report.wrong.slice(0, 5)) say(of(line));
  return [
    { what: of('values in the record'), value: report.values, unit: 'values' },
    { what: of('wrong values'), value: report.wrong.length, unit: 'values', aim: { of: 'value', atMost: 0 } },
    { what: of('samples repeated'), value: report.repeated, unit: 'samples', aim: { of: 'value', atMost: 0 } },
    {
      what: of('samples while the line was away'),
      value: report.samplesInCuts,
      unit: 'samples',
      aim: { of: 'value', atMost: 0 },
    },
    {
      what: of('readings stored of those answered rightly'),
      value: (report.kept / report.sound) * 100,
      unit: '%',
      aim: { of: 'value', atLeast: 80 },
    },
    {
      what: of('return of the line to the next sample, the slowest'),
      value: Math.max(...report.backAfterMs) / 1000,
      unit: 's',
      aim: { of: 'value', atMost: 5 },
    },
    { what: of('longest gap, cuts of 2.5 s included'), value: report.longestGapMs / 1000, unit: 's' },
    { what: of('readings of those a sound line gives'), value: report.yieldShare * 100, unit: '%' },
  ];
};

const run: Bench['run'] = async (say) => {
  const there = hasSerialCables() ? runs : runs.filter(({ kind }) => kind === 'tcp' || kind === 'rtu-over-tcp');
  if (there.length < runs.length) say('left out: RTU and ASCII need python3 to make a pair of pseudo terminals');
  return (await Promise.all(there.map((one) => measure(one, say)))).flat();
};

export default {
  title: `The record over a faulty line: lost, late, early, repeated, cut, joined, garbled, other unit, other function, ${seconds} s`,
  onlyWhenNamed: true,
  mustReach: true,
  run,
} satisfies Bench;
