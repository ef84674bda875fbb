import { volume } from '@roastery/testing/endurance/volume';
import { describeRecount } from './testing/recount/describe-recount.ts';

describeRecount(volume(2000, 800));
