import { readMachine } from '@roastery/device-agent/doctor/machine-reading';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../virtual-clock.ts';
import { layFaultyLine } from './faulty-line.ts';
import { bankOf, mapOf } from './layouts.ts';
import { readInVirtualTime } from './read-in-virtual-time.ts';
import { faultCases } from './fault-cases.ts';
import { everyFault } from './record-over-faulty-line.ts';

const seconds = 40;
const hz = 4;

describe('faulty line in virtual time: many machines whose registers contain their address and time', () => {
  it.each([
    // Among these are seeds where an unrequested answer arrived instead of a lost or damaged one.
    { kind: 'tcp', layout: 'tables', seeds: [1, 2, 3, 4], minShare: 0.85 },
    { kind: 'rtu-over-tcp', layout: 'single', seeds: [3, 5, 9, 10, 14, 16], minShare: 0.85 },
    // Only waiting helps after a lost or late answer of a machine whose answers all have one length.
    { kind: 'rtu-over-tcp', layout: 'strict', seeds: [12, 47, 50, 88], minShare: 0.5 },
    { kind: 'ascii', layout: 'strict', seeds: [50], minShare: 0.4 },
  ] as const)(
    '$kind, $layout: stores no wrong value and keeps the sound readings',
    async ({ kind, layout, seeds, minShare }) => {
      const reports = await readInVirtualTime({ kind, layout, faults: everyFault, seconds, hz }, seeds);
      expect(reports.flatMap(({ wrong }) => wrong)).toEqual([]);
      const sumOf = (figure: (report: (typeof reports)[number]) => number): number =>
        reports.reduce((sum, report) => sum + figure(report), 0);
      expect(sumOf(({ kept }) => kept) / sumOf(({ sound }) => sound)).toBeGreaterThan(0.95);
      expect(sumOf(({ readings }) => readings) / (seeds.length * seconds * hz)).toBeGreaterThan(minShare);
    },
    120_000,
  );

  it.each(['ascii', 'rtu-over-tcp'] as const)(
    '%s, all answers of one length: each fault by itself',
    async (kind) => {
      for (const { name, faults } of faultCases) {
        const reports = await readInVirtualTime({ kind, layout: 'strict', faults, seconds: 25, hz }, [1]);
        expect(
          reports.flatMap(({ wrong }) => wrong),
          name,
        ).toEqual([]);
        expect(reports.map(({ values }) => values > 0)).toEqual([true]);
      }
    },
    120_000,
  );

  // Seeds for which an earlier version accepted an unrequested answer: after a late one, or after a refusal.
  it.each([
    { kind: 'ascii', layout: 'strict', seeds: [12, 14, 16, 34] },
    { kind: 'ascii', layout: 'single', seeds: [14] },
    { kind: 'rtu-over-tcp', layout: 'single', seeds: [14, 28] },
  ] as const)(
    '$kind, $layout: accepts no unrequested answer while others are late',
    async ({ kind, layout, seeds }) => {
      const faults = { earlyProbability: 0.05, lateProbability: 0.05, lateMs: [1, 100] as [number, number] };
      const reports = await readInVirtualTime({ kind, layout, faults, seconds: 60, hz }, seeds);
      expect(reports.flatMap(({ wrong }) => wrong)).toEqual([]);
      for (const { sound, kept } of reports) expect(kept / sound).toBeGreaterThan(0.95);
    },
    120_000,
  );

  it('accepts no unrequested answer with new bytes beside the true one with known bytes', async () => {
    const run = { kind: 'ascii', layout: 'strict', seconds: 60, hz, steadyMs: 1000, atMostMs: 1300 } as const;
    const reports = await readInVirtualTime({ ...run, faults: { earlyProbability: 0.1 } }, [1, 2, 3, 4]);
    expect(reports.flatMap(({ wrong }) => wrong)).toEqual([]);
    const readings = reports.reduce((sum, report) => sum + report.readings, 0);
    expect(readings / (reports.length * run.seconds * hz)).toBeGreaterThan(0.4);
  });

  it('tcp: accepts no truncated answer that was completed by its repeat', async () => {
    const faults = { repeatProbability: 0.05, repeatMs: [1, 100] as [number, number], cutShortProbability: 0.05 };
    const run = { kind: 'tcp', layout: 'tables', faults, seconds: 60, hz } as const;
    expect((await readInVirtualTime(run, [1, 2, 3, 4, 5])).flatMap(({ wrong }) => wrong)).toEqual([]);
  });

  it('accepts no unrequested answer beside a damaged one', async () => {
    const faults = { earlyProbability: 0.1, cutShortProbability: 0.05, otherUnitProbability: 0.05 };
    const run = { kind: 'rtu-over-tcp', layout: 'single', faults, seconds: 60, hz } as const;
    const reports = await readInVirtualTime(run, [1, 2, 3, 4, 5, 6]);
    expect(reports.flatMap(({ wrong }) => wrong)).toEqual([]);
    const readings = reports.reduce((sum, report) => sum + report.readings, 0);
    expect(readings / (reports.length * run.seconds * hz)).toBeGreaterThan(0.9);
  });

  it('dates no two readings alike when a request is delayed until the next reading is due', async () => {
    const heldUp = { share: 0.03, ms: [200, 290] } as const;
    const run = { kind: 'tcp', layout: 'block', faults: {}, seconds: 80, hz, heldUp, atMostMs: 300 } as const;
    const reports = await readInVirtualTime(run, [1, 2, 3, 4, 5, 6]);
    expect(reports.flatMap(({ wrong }) => wrong)).toEqual([]);
    expect(reports.map(({ repeated }) => repeated)).toEqual(reports.map(() => 0));
    const readings = reports.reduce((sum, report) => sum + report.readings, 0);
    expect(readings / (reports.length * run.seconds * hz)).toBeGreaterThan(0.9);
  });

  it('keeps every reading of a line without faults', async () => {
    for (const layout of ['tables', 'single', 'strict', 'block'] as const) {
      const run = { kind: 'rtu-over-tcp', layout, faults: {}, seconds, hz, learningSeconds: 5 } as const;
      for (const { sound, kept, wrong } of await readInVirtualTime(run, [1])) {
        expect(wrong).toEqual([]);
        expect(kept, layout).toBe(sound);
      }
    }
  });
});

