// `npm run endurance`: kills, updates, replays, package orders and faulty lines in under ten minutes. `npm run bench` has
// their full volume.
import { runTests } from './test-run.mjs';

await runTests({ runs: [['endurance']] });
