import { describe, expect, it } from 'vitest';
import {
  changesText,
  deviationText,
  deviationsFrom,
  dueStep,
  meanDeviation,
  nextStep,
  plannedAt,
  settingsText,
  stepMoment,
  type Guide,
} from './guide.ts';

const points = [
  { timeSeconds: 0, burner: 80, exhaust: 40, drumRpm: 60 },
  { timeSeconds: 120, burner: 80, exhaust: 40, drumRpm: 60 },
  { timeSeconds: 240, burner: 60, exhaust: 50, drumRpm: 60 },
  { timeSeconds: 600, burner: 0, exhaust: 90, drumRpm: 50 },
];
const held: Guide = { points, interpolated: false };
const led: Guide = { points, interpolated: true };
const at = (guide: Guide, seconds: number) => {
  const step = dueStep(guide, seconds) ?? nextStep(guide, seconds);
  return step && `${stepMoment(step)} · ${changesText(step)}`;
};

describe('a control profile during a roast', () => {
  it('holds each point until the next one, the first from the charge and the last to the end', () => {
    expect(plannedAt(held, -5)?.burner).toBe(80);
    expect(plannedAt(held, 239.9)?.burner).toBe(80);
    expect(plannedAt(held, 240)?.burner).toBe(60);
    expect(plannedAt(held, 5000)).toEqual({ burner: 0, exhaust: 90, drumRpm: 50 });
    expect(plannedAt({ points: [], interpolated: false }, 10)).toBeNull();
  });

  it('is interpolated every second, linear and rounded', () => {
    expect(plannedAt(led, 180)).toEqual({ burner: 70, exhaust: 45, drumRpm: 60 });
    expect(plannedAt(led, 247.9)).toEqual({ burner: 59, exhaust: 51, drumRpm: 60 });
    expect(plannedAt(led, 600)).toEqual({ burner: 0, exhaust: 90, drumRpm: 50 });
  });

  it('returns the next step and whether it is due; null after the last one', () => {
    // The point at 2:00 changes nothing, so it is not a step.
    expect(at(held, 0)).toBe('In 4:00 · Burner 80 → 60 % · Airflow 40 → 50 %');
    expect(at(held, 214.2)).toBe('In 0:26 · Burner 80 → 60 % · Airflow 40 → 50 %');
    expect(at(held, 240)).toBe('Now · Burner 80 → 60 % · Airflow 40 → 50 %');
    expect(at(held, 249.9)).toBe('Now · Burner 80 → 60 % · Airflow 40 → 50 %');
    expect(at(held, 250)).toBe('In 5:50 · Burner 60 → 0 % · Airflow 50 → 90 % · Drum 60 → 50 RPM');
    expect(at(held, 610)).toBeNull();
    expect(at(led, 180)).toBe('Until 4:00 · Burner 70 → 60 % · Airflow 45 → 50 %');
    expect(at(led, 601)).toBeNull();
  });

  it('reports deviations of the machine, but allows time for a step', () => {
    const actual = { burner: 72, exhaust: 51, drumPercent: 50 };
    const said = (seconds: number, outputs = actual) => deviationsFrom(held, seconds, outputs, 100).map(deviationText);
    expect(said(245)).toEqual([]);
    expect(said(260)).toEqual(['burner is 12 % above plan', 'drum is 10 % below plan']);
    expect(said(260, { burner: 62, exhaust: 48, drumPercent: 60 })).toEqual([]);
    expect(deviationsFrom(held, 260, { burner: null, exhaust: undefined, drumPercent: null }, 100)).toEqual([]);
    // 60 RPM are 75 % of a machine with a maximum of 80.
    expect(deviationsFrom(held, 260, { ...actual, burner: 60, drumPercent: 75 }, 80)).toEqual([]);
  });

  it('returns the average deviation of a whole roast', () => {
    const times = [-10, 0, 100, 250, 700];
    const drum = meanDeviation(held, 'drumRpm', times, [0, 75, 75, null, 0], 300, 80);
    expect([meanDeviation(held, 'burner', times, [0, 80, 90, 54, 0], 300, 80), drum]).toEqual([16 / 3, 0]);
    expect(meanDeviation(held, 'burner', times, [null, null, null, null, null], 300, 80)).toBeNull();
  });

  it('names its settings', () => {
    expect(settingsText({ burner: 80, exhaust: 40, drumRpm: 60 })).toBe('Burner 80 % · Airflow 40 % · Drum 60 RPM');
  });
});
