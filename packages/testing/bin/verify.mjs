// `npm run verify`: types, lint, format and structure of everything, tests included.
import { CannotPrepare, prepare } from '../../stack/bin/prepare.mjs';
import { runVerifyStep, VERIFY_STEPS } from './verify-steps.mjs';

try {
  await prepare({ build: false });
  const passed = [];
  for (const step of VERIFY_STEPS) passed.push(await runVerifyStep(step));
  process.exitCode = passed.every(Boolean) ? 0 : 1;
} catch (error) {
  console.error(error instanceof CannotPrepare ? error.message : error);
  process.exitCode = 1;
}
