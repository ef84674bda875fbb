import { describeRecount } from './testing/recount/describe-recount.ts';

// More operations: recount.endurance.test.ts.
describeRecount(200);