describe('slow machine: answers in 400 to 500 ms are read without a setting', () => {
  const faults = { lateProbability: 1, lateMs: [400, 500] as [number, number] };
  it.each(['tcp', 'rtu-over-tcp'] as const)(
    '%s: reads it under the right names, and reports the pace',
    async (kind) => {
      // A value is from any moment between request and answer.
      const run = { kind, layout: 'block', faults, seconds: 20, atMostMs: 350 } as const;
      for (const report of await readInVirtualTime(run, [1, 2])) {
        expect(report.wrong).toEqual([]);
        expect(report.link.state).toBe('ok');
        expect(report.readings).toBeGreaterThan(20);
        expect(report.link.reachedHz, 'readings a second').toBeGreaterThan(1.5);
        expect(report.link.reachedHz).toBeLessThan(2.5);
      }
    },
  );
  it.each(['tcp', 'rtu-over-tcp'] as const)('%s: doctor reads it too', async (kind) => {
    const clock = createVirtualClock();
    await using line = await layFaultyLine({ kind, bank: bankOf('block'), faults, adapter: '', clock });
    expect((await clock.run(readMachine(mapOf('block', line.link, {}), clock))).kind).toBe('read');
  });
});

describe('first reading: an answer to another program is not accepted', () => {
  it.each(['single', 'strict'] as const)(
    'rtu-over-tcp, %s: ignores bytes during the first second of the connection',
    async (layout) => {
      // Every connection begins with late answers to the previous one: each request is repeated up to a second later.
      const faults = { repeatProbability: 1, repeatMs: [200, 1000] as [number, number] };
      const run = { kind: 'rtu-over-tcp', layout, faults, seconds: 6 } as const;
      const reports = await readInVirtualTime(run, [1, 2, 3, 4]);
      expect(reports.flatMap(({ wrong }) => wrong)).toEqual([]);
      expect(Math.min(...reports.map(({ readings }) => readings))).toBeGreaterThan(1);
    },
  );
});
