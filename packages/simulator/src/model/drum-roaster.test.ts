import { describe, expect, it } from 'vitest';
import { beanWeightKg } from './beans.ts';
import {
  chargeBeans,
  dropBeans,
  emptyRoaster,
  stepRoaster,
  type RoasterControls,
  type RoasterState,
} from './drum-roaster.ts';

const usual: RoasterControls = { heatPercent: 60, airPercent: 45, drumRpm: 60 };

const after = (start: RoasterState, seconds: number, controls: RoasterControls, dtSeconds = 0.25): RoasterState => {
  let roaster = start;
  for (let step = 0; step < seconds / dtSeconds; step++) roaster = stepRoaster(roaster, controls, dtSeconds);
  return roaster;
};
/** A machine that was hot for five minutes. */
const hot = after({ ...emptyRoaster(30, 210), drumRpm: 60 }, 300, { ...usual, heatPercent: 20 });
const charged = chargeBeans(hot, 24);

/** The bean probe's reading after five minutes, for one coffee. */
const tempOf = (moisturePercent: number, densityGramsPerMl: number): number =>
  after(chargeBeans(hot, 24, { moisturePercent, densityGramsPerMl }), 300, usual).beanProbeC;

describe('the drum roaster of the model', () => {
  it('roasts hotter with more burner, at every level', () => {
    const temps = [0, 20, 40, 60, 80, 100].map(
      (heatPercent) => after(charged, 300, { ...usual, heatPercent }).beanProbeC,
    );
    expect([...temps].sort((a, b) => a - b)).toEqual(temps);
    expect((temps.at(-1) ?? 0) - (temps[0] ?? 0)).toBeGreaterThan(40);
  });

  it('heats beans slower with a slow drum', () => {
    const slow = after(charged, 240, { ...usual, drumRpm: 20 });
    const usualDrum = after(charged, 240, usual);
    expect(usualDrum.beanProbeC - slow.beanProbeC).toBeGreaterThan(5);
  });

  it('has a stronger draft and cooler gas with more air', () => {
    const little = after(charged, 240, { ...usual, airPercent: 20 });
    const much = after(charged, 240, { ...usual, airPercent: 90 });
    expect(much.drumPressurePa).toBeLessThan(little.drumPressurePa - 40);
    expect(much.inletTempC).toBeLessThan(little.inletTempC - 50);
  });

  it('roasts a big batch slower than a small one', () => {
    const temps = [12, 18, 24, 30].map((kg) => after(chargeBeans(hot, kg), 240, usual).beanProbeC);
    expect([...temps].sort((a, b) => b - a)).toEqual(temps);
  });

  it('roasts moist and dense coffee slower', () => {
    expect(tempOf(12.5, 0.69)).toBeLessThan(tempOf(9, 0.69) - 1);
    expect(tempOf(11, 0.75)).toBeLessThan(tempOf(11, 0.64) - 1);
  });

  it('dips at charge and turns', () => {
    let roaster = charged;
    let lowest = { seconds: 0, tempC: roaster.beanProbeC };
    for (let step = 1; step <= 720; step++) {
      roaster = stepRoaster(roaster, usual, 0.25);
      if (roaster.beanProbeC < lowest.tempC) lowest = { seconds: step / 4, tempC: roaster.beanProbeC };
    }
    expect(lowest.seconds).toBeGreaterThanOrEqual(55);
    expect(lowest.seconds).toBeLessThanOrEqual(110);
    expect(lowest.tempC).toBeLessThan(110);
  });

  it('dries the beans and never gains weight', () => {
    let before = charged;
    for (let minute = 0; minute < 12; minute++) {
      const now = after(before, 60, usual);
      if (before.beans === null || now.beans === null) throw new Error('the beans are gone');
      expect(beanWeightKg(now.beans)).toBeLessThan(beanWeightKg(before.beans));
      expect(now.beans.waterKg).toBeGreaterThanOrEqual(0);
      before = now;
    }
  });

  it('cools to room temperature with the burner off', () => {
    const cold = after(emptyRoaster(30, 210), 6 * 3600, { heatPercent: 0, airPercent: 60, drumRpm: 30 }, 0.5);
    expect(cold.beanProbeC).toBeLessThan(60);
    expect(cold.beanProbeC).toBeGreaterThanOrEqual(cold.ambientC - 0.1);
  });

  it('shows the open door at the drop: the bean probe falls by 3 °C within 5 s', () => {
    const full = after(charged, 500, usual);
    const dropped = after(dropBeans(full), 6, { ...usual, heatPercent: 10 });
    expect(full.beanProbeC - dropped.beanProbeC).toBeGreaterThan(3);
  });

  it('shows the flame on both burner probes, the front one more', () => {
    const low = after(charged, 120, { ...usual, heatPercent: 20 });
    const high = after(charged, 120, { ...usual, heatPercent: 90 });
    expect(high.burnerFrontTempC).toBeGreaterThan(low.burnerFrontTempC + 100);
    expect(high.burnerBackTempC).toBeGreaterThan(low.burnerBackTempC + 60);
    expect(high.burnerFrontTempC).toBeGreaterThan(high.burnerBackTempC);
  });

  it('gives the same roast with other time steps', () => {
    const fine = after(charged, 400, usual, 0.1);
    const coarse = after(charged, 400, usual, 0.5);
    expect(Math.abs(fine.beanProbeC - coarse.beanProbeC)).toBeLessThan(0.5);
  });

  it('scales: a 7 kg machine roasts its batch like a 30 kg machine', () => {
    const small = after({ ...emptyRoaster(7, 210), drumRpm: 60 }, 300, { ...usual, heatPercent: 20 });
    const temp = after(chargeBeans(small, 5.6), 400, usual).beanProbeC;
    expect(Math.abs(temp - after(charged, 400, usual).beanProbeC)).toBeLessThan(0.01);
  });
});
