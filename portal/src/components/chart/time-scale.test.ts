import { expect, it } from 'vitest';
import { tickLabel, tickStepSeconds } from './time-scale.ts';

it('has ticks every 60 s where that fits, otherwise wider or finer ones [P97]', () => {
  expect(tickStepSeconds(12 * 60, 800)).toBe(60);
  expect(tickStepSeconds(4 * 3600, 800)).toBe(900);
  expect(tickStepSeconds(12 * 60, 300)).toBe(120);
  expect(tickStepSeconds(30, 800)).toBe(5);
});

it('labels ticks mm:ss, also before the charge and beyond an hour', () => {
  expect([0, 60, 615, -30, 4500, -0.2].map(tickLabel)).toEqual(['00:00', '01:00', '10:15', '-00:30', '75:00', '00:00']);
});
