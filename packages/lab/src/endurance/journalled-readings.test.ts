import { expect, it } from 'vitest';
import { isReported, type ReportedGap } from './journalled-readings.ts';

const [first, second, other] = ['a', 'b', 'c'];
/** Of one recording: the first stream has the numbers below 150, the second those from there on. Its gap is 150 to 200. */
const gaps: ReportedGap[] = [
  { epoch: first, own: [150, 149], whole: [150, 200] },
  { epoch: second, own: [150, 200], whole: [150, 200] },
];

it('a reading that moved to the next stream is reported by the gap of that stream', () => {
  expect(isReported([{ epoch: second, seq: 160 }], gaps, [])).toBe(true);
  const moved = [
    { epoch: first, seq: 160 },
    { epoch: second, seq: 160 },
  ];
  expect(isReported(moved, gaps, [])).toBe(true);
});

it('a reading with a place outside every gap is not reported', () => {
  expect(isReported([{ epoch: first, seq: 160 }], gaps, []), 'never moved').toBe(false);
  expect(isReported([{ epoch: second, seq: 201 }], gaps, [])).toBe(false);
  const elsewhere = [
    { epoch: second, seq: 160 },
    { epoch: other, seq: 160 },
  ];
  expect(isReported(elsewhere, gaps, [])).toBe(false);
  expect(isReported([], gaps, [])).toBe(false);
});

it('a reading of a stream that continued beside the next one is reported where the board logged its loss', () => {
  const places = [{ epoch: first, seq: 160 }];
  expect(isReported(places, gaps, [{ epoch: first, from: 155, to: 160 }])).toBe(true);
  expect(isReported(places, gaps, [{ epoch: second, from: 155, to: 160 }]), 'of another stream').toBe(false);
  expect(isReported(places, [], [{ epoch: first, from: 155, to: 160 }]), 'no gap at the server').toBe(false);
});
