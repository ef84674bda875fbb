import { expect, it } from 'vitest';
import { emptyReadingFilter, trustedReadings } from './reading-filter.ts';

const believed = (temps: readonly number[], interval = 1) => {
  const filter = emptyReadingFilter();
  return temps.flatMap((tempC, k) =>
    trustedReadings(filter, { timeSeconds: k * interval, tempC, heat: null, fan: null }).map(
      (reading) => reading.tempC,
    ),
  );
};

it('reading filter: holds back spikes and zeros of a loose plug', () => {
  expect(believed([200, 0, 201, 0, 0, 202, 140, 203, 9999, 204])).toEqual([200, 201, 202, 203, 204]);
});

it('reading filter: passes the steepest recorded charge', () => {
  const charge = [195, 190, 176, 162, 156, 145, 140];
  expect(believed(charge, 1.5)).toEqual(charge);
});

it('reading filter: accepts a new level as soon as a probe can have reached it, and loses none of its readings', () => {
  const lower = [150, 151, 152, 153, 154];
  expect(believed([200, 201, ...lower])).toEqual([200, 201, ...lower]);
  const fallen = [90, 91, 92, 93, 94, 95, 96, 97, 98, 99];
  expect(believed([200, 201, ...fallen.slice(0, 8)])).toEqual([200, 201]);
  expect(believed([200, 201, ...fallen])).toEqual([200, 201, ...fallen]);
});

it('reading filter: holds back a plug that is loose for 4 s', () => {
  expect(believed([208, 208, 146, 127, 118, 117, 0, 0, 210, 211, 0, 0, 0, 0, 212])).toEqual([208, 208, 210, 211, 212]);
});

it('reading filter: rejects a first reading that the next ones contradict', () => {
  expect(believed([311, 155, 155, 156])).toEqual([155, 155, 156]);
  expect(believed([155, 311, 155, 156])).toEqual([155, 155, 156]);
  expect(believed([6553.5, 155, 0, 156, 157])).toEqual([155, 156, 157]);
  // At 4 Hz a wild value may be read twice.
  expect(believed([311, 311, 155, 155, 155, 155, 155], 0.25)).toEqual([155, 155, 155, 155, 155]);
});
