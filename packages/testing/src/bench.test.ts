import { expect, it } from 'vitest';
import { benchTable, judge, percentile } from './bench.ts';

it('judges a value itself or its ratio to the comparison', () => {
  const base = { what: 'curve', value: 30, unit: 'ms', against: { what: 'bare query', value: 10 } };
  expect(judge({ ...base, aim: { of: 'value', atMost: 30 } })?.reached).toBe(true);
  expect(judge({ ...base, aim: { of: 'ratio', atMost: 2 } })).toEqual({ figure: 3, reached: false });
  expect(judge({ ...base, aim: { of: 'ratio', atLeast: 3 } })?.reached).toBe(true);
  expect(judge(base)).toBeUndefined();
});

it('aligns figures in columns', () => {
  const table = benchTable([
    { what: 'samples committed', value: 515_000, unit: 'samples/s', aim: { of: 'value', atLeast: 600_000 } },
    { what: 'curve', value: 1.25, unit: 'ms', against: { what: 'bare', value: 0.5 } },
  ]);
  const [heading, first, second] = table.split('\n');
  const column = heading?.indexOf('measured') ?? -1;
  expect([first?.slice(column, column + 7), second?.slice(column, column + 4)]).toEqual(['515,000', '1.25']);
  expect(table).toContain('MISSED');
  expect(table).toMatch(/1\.25 ms +0\.5 ms \(bare\) +2\.5 ×/);
});

it('uses the nearest rank', () => {
  const samples = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect([percentile(samples, 0.5), percentile(samples, 0.99), percentile([7], 0.99)]).toEqual([50, 99, 7]);
});
