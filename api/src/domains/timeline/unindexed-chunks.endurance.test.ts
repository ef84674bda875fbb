import { isBounded, onlyInFull } from '@roastery/testing/endurance/volume';
import { expect, it } from 'vitest';
import { placesFoundAlike } from '../../testing/unindexed-chunks.ts';

it.skipIf(isBounded).each([2, 3, 4, 5])(
  `chunks that the index by time does not have: are found as with an index of all chunks (seed %i)${onlyInFull}`,
  async (seed) => {
    expect(await placesFoundAlike(seed)).toBeGreaterThan(50);
  },
);
