import { volume } from '@roastery/testing/endurance/volume';
import { describeRoundTrips } from '../../testing/round-trip.ts';

// `npm test` takes every 25th file.
describeRoundTrips(volume(1, 50), [1, 4]);
