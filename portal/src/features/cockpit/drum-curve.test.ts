import { expect, it } from 'vitest';
import { addSamples, emptyTrack } from '../../api/live-track.ts';
import { drumCurve } from './drum-curve.ts';

it('drum curve: shows the last ten minutes up to the newest reading, with the rate of the last half minute', () => {
  const track = emptyTrack();
  const seconds = Array.from({ length: 1200 }, (_, second) => second);
  // Falls by 30 °C/min, and heats by 6 °C/min for the last two minutes.
  const drum = seconds.map((t) => (t < 1080 ? 700 - t * 0.5 : 160 + (t - 1080) * 0.1));
  addSamples(track, { epoch: 'a', seq: seconds, mono: seconds.map((t) => t * 1000), channels: { bean_temp: drum } });
  const { curve, rateC } = drumCurve(track);
  expect([curve.time_seconds[0], curve.time_seconds.at(-1)]).toEqual([-600, 0]);
  expect(curve.channels['bean_temp']).toHaveLength(601);
  expect(rateC).toBeCloseTo(6);
});

it('drum curve: has no rate without readings', () => {
  expect(drumCurve(emptyTrack())).toEqual({ curve: { time_seconds: [], channels: {}, ror: [] }, rateC: null });
});
