// `npm test`: types, lint, format, and all tests except the long runs of `npm run endurance`. With `--with-endurance`
// those too, first, with one verdict for both.
import { parseArgs } from 'node:util';
import { runTests } from './test-run.mjs';
import { runVerifyStep, STATIC_CHECKS } from './verify-steps.mjs';

const { values } = parseArgs({ options: { 'with-endurance': { type: 'boolean', default: false } } });

await runTests({
  name: 'test',
  phases: [
    ...(values['with-endurance'] ? [{ runs: [['endurance']] }] : []),
    {
      // Tests of boards and servers mostly wait, those in the browser mostly compute: together they keep two cores busy.
      runs: [['fast', 'system'], ['browser']],
      checks: async () => {
        const passed = [];
        // One after another: each uses all cores, and the tests run at the same time.
        for (const step of STATIC_CHECKS) passed.push(await runVerifyStep(step));
        return passed;
      },
    },
    { runs: [['timed']] },
  ],
});
