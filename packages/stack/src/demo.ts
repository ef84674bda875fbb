import type { MachineOptions } from './machine.ts';
import type { PartRunner } from './part-runner.ts';
import { apiEnvironment, type StackPlan } from './stack-environment.ts';

/** The machine of the demo roastery that roasts live. */
const LIVE_SERIAL = 'DEMO-30-001';

/** Fills the database with the demo roastery, unless it is in there, and answers the machine that roasts live. */
export async function seedDemo(plan: StackPlan, runner: PartRunner): Promise<MachineOptions> {
  const token = plan.secrets.demoMachineToken;
  const env = { ...apiEnvironment(plan), DEMO_MACHINE_SERIAL: LIVE_SERIAL, DEMO_MACHINE_TOKEN: token };
  await runner.runOnce({ name: 'seed', script: 'api/dist/seed-demo.js', env });
  return { serial: LIVE_SERIAL, token };
}
