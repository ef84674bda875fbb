import { volume } from '@roastery/testing/endurance/volume';
import { describeRoundTrips } from '../../testing/round-trip.ts';

describeRoundTrips(volume(1, 4), [1, 4]);
