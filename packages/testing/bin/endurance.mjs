// `npm run endurance`: tests of crashes, updates, replays, package orders and faulty serial lines, in under ten
// minutes. `npm run bench` runs them at full volume.
import { runTests } from './test-run.mjs';

await runTests({ name: 'endurance', phases: [{ runs: [['endurance']] }] });
