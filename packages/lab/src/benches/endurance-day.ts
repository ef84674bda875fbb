import type { Bench } from '@roastery/testing/bench';
import { cutForADay } from '../endurance/cut-for-a-day.ts';

const awaySeconds = Number(process.env['BENCH_SECONDS'] ?? 600);

export default {
  title: 'Never losing a roast: a day without network',
  onlyWhenNamed: true,
  mustReach: true,
  run: (say) => cutForADay(awaySeconds, say),
} satisfies Bench;
