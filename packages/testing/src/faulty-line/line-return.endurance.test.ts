import { describe, expect, it } from 'vitest';
import { isBounded, onlyInFull } from '../endurance/volume.ts';
import { readInVirtualTime } from './read-in-virtual-time.ts';
import { faultCases } from './fault-cases.ts';
import { returnCases, returnsOf } from './line-return.ts';

const seeds = Array.from({ length: 30 }, (_, index) => index + 1);

describe.skipIf(isBounded)(`a faulty line in virtual time, on more machines than in npm test${onlyInFull}`, () => {
  it.each(returnCases)('$kind, $layout, $how: a machine is read within 5 s after its line is back', async (line) => {
    expect(Math.max(...(await returnsOf(line, seeds.slice(0, 12))))).toBeLessThan(5000);
  });

  it.each(['ascii', 'rtu-over-tcp'] as const)('%s, all answers of one length: each fault by itself', async (kind) => {
    for (const { name, faults } of faultCases) {
      const run = { kind, layout: 'strict', faults, seconds: 40, hz: 4 } as const;
      const reports = await readInVirtualTime(run, [2, 3]);
      expect(
        reports.flatMap(({ wrong }) => wrong),
        name,
      ).toEqual([]);
    }
  });

  it('tcp: accepts no truncated answer that was completed by its repeat', async () => {
    const faults = { repeatProbability: 0.05, repeatMs: [1, 100] as [number, number], cutShortProbability: 0.05 };
    const run = { kind: 'tcp', layout: 'tables', faults, seconds: 60, hz: 4 } as const;
    expect((await readInVirtualTime(run, seeds)).flatMap(({ wrong }) => wrong)).toEqual([]);
  });
});
