import { expect, it } from 'vitest';
import { windowUnderFingers } from './two-fingers.ts';

const extent = { from: 0, to: 600 };
const plot = { left: 46, width: 300 };
const fingers = (first: number, second: number) => ({ ...plot, first: plot.left + first, second: plot.left + second });

it('two fingers that part show the time between them larger, around the same moment', () => {
  const shown = windowUnderFingers(extent, extent, fingers(100, 200), fingers(50, 250));
  expect(shown).toEqual({ from: 150, to: 450 });
});

it('two fingers that move together pan a zoomed chart, and hold the moment that they touched', () => {
  const shown = windowUnderFingers({ from: 200, to: 400 }, extent, fingers(100, 200), fingers(130, 230));
  expect(shown.from).toBeCloseTo(180);
  expect(shown.to).toBeCloseTo(380);
});

it('two fingers above each other pan without zooming, however they tremble', () => {
  const shown = windowUnderFingers({ from: 200, to: 400 }, extent, fingers(150, 151), fingers(150, 160));
  expect(shown.to - shown.from).toBeCloseTo(200);
});

it('two fingers show neither less than ten seconds nor more than the whole roast', () => {
  const near = windowUnderFingers({ from: 200, to: 220 }, extent, fingers(140, 165), fingers(0, 300));
  expect(near.to - near.from).toBe(10);
  const far = windowUnderFingers({ from: 200, to: 400 }, extent, fingers(0, 300), fingers(130, 160));
  expect(far.to - far.from).toBe(600);
});
