import { describeRoundTrips } from '../../testing/round-trip.ts';

// All files: round-trip.endurance.test.ts.
describeRoundTrips(25, [4]);
