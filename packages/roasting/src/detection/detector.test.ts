import { describe, expect, it } from 'vitest';
import { detectMarks, detectRoasts } from './detect-marks.ts';
import { createRoastDetector, isRetraction, type DetectorSample, type Finding } from './detector.ts';
import { markOf } from '../marks.ts';
import { imaginedRoast } from '@roastery/testing/marks/imagined-roast';

function findingsOf(samples: readonly DetectorSample[]): Finding[] {
  const detector = createRoastDetector();
  return samples.flatMap((sample) => detector.push(sample));
}

const seeds = Array.from({ length: 150 }, (_, seed) => seed);

describe('detector: generated roasts', () => {
  it.each(seeds)('marks charge and drop of roast %i, once, and never ends it early', (seed) => {
    const { samples, chargeSeconds, dropSeconds, story } = imaginedRoast(seed);
    const roasts = detectRoasts(samples);
    expect(roasts.length, story).toBe(1);
    const marks = roasts[0]?.marks ?? [];
    expect(Math.abs((markOf(marks, 'charge')?.timeSeconds ?? 0) - chargeSeconds), story).toBeLessThan(6);
    expect(Math.abs((markOf(marks, 'drop')?.timeSeconds ?? 0) - dropSeconds), story).toBeLessThan(12);
    expect(roasts[0]?.complete, story).toBe(true);
  });

  it('gives the same findings after a restart from a snapshot at every sample', () => {
    const { samples } = imaginedRoast(3);
    const straight = findingsOf(samples);
    let detector = createRoastDetector();
    const restarted = samples.flatMap((sample) => {
      const findings = detector.push(sample);
      detector = createRoastDetector({}, structuredClone(detector.snapshot()));
      return findings;
    });
    expect(restarted).toEqual(straight);
    expect(straight.length).toBeGreaterThan(5);
  });

  it('keeps its snapshot plain JSON', () => {
    const { samples } = imaginedRoast(5);
    const detector = createRoastDetector();
    for (const sample of samples.slice(0, samples.length >> 1)) detector.push(sample);
    const snapshot = detector.snapshot();
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
  });

  it('retracts a drop when the temperature rises again', () => {
    const samples = steadyRoast().map((sample) => {
      const since = sample.timeSeconds - 600;
      const dip = since > 0 && since < 20 ? -4 * Math.sin((since / 20) * Math.PI) : 0;
      return { ...sample, beanTempC: (sample.beanTempC ?? 0) + dip };
    });
    const detector = createRoastDetector();
    const findings = samples.flatMap((sample) => (sample.timeSeconds < 680 ? detector.push(sample) : []));
    const drops = findings.filter((finding) => isRetraction(finding) || finding.kind === 'drop');
    expect(drops.some((finding) => !isRetraction(finding) && finding.provisional)).toBe(true);
    expect(drops.at(-1)).toEqual({ retract: 'drop' });
    expect(detector.state).toBe('roasting');
  });

  it('retracts a charge when only the door was opened', () => {
    const detector = createRoastDetector();
    const findings = Array.from({ length: 200 }, (_, timeSeconds) => {
      const since = timeSeconds - 100;
      const beanTempC = 190 - (since > 0 ? 14 * (since / 8) * Math.exp(1 - since / 8) : 0);
      return detector.push({ timeSeconds, beanTempC });
    }).flat();
    expect(findings.some((finding) => !isRetraction(finding) && finding.kind === 'charge')).toBe(true);
    expect(findings.at(-1)).toEqual({ retract: 'charge' });
    expect(detector.state).toBe('idle');
  });

  it('finds consecutive roasts', () => {
    const first = steadyRoast();
    const end = (first.at(-1)?.timeSeconds ?? 0) + 1;
    const reheat = Array.from({ length: 150 }, (_, k) => ({ timeSeconds: end + k, beanTempC: 170 + k * 0.15 }));
    const later = end + 150;
    const samples = [...first, ...reheat, ...first.map((s) => ({ ...s, timeSeconds: s.timeSeconds + later }))];
    const roasts = detectRoasts(samples);
    expect(roasts.map(({ complete }) => complete)).toEqual([true, true]);
    const charges = roasts.map(({ marks }) => markOf(marks, 'charge')?.timeSeconds ?? 0);
    expect((charges[1] ?? 0) - (charges[0] ?? 0)).toBeCloseTo(later, 0);
  });

  it('abandons a roast after 15 minutes without readings', () => {
    const detector = createRoastDetector();
    for (const sample of steadyRoast()) if (sample.timeSeconds < 400) detector.push(sample);
    expect(detector.state).toBe('roasting');
    for (const later of [1000, 1001, 1002]) detector.push({ timeSeconds: 400 + later, beanTempC: 60 });
    expect(detector.state).toBe('idle');
  });

  it('reports a lower confidence when the recording begins with the fall', () => {
    const samples = steadyRoast().filter(({ timeSeconds }) => timeSeconds >= 100);
    const charge = markOf(detectMarks(samples), 'charge');
    expect(charge?.timeSeconds).toBeCloseTo(100, 0);
    expect(charge?.confidence).toBeLessThan(0.7);
  });

  it('reports no complete roast when only its end was recorded', () => {
    const roasts = detectRoasts(steadyRoast().filter(({ timeSeconds }) => timeSeconds >= 500));
    expect(roasts.every(({ complete }) => !complete)).toBe(true);
    expect(roasts.flatMap(({ marks }) => marks).every(({ provisional }) => provisional)).toBe(true);
  });

  it('is surer of a drop with a switch to cooling, and places it by the curve, not by burner or fan', () => {
    const blind = dropWith(() => ({}));
    const burnerCut = dropWith((t) => ({ heatPower: t < 785 ? 40 : 0, fanSpeed: 50 }));
    const cooling = dropWith((t) => ({ heatPower: t < 792 ? 40 : 0, fanSpeed: t < 792 ? 50 : 100 }));
    expect(Math.abs((blind?.timeSeconds ?? 0) - 800)).toBeLessThan(4);
    expect(burnerCut?.timeSeconds).toBe(blind?.timeSeconds);
    expect(cooling?.timeSeconds).toBe(blind?.timeSeconds);
    expect(cooling?.confidence).toBeGreaterThan(blind?.confidence ?? 1);
  });

  it('ends an aborted roast with a low confidence', () => {
    const samples = steadyRoast().map((sample) => {
      const since = sample.timeSeconds - 350;
      return since <= 0 ? sample : { ...sample, beanTempC: steadyC(350) - Math.min(60, since) };
    });
    const [roast] = detectRoasts(samples);
    const drop = roast && markOf(roast.marks, 'drop');
    expect(roast?.complete).toBe(true);
    expect(Math.abs((drop?.timeSeconds ?? 0) - 350)).toBeLessThan(10);
    expect(drop?.confidence).toBeLessThan(0.5);
  });

  it('ignores repeated and decreasing times and invalid temperatures', () => {
    const samples = steadyRoast().flatMap((sample, index) => {
      if (index % 50 === 10) return [sample, { ...sample, timeSeconds: sample.timeSeconds - 30 }, sample];
      if (index % 50 === 20)
        return [
          { ...sample, beanTempC: Number.NaN },
          { ...sample, beanTempC: 9999 },
        ];
      return [sample];
    });
    const plain = detectMarks(steadyRoast());
    const marks = detectMarks(samples);
    expect(markOf(marks, 'charge')?.timeSeconds).toBeCloseTo(markOf(plain, 'charge')?.timeSeconds ?? 0, 0);
    expect(markOf(marks, 'drop')?.timeSeconds).toBeCloseTo(markOf(plain, 'drop')?.timeSeconds ?? 0, 0);
  });
});

/** The drop of the steady roast with heat and fan as given. */
const dropWith = (controls: (timeSeconds: number) => Pick<DetectorSample, 'heatPower' | 'fanSpeed'>) => {
  const samples = steadyRoast().map((sample) => ({ ...sample, ...controls(sample.timeSeconds) }));
  return markOf(detectMarks(samples), 'drop');
};

/** Charge at 100 s, drop at 800 s, a reading a second. */
function steadyRoast(): DetectorSample[] {
  return Array.from({ length: 900 }, (_, timeSeconds) => ({ timeSeconds, beanTempC: steadyC(timeSeconds) }));
}

function steadyC(t: number): number {
  if (t < 100) return 200;
  const beans = 25 + 195 * (1 - Math.exp(-(t - 100) / 260));
  const roasting = beans + 175 * Math.exp(-(t - 100) / 20);
  if (t <= 800) return roasting;
  return 175 + (roastingAtDrop - 175) * Math.exp(-(t - 800) / 15);
}
const roastingAtDrop = 25 + 195 * (1 - Math.exp(-700 / 260));
