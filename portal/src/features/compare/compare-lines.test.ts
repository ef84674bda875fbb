import type { CurveColumns } from '@roastery/contract/roast-curves';
import type { Roast } from '@roastery/contract/roasts';
import { describe, expect, it } from 'vitest';
import {
  alignRoast,
  differenceEnd,
  differenceFrom,
  distanceBetween,
  idsIn,
  lastCommonSeconds,
  valueAtMoment,
  zeroOf,
} from './compare-lines.ts';

const id = (n: number) => `018f0000-0000-7000-8000-00000000000${n}`;

/** 600 s at 1 Hz, first crack at 500 s; `shift` °C hotter throughout. */
const roastOf = (shift: number, crackAt = 500): { roast: Pick<Roast, 'marks'>; curve: CurveColumns } => {
  const time = Array.from({ length: 601 }, (_, second) => second);
  const mark = (kind: 'charge' | 'first_crack' | 'drop', seconds: number) => ({
    kind,
    time_seconds: seconds,
    temp: 90 + shift + seconds * 0.2,
    origin: 'machine' as const,
    confidence: 1,
    provisional: false,
  });
  const marks = [mark('charge', 0), mark('first_crack', crackAt), mark('drop', 590)];
  return {
    roast: { marks },
    curve: {
      time_seconds: time,
      channels: { bean_temp: time.map((seconds) => 90 + shift + seconds * 0.2) },
      ror: time.map(() => 12),
    },
  };
};
const aligned = (shift: number, alignment: 'charge' | 'first_crack', crackAt = 500) => {
  const { roast, curve } = roastOf(shift, crackAt);
  return alignRoast(roast, curve, zeroOf(roast, alignment) ?? 0);
};

describe('compared roasts', () => {
  it('are read from the address: five at most, each once, only valid ids', () => {
    expect(idsIn([1, 2, 2, 3].map(id).join(','), 5)).toEqual([id(1), id(2), id(3)]);
    expect(idsIn(`${id(1)},018f,,%27`, 5)).toEqual([id(1)]);
    expect(idsIn([1, 2, 3, 4, 5, 6].map(id).join(','), 5)).toHaveLength(5);
    expect(idsIn(undefined, 5)).toEqual([]);
  });

  it('have a last common reading, also where a drop lies after the last sample', () => {
    const whole = aligned(0, 'charge');
    const short = { ...aligned(3, 'charge'), endSeconds: 580.9, timeSeconds: whole.timeSeconds.slice(0, 581) };
    const seconds = lastCommonSeconds([whole, short]);
    expect(seconds).toBe(580);
    expect([whole, short].map((roast) => valueAtMoment(roast, 'bean_temp', seconds))).toEqual([206, 209]);
  });

  it('aligned at charge, differ by the temperature difference', () => {
    const { values } = differenceFrom(aligned(0, 'charge'), aligned(3, 'charge'), 'bean_temp');
    expect(values.every((value) => value !== null && Math.abs(value - 3) < 1e-9)).toBe(true);
    // The beans are not compared once one of the roasts is in the cooler.
    expect(values).toHaveLength(591);
    expect(distanceBetween(aligned(0, 'charge'), aligned(3, 'charge'))?.rmsC).toBeCloseTo(3, 6);
  });

  it('are aligned at first crack when one cracked later', () => {
    const late = aligned(0, 'first_crack', 520);
    expect(late.timeSeconds[0]).toBe(-520);
    expect(valueAtMoment(late, 'bean_temp', 0)).toBeCloseTo(194, 9);
    // The base began 20 s later on this axis: before that there is no reference value.
    const { timeSeconds, values } = differenceFrom(aligned(0, 'first_crack', 500), late, 'bean_temp');
    expect(timeSeconds[0]).toBe(-520);
    expect(values.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => null));
    expect(values[20]).toBeCloseTo(4, 9);
  });

  it('without a first crack cannot be aligned at it', () => {
    const { roast } = roastOf(0);
    const bare = { marks: roast.marks.filter(({ kind }) => kind !== 'first_crack') };
    expect([zeroOf(bare, 'charge'), zeroOf(bare, 'first_crack')]).toEqual([0, null]);
  });
});

describe('the axis of a difference', () => {
  it('is fitted to most of the samples, not to the fall after the charge', () => {
    const near = Array.from({ length: 600 }, (_, second) => (second < 60 ? 50 - second * 0.8 : 0.7));
    expect(differenceEnd([near])).toBe(1);
    expect(differenceEnd([near, near.map((value) => value * 10)])).toBe(10);
    expect(differenceEnd([[Number.NaN]])).toBe(0.5);
    expect(differenceEnd([])).toBe(0.5);
  });
});
