import { isBounded, onlyInFull } from '@roastery/testing/endurance/volume';
import { describe } from 'vitest';
import { describeRecount } from './testing/recount/describe-recount.ts';

describe.skipIf(isBounded)(`2000 operations, of which npm test does 200${onlyInFull}`, () => {
  describeRecount(2000);
});
