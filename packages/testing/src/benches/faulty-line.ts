import type { Bench, Measurement } from '../bench.ts';
import { recordOverFaultyLine } from '../faulty-line/record-over-faulty-line.ts';
import { hasSerialCables } from '../serial-cable.ts';

const seconds = Number(process.env['BENCH_SECONDS'] ?? 600);

const measure = async (kind: 'tcp' | 'rtu', say: (line: string) => void): Promise<Measurement[]> => {
  const report = await recordOverFaultyLine({ kind, seconds, cuts: Math.max(1, Math.round(seconds / 60)), seed: 11 });
  const { late, lost, garbled, closed, sound } = report.counts;
  say(`${kind}: ${sound} sound, ${late} late, ${lost} lost, ${garbled} garbled answers, ${closed} closed connections`);
  for (const line of report.wrong.slice(0, 5)) say(`${kind}: ${line}`);
  const of = (what: string): string => `${kind}: ${what}`;
  return [
    { what: of('values in the record'), value: report.values, unit: 'values' },
    { what: of('wrong values'), value: report.wrong.length, unit: 'values', aim: { of: 'value', atMost: 0 } },
    {
      what: of('samples repeated or while the line was away'),
      value: report.repeated + report.samplesInCuts,
      unit: 'samples',
      aim: { of: 'value', atMost: 0 },
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
  const kinds = hasSerialCables() ? (['tcp', 'rtu'] as const) : (['tcp'] as const);
  if (kinds.length === 1) say('left out: RTU needs python3 to make a pair of pseudo terminals');
  return (await Promise.all(kinds.map((kind) => measure(kind, say)))).flat();
};

export default {
  title: `The record over a faulty line: 12 % late, 3 % lost, 2 % garbled, closed sockets, pulled plugs, ${seconds} s`,
  onlyWhenNamed: true,
  mustReach: true,
  run,
} satisfies Bench;
