import { describeRoundTrips } from '../../testing/round-trip.ts';

// All files: round-trip.endurance.test.ts.
describeRoundTrips(10, [4]);
