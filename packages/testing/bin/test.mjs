// `npm test`: types, lint, format, and all tests except the long runs of `npm run endurance`. With `--with-endurance`
// those too, first, with one verdict for both. With `--costs` the files run one by one, and a table of their CPU time is
// printed; `--costs=browser` does so for the projects named.
import { runTests } from './test-run.mjs';
import { runVerifyStep, STATIC_CHECKS } from './verify-steps.mjs';

const projects = ['fast', 'component', 'system', 'browser', 'timed'];
const given = process.argv.slice(2);
const costs = given.find((argument) => /^--costs(?:=|$)/.test(argument));
const unknown = given.filter((argument) => argument !== costs && argument !== '--with-endurance');
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(' ')}. There are --with-endurance and --costs.`);
  process.exit(1);
}
// The long runs are bounded to four minutes: `npm run endurance` has them in full.
process.env.ENDURANCE = 'bounded';
const withEndurance = given.includes('--with-endurance');

/** One after another: each uses all cores, and tests run at the same time. */
const checks = async () => {
  const passed = [];
  for (const step of STATIC_CHECKS) passed.push(await runVerifyStep(step));
  return passed;
};
// The long runs wait most of their time: beside them the checks cost little.
const endurance = withEndurance ? [{ runs: [['endurance']], checks }] : [];

const inParallel = [
  {
    // Tests of boards, servers and pages wait much of their time: together they keep two cores busy. The component tests have one
    // worker, which would leave a core idle after all others.
    runs: [['fast', 'system'], ['browser'], ['component']],
    ...(withEndurance ? {} : { checks }),
  },
  { runs: [['timed']] },
];
const measured = costs?.split('=')[1]?.split(',') ?? projects;
const oneByOne = measured.map((project) => ({ runs: [[project]] }));

await runTests({
  name: 'test',
  phases: [...endurance, ...(costs === undefined ? inParallel : oneByOne)],
  costs: costs !== undefined,
});
